/** The attempt that is being played, and the moves between it and the server. */

import { Attempt, type AttemptState } from "./attempt.ts";
import type { Keeper, Link } from "./link.ts";
import type { CommandType, Event, EventOf } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { findRuleset } from "./rules/catalog.ts";
import { EngineError } from "./rules/errors.ts";
import { Store } from "./store.ts";

const RESIGN_TRIES = 3;

export class AttemptKeeper implements Keeper {
  readonly state = new Store<AttemptState | null>(null);
  readonly #link: Link;
  #attempt: Attempt | null = null;

  constructor(link: Link) {
    this.#link = link;
  }

  async openDaily(game: string): Promise<void> {
    this.#mustKnow(await this.#link.ask("daily.open", { game }));
  }

  async open(id: string): Promise<void> {
    this.#mustKnow(await this.#link.ask("attempt.open", { attempt: id }));
  }

  /** Play a move at once; false if it is not legal, or not known to be. */
  play(move: string): boolean {
    if (!this.#attempt?.play(move)) return false;
    this.#changed();
    return true;
  }

  async resign(): Promise<void> {
    const attempt = this.#attempt;
    if (attempt === null) return;
    // A snapshot as the answer means that a move before was not taken, and the number is another.
    for (let tries = 0; tries < RESIGN_TRIES; tries++) {
      const command = { attempt: attempt.id, seq: attempt.nextSeq };
      const { result } = await this.#link.ask("resign", command);
      if (result.end !== null) return;
    }
    throw new Refusal("not_resigned", "The attempt could not be resigned just now.");
  }

  close(): void {
    this.#attempt = null;
    this.state.set(null);
  }

  resume(): void {
    this.#link.insist(
      () =>
        this.#attempt === null
          ? undefined
          : this.#link.ask("attempt.open", { attempt: this.#attempt.id }, false),
      ["unknown_attempt"],
      () => this.close(),
    );
  }

  lost(): void {
    this.#attempt?.lost();
  }

  handle(event: Event, answered: CommandType | null): void {
    switch (event.type) {
      case "attempt":
        return this.#snapshot(event, answered);
      case "moved":
        return this.#follow(event.attempt, (attempt) => attempt.moved(event));
      case "ended":
        return this.#follow(event.attempt, (attempt) => attempt.ended(event));
      case "refused":
        if (answered !== "move" || event.re === undefined) return;
        this.#attempt?.refused(event.re, event.text);
        return this.#changed();
    }
  }

  #snapshot(event: EventOf<"attempt">, answered: CommandType | null): void {
    if (this.#attempt?.id === event.attempt) {
      this.#attempt.resync(event, event.re ?? null);
    } else if (answered === "move" || answered === "resign") {
      return; // of an attempt that was closed here
    } else {
      try {
        this.#attempt = new Attempt(event);
      } catch (error) {
        // A game that the server has and this client does not: `#mustKnow` says so.
        if (error instanceof EngineError) return;
        throw error;
      }
    }
    this.#changed();
  }

  #mustKnow({ game, variant }: EventOf<"attempt">): void {
    try {
      findRuleset(game, variant);
    } catch {
      throw new Refusal("unknown_game", `This client does not know the game ${game} yet.`);
    }
  }

  #follow(id: string, apply: (attempt: Attempt) => boolean): void {
    if (this.#attempt?.id !== id) return;
    if (!apply(this.#attempt)) this.resume();
    this.#changed();
  }

  /** Send what is to be sent, and show how it stands. */
  #changed(): void {
    const attempt = this.#attempt;
    if (attempt === null) return;
    for (const { seq, move } of attempt.unsent()) {
      attempt.sent(seq, this.#link.tell("move", { attempt: attempt.id, seq, move }));
    }
    this.state.set(attempt.state());
  }
}
