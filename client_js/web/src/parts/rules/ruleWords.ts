/** The rules of a game in words, derived from its ruleset, with pictured examples. */

import { type Card, PACK_SIZE, SUITS } from "../../../../src/rules/cards.ts";
import { isChanges } from "../../../../src/rules/changes.ts";
import { pileAt } from "../../../../src/rules/board.ts";
import { EMPTY, ENDLESS, type Ruleset } from "../../../../src/rules/ruleset.ts";
import type { Foundation, Tableau, Waste } from "../../../../src/rules/schema.ts";
import { dealtDown } from "../../../../src/rules/peaks.ts";
import { PARS, isForAll } from "../../app/targets.ts";
import { playsToTableau, tapsSelect } from "../../board/choices.ts";
import { openingView } from "../../board/opening.ts";
import { entry, rankWords, text } from "../../text/index.ts";

/** A rule, and example cards that follow it, bottom to top. */
export interface RuleWords {
  readonly title: string;
  readonly words: readonly string[];
  readonly example: readonly Card[];
}

const JACK_OF_SPADES = 10;
const BLACK_FOUR = 3;

/** Return the rules that a player has to know, in the order of a beginner's questions. */
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
    const { peaks } = rules.tableau;
    found.push({
      title: peaks === null ? words.columnsTitle : words.peaksTitle(peaks),
      words: columnWords(ruleset, rules.tableau),
      example,
    });
  }
  if (rules.cells !== null) {
    const { piles, plays } = rules.cells;
    const sentence = isUsual(plays) ? words.cells(piles) : words.cellsTo(piles, placesOf(plays));
    found.push({ title: words.cellsTitle, words: [sentence], example: [] });
  }
  if (rules.reserve !== null) {
    const { deal, plays } = rules.reserve;
    const cards = deal.reduce((sum, count) => sum + count, 0);
    const usual = isUsual(plays) && deal.length === 1;
    const sentence = usual
      ? words.reserve(cards)
      : words.reserveTo(deal.length, cards, placesOf(plays));
    found.push({ title: words.reserveTitle, words: [sentence], example: [] });
  }
  if (rules.stock.plays.length > 0) {
    found.push({ title: words.stockTitle, words: stockWords(ruleset), example: [] });
  }
  return found;
}

export function tapWords(ruleset: Ruleset): string {
  const { tap, tapHome, tapChoose, tapPair } = text.howTo;
  if (ruleset.pairs) return tapPair;
  if (!playsToTableau(ruleset)) return tapHome;
  return tapsSelect(ruleset, false) ? tapChoose : tap;
}

function goalWords(ruleset: Ruleset): string {
  const { goal, goalClear, goalMost, goalOfPar } = text.howTo;
  const peaks = ruleset.rules.tableau?.peaks ?? 0;
  if (ruleset.clears) return goalClear((["columns", "pyramid"] as const)[peaks] ?? "peaks");
  if (isForAll(ruleset)) return goal(ruleset.total);
  // Facts about deals only hold for listed rules.
  if (isChanges(ruleset.variant)) return goalMost(ruleset.total);
  return goalOfPar(ruleset.total, PARS.deals.toLocaleString(text.locale), PARS.low, PARS.high);
}

/** Return which cards go home, and whether they may come back. */
function homeWords({ rules, foundations }: Ruleset): string[] {
  const { same, takeBack } = text.howTo;
  const { foundations: groups, tableau } = rules;
  const alike = groups.find(({ first }) => first === "same");
  const fits = alike && groups.every((each) => isUsualHome(each) && each.match === alike.match);
  const words = fits
    ? [same(foundations.length, alike.match, alike.wrap)]
    : groups.flatMap((group, nth) => foundationWords(group, nth, tableau));
  return groups.some(({ plays }) => plays.length > 0) ? [...words, takeBack] : words;
}

function foundationWords(group: Foundation, nth: number, tableau: Tableau | null): string[] {
  const { home, run, either, pairs } = text.howTo;
  const { piles, first, match, suits, wrap, last, automatic } = group;
  if (group.takes === "pair") return [pairs];
  if (group.takes === "run") {
    return [run(piles, nth > 0, tableau?.run_match ?? tableau?.match ?? "any", automatic)];
  }
  if (group.order === "either" && match === "any") {
    return [either(piles, wrap, last === null ? null : rankWords(last))];
  }
  const colour = suits === "HD" ? "red" : suits === "SC" ? "black" : "any";
  const known = isUsualHome(group) && piles > 1 && first.length === 1 && wrap === (first !== "A");
  if (known && (colour !== "any" || isAllSuits(suits))) {
    return [home(piles, colour, match, first === "A" ? null : rankWords(first))];
  }
  return anyFoundationWords(group);
}

