/**
 * Edits of rules in a form, as pure functions. Dependent values change along where one choice is
 * sensible: removing the tableau also removes all references to it.
 */

import { DEFAULTS, MAX_CHANGES, changesBetween } from "../../../src/rules/changes.ts";
import { effective } from "../../../src/rules/effective.ts";
import { MAX_PLACES, rowsOf } from "../../../src/rules/peaks.ts";
import type { Key } from "../../../src/rules/schemaKeys.ts";
import { TABLE_DEFAULTS } from "../../../src/rules/schemaKeys.ts";
import {
  type Foundation,
  type Game,
  type Rules,
  STANDARD,
  type Tableau,
} from "../../../src/rules/schema.ts";
import { SUITS } from "../../../src/rules/cards.ts";
import type { OptionalTable } from "../parts/rules/keyWords.ts";

export const MOST_PILES = 20;
export const MOST_IN_PILE = 104;

const PLACES = Array.from({ length: MAX_PLACES }, (_, nth) => nth + 1);

/** The suits that packs can consist of: four, two, or one. */
export const SUIT_SETS = ["SHDC", "SH", "SC", "HD", "SD", "HC", "DC", "S", "H", "D", "C"];

/** The greatest number offered for unbounded keys. */
const OFFERED = 12;

/** Return the numbers offered for a key that also has words, including its current value. */
export function numbersOf({ least = 0, most = OFFERED }: Key, value: unknown): number[] {
  const length = Math.min(OFFERED, most) - least + 1;
  const offered = Array.from({ length }, (_, nth) => least + nth);
  return typeof value === "number" && value > OFFERED ? [...offered, value] : offered;
}

export function standardOf(game: Game): Rules {
  const [standard] = game.variants;
  if (standard === undefined) throw new RangeError(`${game.id} has no rules.`);
  return standard.rules;
}

/**
 * Return the variant id of playable rules: a listed one if they play alike, otherwise the changes
 * that have an effect; null if too long.
 */
export function variantOf(game: Game, rules: Rules): string | null {
  const listed = game.variants.find((each) => changesBetween(each.rules, rules) === "");
  if (listed !== undefined) return listed.id;
  const base = standardOf(game);
  const changes = changesBetween(base, effective(base, rules));
  if (changes === "") return STANDARD;
  return changes.length > MAX_CHANGES ? null : changes;
}

/** Return a variant's changes to its game's standard rules; empty for the standard variant. */
export function changesOf(game: Game, variant: string): string {
  const listed = game.variants.find(({ id }) => id === variant);
  if (listed === undefined) return variant === STANDARD ? "" : variant;
  return changesBetween(standardOf(game), listed.rules);
}

/** Return the stock's initial number of cards; negative if more cards are dealt than exist. */
export function leftInStock({ packs, foundations, tableau, reserve }: Rules): number {
  const setUp = foundations.filter(({ setup }) => setup !== "empty").map(({ piles }) => piles);
  return packs * 52 - sum([...setUp, ...(tableau?.deal ?? []), ...(reserve?.deal ?? [])]);
}

export function applies(rules: Rules, { table, name }: Key, group = 0): boolean {
  const { stock, tableau } = rules;
  const home = rules.foundations[group];
  switch (`${table}.${name}`) {
    case "stock.turns":
      return stock.plays.length === 1 && stock.plays[0] === "waste";
    case "stock.row_on_empty":
      return stock.plays.includes("row");
    case "stock.to_foundation":
      return stock.plays.includes("foundation");
    case "stock.top":
      return stock.plays.length > 0;
    case "tableau.match":
    case "tableau.wrap":
      return tableau?.order !== "any";
    case "tableau.run_match":
      return tableau?.match === "any" && usesRuns(rules);
    case "tableau.moves":
      return tableau?.plays.includes("tableau") === true;
    case "tableau.deal":
    case "tableau.empty":
    case "tableau.fill":
    case "tableau.plays":
      return tableau?.peaks === null;
    case "tableau.cleared":
      return canClear(rules);
    case "foundations.piles":
    case "foundations.first":
    case "foundations.setup":
    case "foundations.suits":
      return home?.takes !== "pair";
    case "foundations.order":
    case "foundations.match":
    case "foundations.wrap":
      return home?.takes === "card";
    case "foundations.last":
      return home?.takes === "card" && home.first === "any";
    case "foundations.automatic":
      return home?.takes === "run";
    case "foundations.plays":
      return tableau !== null && home?.takes === "card" && home.setup === "empty";
    default:
      return true;
  }
}

