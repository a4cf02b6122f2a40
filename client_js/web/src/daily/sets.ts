/** The sets of a day: the games that count for each of its crowns. */

import { STANDARD, type Dailies, type DailyCrown, games } from "@samedeal/client";
import { nameWith } from "../app/own/names.ts";
import { entry, text } from "../text/index.ts";

/** Return a day's crowns with their games; the only crown of a day has an empty id. */
export function setsOf({ games: all, crowns }: Pick<Dailies, "games" | "crowns">): DailyCrown[] {
  // Releases with one crown a day do not list it.
  if (crowns.length < 2) return [{ crown: "", games: all.map(({ game }) => game) }];
  const has = (id: string) => all.some(({ game }) => game === id);
  return crowns.map((each) => ({ ...each, games: each.games.filter(has) }));
}

/** Return the sets of a usual day. */
export function usualSets(): DailyCrown[] {
  const found = new Map<string, string[]>();
  for (const { id, listing } of games) {
    if (listing.daily === null) continue;
    found.set(listing.crown, [...(found.get(listing.crown) ?? []), id]);
  }
  return [...found].map(([crown, of]) => ({ crown, games: of }));
}

/**
 * Return sets and their games in order of how often the player plays them; equals, as for a
 * newcomer, keep their order.
 */
export function byPlays(
  sets: readonly DailyCrown[],
  plays: (game: string) => number,
): readonly DailyCrown[] {
  const most = (of: readonly string[]) => Math.max(...of.map(plays));
  return sets
    .map((each) => ({ ...each, games: [...each.games].sort((a, b) => plays(b) - plays(a)) }))
    .sort((one, other) => most(other.games) - most(one.games));
}

/**
 * Return the name of the rules that a daily is dealt by; undefined if a game has only one well-known
 * way to play.
 *
 * @param variant by default, the variant of usual days.
 */
export function dailyRules(game: string, variant?: string): string | undefined {
  const known = games.find(({ id }) => id === game);
  const dealt = variant ?? known?.listing.daily ?? STANDARD;
  const listed = known?.variants.find(({ id }) => id === dealt && id !== STANDARD);
  const key = `${game} ${dealt}`;
  return entry(text.dailies.rules, key) ?? entry(text.listed, key) ?? listed?.name;
}

/** Return the name of a daily: of its game, and of its rules. */
export function dailyName(game: string, variant?: string): string {
  return nameWith(gameName(game), dailyRules(game, variant));
}

/** Return a game's name; its id if it is newer than this page. */
export function gameName(game: string): string {
  return games.find(({ id }) => id === game)?.name ?? game;
}
