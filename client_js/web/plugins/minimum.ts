/** The oldest supported browsers, and a Vite plugin: no script needs features newer than those. */

import bcd from "@mdn/browser-compat-data" with { type: "json" };
import type { BrowserName, Identifier } from "@mdn/browser-compat-data";
import { parse } from "acorn";
import type { Plugin } from "vite";

/** The oldest supported version of each browser; the README states them. */
export const MINIMUM = {
  chrome: 111,
  chrome_android: 111,
  edge: 111,
  firefox: 121,
  firefox_android: 121,
  safari: 16.4,
  safari_ios: 16.4,
} satisfies Partial<Record<BrowserName, number>>;

type Browser = keyof typeof MINIMUM;
export const BROWSERS = Object.keys(MINIMUM) as Browser[];

/** The same for the compilers of scripts and styles. */
export const TARGET: string[] = (["chrome", "edge", "firefox", "safari"] as const).map(
  (browser) => `${browser}${MINIMUM[browser]}`,
);

/** The newest edition of the language that all of them can read. */
const EDITION = 2023;

/** The newer names in scripts that are no fault, and why. */
const ALLOWED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["address", "bytes", "command", "drop", "foundation", "states", "take"].map((name) => [
      name,
      "a member of the page's own objects",
    ]),
  ),
  currentCSSZoom: "Svelte tests for it",
  parseCreationOptionsFromJSON: "`hasPasskeys` tests for it",
  parseRequestOptionsFromJSON: "`hasPasskeys` tests for it",
  toBase64: "the library of QR codes tests for it",
  trustedTypes: "`kit/trusted.ts` tests for it",
  wakeLock: "`app/senses.ts` tests for it",
};

/** Return the first version of a browser with a feature, even a part of it; Infinity if none. */
export function sinceIn(browser: Browser, feature: Identifier): number {
  const versions = [feature["__compat"]?.support[browser] ?? []].flat();
  const added = versions.map(({ version_added: from, flags, prefix, alternative_name: other }) => {
    const usable = flags === undefined && prefix === undefined && other === undefined;
    return usable && typeof from === "string" && from !== "preview"
      ? Number(from.replace("≤", ""))
      : Infinity;
  });
  return Math.min(Infinity, ...added);
}

/** Whether the oldest supported browsers have a feature, newer versions do, or some have none. */
function ageOf(feature: Identifier): "older" | "newer" | "missing" {
  const versions = BROWSERS.map(
    (browser) => [sinceIn(browser, feature), MINIMUM[browser]] as const,
  );
  if (versions.every(([from, least]) => from <= least)) return "older";
  return versions.every(([from]) => from !== Infinity) ? "newer" : "missing";
}

/**
 * Return the names of features that all current browsers have, but not the oldest supported ones.
 * The members of a newer type are left out: a script needs the type, or a member that returns it.
 */
function newerNamesOf(trees: readonly (Identifier | undefined)[]): ReadonlySet<string> {
  const newer = new Set<string>();
  const older = new Set<string>();
  for (const tree of trees) {
    for (const [name, type] of Object.entries(tree ?? {}) as [string, Identifier][]) {
      const age = ageOf(type);
      if (age !== "older") {
        if (age === "newer") newer.add(name);
        continue;
      }
      older.add(name);
      for (const [member, feature] of Object.entries(type) as [string, Identifier][]) {
        const names = { older, newer, missing: null }[ageOf(feature)];
        names?.add(member.replace(/_static$/, ""));
      }
    }
  }
  return new Set([...newer].filter((name) => !older.has(name)));
}

const NEWER = newerNamesOf([bcd.api, bcd.javascript.builtins]);

/** A node of a script's syntax tree. */
interface Node {
  readonly type: string;
  readonly [part: string]: unknown;
}

/** Call `use` with the names of a script's variables and of the members that it reads. */
function visit(part: unknown, use: (name: string) => void, inPattern = false): void {
  if (Array.isArray(part)) {
    for (const each of part) visit(each, use, inPattern);
    return;
  }
  if (typeof part !== "object" || part === null || !("type" in part)) return;
  const { type, computed, key, ...rest } = part as Node;
  if (type === "Identifier") use(String(rest["name"]));
  // A pattern's keys are read from an object; the keys of objects and classes are their own names.
  if (computed === true || inPattern) visit(key, use);
  for (const each of Object.values(rest)) visit(each, use, type === "ObjectPattern");
}

/**
 * Return the names of newer features in a script. A member's name counts if all features of this
 * name are newer, because a script does not show the type that the member belongs to.
 *
 * @throws `SyntaxError` for newer syntax, including that of regular expressions.
 */
export function newerNames(code: string): ReadonlySet<string> {
  const found = new Set<string>();
  visit(parse(code, { ecmaVersion: EDITION, sourceType: "module" }), (name) => {
    if (NEWER.has(name)) found.add(name);
  });
  return found;
}

/** Refuse scripts that need newer features. */
export function minimum(): Plugin {
  return {
    name: "minimum",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const unused = new Set(Object.keys(ALLOWED));
        for (const [file, each] of Object.entries(bundle)) {
          if (!file.endsWith(".js")) continue;
          const code = each.type === "chunk" ? each.code : Buffer.from(each.source).toString();
          for (const name of newerNames(code)) {
            if (!unused.delete(name) && !(name in ALLOWED)) {
              this.error(`${file} uses ${name}, which is newer than ${TARGET.join(", ")}.`);
            }
          }
        }
        if (unused.size > 0) this.error(`No script uses ${[...unused].join(", ")} any more.`);
      },
    },
  };
}
