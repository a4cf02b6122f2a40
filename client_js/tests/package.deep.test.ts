/** The npm package as installed by users: its contents, its types, and a race with its example. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ServerNode } from "./node.ts";
import { ROOT } from "./rules/engine.ts";

const HERE = join(ROOT, "client_js");
const SOURCES = [
  "src",
  "scripts",
  "examples",
  "package.json",
  "tsconfig.json",
  "tsconfig.lib.json",
];

let folder: string;
/** A copy of the sources, so that a build does not change the checkout. */
let copy: string;
/** A user's program, with the package in its `node_modules`. */
let app: string;
let installed: string;

/** Run a program that must succeed; return its standard output. */
function run(cwd: string, program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "samedeal-package"));
  copy = join(folder, "client_js");
  for (const name of [...SOURCES, "README.md"]) {
    cpSync(join(HERE, name), join(copy, name), { recursive: true });
  }
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  symlinkSync(join(HERE, "node_modules"), join(copy, "node_modules"));
  mkdirSync(join(copy, "dist"));
  writeFileSync(join(copy, "dist", "stale.js"), "");
  run(copy, "npm", "pack", "--pack-destination", folder);

  app = join(folder, "app");
  installed = join(app, "node_modules", "samedeal-client");
  mkdirSync(installed, { recursive: true });
  const [tarball = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  run(folder, "tar", "-xzf", tarball, "--strip-components=1", "-C", installed);
  const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  for (const name of [...Object.keys(dependencies), "@types/node", "undici-types"]) {
    const link = join(app, "node_modules", name);
    mkdirSync(join(link, ".."), { recursive: true });
    symlinkSync(join(HERE, "node_modules", name), link);
  }
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = () =>
  readdirSync(installed, { recursive: true, encoding: "utf8" }).filter((path) =>
    statSync(join(installed, path)).isFile(),
  );

test("the package is complete, and contains nothing from an earlier build", () => {
  expect(files()).toEqual(
    expect.arrayContaining([
      ...["LICENSE", "README.md", "package.json", "examples/bot.ts"],
      ...["dist/index.js", "dist/index.d.ts", "dist/node.js", "dist/node.d.ts"],
      "dist/rules/rulesets.json",
    ]),
  );
  expect(files()).not.toContain("dist/stale.js");
  const others = files().filter((path) => !/^(dist|examples)\//.test(path));
  expect(others.toSorted()).toEqual(["LICENSE", "README.md", "package.json"]);
});

test("every module has a source map with its source", () => {
  for (const path of files().filter((name) => name.endsWith(".js"))) {
    const map = JSON.parse(readFileSync(join(installed, `${path}.map`), "utf8")) as {
      sourcesContent?: string[];
    };
    expect(map.sourcesContent, path).toHaveLength(1);
  }
});

test("no declaration imports a .ts file", () => {
  const declarations = files().filter((path) => path.endsWith(".d.ts"));
  expect(declarations.length).toBeGreaterThan(20);
  for (const path of declarations) {
    expect(readFileSync(join(installed, path), "utf8"), path).not.toMatch(/\.ts["']/);
  }
});

/** Start the example in the user's program. */
const bot = (...args: string[]) =>
  spawn(process.execPath, ["--no-warnings", "out/bot.js", ...args], {
    cwd: app,
    stdio: ["ignore", "pipe", "inherit"],
  });

test("the example compiles with strict types, and races against itself", async () => {
  cpSync(join(installed, "examples", "bot.ts"), join(app, "bot.ts"));
  const compilerOptions = {
    ...{ target: "ES2022", lib: ["ES2023"], module: "NodeNext", types: ["node"], outDir: "out" },
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
  };
  writeFileSync(join(app, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(
    join(app, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["bot.ts"] }),
  );
  run(app, join(HERE, "node_modules", ".bin", "tsc"));

  const node = new ServerNode();
  try {
    const url = `ws://${await node.host()}/socket`;
    const host = bot(url, "rouge-et-noir");
    const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]();
    const code = (await lines.next()).value as string;
    const guest = bot(url, "rouge-et-noir", code);
    const ended = [once(host, "exit"), once(guest, "exit")];
    const printed = await text(guest.stdout);
    expect(printed).toMatch(/^(\d\. .+: \d+ cards home\n){2}$/);
    expect([(await lines.next()).value, (await lines.next()).value]).toEqual(
      printed.trimEnd().split("\n"),
    );
    for (const exit of ended) expect((await exit)[0]).toBe(0);
  } finally {
    await node.stop();
  }
});
