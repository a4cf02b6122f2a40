/** A line of moves as a run that can be replayed, though nobody has played it. */

import { type ApiTypes, Replay } from "@samedeal/client";
import { findStoredRuleset } from "../../../src/rules/catalog.ts";
import { parseMove } from "../../../src/rules/notation.ts";
import { ROW } from "../../../src/rules/ruleset.ts";

/** Milliseconds from move to move. */
const PACE = 900;

/** The replay of a line on a closed deal; throws an `EngineError` if a move of it is not legal. */
export function replayOf(
  { deal, game, variant, rules, commitment, seed }: ApiTypes.ClosedDeal,
  line: readonly string[],
  wins: boolean,
): Replay {
  const ruleset = findStoredRuleset(game, variant, rules);
  const moves = line.flatMap((text) => {
    const { source, target, count } = parseMove(ruleset, text);
    return [PACE, source, target === ROW ? ruleset.pileNames.length : target, count];
  });
  const ended = PACE * (line.length + 1);
  return new Replay({
    ...{ attempt: "", deal, game, variant, rules, commitment, seed, moves },
    ...{ started: 0, deadline: ended, ended, end: wins ? "won" : "stuck", help: "none", hints: 0 },
    player: { id: "", name: "", tag: "", bot: false },
  });
}
