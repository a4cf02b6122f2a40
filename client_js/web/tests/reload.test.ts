/** A page that is too old for the server loads itself anew, and never in a loop. */

import type { Status } from "@samedeal/client";
import { beforeEach, expect, test } from "vitest";
import { Store } from "../../src/store.ts";
import { ReloadOnce, reloadWhenTooOld } from "../src/reload.ts";

const kept = new Map<string, string>();
const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
};

let reloads: number;
beforeEach(() => {
  kept.clear();
  reloads = 0;
});

/** The page as it is after loading. */
function load(place: () => typeof storage = () => storage): Store<Status> {
  const status = new Store<Status>("connecting");
  reloadWhenTooOld(status, new ReloadOnce("reloaded", place, () => (reloads += 1)));
  return status;
}

test("a page that is turned away as too old is loaded anew, once", () => {
  load().set("incompatible");
  expect(reloads).toBe(1);
  load().set("incompatible");
  expect(reloads).toBe(1);
});

test("after a session was open, the next time is a first time", () => {
  load().set("incompatible");
  const status = load();
  status.set("open");
  status.set("waiting");
  status.set("incompatible");
  expect(reloads).toBe(2);
});

test("nothing else loads it anew, nor does it where nothing can be remembered", () => {
  const status = load();
  for (const other of ["open", "waiting", "connecting", "replaced"] as const) status.set(other);
  load(() => {
    throw new Error("forbidden");
  }).set("incompatible");
  expect(reloads).toBe(0);
});
