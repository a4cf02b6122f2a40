/** Every example of the protocol's page is a message by these types, and survives the wire. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { decode, encode } from "@msgpack/msgpack";
import ts from "typescript";
import { expect, test } from "vitest";
import { Attempt } from "../src/attempt.ts";
import { fnv1a } from "../src/digest.ts";
import { type Command, decodeEvent, encodeCommand } from "../src/protocol.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const page = readFileSync(path("../../server/PROTOCOL.md"), "utf8");

/** The JSON texts within the page's fenced blocks, one for each message. */
const examples = [...page.matchAll(/```json\n(.*?)```/gs)]
  .flatMap(([, block = ""]) => block.split(/\n(?=\{)/))
  .map((text) => ({ text: text.trim(), message: JSON.parse(text) }));

const isEvent = (message: any) => decodeEvent(encode(message)) !== null;

test("the page has examples of commands and of events", () => {
  expect(examples.filter(({ message }) => isEvent(message)).length).toBeGreaterThan(10);
  expect(examples.filter(({ message }) => !isEvent(message)).length).toBeGreaterThan(10);
});

test.each(examples)("$message.type survives the wire", ({ message }) => {
  if (isEvent(message)) expect(decodeEvent(encode(message))).toEqual(message);
  else expect(decode(encodeCommand(message as Command))).toEqual(message);
});

test("the digests are those of their texts", () => {
  const rows = [...page.matchAll(/^\| `(.+)` \| `(\d+)` \|$/gm)];
  expect(rows.length).toBeGreaterThanOrEqual(4);
  for (const [, text = "", digest] of rows) expect(`${fnv1a(text)}`).toBe(digest);
});

test("a snapshot has the digest that a client of the page's example says", () => {
  const find = (type: string) => examples.find(({ message }) => message.type === type)?.message;
  const { have } = examples.find(({ message }) => message.have)?.message;
  expect(new Attempt(find("attempt")).have()).toEqual(have);
});

test("the compiler takes every example for a message, and no misspelt one", () => {
  const declared = examples.map(({ text, message }, nth) => {
    const union = isEvent(message) ? "Event" : "Command";
    return `export const example${nth}: ${union} = ${text};`;
  });
  declared.push(`export const wrong: Event = { type: "pong", re: 3, noow: 1 };`);
  const found = complaints(declared.join("\n"));
  expect(found).toHaveLength(1);
  expect(found[0]).toContain("noow");
});

/** What the compiler says about a text that uses the protocol's types. */
function complaints(text: string): string[] {
  const name = path("./examples-of-the-page.ts");
  const source = `import type { Command, Event } from "../src/protocol.ts";\n${text}`;
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => file === name || fileExists(file);
  host.getSourceFile = (file, ...rest) =>
    file === name
      ? ts.createSourceFile(file, source, ts.ScriptTarget.ES2022)
      : getSourceFile(file, ...rest);
  const program = ts.createProgram([name], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}
