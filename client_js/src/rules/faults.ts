/**
 * Faults of rules that cannot be played, and the keys they concern.
 *
 * These are the engine's checks (`contradictions.py` and `cost.py`), in the same order, so that a
 * form immediately shows the server's refusals.
 */

import { DEFAULTS } from "./changes.ts";
import { MAX_PEAKS, MAX_PLACES, rowsOf } from "./peaks.ts";
import { KEYS, type Key } from "./schemaKeys.ts";
import type { Cells, Foundation, Reserve, Rules, Stock, Tableau, Waste } from "./schema.ts";

/** The fault, for a sentence in the reader's language. */
export type Reason =
  | "type"
  | "range"
  | "packs"
  | "too-few-cards"
  | "suits"
  | "suits-number"
  | "no-foundations"
  | "stock-goes-nowhere"
  | "waste-and-stock"
  | "row-needs-tableau"
  | "no-tableau"
  | "no-cells"
  | "turns-need-waste"
  | "row-on-empty-needs-row"
  | "top-must-be-up"
  | "needs-foundation"
  | "any-and-runs"
  | "deal-piles"
  | "deal-empty"
  | "any-order-any-match"
  | "run-match-needs-runs"
  | "run-match-needs-any"
  | "moves-need-tableau"
  | "no-waste"
  | "no-reserve"
  | "fill-needs-cards"
  | "cells-unused"
  | "laid-out"
  | "laid-out-twice"
  | "runs-need-tableau"
  | "dealt-any"
  | "same-needs-dealt"
  | "order-any"
  | "last-needs-any"
  | "automatic-needs-runs"
  | "gives-back"
  | "peaks-rows"
  | "not-with-peaks"
  | "peaks-take-none"
  | "cleared-home"
  | "cleared-deal"
  | "pairs-alone"
  | "pairs-take-none"
  | "pairs-no-cells"
  | "pairs-no-stock"
  | "many-groups"
  | "many-foundations"
  | "many-moves";

/** A fault of rules: the path of the key, such as `foundations.0.first`, and the reason. */
export interface Fault {
  readonly key: string;
  readonly reason: Reason;
}

type Check = readonly [fails: boolean, key: string, reason: Reason];

const SUITS = "SHDC";
const PACK = 52;
const RUN = 13;
const MAX_PILES = 20;
const MAX_FOUNDATIONS = 12;
const MAX_GROUPS = 8;
const MAX_ALL_FOUNDATIONS = 16;
const MAX_POSSIBLE_MOVES = 10_000;

/** Return the first fault of rules, or null if they can be played. */
export function faultOf(rules: Rules): Fault | null {
  for (const checks of [typesOf, contradictionsOf, costsOf]) {
    for (const [fails, key, reason] of checks(rules)) if (fails) return { key, reason };
  }
  return null;
}

function* typesOf(rules: Rules): Generator<Check> {
  for (const key of KEYS) {
    const { table, name } = key;
    const value = table === "" ? rules : rules[table];
    const tables = Array.isArray(value) ? (value as object[]) : [value as object | null];
    for (const [at, each] of tables.entries()) {
      if (each === null) continue;
      const path = table === "foundations" ? [table, at, name] : [table, name].filter(Boolean);
      yield [!isOfType((each as Record<string, unknown>)[name], key), path.join("."), "type"];
    }
  }
}

function isOfType(value: unknown, { form, options = [], optional = false }: Key): boolean {
  if (value === null) return optional;
  if (form === "flag") return typeof value === "boolean";
  if (form === "suits") return typeof value === "string";
  if (form === "numbers") return Array.isArray(value) && value.every(Number.isSafeInteger);
  if (form === "number" && Number.isSafeInteger(value)) return Math.abs(value as number) <= 1e6;
  if (form !== "choices") return options.includes(value as string);
  if (!Array.isArray(value) || new Set(value).size < value.length) return false;
  return value.every((each) => options.includes(each as string));
}

