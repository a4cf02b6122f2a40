/** Messages of earlier releases: their events decode, and their commands encode identically. */

import { readFileSync, readdirSync } from "node:fs";
import { decode } from "@msgpack/msgpack";
import { expect, test } from "vitest";
import { Attempt } from "../src/attempt.ts";
import type { Command } from "../src/protocol.ts";
import { findStoredRuleset } from "../src/rules/catalog.ts";
import { decodeEvent, encodeCommand } from "../src/wire.ts";
import { type SentEvent, decodeCommand, encodeEvent } from "./server.ts";

const folder = new URL("../../tests/vectors/releases/", import.meta.url);
const releases = readdirSync(folder);

/** Return the frames of a release sent by one side, with the names of their types. */
function framesOf(release: string, sender: "client" | "server") {
  return readFileSync(new URL(`${release}/messages.txt`, folder), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" ") as [string, string, string])
    .filter(([side]) => side === sender)
    .map(([, name, frame]) => ({ name, frame: new Uint8Array(Buffer.from(frame, "hex")) }));
}

test.each(releases)("commands are encoded as in release %s", (release) => {
  const frames = framesOf(release, "client");
  expect(frames.length).toBeGreaterThan(30);
  for (const { name, frame } of frames) {
    const { re, ...decoded } = decodeCommand(frame);
    expect(decoded.type).toBe(name);
    const given = Object.entries(decoded).filter(([, field]) => field !== null);
    const sent = encodeCommand({ id: re, ...Object.fromEntries(given) } as unknown as Command);
    const row = decode(frame) as unknown[];
    while (row.at(-1) === null) row.pop();
    expect(decode(sent)).toEqual(row);
  }
});

/** Return a value with its arrays cut to their lengths in another one. */
function shortened(value: unknown, like: unknown): unknown {
  if (!Array.isArray(value) || !Array.isArray(like)) return value;
  return value.slice(0, like.length).map((each, at) => shortened(each, like[at]));
}

test.each(releases)("events of release %s are decoded", (release) => {
  const frames = framesOf(release, "server");
  expect(frames.length).toBeGreaterThan(30);
  for (const { name, frame } of frames) {
    const decoded = decodeEvent(frame);
    expect(decoded?.type).toBe(name);
    const row = decode(frame) as unknown[];
    // New fields are appended, in nested structs too.
    expect(shortened(decode(encodeEvent(decoded as SentEvent)), row)).toEqual(row);
    if (decoded?.type !== "Attempt") continue;
    const { ruleset, seq } = new Attempt(decoded).state();
    expect(ruleset).toBe(findStoredRuleset(decoded.game, decoded.variant, decoded.rules));
    expect(seq).toBe(decoded.seq);
  }
});
