/** The page's folders: their imports and numbers of modules (see README.md). */

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const HOUSE = fileURLToPath(new URL("../web/src", import.meta.url));
const LIBRARY = fileURLToPath(new URL("../src", import.meta.url));

/** Bottom-up: a folder may import folders of earlier layers. */
const LAYERS: readonly (readonly string[])[] = [
  ["kit", "cards"],
  ["text", "solver", "offline"],
  ["app"],
  ["board"],
  ["parts"],
  ["table"],
  [
    ...["deals", "replay", "leaderboard", "practice", "race", "daily", "challenges", "watch"],
    "account",
    "circles",
    "statistics",
    "home",
    "operators",
    "own",
  ],
  ["shell"],
];

/** Imports permitted within a layer, with reasons; only of folders listed earlier. */
const WITHIN_LAYER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  replay: { deals: "a review uses the deal page's words for a move" },
  practice: { deals: "it explains a missing run or deal like the deal pages" },
  race: { deals: "the end of a round verifies and reviews its deal" },
  daily: {
    deals: "it verifies the day's deal",
    leaderboard: "it shows the day's leaderboard",
  },
  challenges: {
    deals: "it verifies and reviews its deal",
    race: "it has the terms of a race, and describes its runs like a round",
    daily: "it shares a picture and has a list row like a daily",
  },
  watch: {
    deals: "spectators see the review of a deal",
    race: "spectators see the players' seats and results",
  },
  offline: { text: "the service worker shows notifications" },
  operators: { account: "an operator presents a passkey, as on the account page" },
  own: { practice: "it starts a practice deal, like a link to one" },
  home: {
    race: "it has the button for a race, and the field for a room code",
    daily: "it lists the dailies",
    challenges: "it lists the player's challenges",
    circles: "it lists the player's circles",
  },
};

const MOST_MODULES = 20;

/** An import as a pair of paths in `web/src`. */
type Import = readonly [from: string, to: string];

function houseOf(module: string): string {
  return module.split("/")[0] ?? "";
}

function layerOf(folder: string): number {
  return LAYERS.findIndex((layer) => layer.includes(folder));
}

/** Return the imports that violate the rule. */
function broken(imports: readonly Import[]): string[] {
  const breaks = ([from, to]: Import): boolean => {
    const [own, other] = [houseOf(from), houseOf(to)];
    if (own === other) return false;
    if (layerOf(own) < 0 || layerOf(other) < 0) return true;
    if (layerOf(own) === layerOf(other)) return WITHIN_LAYER[own]?.[other] === undefined;
    return layerOf(own) < layerOf(other);
  };
  return imports.filter(breaks).map(([from, to]) => `${from} imports ${to}`);
}

/** Return the folders with too many modules, not counting subfolders. */
function crowded(modules: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const module of modules) {
    counts.set(dirname(module), (counts.get(dirname(module)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MOST_MODULES)
    .map(([folder, count]) => `${folder} has ${count} modules`);
}

/** Return a module's relative imports of all kinds, including workers. */
function importsOf(module: string, text: string): Import[] {
  const found = text.matchAll(/(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*"(\.[^"?]+)/g);
  return [...found]
    .map(([, path = ""]): Import => [module, join(dirname(module), path)])
    .filter(([, to]) => !to.startsWith(".."));
}

/** Reserved for the storage module, because it throws in some browsers. */
const STORAGE = /\b(localStorage|sessionStorage|indexedDB|cookieStore|document\.cookie)\b/;
const OWNER = "storage.ts";

/** Return a module's text without comments. */
function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->|(?<!:)\/\/.*/g, "");
}

/** Return the modules whose code matches. */
function modulesWith(found: RegExp, folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(ts|svelte)$/.test(path))
    .filter((path) => found.test(codeOf(readFileSync(join(folder, path), "utf8"))));
}

/** Readings of the machine's clock, which may be set at any moment; use `src/clock.ts` instead. */
const WALL_CLOCK = /\bDate\.now\b|\bnew Date\b(?!\()|\bDate\(\s*\)/;

const MODULES = readdirSync(HOUSE, { recursive: true, encoding: "utf8" }).filter((path) =>
  /\.(ts|svelte)$/.test(path),
);
const IMPORTS = MODULES.flatMap((module) =>
  importsOf(module, readFileSync(join(HOUSE, module), "utf8")),
);

describe("the page's folders", () => {
  test("no import goes up, or to another wing without a reason", () => {
    expect(IMPORTS.length).toBeGreaterThan(MODULES.length);
    expect(broken(IMPORTS)).toEqual([]);
  });

  test("no folder has too many modules", () => {
    // The generated modules, one per language and text group, are not meant for readers.
    const written = MODULES.filter((module) => dirname(module) !== "text/generated");
    expect(crowded(written)).toEqual([]);
  });

  test("each folder has a layer and a line in the README, and each layer's folder exists", () => {
    const readme = readFileSync(fileURLToPath(new URL("../README.md", import.meta.url)), "utf8");
    const folders = new Set(MODULES.map(houseOf));
    expect([...folders].sort()).toEqual(LAYERS.flat().sort());
    const lines = [...readme.matchAll(/^\| `([a-z]+)\/` +\|/gm)].map(([, folder]) => folder);
    expect(lines).toEqual(expect.arrayContaining([...folders]));
  });

  test("imports within a layer point to earlier folders, and all permissions are needed", () => {
    for (const [own, others] of Object.entries(WITHIN_LAYER)) {
      const layer = LAYERS[layerOf(own)] ?? [];
      for (const other of Object.keys(others)) {
        expect(layer.slice(0, layer.indexOf(own)), `${own} beside ${other}`).toContain(other);
        const used = IMPORTS.some(([from, to]) => houseOf(from) === own && houseOf(to) === other);
        expect(used, `${own} imports ${other}`).toBe(true);
      }
    }
  });
});

test("only one module touches the browser's storage, and one other names it", () => {
  expect(modulesWith(STORAGE, LIBRARY)).toEqual([OWNER]);
  expect(modulesWith(STORAGE, HOUSE)).toEqual([`kit/${OWNER}`]);
  expect(readFileSync(join(HOUSE, "kit", OWNER), "utf8")).not.toMatch(
    /(local|session)Storage\b(?!")/,
  );
});

test("nothing reads the machine's time, which may jump during a race", () => {
  expect([LIBRARY, HOUSE].flatMap((folder) => modulesWith(WALL_CLOCK, folder))).toEqual([]);
  for (const code of ["Date.now()", "new Date()", "new Date", "Date( )", "{ now: Date.now }"]) {
    expect(code).toMatch(WALL_CLOCK);
  }
  expect("new Date(day * DAY)").not.toMatch(WALL_CLOCK);
});

/** A key's character, which is not Latin on many layouts: see `pressedKey`. */
const RAW_KEY = /\bevent\.(key|code)\b|\{[^}]*\bkey\b[^}]*\} = event\b|KeyboardEvent, "key"/;

