/** The rules of a game in words, from its ruleset alone, with an example for the eye. */

import { type Card, PACK_SIZE, SUITS } from "../../../src/rules/cards.ts";
import { EMPTY, type Ruleset } from "../../../src/rules/ruleset.ts";
import type { Foundation } from "../../../src/rules/schema.ts";
import { PARS, isForAll } from "../app/targets.ts";
import { tapsSelect } from "../board/choices.ts";
import { rankWords, text } from "../text/index.ts";

/** A rule, and an example of cards that follow it, bottom to top. */
export interface RuleWords {
  readonly title: string;
  readonly words: readonly string[];
  readonly example: readonly Card[];
}

const JACK_OF_SPADES = 10;

/** The rules that a player has to know, in the order of a beginner's questions. */
export function rulesOf(ruleset: Ruleset): RuleWords[] {
  const { rules } = ruleset;
  const words = text.howTo;
  const found: RuleWords[] = [
    {
      title: words.goalTitle,
      words: [goalWords(ruleset), ...rules.foundations.map(foundationWords)],
      example: ruleset.foundations[0] === undefined ? [] : homeExample(ruleset),
    },
  ];
  if (rules.tableau !== null) {
    const { order, match, moves, empty, plays, wrap } = rules.tableau;
    const builds = plays.includes("tableau");
    found.push({
      title: words.columnsTitle,
      words: [
        order === "any" ? words.anyOnAny : words.builds(match, wrap),
        ...(builds ? [words.moves[moves]] : [words.onlyHome]),
        ...(builds ? [empty === "any" ? words.emptyAny : words.emptyOnly(rankWords(empty))] : []),
      ],
      example: columnExample(ruleset),
    });
  }
  found.push({ title: words.stockTitle, words: stockWords(ruleset), example: [] });
  return found;
}

/** What a tap does in this game. */
export function tapWords(ruleset: Ruleset): string {
  const { tap, tapHome, tapChoose } = text.howTo;
  if (ruleset.tableau.length === 0) return tapHome;
  return tapsSelect(ruleset, false) ? tapChoose : tap;
}

function goalWords(ruleset: Ruleset): string {
  const { goal, goalOfPar } = text.howTo;
  if (isForAll(ruleset)) return goal(ruleset.total);
  return goalOfPar(ruleset.total, PARS.deals.toLocaleString(text.locale), PARS.low, PARS.high);
}

function foundationWords(group: Foundation): string {
  const { home, run, either } = text.howTo;
  const { piles, first, match, suits } = group;
  if (group.takes === "run") return run(piles);
  if (group.order === "either") return either(piles);
  const colour = suits === "HD" ? "red" : suits === "SC" ? "black" : "any";
  return home(piles, colour, match, first === "A" ? null : rankWords(first));
}

function stockWords({ rules, redeals }: Ruleset): string[] {
  const { stock, waste } = rules;
  const words = text.howTo;
  if (stock.plays.includes("row")) return [words.row];
  if (waste === null) return [words.openStock];
  const onto = waste.plays.includes("tableau") ? words.wasteAnywhere : words.wasteHome;
  return [words.draw, onto, words.redeals(redeals)];
}

/** The first three cards of a foundation that takes cards one by one. */
function homeExample(ruleset: Ruleset): Card[] {
  const fits = ruleset.homes[0];
  if (fits === undefined) return [];
  const cards: Card[] = [];
  for (let top = EMPTY; cards.length < 3;) {
    const suit = SUITS.indexOf("H") * 13;
    const all = Array.from({ length: PACK_SIZE }, (_, nth) => (nth + suit) % PACK_SIZE);
    const next = all.find((card) => fits(top, card) && !cards.includes(card));
    if (next === undefined) break;
    cards.push((top = next));
  }
  return cards;
}

/** Three cards that lie on one another in a column. */
function columnExample({ builds }: Ruleset): Card[] {
  const first = JACK_OF_SPADES;
  const cards = [first];
  while (cards.length < 3) {
    const top = cards.at(-1) ?? first;
    const onto = Array.from({ length: PACK_SIZE }, (_, nth) => (nth + 26) % PACK_SIZE);
    const next = onto.find((card) => builds(top, card) && !cards.includes(card));
    if (next === undefined) break;
    cards.push(next);
  }
  return cards;
}
