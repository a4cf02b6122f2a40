/** Writes the page's messages as modules: `npm run texts`. */

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Messages } from "./compiler.ts";
import { compiled } from "./messages.ts";

const FOLDER = fileURLToPath(new URL("../web/src/text", import.meta.url));

const languages = Object.fromEntries(
  readdirSync(join(FOLDER, "messages")).map((file) => [
    basename(file, ".json"),
    JSON.parse(readFileSync(join(FOLDER, "messages", file), "utf8")) as Messages,
  ]),
);
const target = join(FOLDER, "generated");
mkdirSync(target, { recursive: true });
const modules = compiled(languages);
for (const name of readdirSync(target)) if (!modules.has(name)) rmSync(join(target, name));
for (const [name, source] of modules) {
  const path = join(target, name);
  // Leave unchanged files alone, so that a development server reloads only the changed ones.
  if (!existsSync(path) || readFileSync(path, "utf8") !== source) writeFileSync(path, source);
}
