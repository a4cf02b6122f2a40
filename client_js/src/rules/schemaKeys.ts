/** The changeable keys of rules, for a form; `engine/RULES.md` documents them. */

import type { Table } from "./changes.ts";
import { DEFAULTS } from "./changes.ts";
import type { Cells, Foundation, Reserve, Stock, Tableau, Waste } from "./schema.ts";

/** The kind of input: a number, one of `options`, an ordered list of some of them, and so on. */
export type Form = "number" | "flag" | "choice" | "choices" | "numbers" | "suits";

export interface Key {
  /** The table; empty for top-level keys. */
  readonly table: Table | "";
  readonly name: string;
  readonly form: Form;
  /** The permitted words, or, for `choices`, the permitted elements. */
  readonly options?: readonly string[];
  /** The bounds of a number, or of each list element. */
  readonly least?: number;
  readonly most?: number;
  readonly optional?: boolean;
}

const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"];
const ORDERS = ["up", "down", "either", "any"];
const MATCHES = ["suit", "colour", "alternate", "any"];
const PLACES = ["tableau", "foundation", "cell"];
const MOVES = ["card", "run", "run-by-spaces", "run-by-places", "whole-run", "any"];

export const KEYS: readonly Key[] = [
  { table: "", name: "packs", form: "number", least: 1, most: 2 },
  { table: "foundations", name: "piles", form: "number", least: 1, most: 12 },
  { table: "foundations", name: "first", form: "choice", options: [...RANKS, "any", "same"] },
  { table: "foundations", name: "takes", form: "choice", options: ["card", "run", "pair"] },
  {
    ...{ table: "foundations", name: "setup", form: "choice" },
    options: ["empty", "dealt", "laid-out"],
  },
  { table: "foundations", name: "suits", form: "suits" },
  { table: "foundations", name: "order", form: "choice", options: ORDERS },
  { table: "foundations", name: "match", form: "choice", options: MATCHES },
  { table: "foundations", name: "wrap", form: "flag" },
  { table: "foundations", name: "last", form: "choice", options: RANKS, optional: true },
  { table: "foundations", name: "automatic", form: "flag" },
  { table: "foundations", name: "plays", form: "choices", options: ["tableau"] },
  { table: "", name: "suits", form: "suits" },
  { table: "tableau", name: "deal", form: "numbers", least: 0, most: 104 },
  { table: "tableau", name: "order", form: "choice", options: ORDERS },
  { table: "tableau", name: "match", form: "choice", options: MATCHES },
  { table: "tableau", name: "plays", form: "choices", options: PLACES },
  { table: "tableau", name: "face_up", form: "number", least: 1, most: 104, options: ["all"] },
  { table: "tableau", name: "wrap", form: "flag" },
  { table: "tableau", name: "moves", form: "choice", options: MOVES },
  { table: "tableau", name: "run_match", form: "choice", options: MATCHES, optional: true },
  { table: "tableau", name: "empty", form: "choice", options: [...RANKS, "any", "none"] },
  { table: "tableau", name: "fill", form: "choices", options: ["reserve", "waste", "stock"] },
  { table: "tableau", name: "peaks", form: "number", least: 1, most: 4, optional: true },
  { table: "tableau", name: "cleared", form: "choice", options: ["goes-on", "wins"] },
  {
    ...{ table: "stock", name: "plays", form: "choices" },
    options: ["waste", "row", "tableau", "foundation"],
  },
  { table: "stock", name: "turns", form: "number", least: 1, most: 52 },
  { table: "stock", name: "row_on_empty", form: "flag" },
  { table: "stock", name: "top", form: "choice", options: ["up", "down"] },
  {
    ...{ table: "stock", name: "to_foundation", form: "choice" },
    options: ["fitting", "first", "any"],
  },
  { table: "waste", name: "plays", form: "choices", options: PLACES },
  { table: "waste", name: "redeals", form: "number", least: 0, most: 1_000_000, options: ["any"] },
  { table: "reserve", name: "deal", form: "numbers", least: 1, most: 104 },
  { table: "reserve", name: "plays", form: "choices", options: PLACES },
  { table: "reserve", name: "face_up", form: "number", least: 1, most: 104, options: ["all"] },
  { table: "cells", name: "piles", form: "number", least: 1, most: 20 },
  { table: "cells", name: "plays", form: "choices", options: ["tableau", "foundation"] },
];

/** The initial contents of each table when it is added. */
export const TABLE_DEFAULTS = {
  foundations: { ...DEFAULTS.foundations, piles: 4, first: "A" } as unknown as Foundation,
  tableau: {
    ...DEFAULTS.tableau,
    deal: [4, 4, 4, 4, 4, 4],
    ...{ order: "down", match: "alternate", plays: ["tableau", "foundation"] },
  } as unknown as Tableau,
  stock: DEFAULTS.stock as unknown as Stock,
  waste: { ...DEFAULTS.waste, plays: ["tableau", "foundation"] } as unknown as Waste,
  reserve: {
    ...DEFAULTS.reserve,
    ...{ deal: [1, 1, 1, 1], plays: ["tableau", "foundation"] },
  } as unknown as Reserve,
  cells: { piles: 4, plays: ["tableau", "foundation"] } as Cells,
} as const;
