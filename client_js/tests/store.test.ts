/** `until`, which waits for a value of a store. */

import { expect, test } from "vitest";
import { Store, until } from "../src/store.ts";

test("it waits for the first accepted value, and skips null", async () => {
  const store = new Store<number | null>(null);
  const even = until(store, (value) => value % 2 === 0);
  for (const value of [1, null, 4, 6]) store.set(value);
  expect(await even).toBe(4);
  expect(await until(store, (value) => value === 6)).toBe(6);
});

test("aborting its signal rejects it, and unsubscribes", async () => {
  const store = new Store(0);
  const signal = new AbortController();
  let asked = 0;
  const waiting = until(store, () => ++asked === 0, signal.signal);
  signal.abort(new Error("Enough."));
  await expect(waiting).rejects.toThrow("Enough.");
  store.set(1);
  expect(asked).toBe(1);
  await expect(until(store, () => true, AbortSignal.abort())).rejects.toThrow("aborted");
});
