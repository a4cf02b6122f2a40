/** When the browser is asked to persist the page's storage. */

import type { AttemptState } from "@samedeal/client";
import { beforeEach, expect, it, vi } from "vitest";
import { Store } from "../../src/store.ts";
import { Lasting } from "../src/offline/lasting.ts";
import { MemoryStorage } from "./storage.ts";

const DAY = 86_400_000;

let now: number;
let lasts: boolean;
let asked: number;
let attempt: Store<AttemptState | null>;
let storage: MemoryStorage;
beforeEach(() => {
  now = 1_000 * DAY;
  lasts = false;
  asked = 0;
  storage = new MemoryStorage();
});

const browser = {
  persisted: () => Promise.resolve(lasts),
  persist: () => {
    asked += 1;
    return Promise.resolve(lasts);
  },
};

function visit(by: typeof browser | undefined = browser): Lasting {
  attempt = new Store<AttemptState | null>(null);
  return new Lasting({ attempt, now: () => now }, storage, by);
}

function attemptOf(moves: number, end: "resigned" | null = null): AttemptState {
  return { result: { moves, end } } as AttemptState;
}

it("asks at the first move of an attempt that counts, once", async () => {
  visit();
  attempt.set(attemptOf(0));
  await Promise.resolve();
  expect(asked).toBe(0);
  attempt.set(attemptOf(1));
  attempt.set(attemptOf(2));
  await vi.waitFor(() => expect(asked).toBe(1));
});

it("asks when an attempt is over without a move, or is resumed", async () => {
  visit();
  attempt.set(attemptOf(0, "resigned"));
  await vi.waitFor(() => expect(asked).toBe(1));
});

it("asks again a week later, on another visit, and never once persisted", async () => {
  await visit().ask();
  now += 6 * DAY;
  await visit().ask();
  expect(asked).toBe(1);
  now += DAY;
  await visit().ask();
  expect(asked).toBe(2);
  now += 7 * DAY;
  lasts = true;
  await visit().ask();
  expect(asked).toBe(2);
});

it("works without browser support or permission", async () => {
  await new Lasting({ attempt: new Store(null), now: () => now }, storage, undefined).ask();
  const warned = vi.spyOn(console, "warn").mockReturnValue();
  await visit({ ...browser, persisted: () => Promise.reject(new TypeError("no")) }).ask();
  expect(warned).toHaveBeenCalledOnce();
  warned.mockRestore();
});
