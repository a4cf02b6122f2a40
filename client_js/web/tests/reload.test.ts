/** A page that is too old for the server reloads itself, and never in a loop. */

import type { Status } from "@samedeal/client";
import { beforeEach, expect, test } from "vitest";
import { Store } from "../../src/store.ts";
import { ReloadOnce, reloadWhenTooOld } from "../src/shell/reload.ts";

const kept = new Map<string, string>();
const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => kept.set(key, value).has(key),
  removeItem: (key: string) => kept.delete(key),
};

let reloads: number;
beforeEach(() => {
  kept.clear();
  reloads = 0;
});

/** A page after loading, and the status of its client. */
function load(marks = storage): Store<Status> {
  const status = new Store<Status>("connecting");
  reloadWhenTooOld(status, new ReloadOnce("reloaded", marks, () => (reloads += 1)));
  return status;
}

test("a page refused as too old is reloaded once", () => {
  load().set("incompatible");
  expect(reloads).toBe(1);
  load().set("incompatible");
  expect(reloads).toBe(1);
});

test("after an open session, it may be reloaded again", () => {
  load().set("incompatible");
  const status = load();
  status.set("open");
  status.set("waiting");
  status.set("incompatible");
  expect(reloads).toBe(2);
});

test("no other status reloads it, nor any without storage", () => {
  const status = load();
  for (const other of ["open", "waiting", "connecting", "replaced"] as const) status.set(other);
  load({ ...storage, setItem: () => false }).set("incompatible");
  expect(reloads).toBe(0);
});
