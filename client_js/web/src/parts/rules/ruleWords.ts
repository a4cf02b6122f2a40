/** The rules of a game in words, from its ruleset alone, with an example for the eye. */

import { type Card, PACK_SIZE, SUITS } from "../../../../src/rules/cards.ts";
import { pileAt } from "../../../../src/rules/board.ts";
import { EMPTY, ENDLESS, type Ruleset } from "../../../../src/rules/ruleset.ts";
import type { Foundation, Tableau } from "../../../../src/rules/schema.ts";
import { PARS, isForAll } from "../../app/targets.ts";
import { playsToTableau, tapsSelect } from "../../board/choices.ts";
import { openingView } from "../../board/opening.ts";
import { rankWords, text } from "../../text/index.ts";

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
      words: [goalWords(ruleset), ...homeWords(ruleset)],
      example: ruleset.foundations[0] === undefined ? [] : homeExample(ruleset),
    },
  ];
  if (rules.tableau !== null) {
    const example = playsToTableau(ruleset) ? columnExample(ruleset) : [];
    found.push({
      title: words.columnsTitle,
      words: columnWords(ruleset, rules.tableau),
      example,
    });
  }
  if (rules.cells !== null) {
    const { piles } = rules.cells;
    found.push({ title: words.cellsTitle, words: [words.cells(piles)], example: [] });
  }
  if (rules.reserve !== null) {
    const cards = rules.reserve.deal.reduce((sum, count) => sum + count, 0);
    found.push({ title: words.reserveTitle, words: [words.reserve(cards)], example: [] });
  }
  if (rules.stock.plays.length > 0) {
    found.push({ title: words.stockTitle, words: stockWords(ruleset), example: [] });
  }
  return found;
}

/** What a tap does in this game. */
export function tapWords(ruleset: Ruleset): string {
  const { tap, tapHome, tapChoose } = text.howTo;
  if (!playsToTableau(ruleset)) return tapHome;
  return tapsSelect(ruleset, false) ? tapChoose : tap;
}

function goalWords(ruleset: Ruleset): string {
  const { goal, goalOfPar } = text.howTo;
  if (isForAll(ruleset)) return goal(ruleset.total);
  return goalOfPar(ruleset.total, PARS.deals.toLocaleString(text.locale), PARS.low, PARS.high);
}

/** What goes home, and whether it may come back. */
function homeWords({ rules, foundations }: Ruleset): string[] {
  const { same, takeBack } = text.howTo;
  const { foundations: groups, tableau } = rules;
  const alike = groups.find(({ first }) => first === "same");
  const words = alike
    ? [same(foundations.length, alike.match, alike.wrap)]
    : groups.map((group, nth) => foundationWords(group, nth, tableau));
  return groups.some(({ plays }) => plays.length > 0) ? [...words, takeBack] : words;
}

function foundationWords(group: Foundation, nth: number, tableau: Tableau | null): string {
  const { home, run, either } = text.howTo;
  const { piles, first, match, suits, wrap, last, automatic } = group;
  if (group.takes === "run") {
    return run(piles, nth > 0, tableau?.run_match ?? tableau?.match ?? "any", automatic);
  }
  if (group.order === "either") return either(piles, wrap, last === null ? null : rankWords(last));
  const colour = suits === "HD" ? "red" : suits === "SC" ? "black" : "any";
  return home(piles, colour, match, first === "A" ? null : rankWords(first));
}

function columnWords(ruleset: Ruleset, tableau: Tableau): string[] {
  const words = text.howTo;
  const { order, match, moves, run_match: together, empty, fill, plays, wrap } = tableau;
  if (!playsToTableau(ruleset)) return [words.openColumns, words.emptyNone];
  const found = [order === "any" ? words.anyOnAny : words.builds(match, wrap)];
  if (!plays.includes("tableau")) return [...found, words.onlyHome];
  found.push(together === null || moves !== "run" ? words.moves[moves] : words.runOf(together));
  if (fill[0] !== undefined) found.push(words.fill(fill[0]));
  else if (empty === "any") found.push(words.emptyAny);
  else found.push(empty === "none" ? words.emptyNone : words.emptyOnly(rankWords(empty)));
  return ruleset.rules.stock.plays.length > 0 ? found : [...found, words.allDealt];
}

function stockWords(ruleset: Ruleset): string[] {
  const { stock, waste } = ruleset.rules;
  const words = text.howTo;
  if (stock.plays.includes("row")) {
    const { length: cards } = pileAt(openingView(ruleset), ruleset.stock);
    const rows = Math.ceil(cards / ruleset.tableau.length);
    return [words.row(rows), ...(stock.row_on_empty ? [] : [words.rowNeedsAll])];
  }
  if (waste === null) return [stock.top === "up" ? words.openStock : words.stockHome];
  const onto = waste.plays.includes("tableau") ? words.wasteAnywhere : words.wasteHome;
  const { redeals } = ruleset;
  const again = redeals < ENDLESS ? words.redeals(redeals) : words.redealsEndless;
  return [words.draw(stock.turns), onto, again];
}

/** The first three cards of a foundation. */
function homeExample(ruleset: Ruleset): Card[] {
  const fits = ruleset.homes[0];
  if (fits === undefined) return [];
  const suit = SUITS.indexOf("H") * 13;
  if (ruleset.groups[0]?.takes === "run") return [12, 11, 10].map((rank) => rank + suit);
  const cards: Card[] = [];
  for (let top = EMPTY; cards.length < 3;) {
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
