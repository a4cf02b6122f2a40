/** Parts of the client that are loaded on first use. */

import { expect, test } from "vitest";
import { Later } from "../src/later.ts";

/** A file that loads once, or fails once; `loads` counts the requests. */
class File {
  loads = 0;
  fails = false;
  readonly part = new Later(async () => {
    this.loads += 1;
    await Promise.resolve();
    if (this.fails) throw new TypeError("Failed to fetch dynamically imported module: x.js");
    return { part: this.loads };
  });
}

test("a part is loaded once, on first use", async () => {
  const file = new File();
  const both = await Promise.all([file.part.get(), file.part.get()]);
  expect(both[0]).toBe(both[1]);
  expect(file.loads).toBe(1);
});

test("a part that fails to load is refused with a code, and loaded again", async () => {
  const file = new File();
  file.fails = true;
  const refused = file.part.get();
  let used = false;
  const use = () => Promise.resolve(void (used = true));
  await file.part.ifNeeded(use);
  expect(used).toBe(false);
  await expect(refused).rejects.toMatchObject({
    ...{ name: "Refusal", code: "not_loaded" },
    message: expect.stringContaining("Failed to fetch dynamically imported module: x.js") as string,
  });
  file.fails = false;
  expect(await file.part.get()).toEqual({ part: 2 });
});

test("ending the use of a part keeps the order of calls, and loads nothing", async () => {
  const file = new File();
  const used: string[] = [];
  const watch = async (what: string) => {
    await file.part.get();
    used.push(`watch ${what}`);
  };
  const unwatch = () => file.part.ifNeeded(() => Promise.resolve(void used.push("unwatch")));
  await unwatch();
  expect([file.loads, used]).toEqual([0, []]);
  const turns = ["watch a", "unwatch", "watch b"];
  await Promise.all([watch("a"), unwatch(), watch("b")]);
  expect(used).toEqual(turns);
  await Promise.all([watch("a"), unwatch(), watch("b")]);
  expect(used).toEqual([...turns, ...turns]);
});
