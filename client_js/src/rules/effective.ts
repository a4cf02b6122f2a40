/**
 * Changes to rules without those that have no effect, so that a game has one name.
 * `engine/schema/changes.py` has the Python twin; which keys have an effect is the engine's
 * `effects.py` (`checks.ts`).
 */

import { DEFAULTS, type Table } from "./changes.ts";
import { normal } from "./checks.ts";
import { faultOf } from "./faults.ts";
import type { Rules } from "./schema.ts";

const TABLES = ["tableau", "stock", "waste", "reserve", "cells"] as const;

/** A key's table, or the number of its group of foundations; and its name. */
type At = readonly [table: (typeof TABLES)[number] | number, name: string];
type Values = Readonly<Record<string, unknown>>;

/**
 * Return rules that play alike and differ from the base by no key that could be left, with normal
 * values, so that rules that play alike become equal.
 */
export function effective(base: Rules, rules: Rules): Rules {
  const aim = normal(rules);
  const ifAlike = (now: Rules, other: Rules): Rules =>
    isSame(normal(other), aim) && faultOf(other) === null ? other : now;
  const settled = (now: Rules, at: At): Rules => {
    const [value, before, usual] = [now, base, aim].map((each) => valueAt(each, at));
    if (isSame(value, before)) return now;
    const found = before === undefined ? now : ifAlike(now, withValue(now, at, before));
    if (found !== now || usual === undefined || isSame(usual, value)) return found;
    return ifAlike(now, withValue(now, at, usual));
  };
  const pass = (now: Rules): Rules => {
    let found = now;
    for (const table of TABLES) {
      if ((base[table] === null) !== (found[table] === null)) {
        found = ifAlike(found, { ...found, [table]: base[table] });
      }
      if (found[table] === null) continue;
      for (const name of Object.keys(DEFAULTS[table])) found = settled(found, [table, name]);
    }
    for (const group of rules.foundations.keys()) {
      for (const name of Object.keys(DEFAULTS.foundations)) found = settled(found, [group, name]);
    }
    return found;
  };
  // Leaving one key can make others needless.
  let [last, next] = [rules, pass(rules)];
  while (!isSame(next, last)) [last, next] = [next, pass(next)];
  return next;
}

/** Return a key's value, or its default if the table is absent. */
function valueAt(rules: Rules, [table, name]: At): unknown {
  const isGroup = typeof table === "number";
  const found = isGroup ? rules.foundations[table] : rules[table];
  const kind: Table = isGroup ? "foundations" : table;
  return ((found ?? DEFAULTS[kind]) as Values)[name];
}

function withValue(rules: Rules, [table, name]: At, value: unknown): Rules {
  if (typeof table !== "number") {
    return { ...rules, [table]: { ...(rules[table] as object), [name]: value } };
  }
  const foundations = rules.foundations.map((group, at) =>
    at === table ? { ...group, [name]: value } : group,
  );
  return { ...rules, foundations };
}

/** Compare values, or rules: their tables and keys are always in the same order. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
