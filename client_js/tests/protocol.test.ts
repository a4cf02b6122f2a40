/** Every example in `PROTOCOL.md` is a valid message, and survives decoding and encoding. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { decode, encode } from "@msgpack/msgpack";
import { expect, test } from "vitest";
import { Attempt } from "../src/attempt.ts";
import { fnv1a } from "../src/digest.ts";
import { FIELDS as LATER_FIELDS } from "../src/laterMessages.ts";
import { FIELDS } from "../src/messages.ts";
import type { Command, EventOf } from "../src/protocol.ts";
import { decodeEvent, encodeCommand, toRow } from "../src/wire.ts";
import { type SentEvent, decodeCommand, encodeEvent } from "./server.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const page = readFileSync(path("../../server/PROTOCOL.md"), "utf8");

/** A JSON reviver for values of type `bin`, in the document's notation. */
const bin = (_key: string, value: unknown) =>
  typeof value === "string" && value.startsWith("bin:")
    ? new Uint8Array(Buffer.from(value.slice(4), "hex"))
    : value;

/** The messages in the document's code blocks, with their bytes where shown. */
const examples = [...page.matchAll(/^```text\n(.*?)^```/gms)]
  .flatMap(([, block = ""]) => block.split(/^(?=[<>] )/m))
  .filter((text) => /^[<>] /.test(text))
  .map((text) => {
    const [array = "", bytes] = text.slice(2).split("\n= ");
    const value = JSON.parse(array.replaceAll(/h'([0-9a-f]*)'/g, '"bin:$1"'), bin) as unknown[];
    const shown = bytes && new Uint8Array(Buffer.from(bytes.replaceAll(/\s/g, ""), "hex"));
    return { sign: text.charAt(0), text: array.trim(), value, shown };
  });
const commands = examples.filter(({ sign }) => sign === ">");
const events = examples.filter(({ sign }) => sign === "<");

test("the document has examples of commands and of events, and some with their bytes", () => {
  expect(commands.length).toBeGreaterThan(15);
  expect(events.length).toBeGreaterThan(15);
  expect(examples.filter(({ shown }) => shown).length).toBeGreaterThan(10);
});

test.each(commands)("the command $text survives decoding and encoding", ({ value, shown }) => {
  const { re, ...decoded } = decodeCommand(encode(value));
  // Omitted fields are null.
  const given = Object.entries(decoded).filter(([, field]) => field !== null);
  const sent = encodeCommand({ id: re, ...Object.fromEntries(given) } as unknown as Command);
  expect(decode(sent)).toEqual(value);
  if (shown) expect(sent).toEqual(shown);
});

test.each(events)("the event $text survives decoding and encoding", ({ value, shown }) => {
  const decoded = decodeEvent(encode(value));
  const sent = encodeEvent(decoded as SentEvent);
  expect(decode(sent)).toEqual(value);
  if (shown) expect(sent).toEqual(shown);
});

const tables = Object.entries({ ...FIELDS, ...LATER_FIELDS }).map(([struct, fields]) => {
  const described = fields.map((field) => (typeof field === "string" ? { name: field } : field));
  return { struct, fields: described };
});

test.each(tables.filter(({ fields }) => fields.some((field) => "omitted" in field)))(
  "fields of $struct omitted before the last one are sent as their defaults",
  ({ struct, fields }) => {
    const row = toRow(struct, { [fields.at(-1)?.name ?? ""]: "sent" });
    const others = fields.slice(0, -1).map(({ omitted }) => omitted ?? null);
    expect(row).toEqual([...others, "sent"]);
    expect(toRow(struct, {})).toEqual([]);
  },
);

test("omitted event fields are null, and fields of a later version are ignored", () => {
  expect(decodeEvent(encode([33, 7, [[14, 2, 22]], 41_250]))).toEqual({
    ...{ type: "Moved", re: [33, 7], number: 33, seq: 7, changes: [[14, 2, 22]] },
    ...{ time: 41_250, end: null, redeals: null },
  });
  expect(decodeEvent(encode([4, 3, 17, "more"]))).toEqual({ type: "Pong", re: 3, now: 17 });
});

test("the document's digests match their texts", () => {
  const rows = [...page.matchAll(/^\| `(.+)` \| `(\d+)` \|$/gm)];
  expect(rows.length).toBeGreaterThanOrEqual(4);
  for (const [, text = "", digest] of rows) expect(`${fnv1a(text)}`).toBe(digest);
});

test("the digest in the document's `OpenAttempt` matches its snapshot", () => {
  const sent = commands
    .map(({ value }) => decodeCommand(encode(value)))
    .find((command) => command.type === "OpenAttempt" && command.have !== null);
  const snapshot = events
    .map(({ value }) => decodeEvent(encode(value)))
    .find((event) => event?.type === "Attempt") as EventOf<"Attempt">;
  expect(sent).toMatchObject({ have: new Attempt(snapshot).have() });
});

test("trailing fields omitted by an older server get its defaults", () => {
  const seat = [["k3mq7w2r5t9xkz4b", "Ada", "4F2A"], true, true, 2];
  const row = [5, 0, "H7KQ2M4X", 9, "robert", "standard", 2, 900, "k3mq7w2r5t9xkz4b", [seat], null];
  expect(decodeEvent(encode(row))).toMatchObject({
    ...{ locked: false, proposals: [], scores: [], former: [] },
    members: [{ wins: 2, points: 0 }],
  });
});
