/** The rules' errors, each with a stable code; the Python engine has the same codes. */

export type EngineErrorCode =
  | "bad_card"
  | "bad_deck"
  | "bad_move"
  | "bad_position"
  | "bad_request"
  | "bad_ruleset"
  | "bad_seed"
  | "illegal_move"
  | "unknown_game"
  | "unknown_rules"
  | "unknown_variant";

/** Input refused by the rules: a stable `code` for programs, one sentence for people. */
export class EngineError extends Error {
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string) {
    super(message);
    this.name = "EngineError";
    this.code = code;
  }
}