/** Whether runs move between columns, or go home. */
function usesRuns({ tableau, foundations }: Rules): boolean {
  const moves = tableau?.moves ?? "card";
  return (moves !== "card" && moves !== "any") || foundations.some(({ takes }) => takes === "run");
}

/** Whether there is a single foundation, which takes all other cards once the tableau is empty. */
function canClear({ foundations: [home, ...others], tableau }: Rules): boolean {
  if (home === undefined || others.length > 0 || !tableau?.deal.some(Boolean)) return false;
  const { piles, first, suits, takes } = home;
  return piles === 1 && first === "any" && suits.length === SUITS.length && takes !== "run";
}

export function optionsOf(rules: Rules, { table, name, options = [] }: Key): readonly string[] {
  const lacks: Readonly<Record<string, boolean>> = {
    tableau: rules.tableau === null,
    row: rules.tableau === null,
    cell: rules.cells === null,
    // A stock set to deal to a waste gets one.
    waste: rules.waste === null && table !== "stock",
    reserve: rules.reserve === null,
  };
  if (table === "foundations" && name === "order") return options.filter((each) => each !== "any");
  return name === "plays" || name === "fill" ? options.filter((each) => !lacks[each]) : options;
}

/** Return rules with another value of a key, and what depends on it, in one group. */
export function withValue(rules: Rules, key: Key, value: unknown, group = 0): Rules {
  const { table, name } = key;
  if (table === "")
    return name === "packs" ? withPacks(rules, value as number) : set(rules, key, value);
  if (table === "foundations") {
    const groups = rules.foundations.map((each, at) =>
      at === group ? set(each, key, value) : each,
    );
    return settled({ ...rules, foundations: groups });
  }
  const found = rules[table];
  if (found === null) return rules;
  const changed: Rules = { ...rules, [table]: set(found, key, value) };
  if (name === "peaks") return settled(withPlacesOf(changed));
  return settled(table === "stock" && name === "plays" ? withWasteOf(changed) : changed);
}

/** Deal a card to each place of the peaks, or at most as many as there can be columns. */
function withPlacesOf(rules: Rules): Rules {
  const { tableau } = rules;
  if (tableau === null) return rules;
  const { peaks, deal } = tableau;
  const counts = peaks === null ? [] : PLACES.filter((count) => rowsOf(peaks, count) !== null);
  const dealt =
    peaks === null ? deal.slice(0, MOST_PILES) : Array<number>(counts.at(-1) ?? 0).fill(1);
  return { ...rules, tableau: { ...tableau, deal: dealt } };
}

/** Return rules with an additional table, to which cards may go. */
export function withTable(rules: Rules, table: OptionalTable): Rules {
  switch (table) {
    case "tableau":
      return settled({ ...rules, tableau: TABLE_DEFAULTS.tableau });
    case "waste":
      return settled(
        withWasteOf({ ...rules, stock: { ...rules.stock, plays: ["waste"], top: "down" } }),
      );
    case "reserve":
      return settled({ ...rules, reserve: { ...TABLE_DEFAULTS.reserve, plays: places(rules) } });
    case "cells":
      return settled(
        withPlays({ ...rules, cells: { ...TABLE_DEFAULTS.cells, plays: places(rules) } }, "cell"),
      );
  }
}

