/** Parsing of pasted known deals. */

import type { Board } from "../../../../src/rules/board.ts";
import { dealSeed, parseSeed } from "../../../../src/rules/deal.ts";
import { EngineError } from "../../../../src/rules/errors.ts";
import { knownName } from "../../../../src/rules/known.ts";
import { pastedDeal } from "../../../../src/rules/pasted.ts";
import { type About, PastedError } from "../../../../src/rules/pastedLines.ts";
import type { Ruleset } from "../../../../src/rules/ruleset.ts";
import { cardWords, text } from "../../text/index.ts";

/** The deal, its number or else its cards as its name, or the reason why there is none. */
export type Reading =
  | { readonly seed: string; readonly name: string; readonly board: Board; readonly problem: null }
  | { readonly seed: null; readonly name: null; readonly board: null; readonly problem: string };

/** Parse a text; return null if it is empty. */
export function readingOf(ruleset: Ruleset, pasted: string): Reading | null {
  if (pasted.trim() === "") return null;
  try {
    const { seed, number } = pastedDeal(ruleset, pasted);
    const name = number ?? knownName(seed);
    return { seed, name, board: dealSeed(ruleset, parseSeed(seed)), problem: null };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const problem = error instanceof PastedError ? problemWords(error.about) : null;
    return { seed: null, name: null, board: null, problem: problem ?? text.known.problems.unknown };
  }
}

function problemWords(about: About): string {
  const words = text.known.problems;
  const { problem, line = 0, word = "", card = 0, missing = 0, count = 0, wanted = 0 } = about;
  switch (problem) {
    case "empty":
    case "numbers":
      return words[problem];
    case "range":
      return words.range(wanted.toLocaleString(text.locale));
    case "word":
      return words.word(line, word);
    case "begun":
      return words.begun(line);
    case "other":
      return words.other(line, word);
    case "height":
      return words.height(line, count, wanted);
    case "twice":
      return words.twice(cardWords(card), cardWords(missing));
    default:
      return words[problem](count, wanted);
  }
}
