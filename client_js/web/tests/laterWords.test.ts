/** Texts loaded later are available wherever they are shown: `withText` waits for them. */

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { LATER, OWN } from "../../scripts/messages.ts";

const HOUSE = fileURLToPath(new URL("../src", import.meta.url));

const CODE = new Map(
  readdirSync(HOUSE, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?<!\.d)\.(ts|svelte)$/.test(path) && !path.includes("generated"))
    .map((path) => [path, readFileSync(join(HOUSE, path), "utf8")]),
);

const SHOWS = new RegExp(String.raw`\btext\.(${[...LATER, ...OWN].join("|")})\b`);

/** Return a module's imports that do not wait for the later texts, except types. */
function loadedBy(module: string, code: string): string[] {
  const found = code.matchAll(
    /(?:^\s*(?:import|export)(?! type)[^;"(]*|(?<!with(?:Own)?Text\((?:\s*"\w+",)?\s*)\bimport\()"(\.[^"?]+)"/gm,
  );
  return [...found].map(([, path = ""]) => join(dirname(module), path));
}

/** Return the modules that show later texts but may be loaded before them. */
function early(code: ReadonlyMap<string, string>): string[] {
  const reached = new Set<string>();
  const visit = (module: string) => {
    const own = code.get(module);
    if (own === undefined || reached.has(module)) return;
    reached.add(module);
    for (const other of loadedBy(module, own)) visit(other);
  };
  visit("shell/main.ts");
  return [...reached].filter((module) => SHOWS.test(code.get(module) ?? ""));
}

test("no module shows texts that may be missing", () => {
  expect([...CODE.values()].filter((code) => SHOWS.test(code)).length).toBeGreaterThan(10);
  expect(early(CODE)).toEqual([]);
});

test("the test finds one that does, however it is loaded", () => {
  const shows = "text.account.title";
  const main = (code: string) =>
    new Map([
      ["shell/main.ts", code],
      ["a/A.svelte", 'import B from "../b/B.svelte";'],
      ["b/B.svelte", shows],
    ]);
  expect(early(main('import A from "../a/A.svelte";'))).toEqual(["b/B.svelte"]);
  expect(early(main('const load = () => import("../a/A.svelte");'))).toEqual(["b/B.svelte"]);
  expect(early(main('const load = () => withText(import("../a/A.svelte"));'))).toEqual([]);
  expect(early(main('import type A from "../a/A.svelte";'))).toEqual([]);
});
