/** Why a command was not carried out. */

/** The server's refusal by its code and sentence, or `disconnected` where no answer can come. */
export class Refusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "Refusal";
    this.code = code;
  }
}

/** The refusal of what went under with the connection. */
export function disconnected(): Refusal {
  return new Refusal("disconnected", "The connection to the server is lost.");
}
