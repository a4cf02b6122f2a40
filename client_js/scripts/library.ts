/** Builds the published library into `dist`: `npm run build:lib`. */

import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const DIST = "dist";

rmSync(DIST, { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-p", "tsconfig.lib.json"], { stdio: "inherit", shell: true });
if (status !== 0) process.exit(1);

// The compiler rewrites the extensions of imports in modules, but not in declarations.
for (const name of readdirSync(DIST, { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".d.ts")) continue;
  const path = join(DIST, name);
  const declarations = readFileSync(path, "utf8");
  writeFileSync(path, declarations.replace(/(["'])(\.{1,2}\/[^"']+)\.ts\1/g, "$1$2.js$1"));
}

// npm publishes a licence only from the package's own directory.
copyFileSync("../LICENSE", "LICENSE");
