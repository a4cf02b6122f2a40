/** Commands that wait for their answers, across sessions where that is safe. */

import type { Re } from "./messages.ts";
import type { Answers, Command, CommandFields, CommandType, Event, EventOf } from "./protocol.ts";
import { Refusal, disconnected } from "./refusal.ts";

/** The most commands that wait for an answer at a time; more are refused with `too_fast`. */
export const MOST_WAITING = 100;

/**
 * Commands that may be sent again when their answer went under with a session: sent twice, they do
 * what they do once. All others are refused with `disconnected`.
 */
const REPEATABLE: ReadonlySet<CommandType> = new Set([
  "CreateRoom", // by its key
  "Rename",
  "JoinRoom",
  "OpenAttempt",
  "ListDailies",
  "OpenDaily",
  "WatchLeaderboard",
  "ShowDeal",
]);

interface Waiting {
  readonly type: CommandType;
  readonly fields: object;
  readonly repeats: boolean;
  /** Null for a command whose sender looks after lost answers itself. */
  readonly settle: { resolve(event: Event): void; reject(reason: Refusal): void } | null;
}

export class Requests {
  readonly #send: (command: Command) => void;
  readonly #limitWait: (reject: (reason: Refusal) => void) => () => void;
  readonly #sent = new Map<number, Waiting>();
  /** The ids of the moves with a number, in the order in which they are answered. */
  readonly #moves = new Map<string, number[]>();
  /** What waits for the next session, each with what calls its time-out off. */
  readonly #kept = new Map<Waiting, () => void>();
  #open = false;
  #lastId = 0;

  /**
   * @param send is called only from within calls of `tell`, of `opened` and, while open, of `ask`.
   * @param limitWait starts the time-out of a command that waits for a session, at whose end it
   * calls `reject`; returns what calls it off.
   */
  constructor(
    send: (command: Command) => void,
    limitWait: (reject: (reason: Refusal) => void) => () => void,
  ) {
    this.#send = send;
    this.#limitWait = limitWait;
  }

  /**
   * Send a command, now or, if it may be repeated, when a session is open; rejects with a `Refusal`.
   *
   * @param repeats whether it is sent again when its answer went under with a session.
   */
  ask<T extends CommandType>(
    type: T,
    fields: CommandFields[T],
    repeats = REPEATABLE.has(type),
  ): Promise<Answers[T]> {
    return new Promise((resolve, reject) => {
      const settle = { resolve: resolve as (event: Event) => void, reject };
      const waiting: Waiting = { type, fields, repeats, settle };
      if (this.#sent.size + this.#kept.size >= MOST_WAITING) {
        reject(new Refusal("too_fast", "Too many commands are waiting for their answers."));
      } else if (this.#open) {
        this.#sendOff(waiting);
      } else if (repeats) {
        this.#keep(waiting);
      } else {
        reject(disconnected());
      }
    });
  }

  /** Send a command on the socket that is there, and return its id; its answer is but an event. */
  tell<T extends CommandType>(type: T, fields: CommandFields[T]): number {
    return this.#sendOff({ type, fields, repeats: false, settle: null });
  }

  /** Settle what an event answers; returns that command, or null. */
  answered(event: Event): Command | null {
    const id = this.#idOf(event.re);
    const waiting = this.#sent.get(id);
    if (waiting === undefined) return null;
    this.#sent.delete(id);
    if (event.type === "Refused") waiting.settle?.reject(refusalOf(event));
    else waiting.settle?.resolve(event);
    return commandOf(waiting, id);
  }

  /** The session is open: send what `resume` asks, then what was kept for it. */
  opened(resume: () => void): void {
    this.#open = true;
    const kept = this.#takeKept();
    resume();
    kept.forEach((waiting) => this.#sendOff(waiting));
  }

  /** The session is lost: keep what can be sent again, refuse the rest. */
  lost(): void {
    this.#open = false;
    const sent = [...this.#sent.values()];
    this.#sent.clear();
    this.#moves.clear();
    for (const waiting of sent) {
      if (waiting.repeats) this.#keep(waiting);
      else waiting.settle?.reject(disconnected());
    }
  }

  /** No session will come by itself: refuse everything. */
  abandon(): void {
    this.lost();
    this.#takeKept().forEach((waiting) => waiting.settle?.reject(disconnected()));
  }

  #keep(waiting: Waiting): void {
    const cancel = this.#limitWait((refusal) => {
      this.#kept.delete(waiting);
      waiting.settle?.reject(refusal);
    });
    this.#kept.set(waiting, cancel);
  }

  #takeKept(): Waiting[] {
    const kept = [...this.#kept.keys()];
    this.#kept.forEach((cancel) => cancel());
    this.#kept.clear();
    return kept;
  }

  #sendOff(waiting: Waiting): number {
    const id = ++this.#lastId;
    const command = commandOf(waiting, id);
    this.#sent.set(id, waiting);
    if (command.type === "PlayMove") {
      const key = `${command.number}:${command.seq}`;
      this.#moves.set(key, [...(this.#moves.get(key) ?? []), id]);
    }
    this.#send(command);
    return id;
  }

  /** The id of the command that `re` names, or 0. Moves have none on the wire. */
  #idOf(re: Re): number {
    if (typeof re === "number") return re;
    const key = re.join(":");
    const [id = 0, ...later] = this.#moves.get(key) ?? [];
    if (later.length > 0) this.#moves.set(key, later);
    else this.#moves.delete(key);
    return id;
  }
}

function commandOf({ type, fields }: Waiting, id: number): Command {
  return { type, id, ...fields } as Command;
}

function refusalOf({ code, text, wait }: EventOf<"Refused">): Refusal {
  return new Refusal(code, text, wait);
}
