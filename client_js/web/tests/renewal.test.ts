/** Subscriptions renewed or dropped by the browser, and its record of them. */

import { expect, it, vi } from "vitest";
import type { Push, PushSubscribed } from "@samedeal/client";
import type { Subscribed } from "../src/account/push.ts";
import { renew } from "../src/account/renewal.ts";
import {
  type Memory,
  RENEWED,
  type Remembered,
  deviceId,
  memoryIn,
} from "../src/offline/remembered.ts";
import { isOld } from "../src/offline/kept.ts";
import { subscribeAgain } from "../src/offline/subscribeAgain.ts";

const SCOPE = "https://example.org/games/";
const OLD: Remembered = { player: "ada", device: "old", key: "KEY", language: "fr" };

class Caches {
  readonly kept = new Map<string, Map<string, Response>>();

  async open(name: string): Promise<Cache> {
    const cache = this.kept.get(name) ?? new Map<string, Response>();
    this.kept.set(name, cache);
    return {
      put: async (at: string, what: Response) => void cache.set(at, what),
    } as unknown as Cache;
  }

  async match(at: string, { cacheName }: { cacheName: string }): Promise<Response | undefined> {
    return this.kept.get(cacheName)?.get(at)?.clone();
  }

  async delete(name: string): Promise<boolean> {
    return this.kept.delete(name);
  }
}

function subscription(id: string): Subscribed {
  return { id, fields: { endpoint: `https://push/${id}`, key: "P", auth: "A" } };
}

/** A browser with a subscription, and the server, recording all messages. */
class World {
  readonly told: string[] = [];
  readonly caches = new Caches();
  readonly memory: Memory = memoryIn(this.caches as unknown as CacheStorage, SCOPE);
  allowed = true;
  now: Subscribed | null = null;
  key: string | null = "KEY";
  devices = ["old"];
  refuses = false;

  async renew(player = "ada"): Promise<Remembered | null> {
    const tell = (told: string): Promise<Push> => {
      this.told.push(told);
      if (this.refuses && !told.startsWith("get")) return Promise.reject(new Error("refused"));
      const devices = this.devices.map((id) => ({ id }));
      return Promise.resolve({ key: this.key, devices } as unknown as Push);
    };
    const commands = {
      get: () => tell("get"),
      add: ({ endpoint, language }: PushSubscribed) => tell(`add ${endpoint} ${language}`),
      remove: (device: string) => tell(`remove ${device}`),
    };
    const browser = {
      allowed: this.allowed,
      subscribed: () => Promise.resolve(this.now),
      subscribe: () => Promise.resolve((this.now ??= subscription("made"))),
      unsubscribe: async () => {
        this.now = null;
        await this.memory.forget();
      },
    };
    await renew(() => Promise.resolve(commands), { player, language: "de" }, this.memory, browser);
    return this.memory.read();
  }
}

it("changes nothing while the subscription is the same, and asks nothing without one", async () => {
  const world = new World();
  expect(await world.renew()).toBeNull();
  expect(world.told).toEqual([]);
  await world.memory.write(OLD);
  world.now = subscription("old");
  expect(await world.renew()).toEqual(OLD);
  expect(world.told).toEqual(["get"]);
});

it.each([
  ["renewed", subscription("new"), "new"],
  ["dropped", null, "made"],
])("reports a subscription that the browser has %s to the server", async (_, now, device) => {
  for (const [devices, removed] of [
    [["other", "old"], ["remove old"]],
    [["other"], []],
  ] as const) {
    const world = new World();
    await world.memory.write(OLD);
    Object.assign(world, { now, devices });
    expect(await world.renew()).toEqual({ ...OLD, device, language: "de" });
    expect(world.told).toEqual(["get", ...removed, `add https://push/${device} de`]);
  }
});

it("retries the next time if the server refuses", async () => {
  const world = new World();
  await world.memory.write(OLD);
  Object.assign(world, { now: subscription("new"), devices: [], refuses: true });
  await expect(world.renew()).rejects.toThrow("refused");
  world.refuses = false;
  expect(await world.renew()).toMatchObject({ device: "new" });
});

it("subscribes again for a new server key, and waits for one", async () => {
  const world = new World();
  await world.memory.write(OLD);
  Object.assign(world, { now: subscription("old"), key: null });
  expect(await world.renew()).toEqual(OLD);
  world.key = "OTHER";
  expect(await world.renew()).toMatchObject({ key: "OTHER" });
});

it.each([
  ["the person has withdrawn permission", { allowed: false }, ["get", "remove old"]],
  ["the player has removed it elsewhere", { devices: ["other"] }, ["get"]],
])("ends the subscription where %s", async (_, change, told) => {
  const world = new World();
  await world.memory.write(OLD);
  Object.assign(world, { now: subscription("old") }, change);
  expect(await world.renew()).toBeNull();
  expect([world.now, world.told]).toEqual([null, told]);
});

it("sends another player of the browser no notifications", async () => {
  const world = new World();
  await world.memory.write(OLD);
  world.now = subscription("old");
  expect(await world.renew("bob")).toBeNull();
  expect([world.now, world.told]).toEqual([null, []]);
});

it("is separate for each site of a host, and survives builds", async () => {
  const world = new World();
  await world.memory.write(OLD);
  const caches = world.caches as unknown as CacheStorage;
  expect(await memoryIn(caches, "https://example.org/").read()).toBeNull();
  await memoryIn(caches, "https://example.org/").write(OLD);
  for (const name of world.caches.kept.keys()) {
    expect(isOld(name, "abcd", SCOPE) || isOld(name, "abcd", "https://example.org/")).toBe(false);
  }
});

/** Return what the service worker does when the browser reports a changed subscription. */
async function changed(
  before: Remembered | null,
  { now, open, refuses = false }: { now: string | null; open: boolean; refuses?: boolean },
): Promise<string[]> {
  const done: string[] = [];
  const { memory } = new World();
  if (before !== null) await memory.write(before);
  await subscribeAgain(memory, {
    push: {
      getSubscription: async () => (now === null ? null : ({ endpoint: now } as PushSubscription)),
      async subscribe(options) {
        if (refuses) throw new DOMException("No permission.", "NotAllowedError");
        done.push(`subscribe ${options?.applicationServerKey as string}`);
        return { endpoint: "made" } as PushSubscription;
      },
    },
    pages: async () => (open ? [{ postMessage: (message) => void done.push(message) }] : []),
    ask: async (language) => void done.push(`ask in ${language}`),
  });
  return done;
}

it.each([
  ["new", true, [RENEWED]],
  ["new", false, ["ask in fr"]],
  [null, true, ["subscribe KEY", RENEWED]],
  [null, false, ["subscribe KEY", "ask in fr"]],
])("has a page report a subscription to %s, which is open: %s", async (now, open, done) => {
  expect(await changed(OLD, { now, open })).toEqual(done);
});

it("ignores a subscription that is the same, or was ended here", async () => {
  const device = await deviceId("old");
  expect(await changed({ ...OLD, device }, { now: "old", open: true })).toEqual([]);
  expect(await changed(null, { now: null, open: true })).toEqual([]);
});

it("requests nothing without the person's permission", async () => {
  const warned = vi.spyOn(console, "warn").mockReturnValue();
  expect(await changed(OLD, { now: null, open: false, refuses: true })).toEqual([]);
  expect(await changed(OLD, { now: null, open: true, refuses: true })).toEqual([RENEWED]);
  expect(warned).toHaveBeenCalledTimes(2);
  warned.mockRestore();
});
