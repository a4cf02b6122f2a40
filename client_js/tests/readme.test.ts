/** The package's README: its example, and its list of a client's members. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withMethods } from "../scripts/methods.ts";
import { Client } from "../src/index.ts";
import { ROOT } from "./rules/engine.ts";

const read = (path: string) => readFileSync(join(ROOT, "client_js", path), "utf8");

test("the README shows the example, and lists all methods and stores of a client", async () => {
  const page = read("README.md");
  expect(page).toContain(read("examples/bot.ts"));
  expect(await withMethods(page, read("src/client.ts")), "npm run reference").toBe(page);
  for (const name of Object.getOwnPropertyNames(Client.prototype).slice(1)) {
    expect(page).toContain(`| \`${name}(`);
  }
  const stores = Object.keys(new Client({ url: "ws://localhost/socket" }));
  expect(stores.length).toBeGreaterThan(5);
  for (const name of stores) expect(page).toContain(`| \`${name}\``);
});
