/** The differences between rules, in words. */

import { KEYS, type Key, TABLE_DEFAULTS } from "../../../../src/rules/schemaKeys.ts";
import type { Rules } from "../../../../src/rules/schema.ts";
import { text } from "../../text/index.ts";
import { OPTIONAL, keyWords, partOf, partWords, pathOf, valueAt, valueWords } from "./keyWords.ts";

export interface Difference {
  readonly path: string;
  /** The part of the game, such as the stock. */
  readonly part: string;
  /** The key in words; null if a whole table was added or removed. */
  readonly key: string | null;
  readonly value: string;
  /** The previous value; null if there was none. */
  readonly before: string | null;
}

/** Return the differences of rules from `base`, in the schema's order. */
export function differences(base: Rules, rules: Rules): Difference[] {
  const found: Difference[] = [];
  for (const table of OPTIONAL) {
    const [was, is] = [base[table] !== null, rules[table] !== null];
    if (was === is) continue;
    const value = is ? text.variants.there[table] : text.variants.absent[table];
    found.push({ path: table, part: partWords(table), key: null, value, before: null });
  }
  const groups = Math.max(base.foundations.length, rules.foundations.length);
  for (const key of KEYS) {
    const count = key.table === "foundations" ? groups : 1;
    for (let group = 0; group < count; group++) {
      const difference = ofKey(base, rules, key, group);
      if (difference !== null) found.push(difference);
    }
  }
  for (let at = rules.foundations.length; at < base.foundations.length; at++) {
    const part = text.variants.group(at + 1);
    const value = text.variants.options.nothing;
    found.push({ path: `foundations.${at}`, part, key: null, value, before: null });
  }
  return found;
}

function ofKey(base: Rules, rules: Rules, key: Key, group: number): Difference | null {
  const value = valueAt(rules, key, group);
  if (value === undefined) return null;
  const before = valueAt(base, key, group);
  const usual = before === undefined ? addedWith(key) : before;
  if (JSON.stringify(usual) === JSON.stringify(value)) return null;
  return {
    path: pathOf(key, group),
    part: partWords(partOf(key), group, rules.foundations.length),
    key: keyWords(key, rules),
    ...(key.form === "choices" && before !== undefined
      ? { value: changedList(key, before as readonly string[], value as readonly string[]) }
      : { value: valueWords(key, value) }),
    before: before === undefined || key.form === "choices" ? null : valueWords(key, before),
  };
}

/** Return the added and removed elements of a list; all of it if only the order differs. */
function changedList(key: Key, before: readonly string[], after: readonly string[]): string {
  const added = after.filter((each) => !before.includes(each));
  const gone = before.filter((each) => !after.includes(each));
  const { also, noLonger } = text.variants;
  const words = [
    ...(added.length > 0 ? [also(valueWords(key, added))] : []),
    ...(gone.length > 0 ? [noLonger(valueWords(key, gone))] : []),
  ];
  return words.length > 0 ? words.join(", ") : valueWords(key, after);
}

/** Return the default that an added table leaves unsaid; none for the number of piles. */
function addedWith({ table, name }: Key): unknown {
  if (table === "" || name === "deal" || name === "piles") return undefined;
  return (TABLE_DEFAULTS[table] as unknown as Readonly<Record<string, unknown>>)[name];
}