function* contradictionsOf(rules: Rules): Generator<Check> {
  yield* ofCards(rules);
  yield* ofStock(rules, rules.stock);
  if (rules.waste !== null) yield* ofWaste(rules, rules.waste);
  if (rules.tableau !== null) yield* ofTableau(rules, rules.tableau);
  if (rules.reserve !== null) yield* ofReserve(rules, rules.reserve);
  if (rules.cells !== null) yield* ofCells(rules, rules.cells);
  for (const [at, group] of rules.foundations.entries()) {
    for (const [fails, key, reason] of ofFoundation(rules, group, at)) {
      yield [fails, `foundations.${at}.${key}`, reason];
    }
  }
}

function* ofCards(rules: Rules): Generator<Check> {
  const { packs, suits, foundations, tableau, reserve, stock } = rules;
  const setUp = sum(foundations.filter(({ setup }) => setup !== "empty").map(({ piles }) => piles));
  const left = packs * PACK - setUp - sum(tableau?.deal ?? []) - sum(reserve?.deal ?? []);
  yield [packs < 1 || packs > 2, "packs", "packs"];
  yield [left < 0, "packs", "too-few-cards"];
  yield* ofSuits(suits);
  yield [SUITS.length % Math.max(1, suits.length) !== 0, "suits", "suits-number"];
  yield [foundations.length === 0, "foundations", "no-foundations"];
  yield [left > 0 && stock.plays.length === 0, "stock.plays", "stock-goes-nowhere"];
}

function* ofSuits(suits: string): Generator<Check> {
  const known = [...suits].every((suit) => SUITS.includes(suit));
  yield [suits === "" || !known, "suits", "suits"];
  yield [new Set(suits).size !== suits.length, "suits", "suits"];
}

function* ofStock({ tableau, waste, foundations }: Rules, stock: Stock): Generator<Check> {
  const { plays, turns, row_on_empty: onEmpty, top, to_foundation: goesHome } = stock;
  const home = plays.includes("foundation");
  yield [plays.includes("waste") !== (waste !== null), "waste", "waste-and-stock"];
  yield [plays.includes("row") && tableau === null, "stock.plays", "row-needs-tableau"];
  yield [plays.includes("tableau") && tableau === null, "stock.plays", "no-tableau"];
  yield [turns < 1 || turns > PACK, "stock.turns", "range"];
  const toWaste = plays.length === 1 && plays[0] === "waste";
  yield [turns !== 1 && !toWaste, "stock.turns", "turns-need-waste"];
  yield [!onEmpty && !plays.includes("row"), "stock.row_on_empty", "row-on-empty-needs-row"];
  const looked = plays.includes("tableau") || (home && goesHome !== "any");
  yield [top === "down" && looked, "stock.top", "top-must-be-up"];
  yield [!home && goesHome !== "fitting", "stock.to_foundation", "needs-foundation"];
  const runs = foundations.some(({ takes }) => takes === "run");
  yield [goesHome === "any" && runs, "stock.to_foundation", "any-and-runs"];
}

function* ofWaste(rules: Rules, { plays, redeals }: Waste): Generator<Check> {
  yield [redeals !== "any" && redeals < 0, "waste.redeals", "range"];
  yield* ofPlaces(rules, "waste", plays);
}

function* ofTableau(rules: Rules, tableau: Tableau): Generator<Check> {
  const { deal, face_up: faceUp, plays, order, match, moves, run_match: together, fill } = tableau;
  yield* ofDeal("tableau", deal, faceUp, tableau.peaks === null ? MAX_PILES : MAX_PLACES);
  yield* ofPlaces(rules, "tableau", plays);
  yield [order === "any" && match !== "any", "tableau.match", "any-order-any-match"];
  const single = moves === "card" || moves === "any";
  yield [together !== null && single, "tableau.run_match", "run-match-needs-runs"];
  yield [together !== null && match !== "any", "tableau.run_match", "run-match-needs-any"];
  const stays = moves === "run-by-places" && !plays.includes("tableau");
  yield [stays, "tableau.moves", "moves-need-tableau"];
  yield [fill.includes("waste") && rules.waste === null, "tableau.fill", "no-waste"];
  yield [fill.includes("reserve") && rules.reserve === null, "tableau.fill", "no-reserve"];
  yield [fill.length > 0 && deal.includes(0), "tableau.fill", "fill-needs-cards"];
  if (tableau.peaks !== null) yield* ofPeaks(rules, tableau, tableau.peaks);
  if (tableau.cleared === "wins") yield* ofCleared(rules, deal);
}

