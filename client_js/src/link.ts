/** What the keepers of a client's state need of its connection. */

import type { Connection } from "./connection.ts";
import type { Answers, Command, CommandFields, CommandType, Event } from "./protocol.ts";
import { Refusal, isForLater } from "./refusal.ts";
import type { Requests } from "./requests.ts";
import type { Retries, Retry } from "./retries.ts";

/** Keeps one part of a client's state up to date, through reconnects too. */
export interface Keeper {
  /** A session is open: ask again for what the last one was about. */
  resume(): void;
  /** The session is lost. */
  lost?(): void;
  /** An event came, as the answer to the command `answered` or as news. */
  handle(event: Event, answered: Command | null): void;
}

export class Link {
  readonly #connection: Connection;
  readonly #retries: Retries;
  readonly #insisting = new Set<Retry>();

  constructor(connection: Connection, retries: Retries) {
    this.#connection = connection;
    this.#retries = retries;
  }

  /** Something that may have to be sent again, because the server cannot do it just now. */
  retry(): Retry {
    return this.#retries.retry();
  }

  /** The session is lost, and with it what was insisted on. */
  lost(): void {
    this.#insisting.forEach((retry) => retry.settle());
    this.#insisting.clear();
  }

  /** Send a command whose answer is awaited; rejects with a `Refusal`. */
  ask: Requests["ask"] = (type, fields, repeats) =>
    this.#connection.requests.ask(type, fields, repeats);

  /** Send a command in the open session, and return its id. */
  tell: Requests["tell"] = (type, fields) => this.#connection.requests.tell(type, fields);

  /**
   * Ask, and ask again while the server cannot do it just now; rejects with any other `Refusal`.
   *
   * @param wanted whether anyone still waits for it: what nobody wants is not done late.
   */
  async persist<T extends CommandType>(
    type: T,
    fields: CommandFields[T],
    wanted: () => boolean = () => true,
  ): Promise<Answers[T]> {
    const retry = this.#retries.retry();
    try {
      for (;;) {
        try {
          return await this.ask(type, fields);
        } catch (refusal) {
          if (!(refusal instanceof Refusal) || !isForLater(refusal.code) || !wanted())
            throw refusal;
          await new Promise<void>((go) => retry.later(go, refusal.wait));
          if (!wanted()) throw refusal;
        }
      }
    } finally {
      retry.settle();
    }
  }

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
    const retry = this.#retries.retry();
    this.#insisting.add(retry);
    const settle = (): void => {
      retry.settle();
      this.#insisting.delete(retry);
    };
    const refused = (refusal: Refusal): void => {
      if (refusal.code !== "disconnected" && !final.includes(refusal.code)) {
        retry.later(go, refusal.wait);
        return;
      }
      settle();
      if (refusal.code !== "disconnected") forget();
    };
    const go = (): void => {
      const asked = ask();
      if (asked === undefined) settle();
      else void asked.then(settle, refused);
    };
    go();
  }
}
