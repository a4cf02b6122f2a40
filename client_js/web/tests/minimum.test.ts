/** The oldest supported browsers are the same for the build, the entry page and the README. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import bcd from "@mdn/browser-compat-data" with { type: "json" };
import type { Identifier } from "@mdn/browser-compat-data";
import { describe, expect, it } from "vitest";
import { BROWSERS, MINIMUM, TARGET, newerNames, sinceIn } from "../plugins/minimum.ts";

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8").replaceAll(/\s+/g, " ");

describe("scripts", () => {
  it.each([
    ["Promise.withResolvers()", "withResolvers"],
    ["const { groupBy } = Map", "groupBy"],
    ["new Set(a).union(b)", "union"],
    ["URL.canParse(link)", "canParse"],
    ["new WebTransport(url)", "WebTransport"],
    ["document.startViewTransition(change)", "startViewTransition"],
    ["if (element['togglePopover']) element?.togglePopover()", "togglePopover"],
  ])("are refused: %s", (code, name) => {
    expect([...newerNames(code)]).toEqual([name]);
  });

  it.each([
    "/[a--b]/v",
    "/(?i:a)/",
    "using file = open()",
    'import a from "./a" with { type: "b" }',
  ])("are refused for their syntax: %s", (code) => {
    expect(() => newerNames(code)).toThrow(SyntaxError);
  });

  it.each([
    "document.adoptedStyleSheets.push(sheet)",
    "[1].toSorted().with(0, 2).at(-1)",
    "/(?<=a)b/d.exec(text)?.indices",
    "class A { #a = 1; static b = { canParse: 1 }; union(a) { return #a in a; } }",
    "context.font = 'serif'",
  ])("are accepted: %s", (code) => {
    expect([...newerNames(code)]).toEqual([]);
  });
});

it("the entry page's sentence is for all older browsers, and for no others", () => {
  const { types, selectors } = bcd.css as unknown as Record<string, Record<string, Identifier>>;
  const needed = [types?.["length"]?.["lh"], types?.["color"]?.["color-mix"], selectors?.["has"]];
  const first = BROWSERS.map((browser) => [
    browser,
    Math.max(...needed.map((feature) => sinceIn(browser, feature as Identifier))),
  ]);
  expect(Object.fromEntries(first)).toEqual(MINIMUM);
  expect(read("../src/shell/app.css")).toContain(
    "@supports (width: 1lh) and (color: color-mix(in srgb, red, red)) and selector(:has(a)) { .old { display: none; } }",
  );
  expect(read("../index.html")).toContain('<p class="old">');
});

it("the README states them", () => {
  const { chrome, firefox, safari } = MINIMUM;
  expect(read("../../../README.md")).toContain(
    `Chrome and Edge ${chrome}, Firefox ${firefox}, and Safari ${safari}`,
  );
  expect(TARGET).toContain(`chrome${chrome}`);
});
