/** How the service worker handles requests. */

import { describe, expect, it } from "vitest";
import { handlingOf, networkFirst } from "../src/offline/kept.ts";

const ORIGIN = "https://samedeal.test";
const KEPT = new Set(["/", "/assets/index-1234.js"]);

describe("handlingOf", () => {
  const of = (path: string, mode: RequestMode = "navigate", method = "GET") =>
    handlingOf({ method, mode, url: new URL(path, ORIGIN).href }, ORIGIN, KEPT);

  it.each(["/", "/r/H7KQ2", "/leaderboard/robert?day=3", "/nowhere"])(
    "handles %s as a page",
    (path) => {
      expect(of(path)).toBe("page");
    },
  );

  it.each(["/health", "/metrics", "/socket", "/socket/", "https://elsewhere.test/"])(
    "leaves %s to the network",
    (path) => {
      expect(of(path)).toBeNull();
      expect(of(path, "cors")).toBeNull();
    },
  );

  it("serves the files of its build from the cache, and no others", () => {
    expect(of("/assets/index-1234.js", "cors")).toBe("file");
    expect(of("/assets/index-5678.js", "cors")).toBeNull();
    expect(of("/sw.js", "same-origin")).toBeNull();
    expect(of("/assets/index-1234.js", "cors", "POST")).toBeNull();
    expect(of("https://elsewhere.test/assets/index-1234.js", "cors")).toBeNull();
  });
});

describe("networkFirst", () => {
  const kept = () => Promise.resolve(new Response("kept"));
  const nothing = () => Promise.resolve(undefined);
  const never = () => new Promise<Response>(() => undefined);
  const failing = () => Promise.reject(new TypeError("no network"));
  const answer = (text: string, status = 200) => Promise.resolve(new Response(text, { status }));
  const text = async (found: Promise<Response>) => (await found).text();

  it("returns the server's response, also a 404", async () => {
    expect(await text(networkFirst(() => answer("new"), kept, 1_000))).toBe("new");
    expect(await text(networkFirst(() => answer("none", 404), kept, 1_000))).toBe("none");
  });

  it("falls back to the cache without a network, a server, or a response in time", async () => {
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
