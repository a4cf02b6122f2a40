import type { Emoted, Player } from "@samedeal/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Store } from "../../src/store.ts";
import { Emotes, SHOWN } from "../src/table/emotes/emotes.svelte.ts";
import { MemoryStorage } from "./storage.ts";

const emoted = new Store<Emoted | null>(null);
const player = new Store<Player | null>({ id: "me", name: "Ada", tag: "4F2A", bot: false });
const client = { emoted, player };
const everybody = { emotes: true };

function sends(who: string, emote: number): void {
  emoted.set({ code: "H7KQ2M4X", player: who, emote });
}

function listening(settings = everybody, kept: Storage = new MemoryStorage()): Emotes {
  const emotes = new Emotes(client, settings, kept);
  emotes.listen();
  return emotes;
}

beforeEach(() => {
  vi.useFakeTimers();
  emoted.set(null);
});
afterEach(() => vi.useRealTimers());

it("shows each player's last emote for three seconds", () => {
  const emotes = listening();
  sends("grace", 1);
  vi.advanceTimersByTime(SHOWN - 1);
  sends("bob", 2);
  expect([...emotes.shown]).toEqual([
    ["grace", 1],
    ["bob", 2],
  ]);
  sends("bob", 3);
  vi.advanceTimersByTime(1);
  expect([...emotes.shown]).toEqual([["bob", 3]]);
  vi.advanceTimersByTime(SHOWN - 1);
  expect(emotes.shown.size).toBe(0);
  expect(SHOWN).toBe(3_000);
});

it("shows no emotes sent before listening or after it", () => {
  sends("grace", 1);
  const emotes = new Emotes(client, everybody, new MemoryStorage());
  const stop = emotes.listen();
  expect(emotes.shown.size).toBe(0);
  sends("grace", 2);
  stop();
  expect(emotes.shown.size).toBe(0);
  sends("grace", 3);
  expect(emotes.shown.size).toBe(0);
});

it("hides a muted player's emotes, including on the next visit", () => {
  const kept = new MemoryStorage();
  const emotes = listening(everybody, kept);
  sends("grace", 1);
  emotes.mute("grace", true);
  expect(emotes.shown.size).toBe(0);
  sends("grace", 2);
  sends("bob", 3);
  expect([...emotes.shown.keys()]).toEqual(["bob"]);
  const again = listening(everybody, kept);
  expect(again.isMuted("grace")).toBe(true);
  again.mute("grace", false);
  sends("grace", 4);
  expect(again.shown.get("grace")).toBe(4);
  expect(listening(everybody, kept).isMuted("grace")).toBe(false);
});

it("shows only the player's own if all others are muted", () => {
  const emotes = listening({ emotes: false });
  sends("grace", 1);
  sends("me", 2);
  expect([...emotes.shown.keys()]).toEqual(["me"]);
  expect(emotes.last).toBeNull();
});

it("keeps a bounded number of muted players, the latest ones", () => {
  const kept = new MemoryStorage();
  const emotes = listening(everybody, kept);
  for (let nth = 0; nth < 300; nth++) emotes.mute(`player ${nth}`, true);
  const again = listening(everybody, kept);
  expect(again.isMuted("player 299")).toBe(true);
  expect(again.isMuted("player 0")).toBe(false);
});

it.each(["", "{", "7", "[7, null]"])("mutes no player if %s is stored", (text) => {
  const kept = new MemoryStorage();
  kept.setItem("samedeal.muted", text);
  const emotes = listening(everybody, kept);
  sends("grace", 1);
  expect(emotes.shown.size).toBe(1);
});
