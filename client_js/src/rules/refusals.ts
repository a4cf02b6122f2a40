/**
 * Why changes to rules are refused: the same checks with the same keys as the engine's
 * `changes.py`, which vectors ensure.
 */

import { findRuleset, games } from "./catalog.ts";
import {
  DEFAULTS,
  MAX_CHANGES,
  type Table,
  changesBetween,
  isChanges,
  valueOf,
} from "./changes.ts";
import { effective } from "./effective.ts";
import { EngineError } from "./errors.ts";
import { faultOf, isOfType } from "./faults.ts";
import type { Ruleset } from "./ruleset.ts";
import { type Rules, STANDARD } from "./schema.ts";
import { KEYS } from "./schemaKeys.ts";

const FORM = /^[a-z_0-9.]+=[A-Za-z0-9,-]*(;[a-z_0-9.]+=[A-Za-z0-9,-]*)*$/;
const GROUP = /^foundations\.(\d)$/;
const NONE = "-";

type Values = Record<string, unknown>;
type Parts = Values & { foundations: Values[] };

/** Return rules as `findRuleset` does, but throw `bad_ruleset` for all changes that the engine refuses. */
export function findCheckedRuleset(game: string, variant: string = STANDARD): Ruleset {
  const standard = games.find(({ id }) => id === game)?.variants[0];
  if (standard && isChanges(variant)) checkedRules(game, standard.rules, variant);
  return findRuleset(game, variant);
}

/** Whether the engine accepts a variant of a game. */
export function isPlayable(game: string, variant: string): boolean {
  try {
    findCheckedRuleset(game, variant);
    return true;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return false;
  }
}

/** Return a game's rules with changes; throw `bad_ruleset` where the engine does. */
export function checkedRules(game: string, base: Rules, changes: string): Rules {
  if (changes.length > MAX_CHANGES || !FORM.test(changes)) {
    throw refusal(game, `changes are up to ${MAX_CHANGES} characters of key=value.`);
  }
  const pairs = changes.split(";").map((each) => each.split("=") as [string, string]);
  const parts = partsOf(base);
  for (const [key, value] of pairs) {
    const why = change(parts, key, value);
    if (why !== null) throw refusal(`${game}.${key}`, why);
  }
  checkComplete(game, parts, pairs);
  const rules = parts as unknown as Rules;
  const fault = faultOf(rules);
  if (fault !== null) {
    throw refusal(`${game}.${blamed(base, pairs, fault.key)}`, `${fault.key}: ${fault.reason}.`);
  }
  const written = changesBetween(base, effective(base, rules));
  if (written !== changes) {
    const others = written.split(";");
    const wrong = changes.split(";").findIndex((each, at) => each !== others[at]);
    const [key] = pairs[Math.max(0, wrong)] ?? [];
    throw refusal(
      `${game}.${key}`,
      "without changes that have no effect, and in order, these changes must be written " +
        `'${written}'.`,
    );
  }
  return rules;
}

function partsOf(base: Rules): Parts {
  return structuredClone(base) as unknown as Parts;
}

/** Apply a change; return why it cannot be, or null. */
function change(parts: Parts, key: string, value: string): string | null {
  const { foundations } = parts;
  const removed = GROUP.exec(key);
  if (value === NONE && key !== "foundations" && key in DEFAULTS) {
    parts[key] = key === "stock" ? { ...DEFAULTS.stock } : null;
    return null;
  }
  if (value === NONE && removed) {
    foundations.splice(Number(removed[1]));
    return null;
  }
  const dot = key.lastIndexOf(".");
  const [path, name] = [key.slice(0, Math.max(0, dot)), key.slice(dot + 1)];
  const group = GROUP.exec(path);
  const table = group ? "foundations" : path;
  const known = KEYS.find((each) => each.table === table && each.name === name);
  if (known === undefined || path === "foundations") return "is not a key that can be changed.";
  let place: Values = parts;
  if (group) {
    const at = Number(group[1]);
    if (at > foundations.length) return "comes after a group that is not there.";
    place = foundations[at] ??= { ...DEFAULTS.foundations };
  } else if (path !== "") {
    place = (parts[path] ??= { ...DEFAULTS[path as Table] }) as Values;
  }
  // Without a value, a key has its default; a needed one is missing.
  const found = value === NONE ? undefined : valueOf(name, value);
  if (found !== undefined && !isOfType(found, known)) return "has a value that it cannot have.";
  place[name] = found === undefined && table !== "" ? DEFAULTS[table as Table][name] : found;
  if (path === "" && name === "suits") place[name] ??= "SHDC";
  return null;
}

function checkComplete(game: string, parts: Parts, pairs: readonly [string, string][]): void {
  const tables: [string, Table | "", Values | null][] = [["", "", parts]];
  for (const table of ["tableau", "stock", "waste", "reserve", "cells"] as const) {
    tables.push([`${table}.`, table, parts[table] as Values | null]);
  }
  parts.foundations.forEach((group, at) =>
    tables.push([`foundations.${at}.`, "foundations", group]),
  );
  for (const [start, table, values] of tables) {
    for (const { name } of values === null ? [] : KEYS.filter((each) => each.table === table)) {
      if (values?.[name] !== undefined) continue;
      const lacking = `${start}${name}`;
      const at = pairs.map(([key]) => key).filter((key) => key.startsWith(start));
      throw refusal(`${game}.${at.includes(lacking) ? lacking : at[0]}`, `needs ${lacking}.`);
    }
  }
}

/** Return the changed key at fault: the faulty one, or the first one with which it is so. */
function blamed(base: Rules, pairs: readonly [string, string][], faulty: string): string {
  if (pairs.some(([key]) => key === faulty)) return faulty;
  const reason = (parts: Parts): string => JSON.stringify(faultOf(parts as unknown as Rules));
  const all = partsOf(base);
  for (const [key, value] of pairs) change(all, key, value);
  const [parts, last] = [partsOf(base), reason(all)];
  for (const [key, value] of pairs) {
    change(parts, key, value);
    if (reason(parts) === last) return key;
  }
  return faulty;
}

function refusal(key: string, why: string): EngineError {
  return new EngineError("bad_ruleset", `${key}: ${why}`);
}