export function withoutTable(rules: Rules, table: OptionalTable): Rules {
  const less: Rules = { ...rules, [table]: null };
  if (table === "waste") {
    const plays = rules.stock.plays.filter((place) => place !== "waste");
    const deals = plays.length > 0 || leftInStock(rules) === 0;
    const other = rules.tableau === null ? "foundation" : "row";
    return settled({ ...less, stock: { ...rules.stock, plays: deals ? plays : [other] } });
  }
  if (table !== "tableau") return settled(less);
  const plays = rules.stock.plays.filter((place) => place !== "row" && place !== "tableau");
  const stock = { ...rules.stock, plays };
  const dealt = plays.length > 0 ? { ...less, stock } : withTable({ ...less, stock }, "waste");
  const used = dealt.cells === null || feedsCells(dealt);
  return settled(used ? dealt : withPlays(dealt, "cell"));
}

/** Return rules with one more group of foundations, a copy of the last one. */
export function withGroup(rules: Rules): Rules {
  const last = rules.foundations.at(-1) ?? TABLE_DEFAULTS.foundations;
  const setup = last.setup === "dealt" ? "empty" : last.setup;
  const first = last.setup === "dealt" ? "same" : last.first;
  return settled({ ...rules, foundations: [...rules.foundations, { ...last, first, setup }] });
}

export function withoutGroup(rules: Rules, group: number): Rules {
  return settled({ ...rules, foundations: rules.foundations.filter((_, at) => at !== group) });
}

/** Return a deal with a given number of piles: new ones copy the last. */
export function withPiles(deal: readonly number[], piles: number): number[] {
  const last = deal.at(-1) ?? 1;
  return Array.from(
    { length: Math.min(MOST_PILES, Math.max(1, piles)) },
    (_, at) => deal[at] ?? last,
  );
}

/** Parse the numbers in a text such as `1 2, 3`; null if they are not piles. */
export function dealIn(text: string): number[] | null {
  const parts = text.split(/[^\d-]+/).filter(Boolean);
  const numbers = parts.map(Number);
  const fits = numbers.every((each) => Number.isInteger(each) && each >= 0 && each <= MOST_IN_PILE);
  return fits && numbers.length >= 1 && numbers.length <= MOST_PILES ? numbers : null;
}

/** Twice the cards need twice the foundations. */
function withPacks(rules: Rules, packs: number): Rules {
  const by = packs / rules.packs;
  const foundations = rules.foundations.map((group) => {
    const piles = group.piles * by;
    return Number.isInteger(piles) ? { ...group, piles } : group;
  });
  return settled({ ...rules, packs, foundations });
}

/** Add or remove the waste, depending on whether the stock deals to it. */
function withWasteOf(rules: Rules): Rules {
  const has = rules.stock.plays.includes("waste");
  if (!has) return { ...rules, waste: null };
  return rules.waste
    ? rules
    : { ...rules, waste: { ...TABLE_DEFAULTS.waste, plays: places(rules) } };
}

/** Permit moves to a place from the main source of cards. */
function withPlays(rules: Rules, place: "cell"): Rules {
  if (rules.tableau !== null) {
    return { ...rules, tableau: { ...rules.tableau, plays: [...rules.tableau.plays, place] } };
  }
  if (rules.waste === null) return rules;
  return { ...rules, waste: { ...rules.waste, plays: [...rules.waste.plays, place] } };
}

function feedsCells({ tableau, waste, reserve }: Rules): boolean {
  return [tableau, waste, reserve].some((part) => part?.plays.includes("cell"));
}

/** Return the destinations of a new table's cards. */
function places({ tableau }: Rules): ("tableau" | "foundation")[] {
  return tableau === null ? ["foundation"] : ["tableau", "foundation"];
}

