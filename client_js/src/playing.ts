/** The attempt that is being played, and the moves between it and the server. */

import { Attempt, type AttemptState, rulesOf } from "./attempt.ts";
import type { Keeper, Link } from "./link.ts";
import type { OpenAttempt, PlayMove } from "./messages.ts";
import type { Command, Event, EventOf } from "./protocol.ts";
import { Refusal, disconnected, isForLater } from "./refusal.ts";
import type { Retry } from "./retries.ts";
import { games } from "./rules/catalog.ts";
import { EngineError } from "./rules/errors.ts";
import { Store } from "./store.ts";

const RESIGN_TRIES = 3;

export class AttemptKeeper implements Keeper {
  readonly state = new Store<AttemptState | null>(null);
  readonly #link: Link;
  /** Of the moves that the server could not play just then. */
  readonly #retry: Retry;
  #attempt: Attempt | null = null;
  /** Stands for what was opened last, until it is closed. */
  #wish: object | null = null;

  constructor(link: Link) {
    this.#link = link;
    this.#retry = link.retry();
  }

  async openDaily(game: string): Promise<void> {
    this.#mustKnow(await this.#link.persist("OpenDaily", { game }, this.#wished()));
  }

  async open(id: string): Promise<void> {
    const fields = { attempt: id };
    this.#mustKnow(await this.#link.persist("OpenAttempt", fields, this.#wished()));
  }

  /** Play a move at once; false if it is not legal, or not known to be. */
  play(move: string): boolean {
    if (!this.#attempt?.play(move)) return false;
    this.#changed();
    return true;
  }

  /** End the attempt as it stands, once there is a session that knows it. */
  async resign(): Promise<void> {
    const attempt = this.#attempt;
    if (attempt === null) return;
    // A snapshot as the answer means that a move before was not taken, and the number is another.
    for (let tries = 0; tries < RESIGN_TRIES; tries++) {
      if (!attempt.synced) {
        const wanted = () => this.#attempt === attempt;
        await this.#link.persist("OpenAttempt", openingOf(attempt), wanted);
      }
      const { number, nextSeq } = attempt;
      if (number === null) throw disconnected();
      const { result } = await this.#link.ask("Resign", { number, seq: nextSeq });
      if (result.end !== null) return;
    }
    throw new Refusal("not_resigned", "The attempt could not be resigned just now.");
  }

  close(): void {
    this.#wish = null;
    this.#retry.settle();
    this.#attempt = null;
    this.state.set(null);
  }

  resume(): void {
    this.#link.insist(
      () => this.#catchUp(),
      ["unknown_attempt"],
      () => this.close(),
    );
  }

  lost(): void {
    this.#retry.settle();
    this.#attempt?.lost();
  }

  /** Ask for what came after all that is known here; undefined if nothing did. */
  #catchUp(): Promise<unknown> | undefined {
    const attempt = this.#attempt;
    if (attempt === null || attempt.synced) return undefined;
    return this.#link.ask("OpenAttempt", openingOf(attempt), false);
  }

  handle(event: Event, answered: Command | null): void {
    switch (event.type) {
      case "Attempt":
        return this.#snapshot(event, answered);
      case "Moved":
        if (event.number !== this.#attempt?.number) return;
        return this.#follow((attempt) => attempt.moved(event, playedBy(answered)));
      case "Missed":
        if (event.attempt !== this.#attempt?.id) return;
        return this.#follow((attempt) => attempt.missed(event));
      case "Ended":
        if (event.number !== this.#attempt?.number) return;
        return this.#follow((attempt) => attempt.ended(event));
      case "Refused":
        if (answered?.type !== "PlayMove") return;
        if (isForLater(event.code)) this.#postpone(answered.id, event.wait);
        else this.#attempt?.refused(answered.id, event.text);
        return this.#changed();
    }
  }

  /** It is not known whether the move of the command `id` stands: send it again after a while. */
  #postpone(id: number, wait: number): void {
    const attempt = this.#attempt;
    if (!attempt?.postpone(id)) return;
    this.#retry.later(() => {
      attempt.goOn();
      this.#changed();
    }, wait);
  }

  #snapshot(event: EventOf<"Attempt">, answered: Command | null): void {
    if (this.#attempt?.id === event.attempt) {
      this.#attempt.resync(event, answered?.id ?? null);
      this.#retry.settle();
    } else if (answered?.type === "PlayMove" || answered?.type === "Resign") {
      return; // of an attempt that was closed here
    } else {
      try {
        this.#attempt = new Attempt(event);
        this.#retry.settle();
      } catch (error) {
        // Rules that the server knows and this client does not: `#mustKnow` says so.
        if (error instanceof EngineError) return;
        throw error;
      }
    }
    this.#changed();
  }

  /** Whether what is opened now is still what is wanted, as time goes on. */
  #wished(): () => boolean {
    const wish = (this.#wish = {});
    return () => this.#wish === wish;
  }

  #mustKnow(event: EventOf<"Attempt"> | EventOf<"Missed">): void {
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

  #follow(apply: (attempt: Attempt) => boolean): void {
    const attempt = this.#attempt;
    if (attempt === null) return;
    const { astray } = attempt;
    if (!apply(attempt) && !astray) this.resume();
    else if (!attempt.postponed) this.#retry.settle();
    this.#changed();
  }

  /** Send what is to be sent, and show how it stands. */
  #changed(): void {
    const attempt = this.#attempt;
    if (attempt === null) return;
    for (const pending of attempt.unsent()) {
      attempt.sent(pending.seq, this.#link.tell("PlayMove", attempt.command(pending)));
    }
    this.state.set(attempt.state());
  }
}

/** What an attempt is opened again with. */
function openingOf(attempt: Attempt): OpenAttempt {
  const have = attempt.have();
  return { attempt: attempt.id, ...(have === null ? {} : { have }) };
}

function playedBy(command: Command | null): PlayMove | null {
  return command?.type === "PlayMove" ? command : null;
}
