/** The error of a refused command. */

/** Codes of temporary refusals: the same command may succeed later. */
const RETRYABLE: ReadonlySet<string> = new Set(["unavailable", "overloaded"]);

/** The server's code and sentence, or one of this library's codes, such as `disconnected`. */
export class Refusal extends Error {
  readonly code: string;
  /** Milliseconds to wait before a retry, as the server asked; 0 leaves that to the caller. */
  readonly wait: number;

  constructor(code: string, message: string, wait = 0) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.wait = wait;
  }
}

/** Return the refusal of a command whose session was lost before the answer. */
export function disconnected(): Refusal {
  return new Refusal("disconnected", "The connection to the server is lost.");
}

export function isRetryable(code: string): boolean {
  return RETRYABLE.has(code);
}
