/** What the keepers of a client's state need of its connection. */

import type { Connection, Surroundings } from "./connection.ts";
import type { CommandType, Event } from "./protocol.ts";
import type { Refusal } from "./refusal.ts";
import type { Requests } from "./requests.ts";

/** How long to wait before asking again what the server could not answer, in milliseconds. */
export const ASK_AGAIN_AFTER = 1_000;

/** Keeps one part of a client's state up to date, through reconnects too. */
export interface Keeper {
  /** A session is open: ask again for what the last one was about. */
  resume(): void;
  /** The session is lost. */
  lost?(): void;
  /** An event came, as the answer to a command of the type `answered` or as news. */
  handle(event: Event, answered: CommandType | null): void;
}

export class Link {
  readonly #connection: Connection;
  readonly #after: Surroundings["after"];

  constructor(connection: Connection, after: Surroundings["after"]) {
    this.#connection = connection;
    this.#after = after;
  }

  /** Send a command whose answer is awaited; rejects with a `Refusal`. */
  ask: Requests["ask"] = (type, fields, repeats) =>
    this.#connection.requests.ask(type, fields, repeats);

  /** Send a command in the open session, and return its id. */
  tell: Requests["tell"] = (type, fields) => this.#connection.requests.tell(type, fields);

  /**
   * Ask until there is an answer, for as long as the session lasts; what comes after is for the
   * next session's `resume`.
   *
   * @param ask sends the command, without repeating; undefined if it is no longer wanted.
   * @param final the codes of refusals that will not change, upon which `forget` is called.
   */
  insist(
    ask: () => Promise<unknown> | undefined,
    final: readonly string[],
    forget: () => void,
  ): void {
    ask()?.catch((refusal: Refusal) => {
      if (final.includes(refusal.code)) forget();
      else if (refusal.code !== "disconnected") {
        this.#after(ASK_AGAIN_AFTER, () => {
          if (this.#connection.status.get() === "open") this.insist(ask, final, forget);
        });
      }
    });
  }
}
