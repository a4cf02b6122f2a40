/** How the service worker handles requests. */

import { describe, expect, it } from "vitest";
import { cacheOf, handlingOf, isOld, networkFirst } from "../src/offline/kept.ts";

const KEPT = new Set(["assets/index-1234.js"]);
const SCOPES = ["https://samedeal.test/", "https://samedeal.test/games/samedeal/"];

describe.each(SCOPES)("handlingOf below %s", (scope) => {
  const of = (path: string, mode: RequestMode = "navigate", method = "GET") => {
    const url = path.startsWith("/") ? scope + path.slice(1) : path;
    return handlingOf({ method, mode, url }, scope, KEPT);
  };

  it.each(["/", "/?x", "/r/H7KQ2", "/leaderboard/robert?day=3", "/settings/", "/own?rules=a/b"])(
    "handles %s as a page",
    (path) => {
      expect(of(path)).toBe("page");
    },
  );

  it.each([
    ...["/health", "/metrics", "/socket", "/socket/", "/socket?x", "https://elsewhere.test/"],
    ...["/wiki", "/wiki/r/H7KQ2", "/wiki?next=/daily", "/api/days/2026-11-01", "/nowhere"],
    ...["//r/H7KQ2", "/roundcube/", "/admin", "/index.html", "https://samedeal.test.example/"],
  ])("leaves %s to the network", (path) => {
    expect(of(path)).toBeNull();
    expect(of(path, "cors")).toBeNull();
  });

  it("serves the files of its build from the cache, and no others", () => {
    expect(of("/assets/index-1234.js", "cors")).toBe("file");
    expect(of("/assets/index-1234.js?x#y", "cors")).toBe("file");
    expect(of("/assets/index-5678.js", "cors")).toBeNull();
    expect(of("/sw.js", "same-origin")).toBeNull();
    expect(of("/assets/index-1234.js", "cors", "POST")).toBeNull();
    expect(of("https://elsewhere.test/assets/index-1234.js", "cors")).toBeNull();
  });
});

it("ignores the other sites on its origin", () => {
  const [home = "", below = ""] = SCOPES;
  expect(handlingOf({ method: "GET", mode: "navigate", url: home }, below, KEPT)).toBeNull();
  const names = [
    cacheOf("2b", home),
    cacheOf("1a", home),
    cacheOf("2b", below),
    cacheOf("1a", below),
  ];
  // The name from before there were such sites.
  expect(names[0]).toBe("samedeal-2b");
  expect(names.filter((name) => isOld(name, "2b", home))).toEqual([names[1]]);
  expect(names.filter((name) => isOld(name, "2b", below))).toEqual([names[3]]);
  expect(isOld("other-1a", "2b", home)).toBe(false);
});

describe("networkFirst", () => {
  const kept = () => Promise.resolve(new Response("kept"));
  const nothing = () => Promise.resolve(undefined);
  const never = () => new Promise<Response>(() => undefined);
  const failing = () => Promise.reject(new TypeError("no network"));
  const answer = (text: string, status = 200) => Promise.resolve(new Response(text, { status }));
  const text = async (found: Promise<Response>) => (await found).text();

  it("returns the server's response, including a 404", async () => {
    expect(await text(networkFirst(() => answer("new"), kept, 1_000))).toBe("new");
    expect(await text(networkFirst(() => answer("none", 404), kept, 1_000))).toBe("none");
  });

  it("falls back to the cache without a network, a server, or a timely response", async () => {
    expect(await text(networkFirst(failing, kept, 1_000))).toBe("kept");
    expect(await text(networkFirst(() => answer("bad gateway", 502), kept, 1_000))).toBe("kept");
    expect(await text(networkFirst(never, kept, 10))).toBe("kept");
  });

  it("waits for the network if nothing is cached", async () => {
    const slow = () => new Promise<Response>((go) => setTimeout(go, 40, new Response("slow")));
    expect(await text(networkFirst(slow, nothing, 10))).toBe("slow");
    await expect(networkFirst(failing, nothing, 1_000)).rejects.toThrow("no network");
  });
});
