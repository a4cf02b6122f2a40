/** Computed lines of moves as replayable runs. */

import { type ApiTypes, Replay } from "@samedeal/client";
import { findStoredRuleset } from "../../../src/rules/catalog.ts";
import { parseMove } from "../../../src/rules/notation.ts";
import { ROW } from "../../../src/rules/ruleset.ts";

/** Milliseconds between moves. */
const PACE = 900;

/** Return the replay of a line on a closed deal; throw an `EngineError` if a move is illegal. */
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
