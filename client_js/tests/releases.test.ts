/** What earlier releases said over the wire is understood, and what they took is still said so. */

import { readFileSync, readdirSync } from "node:fs";
import { decode } from "@msgpack/msgpack";
import { expect, test } from "vitest";
import { Attempt } from "../src/attempt.ts";
import type { Command } from "../src/protocol.ts";
import { findStoredRuleset } from "../src/rules/catalog.ts";
import { decodeEvent, encodeCommand } from "../src/wire.ts";
import { type Said, decodeCommand, encodeEvent } from "./server.ts";

const folder = new URL("../../tests/vectors/releases/", import.meta.url);
const releases = readdirSync(folder);

interface Message {
  readonly sender: "client" | "server";
  readonly name: string;
  readonly frame: string;
}

/** The frames of a release that one side sent. */
function framesOf(release: string, sender: Message["sender"]) {
  const lines = readFileSync(new URL(`${release}/messages.jsonl`, folder), "utf8");
  return lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Message)
    .filter((message) => message.sender === sender)
    .map(({ name, frame }) => ({ name, frame: new Uint8Array(Buffer.from(frame, "hex")) }));
}

test.each(releases)("the commands that release %s took are said as then", (release) => {
  const frames = framesOf(release, "client");
  expect(frames.length).toBeGreaterThan(50);
  for (const { name, frame } of frames) {
    const { re, ...heard } = decodeCommand(frame);
    expect(heard.type).toBe(name);
    const given = Object.entries(heard).filter(([, field]) => field !== null);
    const sent = encodeCommand({ id: re, ...Object.fromEntries(given) } as unknown as Command);
    const said = decode(frame) as unknown[];
    while (said.at(-1) === null) said.pop();
    expect(decode(sent)).toEqual(said);
  }
});

test.each(releases)("the events of release %s are understood", (release) => {
  const frames = framesOf(release, "server");
  expect(frames.length).toBeGreaterThan(50);
  for (const { name, frame } of frames) {
    const heard = decodeEvent(frame);
    expect(heard?.type).toBe(name);
    const said = decode(frame) as unknown[];
    expect((decode(encodeEvent(heard as Said)) as unknown[]).slice(0, said.length)).toEqual(said);
    if (heard?.type !== "Attempt") continue;
    const { ruleset, seq } = new Attempt(heard).state();
    expect(ruleset).toBe(findStoredRuleset(heard.game, heard.variant, heard.rules));
    expect(seq).toBe(heard.seq);
  }
});
