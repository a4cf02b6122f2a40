/** The connection as seen by the keepers of a client's state. */

import type { Connection } from "./connection.ts";
import type { AnswerTo, Command, CommandFields, CommandType, Event } from "./protocol.ts";
import { Refusal, isRetryable } from "./refusal.ts";
import type { Requests } from "./requests.ts";
import type { Retries, Retry } from "./retries.ts";

/** Keeps one part of a client's state up to date, including across reconnects. */
export interface Keeper {
  /** A session was opened: restore the previous session's subscriptions. */
  resume(): void;
  lost?(): void;
  /** The next session belongs to another player: drop this player's state. */
  forget?(): void;
  /** An event was received, in answer to the command `answered` or, if null, unsolicited. */
  handle(event: Event, answered: Command | null): void;
}

/** The longest wait in ms that the server may request for a `too_fast` command to be retried. */
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

  /** Create a retry for an operation that the server may refuse temporarily. */
  retry(): Retry {
    return this.#retries.retry();
  }

  /** The session was lost: cancel its retries. */
  lost(): void {
    this.#sessionRetries.forEach((retry) => retry.settle());
    this.#sessionRetries.clear();
  }

  /** Send a command and await its answer, as `Requests.ask` does; rejects with a `Refusal`. */
  ask: Requests["ask"] = (type, fields, resend) =>
    this.#connection.requests.ask(type, fields, resend);

  /** Whether this was a session of this client, which the server may not yet know is lost. */
  isOwnSession(session: string): boolean {
    return this.#connection.isOwnSession(session);
  }

  /** Send a command in the open session and return its id. */
  tell: Requests["tell"] = (type, fields) => this.#connection.requests.tell(type, fields);

  /**
   * Send a command, and retry it while it is temporarily refused, or refused as `too_fast` with a
   * short wait. Rejects with any other `Refusal`.
   *
   * @param wanted whether the answer is still needed; if not, the command is not retried.
   * @param resend as in `Requests.ask`.
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
          // The caller may have moved on during the wait.
          if (!wanted()) throw refusal;
        }
      }
    } finally {
      retry.settle();
    }
  }

  /**
   * Retry until answered, within this session; the next session starts over with `resume`.
   *
   * @param ask sends the command with `resend` false; returns undefined if it is no longer needed.
   * @param final the codes of permanent refusals, which call `forget`.
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
      // After a disconnect, the next session's `resume` asks again.
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
