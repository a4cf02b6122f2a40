/** The page below a path of its host: its routes, links, and storage. */

import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { roomCode } from "../src/app/codes.ts";
import { MemoryStorage } from "./storage.ts";

const ROOT = "/games/samedeal";
const BESIDE = "https://example.org/games/samedeal/daily";

// Other tests have loaded the modules already.
vi.resetModules();
vi.doMock("../src/kit/root.ts", () => ({ ROOT }));
const { paths, routeOf } = await import("../src/app/routes.ts");
const { storage } = await import("../src/kit/storage.ts");
vi.doUnmock("../src/kit/root.ts");
vi.resetModules();

beforeAll(() => {
  vi.stubGlobal("localStorage", new MemoryStorage());
});
afterAll(() => {
  vi.unstubAllGlobals();
});

it("has all of its paths below the root, and finds its routes there", () => {
  const { operators, ...others } = paths;
  const all = Object.entries({ ...others, operators: operators("player", "x") }).map(
    ([name, path]) => [
      name,
      typeof path === "string" ? path : (path as (...fields: unknown[]) => string)("x", 1, "y"),
    ],
  );
  for (const [name, path = ""] of all) {
    expect(path.startsWith(`${ROOT}/`), name).toBe(true);
    expect(routeOf(new URL(path, BESIDE)).screen, name).not.toBe("missing");
  }
  expect(routeOf(new URL(ROOT, BESIDE))).toEqual({ screen: "home" });
  expect(routeOf(new URL("/daily", BESIDE))).toEqual({ screen: "dailies" });
});

it("invites with links from which others can read the room's code", () => {
  const link = new URL(paths.room("H7KQ2M4X"), BESIDE).href;
  expect(link).toBe("https://example.org/games/samedeal/r/H7KQ2M4X");
  expect(roomCode(`Race me: ${link}`)).toBe("H7KQ2M4X");
});

it("shares no storage with another site on its origin", () => {
  storage.setItem("samedeal.token", "ours");
  expect(localStorage.getItem("samedeal.token")).toBeNull();
  localStorage.setItem("samedeal.token", "theirs");
  expect(storage.getItem("samedeal.token")).toBe("ours");
  storage.removeItem("samedeal.token");
  expect(localStorage.length).toBe(1);
  expect(localStorage.getItem("samedeal.token")).toBe("theirs");
});