function* ofPeaks(rules: Rules, tableau: Tableau, peaks: number): Generator<Check> {
  const { deal, empty, plays, moves, fill } = tableau;
  yield [peaks < 1 || peaks > MAX_PEAKS, "tableau.peaks", "range"];
  const whole = deal.every((size) => size === 1) && rowsOf(peaks, deal.length) !== null;
  yield [!whole, "tableau.deal", "peaks-rows"];
  yield [empty !== "none", "tableau.empty", "not-with-peaks"];
  const homeOnly = plays.length === 1 && plays[0] === "foundation";
  yield [!homeOnly, "tableau.plays", "not-with-peaks"];
  yield [moves !== "card", "tableau.moves", "not-with-peaks"];
  yield [fill.length > 0, "tableau.fill", "not-with-peaks"];
  yield [playsToTableau(rules), "tableau.peaks", "peaks-take-none"];
}

/** Whether cards of any pile may go to the tableau. */
function playsToTableau({ tableau, stock, waste, reserve, cells, foundations }: Rules): boolean {
  const parts = [tableau, stock, waste, reserve, cells, ...foundations];
  return parts.some((part) => part?.plays.some((place) => place === "tableau" || place === "row"));
}

function* ofCleared({ foundations }: Rules, deal: readonly number[]): Generator<Check> {
  const [group, ...others] = foundations;
  const takesAll =
    group?.piles === 1 &&
    group.first === "any" &&
    group.suits.length === SUITS.length &&
    group.takes !== "run";
  yield [!takesAll || others.length > 0, "tableau.cleared", "cleared-home"];
  yield [deal.every((size) => size === 0), "tableau.cleared", "cleared-deal"];
}

function* ofReserve(rules: Rules, { deal, plays, face_up: faceUp }: Reserve): Generator<Check> {
  yield* ofDeal("reserve", deal, faceUp, MAX_PILES);
  yield [deal.includes(0), "reserve.deal", "deal-empty"];
  yield* ofPlaces(rules, "reserve", plays);
}

function* ofCells(rules: Rules, { piles, plays }: Cells): Generator<Check> {
  yield [piles < 1 || piles > MAX_PILES, "cells.piles", "range"];
  yield* ofPlaces(rules, "cells", plays);
  const parts = [rules.tableau, rules.waste, rules.reserve];
  yield [!parts.some((part) => part?.plays.includes("cell")), "cells", "cells-unused"];
}

function* ofDeal(
  key: string,
  deal: readonly number[],
  faceUp: number | "all",
  most: number,
): Generator<Check> {
  const many = most === MAX_PILES ? "deal-piles" : "peaks-rows";
  yield [deal.length < 1 || deal.length > most, `${key}.deal`, many];
  yield [deal.some((size) => size < 0), `${key}.deal`, "range"];
  yield [faceUp !== "all" && faceUp < 1, `${key}.face_up`, "range"];
}

function* ofPlaces(rules: Rules, key: string, plays: readonly string[]): Generator<Check> {
  yield [rules.tableau === null && plays.includes("tableau"), `${key}.plays`, "no-tableau"];
  yield [rules.cells === null && plays.includes("cell"), `${key}.plays`, "no-cells"];
}

