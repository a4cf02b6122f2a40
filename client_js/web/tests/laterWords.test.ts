/** Texts loaded later are available wherever they are shown: `withText` waits for them. */

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { LATER, OWN, RACE } from "../../scripts/messages.ts";

const HOUSE = fileURLToPath(new URL("../src", import.meta.url));

const CODE = new Map(
  readdirSync(HOUSE, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?<!\.d)\.(ts|svelte)$/.test(path) && !path.includes("generated"))
    .map((path) => [path, readFileSync(join(HOUSE, path), "utf8")]),
);

const IMPORTS =
  /(?:^\s*(?:import|export)(?! type)[^;"(]*|(?<waits>with(?:Own|Race)?Text\((?:\s*"\w+",)?\s*)?\bimport\()"(?<path>\.[^"?]+)"/gm;

/** A later part of the texts: how modules show it, and which imports wait for it. */
interface Part {
  readonly shows: RegExp;
  readonly waits: RegExp;
}

function part(groups: Iterable<string>, waits: RegExp): Part {
  return { shows: new RegExp(String.raw`\btext\.(${[...groups].join("|")})\b`), waits };
}

const REST = part([...LATER, ...OWN], /^with(Own)?Text/);
const RACES = part(RACE, /^with(Own|Race)?Text/);

/** Return a module's imports that do not wait for a part of the texts, except types. */
function loadedBy(module: string, code: string, { waits }: Part): string[] {
  return [...code.matchAll(IMPORTS)].flatMap(({ groups = {} }) =>
    waits.test(groups["waits"] ?? "") ? [] : [join(dirname(module), groups["path"] ?? "")],
  );
}

/** Return the modules that show texts of a part but may be loaded before them. */
function early(code: ReadonlyMap<string, string>, what: Part): string[] {
  const reached = new Set<string>();
  const visit = (module: string) => {
    const own = code.get(module);
    if (own === undefined || reached.has(module)) return;
    reached.add(module);
    for (const other of loadedBy(module, own, what)) visit(other);
  };
  visit("shell/main.ts");
  return [...reached].filter((module) => what.shows.test(code.get(module) ?? ""));
}

test.each([REST, RACES])("no module shows texts that may be missing: $shows", (what) => {
  expect([...CODE.values()].filter((code) => what.shows.test(code)).length).toBeGreaterThan(10);
  expect(early(CODE, what)).toEqual([]);
});

test("the test finds one that does, however it is loaded", () => {
  const shows = "text.account.title, text.room.title";
  const main = (code: string) =>
    new Map([
      ["shell/main.ts", code],
      ["a/A.svelte", 'import B from "../b/B.svelte";'],
      ["b/B.svelte", shows],
    ]);
  expect(early(main('import A from "../a/A.svelte";'), REST)).toEqual(["b/B.svelte"]);
  expect(early(main('const load = () => import("../a/A.svelte");'), REST)).toEqual(["b/B.svelte"]);
  expect(early(main('const load = () => withText(import("../a/A.svelte"));'), REST)).toEqual([]);
  const races = 'const load = () => withRaceText(import("../a/A.svelte"));';
  expect(early(main(races), REST)).toEqual(["b/B.svelte"]);
  expect(early(main(races), RACES)).toEqual([]);
  expect(early(main('import type A from "../a/A.svelte";'), REST)).toEqual([]);
});
