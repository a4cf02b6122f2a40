/** Places in tables of results. */

/**
 * Return the rank to display; null for a first place without a card home, which is ahead of no one:
 * that of a lone player, or of all players.
 */
export function shownRank(run: { readonly rank: number | null; readonly time: number }) {
  return run.rank === 1 && run.time === 0 ? null : run.rank;
}