function anyFoundationWords({ piles, order, match, first, suits, wrap, last, setup }: Foundation) {
  const words = text.howTo;
  const named = [...suits].map((suit) => entry(text.cards.suits, suit) ?? suit);
  return [
    words.homeWay(piles, order, match, first.length === 1 ? rankWords(first) : null),
    ...(isAllSuits(suits) ? [] : [words.onlySuits(named)]),
    ...(wrap ? [words.neighbours] : []),
    ...(last === null ? [] : [words.nothingOn(rankWords(last))]),
    ...(setup === "dealt" ? [words.dealtFirst] : setup === "laid-out" ? [words.laidOut] : []),
  ];
}

/** Whether a group builds in one direction, as in listed games. */
function isUsualHome({ order, match, last }: Foundation): boolean {
  return order === "up" && match !== "alternate" && last === null;
}

function isAllSuits(suits: string): boolean {
  return [...SUITS].every((suit) => suits.includes(suit));
}

/** Whether cards go to columns and home, and nowhere else. */
function isUsual(plays: readonly string[]): boolean {
  return plays.length === 2 && plays.includes("tableau") && plays.includes("foundation");
}

function placesOf(plays: readonly string[]): string[] {
  const { places } = text.howTo;
  return plays.length === 0 ? [places.none] : plays.map((place) => entry(places, place) ?? place);
}

function columnWords(ruleset: Ruleset, tableau: Tableau): string[] {
  const words = text.howTo;
  const { order, match, moves, run_match: together, empty, fill, plays, wrap } = tableau;
  if (tableau.peaks !== null) {
    const down = ruleset.peaks !== null && dealtDown(tableau).includes(1);
    return [
      words.peaks(tableau.peaks, ruleset.peaks?.length ?? 0),
      ...(down ? [words.peaksDown] : []),
    ];
  }
  if (!playsToTableau(ruleset)) return [words.openColumns, words.emptyNone];
  const found = [
    order === "any"
      ? words.anyOnAny
      : order === "down"
        ? words.builds(match, wrap)
        : words.buildsWay(order, match, wrap),
    ...(plays.includes("foundation") ? [] : [words.notHome]),
  ];
  if (!plays.includes("tableau")) {
    return plays.includes("foundation") ? [...found, words.onlyHome] : found;
  }
  if (together === null || moves !== "run") found.push(words.moves[moves]);
  if (together !== null) found.push(words.runOf(together));
  if (fill[0] !== undefined) found.push(words.fill(fill[0]));
  else if (empty === "any") found.push(words.emptyAny);
  else found.push(empty === "none" ? words.emptyNone : words.emptyOnly(rankWords(empty)));
  return ruleset.rules.stock.plays.length > 0 ? found : [...found, words.allDealt];
}

function stockWords(ruleset: Ruleset): string[] {
  const { stock, waste } = ruleset.rules;
  const words = text.howTo;
  const [only, ...others] = stock.plays;
  if (only === "row" && others.length === 0) {
    const { length: cards } = pileAt(openingView(ruleset), ruleset.stock);
    const rows = Math.ceil(cards / ruleset.tableau.length);
    return [words.row(rows), ...(stock.row_on_empty ? [] : [words.rowNeedsAll])];
  }
  if (only === "foundation" && others.length === 0 && stock.to_foundation === "any") {
    return [words.stockHome];
  }
  if (isUsual(stock.plays) && stock.to_foundation === "first") return [words.openStock];
  const deals =
    only === "waste" && others.length === 0
      ? [words.draw(stock.turns)]
      : [words.stockTo(placesOf(stock.plays))];
  return [
    ...(stock.top === "up" ? [words.stockOpen] : []),
    ...deals,
    ...(stock.row_on_empty ? [] : [words.rowNeedsAll]),
    ...(waste === null ? [] : wasteWords(waste, ruleset)),
  ];
}

function wasteWords({ plays }: Waste, { redeals, pairs }: Ruleset): string[] {
  const words = text.howTo;
  const onto = isUsual(plays)
    ? words.wasteAnywhere
    : plays.length === 1 && plays[0] === "foundation"
      ? pairs
        ? words.wastePairs
        : words.wasteHome
      : words.wasteTo(placesOf(plays));
  return [onto, redeals < ENDLESS ? words.redeals(redeals) : words.redealsEndless];
}

/** Return the first three cards of a foundation. */
function homeExample(ruleset: Ruleset): Card[] {
  const fits = ruleset.homes[0];
  if (fits === undefined) return [];
  const suit = SUITS.indexOf("H") * 13;
  if (ruleset.groups[0]?.takes === "run") return [12, 11, 10].map((rank) => rank + suit);
  if (ruleset.pairs) return [8 + suit, BLACK_FOUR];
  const cards: Card[] = [];
  for (let top = EMPTY; cards.length < 3;) {
    const all = Array.from({ length: PACK_SIZE }, (_, nth) => (nth + suit) % PACK_SIZE);
    const next = all.find((card) => fits(top, card) && !cards.includes(card));
    if (next === undefined) break;
    cards.push((top = next));
  }
  return cards;
}

/** Return three cards that build on each other in a column. */
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
