/**
 * Changes to a game's rules as text: the id of a custom variant, such as
 * `stock.turns=3;waste.redeals=any`. `engine/schema/changes.py` is the Python twin; `faults.ts`
 * checks whether the rules can be played.
 */

import { EngineError } from "./errors.ts";
import type { Rules } from "./schema.ts";
import { bytesToHex, sha256, utf8ToBytes } from "./sha256.ts";

/** The maximum length in characters. */
export const MAX_CHANGES = 500;

const DIGEST_LABEL = "samedeal rules 1\0";
const DIGEST_LENGTH = 16;
/** Stands for no value, or for a removed table or group. */
const NONE = "-";

type Value = string | number | boolean | null | readonly (string | number)[];
type Values = Record<string, Value>;

/** A table of rules, such as the stock's; `foundations` is one of its groups. */
export type Table = "foundations" | "tableau" | "stock" | "waste" | "reserve" | "cells";

export const DEFAULTS: Readonly<Record<Table, Readonly<Record<string, Value | undefined>>>> = {
  foundations: {
    ...{ piles: undefined, first: undefined, takes: "card", setup: "empty", suits: "SHDC" },
    ...{ order: "up", match: "suit", wrap: false, last: null, automatic: false, plays: [] },
  },
  tableau: {
    ...{ deal: undefined, order: undefined, match: undefined, plays: undefined, face_up: "all" },
    ...{ wrap: false, moves: "card", run_match: null, empty: "any", fill: [] },
    ...{ peaks: null, cleared: "goes-on" },
  },
  stock: { plays: [], turns: 1, row_on_empty: true, top: "down", to_foundation: "fitting" },
  waste: { plays: undefined, redeals: 0 },
  reserve: { deal: undefined, plays: undefined, face_up: "all" },
  cells: { piles: undefined, plays: undefined },
};

/** The parts of rules in the schema's order. */
const PARTS = ["packs", "foundations", "suits", "tableau", "stock", "waste", "reserve", "cells"];
const NUMBERS = ["packs", "piles", "turns", "redeals", "face_up", "deal", "peaks"];
const FLAGS = ["wrap", "automatic", "row_on_empty"];
const LISTS = ["plays", "fill", "deal"];

/** Whether a variant's id is a text of changes rather than a name in a game's file. */
export function isChanges(variant: string): boolean {
  return variant.includes("=");
}

/** Return the changes from one set of rules to another; empty if only names differ. */
export function changesBetween(base: Rules, rules: Rules): string {
  const found: string[] = [];
  const [before, after] = [base, rules] as unknown as Record<string, unknown>[];
  for (const part of PARTS) {
    const [was, is] = [before?.[part], after?.[part]];
    if (part === "foundations") {
      const [groups, others] = [base.foundations, rules.foundations];
      others.forEach((group, at) =>
        found.push(...changesIn(`${part}.${at}`, part, groups[at] ?? null, group)),
      );
      if (others.length < groups.length) found.push(`${part}.${others.length}=${NONE}`);
    } else if (part in DEFAULTS && is !== null) {
      found.push(...changesIn(part, part as Table, was as object | null, is as object));
    } else if (!isSame(was, is)) found.push(`${part}=${textOf(is as Value)}`);
  }
  return found.join(";");
}

/** List the changed keys of a table, compared with the defaults if there was no table before. */
function changesIn(path: string, table: Table, before: object | null, after: object): string[] {
  const old = (before ?? DEFAULTS[table]) as Values;
  return Object.keys(DEFAULTS[table]).flatMap((name) => {
    const value = (after as Values)[name] ?? null;
    return isSame(old[name], value) ? [] : [`${path}.${name}=${textOf(value)}`];
  });
}

/**
 * Return rules with changes applied. Only the form is checked: throw `bad_ruleset` unless the text
 * is exactly as `changesBetween` writes it.
 */
export function changedRules(base: Rules, changes: string): Rules {
  const rules = structuredClone(base) as unknown as Record<string, unknown>;
  const groups = rules["foundations"] as Values[];
  if (changes.length > MAX_CHANGES) throw refused(changes);
  for (const change of changes.split(";")) {
    const [key = "", value, more] = change.split("=");
    if (value === undefined || more !== undefined) throw refused(change);
    // No playable rules have piles or cards in such numbers, which would take too long to build.
    if (/\d{4}/.test(value) && key !== "waste.redeals") throw refused(change);
    const [part = "", ...path] = key.split(".");
    const at = part === "foundations" ? Number(path.shift()) : null;
    const [name] = path;
    if (path.length > 1 || !PARTS.includes(part) || !(at === null || at <= groups.length)) {
      throw refused(change);
    }
    if (name === undefined) {
      if (at !== null && value === NONE) groups.splice(at);
      else if (at === null && part in DEFAULTS && value === NONE) rules[part] = null;
      else if (at === null && !(part in DEFAULTS)) rules[part] = valueOf(part, value);
      else throw refused(change);
      continue;
    }
    const defaults = DEFAULTS[part as Table] as Values | undefined;
    if (defaults === undefined || !(name in defaults)) throw refused(change);
    if (at === null) rules[part] ??= { ...defaults };
    else groups[at] ??= { ...defaults };
    ((at === null ? rules[part] : groups[at]) as Values)[name] = valueOf(name, value);
  }
  const changed = rules as unknown as Rules;
  if (rules["stock"] === null || changesBetween(base, changed) !== changes) throw refused(changes);
  return changed;
}

/** Return the digest of rules, as the engine's `digest_of` computes it. */
export function digestOf(game: string, variant: string, rules: Rules): string {
  const parts: Record<string, unknown> = { packs: rules.packs };
  parts["foundations"] = rules.foundations.map((group) => shortened("foundations", group));
  if (rules.suits !== "SHDC") parts["suits"] = rules.suits;
  for (const table of ["tableau", "stock", "waste", "reserve", "cells"] as const) {
    const value = rules[table];
    const short = value === null ? null : shortened(table, value);
    if (short !== null && !(table === "stock" && Object.keys(short).length === 0)) {
      parts[table] = short;
    }
  }
  const text = JSON.stringify([game, variant, parts], sorted);
  return bytesToHex(sha256(utf8ToBytes(DIGEST_LABEL + text))).slice(0, DIGEST_LENGTH);
}

/** Return a table without the keys that have their defaults. */
function shortened(table: Table, value: object): Values {
  const kept = Object.entries(value as Values).filter(
    ([name, each]) => !isSame(DEFAULTS[table][name], each),
  );
  return Object.fromEntries(kept);
}

/** Make `JSON.stringify` sort the keys. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

export function valueOf(name: string, text: string): Value {
  if (text === NONE) return null;
  if (LISTS.includes(name)) {
    return text === "" ? [] : text.split(",").map((each) => single(name, each));
  }
  if (FLAGS.includes(name) && /^(true|false)$/.test(text)) return text === "true";
  return single(name, text);
}

function single(name: string, text: string): string | number {
  return NUMBERS.includes(name) && /^-?\d{1,9}$/.test(text) ? Number(text) : text;
}

function textOf(value: Value): string {
  return value === null ? NONE : String(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (Array.isArray(one) && JSON.stringify(one) === JSON.stringify(other));
}

function refused(change: string): EngineError {
  return new EngineError("bad_ruleset", `These are no changes to this game's rules: '${change}'.`);
}