/** Check a group of foundations; keys are relative to the group. */
function* ofFoundation(rules: Rules, group: Foundation, at: number): Generator<Check> {
  const { piles, first, takes, setup, suits, order, last, automatic, plays } = group;
  const { tableau, foundations, packs } = rules;
  const before = foundations.slice(0, at);
  const copies = Math.floor((packs * SUITS.length) / Math.max(1, rules.suits.length));
  const anyFirst = first === "any" || first === "same";
  yield [piles < 1 || piles > MAX_FOUNDATIONS, "piles", "range"];
  yield* ofSuits(suits);
  const unknown = [...suits].some((suit) => !rules.suits.includes(suit));
  const misfits = anyFirst || unknown || piles !== copies * suits.length;
  yield [setup === "laid-out" && misfits, "setup", "laid-out"];
  const twice = before.some(
    (other) =>
      other.setup === "laid-out" &&
      other.first === first &&
      [...other.suits].some((suit) => suits.includes(suit)),
  );
  yield [setup === "laid-out" && twice, "setup", "laid-out-twice"];
  const unbuilt = tableau?.order !== "down" || anyFirst || setup !== "empty";
  yield [takes === "run" && unbuilt, "takes", "runs-need-tableau"];
  const chosen = first !== "any" || suits.length !== SUITS.length;
  yield [setup === "dealt" && chosen, "setup", "dealt-any"];
  yield [first === "same" && before[0]?.setup !== "dealt", "first", "same-needs-dealt"];
  yield [order === "any", "order", "order-any"];
  yield [last !== null && (takes === "run" || first !== "any"), "last", "last-needs-any"];
  yield [automatic && takes !== "run", "automatic", "automatic-needs-runs"];
  const keeps = tableau === null || takes === "run" || setup !== "empty";
  yield [plays.length > 0 && keeps, "plays", "gives-back"];
  if (takes === "pair") yield* ofPairs(rules, group);
}

/** Check a group whose cards go home in pairs; keys are relative to the group. */
function* ofPairs(rules: Rules, group: Foundation): Generator<Check> {
  const usual = { ...DEFAULTS.foundations, piles: 1, first: "any", takes: "pair" };
  const alone = Object.entries(usual).every(
    ([name, value]) => String(group[name as keyof Foundation]) === String(value),
  );
  yield [!alone || rules.foundations.length > 1, "takes", "pairs-alone"];
  yield [playsToTableau(rules), "takes", "pairs-take-none"];
  yield [rules.cells !== null, "takes", "pairs-no-cells"];
  yield [rules.stock.plays.includes("foundation"), "takes", "pairs-no-stock"];
}

function* costsOf(rules: Rules): Generator<Check> {
  const { foundations, tableau, reserve, cells } = rules;
  const homes = sum(foundations.map(({ piles }) => piles));
  yield [foundations.length > MAX_GROUPS, `foundations.${MAX_GROUPS}`, "many-groups"];
  yield [homes > MAX_ALL_FOUNDATIONS, "foundations", "many-foundations"];
  const columns = tableau?.deal.length ?? 0;
  const piles = homes + columns + (reserve?.deal.length ?? 0) + (cells?.piles ?? 0) + 2;
  const moves = columns * columns * longestRun(rules) + piles * piles;
  yield [moves > MAX_POSSIBLE_MOVES, "tableau.deal", "many-moves"];
}

/** Return the length of the longest run that can ever move between columns. */
function longestRun({ tableau, packs, suits }: Rules): number {
  if (tableau === null || tableau.moves === "card") return 1;
  const { moves, order, wrap, run_match: together, match } = tableau;
  const cards = packs * PACK;
  if (moves === "any") return cards;
  if ((order === "up" || order === "down") && !wrap) return RUN;
  const ofSuit = Math.floor(cards / suits.length);
  const black = [...suits].filter((suit) => "SC".includes(suit)).length;
  const longest = { suit: ofSuit, colour: ofSuit * Math.max(black, suits.length - black) };
  const by = together ?? match;
  return by === "suit" || by === "colour" ? longest[by] : cards;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
