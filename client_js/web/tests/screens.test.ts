/** Screens that come late, and such that do not come. */

import { afterEach, expect, test, vi } from "vitest";
import Broken from "../src/screens/Broken.svelte";
import { Screens } from "../src/screens.ts";

const HERE = { default: () => undefined };
const gone = () => Promise.reject(new TypeError("gone"));
const here = () => Promise.resolve(HERE);
const reload = { now: vi.fn(() => false), forget: vi.fn() };

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Screens of which one does not come. */
function screens(onLine = true): Screens {
  vi.stubGlobal("navigator", { onLine });
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const files = { home: here, new: here, practice: here, rules: here, room: here, dailies: here };
  const more = { daily: here, leaderboard: here, missing: here, table: here, settings: gone };
  return new Screens(reload, { ...files, ...more });
}

test("a screen that came is shown from then on", async () => {
  const all = screens();
  expect(all.has("home")).toBe(false);
  await all.load("home");
  expect(all.has("home")).toBe(true);
  expect(all.of("home")).toBe(HERE.default);
  expect(reload.forget).toHaveBeenCalled();
});

test("one that does not come is said to be broken where a reload did not help", async () => {
  const all = screens();
  reload.now.mockReturnValueOnce(false);
  await all.load("settings");
  expect(reload.now).toHaveBeenCalledOnce();
  expect(all.of("settings")).toBe(Broken);
  expect(all.has("settings")).toBe(false);
});

test("nothing more is shown by a page that reloads", async () => {
  const all = screens();
  reload.now.mockReturnValueOnce(true);
  const shown = vi.fn();
  void all.load("settings").then(shown);
  await new Promise((later) => setTimeout(later, 20));
  expect(shown).not.toHaveBeenCalled();
});

test("without a network there is nothing to reload", async () => {
  reload.now.mockClear();
  await screens(false).load("settings");
  expect(reload.now).not.toHaveBeenCalled();
});
