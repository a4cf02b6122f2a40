/** The watched challenge and the player's own challenges. Loaded on first use. */

import type { Keeper, Link } from "./link.ts";
import type {
  Challenge,
  ChallengeChange,
  ChallengeRow,
  Challenger,
  CreateChallenge,
  Player,
} from "./messages.ts";
import type { Command, Event } from "./protocol.ts";
import { newKey } from "./room.ts";
import type { Store } from "./store.ts";

/** Settings of a new challenge; `limit` and `open_for` are in seconds. */
export type ChallengeSettings = Omit<CreateChallenge, "key">;

/** Defaults of omitted settings. The protocol only allows trailing fields to be omitted. */
const DEFAULTS = { variant: "standard", help: "none", target: true, players: [] } as const;

export class ChallengeKeeper implements Keeper {
  readonly #link: Link;
  readonly #challenge: Store<Challenge | null>;
  readonly #list: Store<readonly ChallengeRow[] | null>;
  /** The id of the watched challenge. */
  #wanted: string | null = null;

  constructor(
    link: Link,
    challenge: Store<Challenge | null>,
    list: Store<readonly ChallengeRow[] | null>,
  ) {
    this.#link = link;
    this.#challenge = challenge;
    this.#list = list;
  }

  create(settings: ChallengeSettings): Promise<Challenge> {
    const fields = { ...DEFAULTS, ...settings, key: newKey() };
    return this.#link.askWithRetry("CreateChallenge", fields);
  }

  rematch(challenge: string): Promise<Challenge> {
    return this.#link.askWithRetry("Rematch", { challenge });
  }

  async watch(challenge: string): Promise<void> {
    this.#want(challenge);
    const wanted = () => this.#wanted === challenge;
    try {
      await this.#link.askWithRetry("WatchChallenge", { challenge }, wanted);
    } catch (refusal) {
      if (wanted()) this.#want(null);
      throw refusal;
    }
  }

  async unwatch(): Promise<void> {
    if (this.#wanted === null) return;
    this.#want(null);
    await this.#link.ask("UnwatchChallenge", {});
  }

  async challengers(challenge: string, first: number): Promise<readonly Challenger[]> {
    return (await this.#link.askWithRetry("GetChallengers", { challenge, first })).players;
  }

  async list(seen: boolean): Promise<readonly ChallengeRow[]> {
    return (await this.#link.askWithRetry("ListChallenges", { seen })).challenges;
  }

  async block(player: string, blocked: boolean): Promise<readonly Player[]> {
    return (await this.#link.askWithRetry("BlockChallenger", { player, blocked })).players;
  }

  async blocked(): Promise<readonly Player[]> {
    return (await this.#link.askWithRetry("ListBlocked", {})).players;
  }

  async hide(challenge: string): Promise<void> {
    await this.#link.askWithRetry("HideChallenge", { challenge });
    const rows = this.#list.get();
    if (rows !== null) this.#list.set(rows.filter((row) => row.challenge !== challenge));
  }

  async close(challenge: string): Promise<void> {
    await this.#link.askWithRetry("CloseChallenge", { challenge });
  }

  async emote(challenge: string, player: string, emote: number | null): Promise<void> {
    await this.#link.askWithRetry("EmoteRun", { challenge, player, emote });
  }

  forget(): void {
    this.#challenge.set(null);
    this.#list.set(null);
  }

  resume(): void {
    this.#link.askUntilAnswered(
      () => {
        const challenge = this.#wanted;
        return challenge === null
          ? undefined
          : this.#link.ask("WatchChallenge", { challenge }, false);
      },
      ["unknown_challenge"],
      () => this.#want(null),
    );
    this.#link.askUntilAnswered(
      () =>
        this.#list.get() === null
          ? undefined
          : this.#link.ask("ListChallenges", { seen: false }, false),
      [],
      () => undefined,
    );
  }

  handle(event: Event, answered: Command | null): void {
    if (event.type === "Challenges") this.#list.set(event.challenges);
    else if (event.type === "Challenge") this.#show(event, answered !== null);
    else if (event.type === "ChallengeChange") this.#change(event);
    else if (event.type === "ChallengeGone" && event.challenge === this.#wanted) this.#want(null);
  }

  #want(challenge: string | null): void {
    // Watching the same challenge again must not blank the screen.
    if (this.#challenge.get()?.challenge !== challenge) this.#challenge.set(null);
    this.#wanted = challenge;
  }

  #show(event: Challenge, answers: boolean): void {
    if (event.challenge !== this.#wanted) return;
    const known = this.#challenge.get();
    // An unsolicited event may be older than an answer that overtook it.
    if (answers || known === null || event.version >= known.version) this.#challenge.set(event);
  }

  #change(change: ChallengeChange): void {
    const known = this.#challenge.get();
    if (known?.challenge !== change.challenge || change.version <= known.version) return;
    this.#challenge.set(changed(known, change));
  }
}

/** Return a challenge after a change, with the first page of its table sorted again. */
export function changed(known: Challenge, change: ChallengeChange): Challenge {
  const { version, rematch, size, begun, ended, target } = change;
  const rows = new Map<string, Challenger>(known.players.map((row) => [row.player.id, row]));
  for (const row of change.players) rows.set(row.player.id, row);
  const players =
    change.ranks.length === 0
      ? [...rows.values()]
      : change.ranks.flatMap(([id, rank]) => {
          const row = rows.get(id);
          return row === undefined ? [] : [{ ...row, rank }];
        });
  const mine = known.own?.player.id;
  const own = players.find(({ player }) => player.id === mine) ?? known.own;
  return { ...known, version, rematch, size, begun, ended, target, players, own };
}
