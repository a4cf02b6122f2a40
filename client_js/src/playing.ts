/** The current attempt, and the exchange of its moves with the server. */

import { Attempt } from "./attempt.ts";
import { type AttemptState, rulesOf } from "./attemptState.ts";
import type { Keeper, Link } from "./link.ts";
import type { OpenAttempt, PlayMove } from "./messages.ts";
import type { Command, CommandType, Event, EventOf } from "./protocol.ts";
import { type PendingMove, UNDO } from "./outbox.ts";
import { Refusal, disconnected, isRetryable } from "./refusal.ts";
import type { Retry } from "./retries.ts";
import { games } from "./rules/catalog.ts";
import { EngineError } from "./rules/errors.ts";
import { Store } from "./store.ts";

const RESIGN_TRIES = 3;
const HINT_TRIES = 3;

/** The commands that name an attempt by number, and may be answered with a snapshot of it. */
const OF_ATTEMPT: ReadonlySet<CommandType> = new Set(["PlayMove", "Resign", "Undo", "Hint"]);

export class AttemptKeeper implements Keeper {
  readonly state = new Store<AttemptState | null>(null);
  readonly #link: Link;
  /** Resends moves that the server could not store. */
  readonly #retry: Retry;
  #attempt: Attempt | null = null;
  /** Identifies the last call to open an attempt; null once it is closed. */
  #latest: object | null = null;

  constructor(link: Link) {
    this.#link = link;
    this.#retry = link.retry();
  }

  async openDaily(game: string): Promise<void> {
    this.#requireRules(await this.#link.askWithRetry("OpenDaily", { game }, this.#supersede()));
  }

  async openChallenge(challenge: string): Promise<void> {
    const fields = { challenge };
    this.#requireRules(await this.#link.askWithRetry("PlayChallenge", fields, this.#supersede()));
  }

  async open(id: string): Promise<void> {
    const fields = { attempt: id };
    this.#requireRules(await this.#link.askWithRetry("OpenAttempt", fields, this.#supersede()));
  }

  /** Play a move before the server accepts it; return false if it is not known to be legal. */
  play(move: string): boolean {
    if (!this.#attempt?.play(move)) return false;
    this.#publish();
    return true;
  }

  /** Undo the last move; return false if none can be undone now. */
  undo(): boolean {
    if (!this.#attempt?.undo()) return false;
    this.#publish();
    return true;
  }

  /** Request a hint; null if no useful move is known. No moves are accepted meanwhile. */
  async hint(): Promise<string | null> {
    const attempt = this.#attempt;
    if (!attempt?.canAskHint) throw new Refusal("no_help", "Hints are not available now.");
    // A snapshot instead of a hint means that an earlier move was refused and the number changed.
    for (let tries = 0; tries < HINT_TRIES; tries++) {
      if (!attempt.synced) await this.#reopen(attempt);
      const entry = nextEntry(attempt);
      attempt.hintPending = true;
      try {
        const answer = await this.#link.ask("Hint", entry);
        if (answer.type === "Hinted") return attempt.state().hint;
      } catch (refusal) {
        // The server repeats the same hint and counts it once.
        if (!(refusal instanceof Refusal && refusal.code === "disconnected")) throw refusal;
      } finally {
        attempt.hintPending = false;
        this.#publish();
      }
    }
    throw new Refusal("no_hint", "No hint could be obtained.");
  }

  /** Resign the attempt, after the session has sent its state. */
  async resign(): Promise<void> {
    const attempt = this.#attempt;
    if (attempt === null) return;
    // A snapshot instead of an end means that an earlier move was refused and the number changed.
    for (let tries = 0; tries < RESIGN_TRIES; tries++) {
      if (!attempt.synced) await this.#reopen(attempt);
      const { result } = await this.#link.ask("Resign", nextEntry(attempt));
      if (result.end !== null) return;
    }
    throw new Refusal("not_resigned", "The attempt could not be resigned now.");
  }

  /** Take over from the session that plays now, which then follows. */
  async takeOver(): Promise<void> {
    if (this.#attempt !== null) await this.#reopen(this.#attempt, { take: true });
  }

  async #reopen(attempt: Attempt, how: { readonly take?: true } = {}): Promise<void> {
    const wanted = () => this.#attempt === attempt;
    await this.#link.askWithRetry("OpenAttempt", { ...reopening(attempt), ...how }, wanted);
  }

  close(): void {
    this.#latest = null;
    this.#retry.settle();
    this.#attempt = null;
    this.state.set(null);
  }

  forget(): void {
    this.close();
  }

  resume(): void {
    this.#link.askUntilAnswered(
      () => this.#catchUp(),
      ["unknown_attempt"],
      () => this.close(),
    );
  }

  lost(): void {
    this.#retry.settle();
    this.#attempt?.lost();
  }

  /** Request the missing entries; return undefined if in sync. */
  #catchUp(): Promise<unknown> | undefined {
    const attempt = this.#attempt;
    if (attempt === null || attempt.synced) return undefined;
    return this.#link.ask("OpenAttempt", reopening(attempt), false);
  }

