/** The error of a command that was refused. */

/** Codes of temporary refusals: the same command may succeed later. */
const RETRYABLE: ReadonlySet<string> = new Set(["unavailable", "overloaded"]);

/** The server's code and sentence, or a code of this library, such as `disconnected`. */
export class Refusal extends Error {
  readonly code: string;
  /** Milliseconds after which to retry, as the server asked; 0 leaves that to the caller. */
  readonly wait: number;

  constructor(code: string, message: string, wait = 0) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.wait = wait;
  }
}

/** The refusal of a command whose session was lost before the answer. */
export function disconnected(): Refusal {
  return new Refusal("disconnected", "The connection to the server is lost.");
}

/** Whether a command that was refused with this code may be sent again later. */
export function isRetryable(code: string): boolean {
  return RETRYABLE.has(code);
}
