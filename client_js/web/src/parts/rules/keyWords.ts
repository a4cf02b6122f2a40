/**
 * Words for the keys of rules and their values. A type check ensures that every key, option and
 * fault has some.
 */

import type { Fault, Reason } from "../../../../src/rules/faults.ts";
import type { Key } from "../../../../src/rules/schemaKeys.ts";
import type {
  Cells,
  Foundation,
  Match,
  Order,
  Place,
  Reserve,
  Rules,
  Stock,
  Tableau,
  Waste,
} from "../../../../src/rules/schema.ts";
import { RANKS, SUITS } from "../../../../src/rules/cards.ts";
import { entry, rankWords, text } from "../../text/index.ts";

export const OPTIONAL = ["tableau", "waste", "reserve", "cells"] as const;
export type OptionalTable = (typeof OPTIONAL)[number];

export type Part = "rules" | "foundations" | "stock" | OptionalTable;

/** The texts by key; a missing one is a type error. */
interface Words {
  readonly keys: {
    readonly rules: Readonly<Record<"packs" | "suits", string>>;
    readonly foundations: Readonly<Record<keyof Foundation, string>>;
    readonly tableau: Readonly<Record<keyof Tableau, string>>;
    readonly stock: Readonly<Record<keyof Stock, string>>;
    readonly waste: Readonly<Record<keyof Waste, string>>;
    readonly reserve: Readonly<Record<keyof Reserve, string>>;
    readonly cells: Readonly<Record<keyof Cells, string>>;
  };
  readonly options: {
    readonly order: Readonly<Record<Order, string>>;
    readonly match: Readonly<Record<Match, string>>;
    readonly place: Readonly<Record<Place, string>>;
    readonly dealsTo: Readonly<Record<Stock["plays"][number], string>>;
    readonly fill: Readonly<Record<Tableau["fill"][number], string>>;
    readonly takes: Readonly<Record<Foundation["takes"], string>>;
    readonly setup: Readonly<Record<Foundation["setup"], string>>;
    readonly moves: Readonly<Record<Tableau["moves"], string>>;
    readonly top: Readonly<Record<Stock["top"], string>>;
    readonly brings: Readonly<Record<Stock["to_foundation"], string>>;
    readonly first: Readonly<Record<"any" | "same", string>>;
    readonly empty: Readonly<Record<"any" | "none", string>>;
    readonly cleared: Readonly<Record<Tableau["cleared"], string>>;
  };
  readonly tables: Readonly<Record<Part, string>>;
  readonly absent: Readonly<Record<OptionalTable, string>>;
  readonly there: Readonly<Record<OptionalTable, string>>;
  readonly reasons: Readonly<Record<Reason, string>>;
}

function words(): Words {
  return text.variants;
}

export function partOf({ table }: Pick<Key, "table">): Part {
  return table === "" ? "rules" : table;
}

/** Return a key's path with the number of its group, such as `foundations.0.first`. */
export function pathOf({ table, name }: Pick<Key, "table" | "name">, group = 0): string {
  if (table === "") return name;
  return table === "foundations" ? `${table}.${group}.${name}` : `${table}.${name}`;
}

export function keyWords(key: Pick<Key, "table" | "name">, { tableau }: Rules): string {
  const inPeaks = tableau !== null && tableau.peaks !== null;
  if (inPeaks && key.table === "tableau" && key.name === "face_up") return text.variants.openRows;
  return entry(words().keys[partOf(key)], key.name) ?? key.name;
}

export function partWords(part: Part, group = 0, groups = 1): string {
  return part === "foundations" && groups > 1
    ? text.variants.group(group + 1)
    : words().tables[part];
}

/** Return a sentence about a fault of rules. */
export function faultWords({ reason }: Pick<Fault, "reason">): string {
  return words().reasons[reason];
}

export function valueWords(key: Key, value: unknown): string {
  if (value === null || value === undefined) return noneWords(key);
  if (typeof value === "boolean") return value ? text.variants.yes : text.variants.no;
  if (typeof value === "number") {
    return key.name === "redeals" ? text.variants.options.redeals(value) : String(value);
  }
  if (key.form === "suits" && typeof value === "string") return suitsWords(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return text.variants.options.nothing;
    return value.map((each) => valueWords({ ...key, form: "choice" }, each)).join(", ");
  }
  return typeof value === "string" ? optionWords(key, value) : "";
}

export function optionWords({ table, name }: Pick<Key, "table" | "name">, option: string): string {
  const { options } = words();
  const isRank = option.length === 1 && RANKS.includes(option);
  switch (name) {
    case "first":
      return isRank ? rankWords(option) : (entry(options.first, option) ?? option);
    case "empty":
      return isRank ? rankWords(option) : (entry(options.empty, option) ?? option);
    case "last":
      return rankWords(option);
    case "run_match":
      return entry(options.match, option) ?? option;
    case "plays":
      return entry(table === "stock" ? options.dealsTo : options.place, option) ?? option;
    case "to_foundation":
      return entry(options.brings, option) ?? option;
    case "face_up":
      return text.variants.options.all;
    case "redeals":
      return text.variants.options.endless;
    default:
      return (
        entry(
          (options as Readonly<Record<string, Readonly<Record<string, string>>>>)[name] ?? {},
          option,
        ) ?? option
      );
  }
}

/** Return the meaning of an optional key without a value. */
export function noneWords({ name }: Pick<Key, "name">): string {
  const { asBuilt, noPeaks, noRank } = text.variants.options;
  return name === "last" ? noRank : name === "peaks" ? noPeaks : asBuilt;
}

export function suitsWords(suits: string): string {
  if ([...SUITS].every((suit) => suits.includes(suit))) return text.variants.options.suits;
  return [...SUITS]
    .filter((suit) => suits.includes(suit))
    .map((suit) => entry(text.cards.suits, suit) ?? suit)
    .join(", ");
}

/** Return a key's value, in one group of foundations; undefined if its table is absent. */
export function valueAt(rules: Rules, { table, name }: Pick<Key, "table" | "name">, group = 0) {
  const found: object | null | undefined =
    table === "" ? rules : table === "foundations" ? rules.foundations[group] : rules[table];
  return (found as Readonly<Record<string, unknown>> | null | undefined)?.[name];
}
