/** Why a command was not carried out. */

/** Codes of refusals that say nothing against the command: it may be asked again later. */
const LATER: ReadonlySet<string> = new Set(["unavailable", "overloaded"]);

/** The server's refusal by its code and sentence, or `disconnected` where no answer can come. */
export class Refusal extends Error {
  readonly code: string;
  /** Milliseconds after which it is worth another try; 0 leaves that to who asks. */
  readonly wait: number;

  constructor(code: string, message: string, wait = 0) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.wait = wait;
  }
}

/** The refusal of what went under with the connection. */
export function disconnected(): Refusal {
  return new Refusal("disconnected", "The connection to the server is lost.");
}

/** Whether what was refused by this code may be asked again later. */
export function isForLater(code: string): boolean {
  return LATER.has(code);
}
