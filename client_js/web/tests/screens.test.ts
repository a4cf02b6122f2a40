/** Loading of screens, and screens that fail to load. */

import { afterEach, expect, test, vi } from "vitest";
import Broken from "../src/shell/Broken.svelte";
import { Screens } from "../src/app/screens.ts";

const HERE = { default: () => undefined };
const gone = () => Promise.reject(new TypeError("gone"));
const here = () => Promise.resolve(HERE);
const reload = { now: vi.fn(() => false), forget: vi.fn() };

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Return screens that fail to load `settings`. */
function screens(onLine = true): Screens {
  vi.stubGlobal("navigator", { onLine });
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const files = { home: here, new: here, practice: here, rules: here, room: here, dailies: here };
  const more = {
    daily: here,
    account: here,
    leaderboard: here,
    missing: here,
    table: here,
    seated: here,
    over: here,
    run: here,
    alone: here,
    statistics: here,
    ghost: here,
    deal: here,
    play: here,
    known: here,
    archive: here,
    day: here,
    player: here,
    line: here,
    watch: here,
    boards: here,
    circles: here,
    operators: here,
    own: here,
    challenge: here,
    challenging: here,
  };
  return new Screens(reload, { ...files, ...more, settings: gone }, Broken);
}

test("a loaded screen is shown", async () => {
  const all = screens();
  expect(all.has("home")).toBe(false);
  await all.load("home");
  expect(all.has("home")).toBe(true);
  expect(all.of("home")).toBe(HERE.default);
  expect(reload.forget).toHaveBeenCalled();
});

test("a screen that fails to load after a reload is shown as broken", async () => {
  const all = screens();
  reload.now.mockReturnValueOnce(false);
  await all.load("settings");
  expect(reload.now).toHaveBeenCalledOnce();
  expect(all.of("settings")).toBe(Broken);
  expect(all.has("settings")).toBe(false);
});

test("while the page reloads, no screen is shown", async () => {
  const all = screens();
  reload.now.mockReturnValueOnce(true);
  const shown = vi.fn();
  void all.load("settings").then(shown);
  await new Promise((later) => setTimeout(later, 20));
  expect(shown).not.toHaveBeenCalled();
});

test("without a network, the page does not reload", async () => {
  reload.now.mockClear();
  await screens(false).load("settings");
  expect(reload.now).not.toHaveBeenCalled();
});
