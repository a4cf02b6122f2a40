/** Commands that await their answers, sent again in the next session where that is safe. */

import type { Re } from "./messages.ts";
import type { AnswerTo, Command, CommandFields, CommandType, Event, EventOf } from "./protocol.ts";
import { Refusal, disconnected } from "./refusal.ts";

/** The most unanswered commands at a time; more are refused with `too_fast`. */
export const MAX_WAITING = 100;

/**
 * Idempotent commands: sent again when their session was lost before the answer. All others are
 * then refused with `disconnected`.
 */
const IDEMPOTENT: ReadonlySet<CommandType> = new Set([
  "CreateRoom", // by its key
  "Rename",
  "JoinRoom",
  "QuickMatch", // who waits already gets the same room, or another one in which somebody waits
  "OpenAttempt",
  "ListDailies",
  "ListRooms",
  "OpenDaily",
  "WatchLeaderboard",
  "ShowDeal",
  "GetRun",
  "GetRuns",
  "WatchRound",
  "GetWatchKey",
  "GetAccount",
  "LinkDevice", // only the latest code holds
  "KeepRecoveryCode", // again, it changes nothing
  "ExportData",
  "CreateChallenge", // by its key
  "WatchChallenge",
  "GetChallengers",
  "BlockChallenger",
  "ListBlocked",
  "PlayChallenge", // again, it returns to the attempt
  "ListChallenges",
  "HideChallenge",
  "CloseChallenge",
  "EmoteRun",
  "Rematch", // there is one for all
  "Report", // once more, it changes nothing
  "GetPush",
  "AddPush", // again, it changes nothing
  "RemovePush",
  "SetPush",
  "ListCases",
  "LookUp",
]);

interface PendingCommand {
  readonly type: CommandType;
  readonly fields: object;
  readonly resend: boolean;
  /** Null for a command whose answer is handled as an event only. */
  readonly settle: { resolve(event: Event): void; reject(reason: Refusal): void } | null;
}

export class Requests {
  readonly #send: (command: Command) => void;
  readonly #startTimeout: (reject: (reason: Refusal) => void) => () => void;
  readonly #sent = new Map<number, PendingCommand>();
  /** The ids of the moves in flight by `number:seq`, in the order in which they are answered. */
  readonly #moves = new Map<string, number[]>();
  /** Commands for the next session, each with the function that cancels its timeout. */
  readonly #queue = new Map<PendingCommand, () => void>();
  #open = false;
  #lastId = 0;

  /**
   * @param send transmits a command; called only from within `tell`, `opened` and, while open,
   * `ask`.
   * @param startTimeout calls `reject` when a queued command has waited too long for a session;
   * returns a function that cancels that.
   */
  constructor(
    send: (command: Command) => void,
    startTimeout: (reject: (reason: Refusal) => void) => () => void,
  ) {
    this.#send = send;
    this.#startTimeout = startTimeout;
  }

  /**
   * Send a command, or queue it for the next session if `resend`; rejects with a `Refusal`.
   *
   * @param resend whether it is sent again when its session was lost before the answer.
   */
  ask<T extends CommandType>(
    type: T,
    fields: CommandFields[T],
    resend = IDEMPOTENT.has(type),
  ): Promise<AnswerTo<T>> {
    return new Promise((resolve, reject) => {
      const settle = { resolve: resolve as (event: Event) => void, reject };
      const pending: PendingCommand = { type, fields, resend, settle };
      if (this.#sent.size + this.#queue.size >= MAX_WAITING) {
        reject(new Refusal("too_fast", "Too many commands are waiting for their answers."));
      } else if (this.#open) {
        this.#transmit(pending);
      } else if (resend) {
        this.#enqueue(pending);
      } else {
        reject(disconnected());
      }
    });
  }

  /** Send a command on the current socket, and return its id; its answer is handled as an event. */
  tell<T extends CommandType>(type: T, fields: CommandFields[T]): number {
    return this.#transmit({ type, fields, resend: false, settle: null });
  }

  /** Settle the command that an event answers, and return it; null if there is none. */
  answered(event: Event): Command | null {
    const id = this.#idOf(event.re);
    const pending = this.#sent.get(id);
    if (pending === undefined) return null;
    this.#sent.delete(id);
    if (event.type === "Refused") pending.settle?.reject(refusalOf(event));
    else pending.settle?.resolve(event);
    return commandOf(pending, id);
  }

  /** Whether an answer is awaited that may have megabytes, and arrives before all later ones. */
  get awaitsLarge(): boolean {
    return [...this.#sent.values()].some(({ type }) => type === "ExportData");
  }

  /** The session is open: send what `resume` asks, then what was queued. */
  opened(resume: () => void): void {
    this.#open = true;
    const queued = this.#drainQueue();
    resume();
    queued.forEach((pending) => this.#transmit(pending));
  }

  /** The session is lost: queue what can be sent again, refuse the rest. */
  lost(): void {
    this.#open = false;
    const sent = [...this.#sent.values()];
    this.#sent.clear();
    this.#moves.clear();
    for (const pending of sent) {
      if (pending.resend) this.#enqueue(pending);
      else pending.settle?.reject(disconnected());
    }
  }

  /** The connection was stopped: refuse everything. */
  abandon(): void {
    this.lost();
    this.#drainQueue().forEach((pending) => pending.settle?.reject(disconnected()));
  }

  #enqueue(pending: PendingCommand): void {
    const cancel = this.#startTimeout((refusal) => {
      this.#queue.delete(pending);
      pending.settle?.reject(refusal);
    });
    this.#queue.set(pending, cancel);
  }

  #drainQueue(): PendingCommand[] {
    const queued = [...this.#queue.keys()];
    this.#queue.forEach((cancel) => cancel());
    this.#queue.clear();
    return queued;
  }

  #transmit(pending: PendingCommand): number {
    const id = ++this.#lastId;
    const command = commandOf(pending, id);
    this.#sent.set(id, pending);
    if (command.type === "PlayMove") {
      const key = `${command.number}:${command.seq}`;
      this.#moves.set(key, [...(this.#moves.get(key) ?? []), id]);
    }
    this.#send(command);
    return id;
  }

  /** The id of the command that `re` refers to, or 0. On the wire, moves have no id. */
  #idOf(re: Re): number {
    if (typeof re === "number") return re;
    const key = re.join(":");
    const [id = 0, ...later] = this.#moves.get(key) ?? [];
    if (later.length > 0) this.#moves.set(key, later);
    else this.#moves.delete(key);
    return id;
  }
}

function commandOf({ type, fields }: PendingCommand, id: number): Command {
  return { type, id, ...fields } as Command;
}

function refusalOf({ code, text, wait }: EventOf<"Refused">): Refusal {
  return new Refusal(code, text, wait);
}
