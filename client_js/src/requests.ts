/** Commands that await their answers, and are resent in the next session where that is safe. */

import type { Re } from "./messages.ts";
import type { AnswerTo, Command, CommandFields, CommandType, Event, EventOf } from "./protocol.ts";
import { Refusal, disconnected } from "./refusal.ts";

/** The most unanswered commands; further ones are refused as `too_fast`. */
export const MAX_WAITING = 100;

/** Commands resent if their session is lost; all others are refused as `disconnected`. */
const IDEMPOTENT: ReadonlySet<CommandType> = new Set([
  "CreateRoom", // by its key
  "Rename",
  "JoinRoom",
  "QuickMatch", // A waiting player gets the same room again, or another waiting player's room.
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
  "LinkDevice", // only the latest code is valid
  "KeepRecoveryCode", // repeating it changes nothing
  "ExportData",
  "CreateChallenge", // by its key
  "WatchChallenge",
  "GetChallengers",
  "BlockChallenger",
  "ListBlocked",
  "PlayChallenge", // repeating it reopens the attempt
  "ListChallenges",
  "HideChallenge",
  "CloseChallenge",
  "EmoteRun",
  "Rematch", // a challenge has one rematch
  "Report", // repeating it changes nothing
  "GetPush",
  "AddPush", // repeating it changes nothing
  "RemovePush",
  "SetPush",
  "ListCases",
  "LookUp",
]);

interface PendingCommand {
  readonly type: CommandType;
  readonly fields: object;
  readonly resend: boolean;
  /** Null if the answer is only handled as an event. */
  readonly settle: { resolve(event: Event): void; reject(reason: Refusal): void } | null;
}

export class Requests {
  readonly #send: (command: Command) => void;
  readonly #startTimeout: (reject: (reason: Refusal) => void) => () => void;
  readonly #sent = new Map<number, PendingCommand>();
  /** The ids of the moves in flight by `number:seq`, in the order of their answers. */
  readonly #moves = new Map<string, number[]>();
  /** Commands for the next session, each with a function that cancels its timeout. */
  readonly #queue = new Map<PendingCommand, () => void>();
  #open = false;
  #lastId = 0;

  /**
   * @param send transmits a command; called only from `tell`, `opened` and, while open, `ask`.
   * @param startTimeout calls `reject` when a queued command has waited too long for a session;
   * returns a function that cancels it.
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
   * @param resend whether to resend it if its session is lost before the answer.
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
        reject(new Refusal("too_fast", "Too many commands are waiting for answers."));
      } else if (this.#open) {
        this.#transmit(pending);
      } else if (resend) {
        this.#enqueue(pending);
      } else {
        reject(disconnected());
      }
    });
  }

  /** Send a command on the current socket and return its id; its answer is handled as an event. */
  tell<T extends CommandType>(type: T, fields: CommandFields[T]): number {
    return this.#transmit({ type, fields, resend: false, settle: null });
  }

  /** Settle the command that an event answers, and return it or null. */
  answered(event: Event): Command | null {
    const id = this.#idOf(event.re);
    const pending = this.#sent.get(id);
    if (pending === undefined) return null;
    this.#sent.delete(id);
    if (event.type === "Refused") pending.settle?.reject(refusalOf(event));
    else pending.settle?.resolve(event);
    return commandOf(pending, id);
  }

  /** Whether an answer of up to megabytes is awaited, which delays all later answers. */
  get awaitsLargeAnswer(): boolean {
    return [...this.#sent.values()].some(({ type }) => type === "ExportData");
  }

  /** A session was opened: send the commands of `resume`, then the queued ones. */
  opened(resume: () => void): void {
    this.#open = true;
    const queued = this.#drainQueue();
    resume();
    queued.forEach((pending) => this.#transmit(pending));
  }

  /** The session was lost, by an error if known: queue what can be resent, refuse the rest. */
  lost(cause?: unknown): void {
    this.#open = false;
    const sent = [...this.#sent.values()];
    this.#sent.clear();
    this.#moves.clear();
    for (const pending of sent) {
      if (pending.resend) this.#enqueue(pending);
      else pending.settle?.reject(disconnected(cause));
    }
  }

  /** The connection was stopped: refuse all commands. */
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
    // Moves are sent without an id to keep them short; their answers repeat number and seq.
    if (command.type === "PlayMove") {
      const key = `${command.number}:${command.seq}`;
      this.#moves.set(key, [...(this.#moves.get(key) ?? []), id]);
    }
    this.#send(command);
    return id;
  }

  /** Return the id of the command that `re` refers to, or 0. Moves have no id on the wire. */
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
