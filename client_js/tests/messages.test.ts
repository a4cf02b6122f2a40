/** Messages as modules: the compiled code, and refusals with the path of the key. */

import { expect, test } from "vitest";
import type { Messages } from "../scripts/compiler.ts";
import { compiled } from "../scripts/messages.ts";

const NAMES = { en: "English", pl: "Polski" };

/** Return the two modules that every visit needs. */
function modulesOf(en: Messages, pl: Messages): [en: string, pl: string] {
  const modules = compiled({
    en: { language: NAMES.en, ...en },
    pl: { language: NAMES.pl, ...pl },
  });
  return [modules.get("en.first.ts") ?? "", modules.get("pl.first.ts") ?? ""];
}

test("a message's arguments have the types required by the source language", () => {
  const en = {
    "all(name, count, who, kind, sure, names)":
      "{name} {count, plural, one {# a} other {#}} {who, select, null {n} other {{who}}} " +
      "{kind, select, a {A} other {B}} {sure, select, true {T} other {F}} {names, list}",
  };
  const [source] = modulesOf(en, en);
  expect(source).toContain(
    "(name: string | number, count: number, who: string | number | null, kind: string, " +
      "sure: boolean, names: readonly string[]) =>",
  );
  expect(source).toContain('who === null ? "n" : `${who}`'.replace('"n"', "`n`"));
});

test("a translation may omit arguments, and has its own plural cases", () => {
  const [, own] = modulesOf(
    { "left(name, count)": "{name}: {count, plural, one {one} other {#}}" },
    { "left(name, count)": "{count, plural, one {jeden} few {kilka} many {wiele} other {#}}" },
  );
  expect(own).toContain(
    '"left": (_name, count) => plural(count, { "one": `jeden`, "few": `kilka`, "many": `wiele`, ' +
      '"other": `${count}` })',
  );
});

test("a group that is empty in the source has the language's words for names from other files", () => {
  const [source, own] = modulesOf({ names: {} }, { names: { "spider two": "dwa" } });
  expect(source).toContain('"names": {\n}');
  expect(own).toContain('"spider two": "dwa"');
});

test("words are escaped in code", () => {
  const text = "`$'{'process'}'` \\ {name}";
  const [source] = modulesOf({ "a(name)": text }, { "a(name)": text });
  expect(source).toContain("`\\`\\${process}\\` \\\\ ${name}`");
});

test.each<[problem: string, en: Messages, pl: Messages, path: string]>([
  ["is not translated", { a: "x", b: "y" }, { a: "x" }, "pl.b"],
  ["does not exist in en", { a: "x" }, { a: "x", b: "y" }, "pl.b"],
  ["It is empty", { group: { a: "x" } }, { group: { a: " " } }, "pl.group.a"],
  ["has no argument `nmae`", { "a(name)": "{name}" }, { "a(name)": "{nmae}" }, "pl.a(name)"],
  ["does not use `name`", { "a(name)": "x" }, { "a(name)": "x" }, "en.a(name)"],
  ["3 messages", { a: ["x", "y", "z"] }, { a: ["x", "y"] }, "pl.a"],
  ["another type", { a: "x" }, { a: { b: "x" } }, "pl.a"],
  [
    "plural case two",
    { "a(n)": "{n, plural, other {#}}" },
    { "a(n)": "{n, plural, two {2} other {#}}" },
    "pl.a(n)",
  ],
  ["Unexpected message end", { "a(n)": "{n}" }, { "a(n)": "{n" }, "pl.a(n)"],
])("%s: refused with its path", (problem, en, pl, path) => {
  expect(() => modulesOf(en, pl)).toThrow(problem);
  expect(() => modulesOf(en, pl)).toThrow(`${path}: `);
});
