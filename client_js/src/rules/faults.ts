/**
 * Faults of rules that cannot be played, and the keys they concern, so that a form immediately
 * shows the server's refusals. The checks are the engine's (`checks.ts`).
 */

import { type Reason as CheckReason, contradictions, too_costly } from "./checks.ts";
import type { Rules } from "./schema.ts";
import { KEYS, type Key } from "./schemaKeys.ts";

/** The fault, for a sentence in the reader's language. */
export type Reason = CheckReason | "type";

/** A fault of rules: the path of the key, such as `foundations.0.first`, and the reason. */
export interface Fault {
  readonly key: string;
  readonly reason: Reason;
}

/** Return the first fault of rules, or null if they can be played. */
export function faultOf(rules: Rules): Fault | null {
  for (const checks of [typesOf, contradictions, too_costly]) {
    for (const [fails, key, reason] of checks(rules)) if (fails) return { key, reason };
  }
  return null;
}

function* typesOf(rules: Rules): Generator<readonly [fails: boolean, key: string, reason: Reason]> {
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

/** Whether a value has the type of a key, in bounds that hold for all numbers. */
export function isOfType(value: unknown, { form, options = [], optional = false }: Key): boolean {
  if (value === null) return optional;
  if (form === "flag") return typeof value === "boolean";
  if (form === "suits") return typeof value === "string";
  if (form === "numbers") return Array.isArray(value) && value.every(isNumber);
  if (form === "number" && isNumber(value)) return true;
  if (form !== "choices") return options.includes(value as string);
  if (!Array.isArray(value) || new Set(value).size < value.length) return false;
  return value.every((each) => options.includes(each as string));
}

function isNumber(value: unknown): boolean {
  return Number.isSafeInteger(value) && Math.abs(value as number) <= 1e6;
}
