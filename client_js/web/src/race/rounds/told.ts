/** Sentences about the players of a deal: the winner, and the margin. */

import type { Result } from "@samedeal/client";
import { compare } from "../../parts/ending/margin.ts";
import { marginWords } from "../../parts/ending/marginWords.ts";
import { nameOf, text } from "../../text/index.ts";
import { type Placed, finishOf, isUnwon } from "./photoFinish.ts";

/** Return the margin between two results; by moves if nothing else separates them. */
function margin(better: Result, worse: Result): string {
  const found = compare(better, worse);
  return found.order === "level"
    ? text.rounds.moves(worse.moves - better.moves)
    : marginWords(found);
}

/** Return the winner and the margin, and how far behind the player was unless runner-up. */
export function toldOf(standing: readonly Placed[], me: string | undefined): readonly string[] {
  const words = text.rounds;
  const { winners, next } = finishOf(standing);
  const [first] = winners;
  if (isUnwon(standing)) return [text.rounds.noWinner];
  if (first === undefined || standing.length === 1) return [];
  if (next === null || winners.length > 1) {
    return [words.level(winners.map(({ player }) => nameOf(player)))];
  }
  const mine = standing.find(({ player }) => player.id === me);
  const ahead = margin(first.result, next.result);
  if (mine === first) return [words.aheadOf(nameOf(next.player), ahead)];
  const lead = words.wonBy(nameOf(first.player), ahead);
  if (mine === undefined || mine === next) return [lead];
  return [lead, words.behind(margin(first.result, mine.result))];
}
