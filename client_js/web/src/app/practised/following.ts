/**
 * Statistics of practice that follow a kept identity. The figures in this browser are then a copy of
 * the server's and of the deals counted since. Those are sent in numbered batches, one variant at a
 * time; a batch stays the same until it is answered, so that the server adds it once.
 */

import {
  type AccountCommands,
  type AddPractice,
  type Client,
  type Practised,
  Refusal,
  type TextStorage,
} from "@samedeal/client";
import { isChanges } from "../../../../src/rules/changes.ts";
import {
  type Counted,
  type Figures,
  added,
  allFigures,
  dropFigures,
  isFigures,
  joined,
  noFigures,
  storeFigures,
} from "./figures.ts";

/** The server's limits of a batch. */
const MOST_DEALS = 50;
const MOST_TIME = 10 ** 10;
const MOST_MOVES = 1_000_000;

/** Refusals of a batch that the server will never add: its deals count in this browser only. */
const FINAL: ReadonlySet<string> = new Set([
  ...["bad_figures", "figures_full", "own_rules", "unknown_game", "unknown_variant", "bad_message"],
]);

const KEY = "samedeal.following";

type Commands = Pick<AccountCommands, "practice" | "addPractice">;

/** The figures of one variant. */
interface Row {
  readonly game: string;
  readonly variant: string;
  readonly figures: Figures;
}

interface Following {
  /** The player whose figures this browser has. */
  readonly player: string;
  /** A random name of this browser. */
  readonly device: string;
  /** The number of the last batch. */
  readonly batch: number;
  /** The last batch, until it is answered. */
  readonly sending: Row | null;
  /** The deals counted since, by variant. */
  readonly waiting: readonly Row[];
}

/** Drop the figures of another player who used this browser before. */
export function leaveOthers(storage: TextStorage, player: string | undefined): void {
  const following = read(storage);
  if (following === null || player === undefined || following.player === player) return;
  storage.removeItem(KEY);
  dropFigures(storage);
}

/** Note a counted deal, to be sent if the figures follow an identity. */
export function noteDeal(storage: TextStorage, game: string, variant: string, deal: Counted): void {
  const following = read(storage);
  if (following === null || isChanges(variant)) return;
  const before = rowOf(following.waiting, game, variant)?.figures ?? noFigures;
  const row = { game, variant, figures: added(before, deal) };
  write(storage, { ...following, waiting: [...without(following.waiting, row), row] });
}

/**
 * Send a player's counted deals. What this browser counted before the identity was kept is sent
 * first. Whatever cannot be sent now is sent next time.
 *
 * @param all whether to fetch the figures of all variants, too.
 * @throws Refusal: not all were sent.
 */
export async function follow(
  storage: TextStorage,
  player: string,
  commands: Commands,
  all = false,
): Promise<void> {
  leaveOthers(storage, player);
  if (read(storage) === null) write(storage, begun(storage, player));
  for (let batch = next(storage, player); batch !== null; batch = next(storage, player)) {
    let rows: readonly Practised[] = [];
    try {
      rows = await commands.addPractice(batch);
    } catch (error) {
      if (!(error instanceof Refusal && FINAL.has(error.code))) throw error;
    }
    const following = read(storage);
    // Another tab may have done the same.
    if (following?.player === player && following.batch === batch.batch) {
      write(storage, { ...following, sending: null });
    }
    copy(storage, player, rows);
  }
  if (all) copy(storage, player, await commands.practice());
}

/** Do so as far as the server answers. */
export async function followSoon(
  storage: TextStorage,
  player: string,
  client: Pick<Client, "account">,
): Promise<void> {
  const commands = await client.account().catch(() => null);
  try {
    if (commands !== null) await follow(storage, player, commands);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

/** Return the state of a browser whose figures begin to follow a player. */
function begun(storage: TextStorage, player: string): Following {
  const counted = Object.entries(allFigures(storage)).flatMap(([game, variants]) =>
    Object.entries(variants).map(([variant, figures]): Row => ({ game, variant, figures })),
  );
  const waiting = counted.filter(({ variant }) => !isChanges(variant));
  return { player, device: newDevice(), batch: 0, sending: null, waiting };
}

/** Return the batch to send next; null if there is none. */
function next(storage: TextStorage, player: string): AddPractice | null {
  let following = read(storage);
  if (following?.player !== player) return null;
  if (following.sending === null) {
    const [sending, ...waiting] = following.waiting;
    if (sending === undefined) return null;
    following = { ...following, batch: following.batch + 1, sending, waiting };
    write(storage, following);
  }
  const { device, batch, sending } = following;
  if (sending === null) return null;
  const { game, variant, figures } = sending;
  return { device, batch, game, variant, figures: sent(figures) };
}

/** Copy the server's figures, and add the deals that it does not have yet. */
function copy(storage: TextStorage, player: string, rows: readonly Practised[]): void {
  const following = read(storage);
  if (following?.player !== player) return;
  const { sending, waiting } = following;
  for (const { game, variant, figures } of rows) {
    const unsent = [...(sending ? [sending] : []), ...waiting].filter(
      (each) => each.game === game && each.variant === variant,
    );
    const known = unsent.reduce((sum, each) => joined(sum, each.figures), received(figures));
    storeFigures(storage, game, variant, known);
  }
}

function sent(figures: Figures): Practised["figures"] {
  const { time, moves, deals } = figures;
  return {
    ...figures,
    time: time === null ? null : Math.min(time, MOST_TIME),
    moves: moves === null ? null : Math.min(moves, MOST_MOVES),
    deals: deals.slice(-MOST_DEALS).map(([won, home, took, count]) => ({
      ...{ won, home, time: Math.min(took, MOST_TIME), moves: Math.min(count, MOST_MOVES) },
    })),
  };
}

function received({ deals, ...figures }: Practised["figures"]): Figures {
  return {
    ...figures,
    deals: deals.map(({ won, home, time, moves }): Counted => [won, home, time, moves]),
  };
}

function rowOf(rows: readonly Row[], game: string, variant: string): Row | undefined {
  return rows.find((each) => each.game === game && each.variant === variant);
}

function without(rows: readonly Row[], { game, variant }: Row): Row[] {
  return rows.filter((each) => each.game !== game || each.variant !== variant);
}

function newDevice(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return the stored state; null if there is none or it is malformed. */
function read(storage: TextStorage): Following | null {
  try {
    const found = JSON.parse(storage.getItem(KEY) ?? "null") as Following;
    const { player, device, batch, sending, waiting } = found;
    if (![player, device].every((each) => typeof each === "string")) return null;
    if (!Number.isSafeInteger(batch)) return null;
    return {
      ...{ player, device, batch },
      sending: isRow(sending) ? sending : null,
      waiting: waiting.filter(isRow),
    };
  } catch {
    return null;
  }
}

function isRow(found: Row | null): found is Row {
  if (found === null || typeof found !== "object") return false;
  const { game, variant, figures } = found;
  return [game, variant].every((each) => typeof each === "string") && isFigures(figures);
}

function write(storage: TextStorage, following: Following): void {
  storage.setItem(KEY, JSON.stringify(following));
}
