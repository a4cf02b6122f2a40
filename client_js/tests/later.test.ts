/** Parts of the client that are loaded when they are first needed. */

import { expect, test } from "vitest";
import { Later } from "../src/later.ts";

/** A file that comes once, or else fails to; `loads` is how often it was asked for. */
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

test("a part is loaded once, when it is first needed", async () => {
  const file = new File();
  expect(await file.part.found()).toBeNull();
  expect(file.loads).toBe(0);
  const both = await Promise.all([file.part.get(), file.part.get()]);
  expect(both[0]).toBe(both[1]);
  expect(await file.part.found()).toBe(both[0]);
  expect(file.loads).toBe(1);
});

test("a part that has not come is refused with a code, and loaded again", async () => {
  const file = new File();
  file.fails = true;
  const refused = file.part.get();
  expect(await file.part.found()).toBeNull();
  await expect(refused).rejects.toMatchObject({
    ...{ name: "Refusal", code: "not_loaded" },
    message: expect.stringContaining("Failed to fetch dynamically imported module: x.js") as string,
  });
  file.fails = false;
  expect(await file.part.get()).toEqual({ part: 2 });
});
