/** The access that the keepers of a client's state have to its connection. */

import type { Connection } from "./connection.ts";
import type { AnswerTo, Command, CommandFields, CommandType, Event } from "./protocol.ts";
import { Refusal, isRetryable } from "./refusal.ts";
import type { Requests } from "./requests.ts";
import type { Retries, Retry } from "./retries.ts";

/** Keeps one part of a client's state up to date, across reconnects too. */
export interface Keeper {
  /** A session is open: restore the subscriptions of the last one. */
  resume(): void;
  /** The session is lost. */
  lost?(): void;
  /** The next session will be another player's: forget what is the player's own. */
  forget?(): void;
  /** An event was received: the answer to the command `answered`, or, if null, unsolicited. */
  handle(event: Event, answered: Command | null): void;
}

/** A command that is refused as `too_fast` is sent again if the server asks to wait no longer, in ms. */
const PATIENCE = 3_000;

function isRetried({ code, wait }: Refusal): boolean {
  return isRetryable(code) || (code === "too_fast" && wait > 0 && wait <= PATIENCE);
}

export class Link {
  readonly #connection: Connection;
  readonly #retries: Retries;
  /** The retries of `askUntilAnswered` in this session. */
  readonly #sessionRetries = new Set<Retry>();

  constructor(connection: Connection, retries: Retries) {
    this.#connection = connection;
    this.#retries = retries;
  }

  /** A retry for an operation that the server may refuse temporarily. */
  retry(): Retry {
    return this.#retries.retry();
  }

  /** The session is lost: cancel the retries that belong to it. */
  lost(): void {
    this.#sessionRetries.forEach((retry) => retry.settle());
    this.#sessionRetries.clear();
  }

  /** Send a command and await its answer, as `Requests.ask` does; rejects with a `Refusal`. */
  ask: Requests["ask"] = (type, fields, resend) =>
    this.#connection.requests.ask(type, fields, resend);

  /** Whether an earlier session of this client had this id; the server may not know it is lost. */
  wasOurs(session: string): boolean {
    return this.#connection.wasOurs(session);
  }

  /** Send a command in the open session, and return its id. */
  tell: Requests["tell"] = (type, fields) => this.#connection.requests.tell(type, fields);

  /**
   * Send a command, and retry it while it is refused temporarily, or as `too_fast` with a short wait;
   * rejects with any other `Refusal`.
   *
   * @param wanted whether the answer is still wanted; if not, it is not retried.
   * @param resend as of `Requests.ask`.
   */
  async askWithRetry<T extends CommandType>(
    type: T,
    fields: CommandFields[T],
    wanted: () => boolean = () => true,
    resend?: boolean,
  ): Promise<AnswerTo<T>> {
    const retry = this.#retries.retry();
    try {
      for (;;) {
        try {
          return await this.ask(type, fields, resend);
        } catch (refusal) {
          if (!(refusal instanceof Refusal) || !isRetried(refusal) || !wanted()) throw refusal;
          await new Promise<void>((go) => retry.schedule(go, refusal.wait));
          if (!wanted()) throw refusal;
        }
      }
    } finally {
      retry.settle();
    }
  }

  /**
   * Retry until there is an answer, for as long as the session lasts; the next session starts over
   * with `resume`.
   *
   * @param ask sends the command, with `resend` false; undefined if it is no longer wanted.
   * @param final the codes of permanent refusals, upon which `forget` is called.
   */
  askUntilAnswered(
    ask: () => Promise<unknown> | undefined,
    final: readonly string[],
    forget: (refusal: Refusal) => void,
  ): void {
    const retry = this.#retries.retry();
    this.#sessionRetries.add(retry);
    const settle = (): void => {
      retry.settle();
      this.#sessionRetries.delete(retry);
    };
    const refused = (refusal: Refusal): void => {
      if (refusal.code !== "disconnected" && !final.includes(refusal.code)) {
        retry.schedule(go, refusal.wait);
        return;
      }
      settle();
      if (refusal.code !== "disconnected") forget(refusal);
    };
    const go = (): void => {
      const asked = ask();
      if (asked === undefined) settle();
      else void asked.then(settle, refused);
    };
    go();
  }
}
