/** The service worker's script, as built, in a recording environment. */

import { fileURLToPath } from "node:url";
import { Script, createContext } from "node:vm";
import { expect, it } from "vitest";
import { workerScript } from "../plugins/keeping.ts";

const ENTRY = fileURLToPath(new URL("../src/offline/worker.ts", import.meta.url));

type Handler = (event: object) => void;

/** A script with imports or exports is a syntax error here, as in a browser. */
const script = workerScript(ENTRY, { minify: false }).then((code) => new Script(code));

/** A running service worker, with its logged errors and notifications. */
class Worker {
  readonly #handlers = new Map<string, Handler>();
  readonly errors: unknown[] = [];
  readonly shown: string[] = [];

  constructor(started: Script, refuses: boolean) {
    const registration = {
      scope: "https://example.org/games/",
      showNotification: (title: string) => {
        if (refuses) return Promise.reject(new TypeError("No permission."));
        this.shown.push(title);
        return Promise.resolve();
      },
    };
    const addEventListener = (kind: string, handler: Handler) => this.#handlers.set(kind, handler);
    const self = { registration, addEventListener, navigator: { language: "en-GB" } };
    const console = { error: (text: unknown) => this.errors.push(text) };
    const kept = { KEPT_FILES: [], KEPT_DIGEST: "1a" };
    started.runInContext(createContext({ self, console, caches: {}, URL, ...kept }));
  }

  /** Dispatch an event, and wait for the worker's extension of it; rejects with it. */
  async dispatch(kind: string, event: object): Promise<void> {
    const waited: Promise<void>[] = [];
    const waitUntil = (promise: Promise<void>) => waited.push(promise);
    this.#handlers.get(kind)?.({ ...event, waitUntil });
    if (waited.length !== 1) throw new Error(`It waits for ${waited.length} promises.`);
    await waited[0];
  }
}

const UNREADABLE = {
  json: () => {
    throw new SyntaxError("No JSON.");
  },
};

it.each([["nothing", null] as const, ["no JSON", UNREADABLE] as const])(
  "shows a notification for a push message of %s",
  async (_, data) => {
    const worker = new Worker(await script, false);
    await worker.dispatch("push", { data });
    expect(worker.shown).toEqual(["Samedeal"]);
    expect(worker.errors).not.toEqual([]);
  },
);

it("reports that the browser shows nothing", async () => {
  const worker = new Worker(await script, true);
  await worker.dispatch("push", { data: null });
  expect(worker.errors.at(-1)).toBe("Could not show a push message.");
});

it("notices a changed subscription, and reports failures", async () => {
  // This browser has no memory.
  const worker = new Worker(await script, false);
  await worker.dispatch("pushsubscriptionchange", {});
  expect(worker.errors).toEqual(["Could not renew a changed subscription."]);
});
