/** The browser's storage, and its replacement where the browser stores nothing. */

import { afterEach, describe, expect, test, vi } from "vitest";
import { BrowserStorage, type TextStorage, defaultStorage, tokenIn } from "../src/storage.ts";

/** A browser's storage with a limited number of characters. */
class Limited implements TextStorage {
  readonly items = new Map<string, string>();
  readonly #most: number;

  constructor(most = Infinity) {
    this.#most = most;
  }

  getItem = (key: string) => this.items.get(key) ?? null;
  removeItem = (key: string) => void this.items.delete(key);
  setItem(key: string, value: string): void {
    if (value.length > this.#most) throw new Error("QuotaExceededError");
    this.items.set(key, value);
  }
}

const forbidden = (): never => {
  throw new Error("SecurityError");
};

/** Make this the global `localStorage`. */
function install(storage: PropertyDescriptor): BrowserStorage {
  Object.defineProperty(globalThis, "localStorage", { configurable: true, ...storage });
  return new BrowserStorage("localStorage");
}

const before = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(globalThis, "localStorage");
  if (before) Object.defineProperty(globalThis, "localStorage", before);
});

describe("where the browser stores texts", () => {
  test("they are in its storage", () => {
    const browsers = new Limited();
    const storage = install({ value: browsers });
    expect(storage.setItem("a", "1")).toBe(true);
    expect([...browsers.items]).toEqual([["a", "1"]]);
    browsers.setItem("a", "2");
    expect(storage.getItem("a")).toBe("2");
    expect(storage.removeItem("a")).toBe(true);
    expect(storage.getItem("a")).toBeNull();
    expect(storage.keeps.get()).toBe(true);
  });

  test("cleared ones are gone", () => {
    const browsers = new Limited();
    const storage = install({ value: browsers });
    storage.setItem("a", "1");
    browsers.items.clear();
    expect(storage.getItem("a")).toBeNull();
  });
});

describe.each<[string, PropertyDescriptor]>([
  ["forbidden", { get: forbidden }],
  ["null", { value: null }],
  ["missing", { value: undefined }],
  ["full", { value: new Limited(0) }],
  ["forbidden at each use", { value: { getItem: forbidden, setItem: forbidden } }],
])("where storage is %s", (_, broken) => {
  test("texts are kept in memory, which is reported once", () => {
    const storage = install(broken);
    const told: boolean[] = [];
    storage.keeps.subscribe((keeps) => told.push(keeps));
    expect(storage.getItem("a")).toBeNull();
    for (const value of ["1", "2"]) {
      expect(storage.setItem("a", value)).toBe(false);
      expect(storage.getItem("a")).toBe(value);
    }
    storage.removeItem("a");
    expect(storage.getItem("a")).toBeNull();
    expect(told).toEqual([true, false]);
  });

  test("two clients without a storage are two players", () => {
    install(broken);
    const [one, other] = [defaultStorage(), defaultStorage()];
    one.save("token");
    expect(one.load()).toBe("token");
    expect(other.load()).toBeNull();
  });
});

test("sites on one origin have separate storage and turns", async () => {
  const browsers = new Limited(100);
  install({ value: browsers });
  const [here, beside] = ["", "/games/x:"].map((prefix) =>
    tokenIn(new BrowserStorage("localStorage", prefix)),
  );
  here?.save("here");
  expect(beside?.load()).toBeNull();
  beside?.save("beside");
  expect([here?.load(), beside?.load()]).toEqual(["here", "beside"]);
  beside?.save(null);
  expect([here?.load(), beside?.load()]).toEqual(["here", null]);
  const names: string[] = [];
  const locks = { request: async (name: string) => void names.push(name) };
  vi.stubGlobal("navigator", { locks });
  [here, beside].forEach((each) => each?.turn?.(() => undefined));
  vi.unstubAllGlobals();
  expect(names).toEqual(["samedeal.token", "/games/x:samedeal.token"]);
});

test("a text that did not fit is stored as soon as it does", () => {
  const browsers = new Limited(1);
  const storage = install({ value: browsers });
  storage.setItem("a", "1");
  storage.setItem("a", "22");
  expect([storage.getItem("a"), browsers.getItem("a")]).toEqual(["22", "1"]);
  storage.setItem("a", "3");
  browsers.setItem("a", "4");
  expect(storage.getItem("a")).toBe("4");
});