  handle(event: Event, answered: Command | null): void {
    this.#handle(event, answered);
    if (event.type !== "Attempt" && event.type !== "Missed" && event.type !== "Moved") return;
    const touched =
      answered?.type === "OpenAttempt"
        ? answered.take
        : answered?.type === "OpenDaily" || answered?.type === "PlayChallenge";
    const moved =
      (event.type === "Moved" && answered !== null) ||
      (event.type === "Missed" && answered?.type === "Undo");
    // Opening the attempt with `take`, or an accepted move, makes this the playing session.
    if (event.number === this.#attempt?.number && (touched || moved)) this.#setElsewhere(false);
  }

  #handle(event: Event, answered: Command | null): void {
    switch (event.type) {
      case "Attempt":
        return this.#snapshot(event, answered);
      case "Moved":
        if (event.number !== this.#attempt?.number) return;
        return this.#apply((attempt) => attempt.moved(event, playedBy(answered)));
      case "Missed":
        if (event.attempt !== this.#attempt?.id) return;
        // Other sessions' moves are useless until the awaited answer arrives.
        if (answered === null && !this.#attempt.synced) return;
        return this.#apply((attempt) => attempt.missed(event));
      case "Hinted":
        if (event.number !== this.#attempt?.number) return;
        return this.#apply((attempt) => attempt.hinted(event));
      case "Taken":
        if (event.number !== this.#attempt?.number) return;
        return this.#taken(event.session);
      case "Released":
        if (event.number !== this.#attempt?.number) return;
        return this.#setElsewhere(false);
      case "Ended":
        if (event.number !== this.#attempt?.number) return;
        return this.#apply((attempt) => attempt.ended(event));
      case "Refused":
        if (answered?.type !== "PlayMove" && answered?.type !== "Undo") return;
        if (isRetryable(event.code)) this.#postpone(answered.id, event.wait);
        else this.#attempt?.refused(answered.id, event.text);
        return this.#publish();
    }
  }

  /** Follow the playing session, or take over from it if it is a lost one of this client. */
  #taken(session: string | null): void {
    if (session === null || !this.#link.isOwnSession(session)) this.#setElsewhere(true);
    else void this.takeOver().catch(() => undefined);
  }

  #setElsewhere(elsewhere: boolean): void {
    const attempt = this.#attempt;
    if (attempt === null || attempt.elsewhere === elsewhere) return;
    attempt.elsewhere = elsewhere;
    this.#publish();
  }

  /** Resend the move of command `id`, whose outcome is unknown, after `wait` or the backoff. */
  #postpone(id: number, wait: number): void {
    const attempt = this.#attempt;
    if (!attempt?.postpone(id)) return;
    this.#retry.schedule(() => {
      attempt.postponed = false;
      this.#publish();
    }, wait);
  }

  #snapshot(event: EventOf<"Attempt">, answered: Command | null): void {
    if (this.#attempt?.id === event.attempt) {
      this.#attempt.resync(event, answered?.id ?? null);
      this.#retry.settle();
    } else if (answered !== null && OF_ATTEMPT.has(answered.type)) {
      return; // for an attempt closed here
    } else {
      try {
        this.#attempt = new Attempt(event);
        this.#retry.settle();
      } catch (error) {
        // This client does not know the rules: `#requireRules` reports it to the caller.
        if (error instanceof EngineError) return;
        throw error;
      }
    }
    this.#publish();
  }

  /** Supersede earlier calls to open; return a function that reports whether this is the latest. */
  #supersede(): () => boolean {
    const latest = (this.#latest = {});
    return () => this.#latest === latest;
  }

  /** Throw a `Refusal` if this client does not know the game or its rules. */
  #requireRules(event: EventOf<"Attempt"> | EventOf<"Missed">): void {
    if (event.type === "Missed") return;
    try {
      rulesOf(event);
    } catch {
      if (games.some(({ id }) => id === event.game)) {
        throw new Refusal("unknown_rules", "This client does not know the rules of this game yet.");
      }
      throw new Refusal("unknown_game", `This client does not know the game ${event.game} yet.`);
    }
  }

  #apply(apply: (attempt: Attempt) => boolean): void {
    const attempt = this.#attempt;
    if (attempt === null) return;
    const { diverged } = attempt;
    // Request the snapshot once per divergence, not for every further event.
    if (!apply(attempt) && !diverged) this.resume();
    else if (!attempt.postponed) this.#retry.settle();
    this.#publish();
  }

  /** Send a pending move and return its command's id. */
  #tell(attempt: Attempt, pending: PendingMove): number {
    if (pending.move !== UNDO) return this.#link.tell("PlayMove", attempt.command(pending));
    return this.#link.tell("Undo", attempt.undoCommand(pending));
  }

  /** Send the unsent moves, and publish the state. */
  #publish(): void {
    const attempt = this.#attempt;
    if (attempt === null) return;
    for (const pending of attempt.unsent()) {
      attempt.sent(pending.seq, this.#tell(attempt, pending));
    }
    this.state.set(attempt.state());
  }
}

function nextEntry({ number, nextSeq }: Attempt): {
  readonly number: number;
  readonly seq: number;
} {
  if (number === null) throw disconnected();
  return { number, seq: nextSeq };
}

function reopening(attempt: Attempt): OpenAttempt {
  const have = attempt.have();
  return { attempt: attempt.id, ...(have === null ? {} : { have }) };
}

function playedBy(command: Command | null): PlayMove | null {
  return command?.type === "PlayMove" ? command : null;
}
