/** Waiting for the service worker's registration. */

import { afterEach, expect, test, vi } from "vitest";
import { running } from "../src/offline/register.ts";

/** A service worker being installed. */
class Installing extends EventTarget {
  state = "installing";

  become(state: string): void {
    this.state = state;
    this.dispatchEvent(new Event("statechange"));
  }
}

afterEach(() => vi.unstubAllGlobals());

function register(answer: () => Promise<unknown>): void {
  vi.stubGlobal("navigator", { serviceWorker: { register: answer } });
}

test.each([
  ["activated", true],
  ["redundant", false],
])("callers wait until the worker is %s", async (state, runs) => {
  const installing = new Installing();
  const registration: Record<string, unknown> = { installing, waiting: null, active: null };
  register(() => Promise.resolve(registration));
  let answered = false;
  const waiting = running().finally(() => (answered = true));
  await Promise.resolve();
  installing.become("installed");
  await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toBe(false);
  if (runs) registration["active"] = installing;
  installing.become(state);
  expect(await waiting).toBe(runs ? registration : null);
});

test("there may be none", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  register(() => Promise.reject(new Error("no")));
  expect(await running()).toBeNull();
  expect(warn).toHaveBeenCalledOnce();
  vi.stubGlobal("navigator", {});
  expect(await running()).toBeNull();
});
