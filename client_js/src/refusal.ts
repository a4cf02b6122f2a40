/** The error of a refused command. */

/** Codes of temporary refusals: the same command may succeed later. */
const RETRYABLE: ReadonlySet<string> = new Set(["unavailable", "overloaded"]);

/** The server's code and sentence, or one of this library's codes, such as `disconnected`. */
export class Refusal extends Error {
  readonly code: string;
  /** Milliseconds to wait before a retry, as the server asked; 0 leaves that to the caller. */
  readonly wait: number;

  /** @param cause the error that led to this one, if any. */
  constructor(code: string, message: string, wait = 0, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "Refusal";
    this.code = code;
    this.wait = wait;
  }
}

/** Return the refusal of a command whose session was lost before the answer. */
export function disconnected(cause?: unknown): Refusal {
  return new Refusal("disconnected", "The connection to the server is lost.", 0, cause);
}

export function isRetryable(code: string): boolean {
  return RETRYABLE.has(code);
}