/** Return rules whose cards cannot go to the tableau, as with peaks, and with pairs. */
function withoutMovesToTableau(rules: Rules): Rules {
  const elsewhere = <Part extends { readonly plays: readonly string[] }>(part: Part): Part => ({
    ...part,
    plays: part.plays.filter((place) => place !== "tableau" && place !== "row"),
  });
  const { tableau, stock, waste, reserve, cells, foundations } = rules;
  return {
    ...rules,
    foundations: foundations.map(elsewhere),
    tableau: tableau && elsewhere(tableau),
    stock: elsewhere(stock),
    waste: waste && elsewhere(waste),
    reserve: reserve && elsewhere(reserve),
    cells: cells && elsewhere(cells),
  };
}

/** Return rules without values that have lost their meaning. */
function settled(all: Rules): Rules {
  const inPeaks = all.tableau !== null && all.tableau.peaks !== null;
  const pairs = all.foundations.some(({ takes }) => takes === "pair");
  const rules = inPeaks || pairs ? withoutMovesToTableau(all) : all;
  const { tableau, waste, reserve, cells } = rules;
  const { plays } = rules.stock;
  const there = (place: string) =>
    (place !== "tableau" || tableau !== null) && (place !== "cell" || cells !== null);
  const onlyWaste = plays.length === 1 && plays[0] === "waste";
  const looked =
    plays.includes("tableau") ||
    (plays.includes("foundation") && rules.stock.to_foundation !== "any");
  return {
    ...rules,
    foundations: rules.foundations.map((group) => settledGroup(group, rules)),
    tableau: tableau && settledTableau({ ...tableau, plays: tableau.plays.filter(there) }, rules),
    stock: {
      ...rules.stock,
      turns: onlyWaste ? rules.stock.turns : 1,
      row_on_empty: plays.includes("row") ? rules.stock.row_on_empty : true,
      to_foundation: plays.includes("foundation") ? rules.stock.to_foundation : "fitting",
      top: looked ? "up" : rules.stock.top,
    },
    waste: waste && { ...waste, plays: waste.plays.filter(there) },
    reserve: reserve && { ...reserve, plays: reserve.plays.filter(there) },
    cells: cells && { ...cells, plays: cells.plays.filter(there) },
  };
}

function settledTableau(changed: Tableau, rules: Rules): Tableau {
  const { waste, reserve } = rules;
  const tableau: Tableau = canClear(rules) ? changed : { ...changed, cleared: "goes-on" };
  if (tableau.peaks !== null) {
    const single = { moves: "card", run_match: null, empty: "none", fill: [] } as const;
    return { ...tableau, ...single, plays: ["foundation"] };
  }
  const match = tableau.order === "any" ? "any" : tableau.match;
  return {
    ...tableau,
    match,
    run_match: match !== "any" || !usesRuns(rules) ? null : tableau.run_match,
    fill: tableau.fill.filter(
      (from) => (from !== "waste" || waste !== null) && (from !== "reserve" || reserve !== null),
    ),
  };
}

function settledGroup(group: Foundation, { tableau }: Rules): Foundation {
  if (group.takes === "pair") {
    const { piles: _, first: __, ...usual } = DEFAULTS.foundations;
    return { ...group, ...(usual as Partial<Foundation>), piles: 1, first: "any", takes: "pair" };
  }
  const single = group.takes === "card";
  const dealt = group.setup === "dealt";
  const first = dealt ? "any" : !single && isAny(group.first) ? "K" : group.first;
  const givesBack = tableau !== null && single && group.setup === "empty";
  return {
    ...group,
    first,
    suits: dealt ? SUITS : group.suits,
    last: single && first === "any" ? group.last : null,
    automatic: !single && group.automatic,
    plays: givesBack ? group.plays : [],
  };
}

function isAny(first: string): boolean {
  return first === "any" || first === "same";
}

function set<Table extends object>(table: Table, { name }: Key, value: unknown): Table {
  return { ...table, [name]: value };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