test("one module interprets keys, for keyboards of all scripts", () => {
  // The `code` of refusals and messages is read from events too.
  const listening = modulesWith(/KeyboardEvent|onkey(down|up|press)/, HOUSE);
  expect(listening).toContain("table/HelpTools.svelte");
  const raw = new Set(modulesWith(RAW_KEY, HOUSE));
  expect(listening.filter((module) => raw.has(module))).toEqual(["kit/keyboard.ts"]);
  for (const code of ["event.key.toLowerCase()", "const { target, key } = event;"]) {
    expect(code).toMatch(RAW_KEY);
  }
});

/** A cached module promise: after one failure, it would fail forever. */
const KEPT_IMPORT = /\?\?=[^;]*\bimport\(/;

test("modules loaded once are loaded again after a failure, by `src/later.ts`", () => {
  expect([LIBRARY, HOUSE].flatMap((folder) => modulesWith(KEPT_IMPORT, folder))).toEqual([]);
  expect('this.#watching ??= import("./watching.ts").then(made);').toMatch(KEPT_IMPORT);
  // In the library, only the loaders of `Later` and the rarely needed messages import on demand.
  expect(modulesWith(/\bimport\(/, LIBRARY)).toEqual(["client.ts", "wire.ts"]);
  const client = codeOf(readFileSync(join(LIBRARY, "client.ts"), "utf8"));
  const imports = client.match(/\bimport\(/g) ?? [];
  expect(client.match(/new Later\(async \(\) => \{\s*[^;]*\bimport\(/g)).toHaveLength(
    imports.length,
  );
});

/** A player's raw name, which may be right-to-left: see `nameOf` and `Name`. */
const BARE_NAME = /\b(player|sender|ghost|runner|member|host|me)\)?\??\.name\b/i;
/** Places where it is alone in an element, is typed, or is passed on to be shown. */
const BARE = ["parts/NameForm.svelte", "practice/GhostTrack.svelte", "shell/Header.svelte"];

test("all players' names are shown in the same way, isolated from the surrounding text", () => {
  expect(modulesWith(BARE_NAME, HOUSE).sort()).toEqual(BARE);
});

describe("the rule finds", () => {
  test.each([
    ["an import that goes up", "kit/Title.svelte", "app/app.ts"],
    ["an import of another wing", "account/Account.svelte", "race/Room.svelte"],
    ["an import of a wing that imports this one", "deals/Deal.svelte", "race/Room.svelte"],
    ["a folder without a layer", "attic/old.ts", "kit/days.ts"],
    ["a module outside all folders", "main.ts", "kit/days.ts"],
  ])("%s", (_, from, to) => {
    expect(broken([[from, to]])).toEqual([`${from} imports ${to}`]);
  });

  test("no fault in imports down, within a folder, and with a reason", () => {
    const right: Import[] = [
      ["race/rounds/Results.svelte", "race/terms.ts"],
      ["shell/App.svelte", "kit/idle.ts"],
      ["watch/Watch.svelte", "race/Seats.svelte"],
    ];
    expect(broken(right)).toEqual([]);
  });

  test("a folder with too many modules", () => {
    const modules = Array.from({ length: MOST_MODULES + 1 }, (_, nth) => `race/part${nth}.ts`);
    expect(crowded(modules)).toEqual([`race has ${MOST_MODULES + 1} modules`]);
    expect(crowded(modules.slice(1))).toEqual([]);
  });

  test("imports of every kind", () => {
    const text = `
      import "./a.css";
      import type { B } from "../app/b.ts";
      import {
        c,
      } from "./sub/c.ts";
      export { d } from "./d.ts";
      const e = () => import("../race/E.svelte");
      new Worker(new URL("./f.ts", import.meta.url));
      import { g } from "../../../src/g.ts";
    `;
    expect(importsOf("kit/module.ts", text).map(([, to]) => to)).toEqual([
      ...["kit/a.css", "app/b.ts", "kit/sub/c.ts", "kit/d.ts", "race/E.svelte", "kit/f.ts"],
    ]);
  });
});
