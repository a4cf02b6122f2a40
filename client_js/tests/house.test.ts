/** The folders of the page: what each one imports, and how many modules it has (see README.md). */

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const HOUSE = fileURLToPath(new URL("../web/src", import.meta.url));
const LIBRARY = fileURLToPath(new URL("../src", import.meta.url));

/** From below: a folder imports those of the layers before its own. */
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
    "home",
    "operators",
    "own",
  ],
  ["shell"],
];

/** What a folder may import of its own layer, and what for; only of folders named before it. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  replay: { deals: "a review says of a move what the deal's page says of the run" },
  practice: { deals: "it says why there is no run or deal to play, as the deal's pages do" },
  race: { deals: "a round ends with the check of its deal, and with what could have been" },
  daily: {
    deals: "it shows the check of the day's deal",
    leaderboard: "it shows the day's leaderboard",
  },
  challenges: {
    deals: "it shows the check of its deal, and what could have been",
    race: "its terms are those of a race, and it tells of its runs as a round does",
    daily: "it shares a picture as a daily does, and is listed as one",
  },
  watch: {
    deals: "who watches sees what could have been",
    race: "who watches sees the seats and results of those who play",
  },
  offline: { text: "the service worker shows what the server tells the player" },
  operators: { account: "an operator shows a passkey, as on the account page" },
  own: { practice: "it begins a deal in practice, as a link to one does" },
  home: {
    race: "it has the button that opens a race, and the field for a room's code",
    daily: "it lists the dailies",
    challenges: "it lists the player's challenges",
    circles: "it lists the player's circles",
  },
};

const MOST_MODULES = 20;

/** One import: from which module to which, as paths in `web/src`. */
type Import = readonly [from: string, to: string];

function houseOf(module: string): string {
  return module.split("/")[0] ?? "";
}

function layerOf(folder: string): number {
  return LAYERS.findIndex((layer) => layer.includes(folder));
}

/** The imports that break the rule. */
function broken(imports: readonly Import[]): string[] {
  const breaks = ([from, to]: Import): boolean => {
    const [own, other] = [houseOf(from), houseOf(to)];
    if (own === other) return false;
    if (layerOf(own) < 0 || layerOf(other) < 0) return true;
    if (layerOf(own) === layerOf(other)) return BESIDE[own]?.[other] === undefined;
    return layerOf(own) < layerOf(other);
  };
  return imports.filter(breaks).map(([from, to]) => `${from} imports ${to}`);
}

/** The folders that have too many modules, without those of their own folders. */
function crowded(modules: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const module of modules) {
    counts.set(dirname(module), (counts.get(dirname(module)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MOST_MODULES)
    .map(([folder, count]) => `${folder} has ${count} modules`);
}

/** What a module's text refers to by a relative path: imports of all kinds, and workers. */
function importsOf(module: string, text: string): Import[] {
  const found = text.matchAll(/(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*"(\.[^"?]+)/g);
  return [...found]
    .map(([, path = ""]): Import => [module, join(dirname(module), path)])
    .filter(([, to]) => !to.startsWith(".."));
}

/** What only the owner of storage may touch, since it throws in some browsers. */
const STORAGE = /\b(localStorage|sessionStorage|indexedDB|cookieStore|document\.cookie)\b/;
const OWNER = "storage.ts";

/** A module's text without comments. */
function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->|(?<!:)\/\/.*/g, "");
}

/** The modules in whose code something is found. */
function modulesWith(found: RegExp, folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(ts|svelte)$/.test(path))
    .filter((path) => found.test(codeOf(readFileSync(join(folder, path), "utf8"))));
}

/** What tells the machine's time, which may be set at any moment: `src/clock.ts` says what to use. */
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
    // A module for each language and group of words is made, and nobody reads those.
    const written = MODULES.filter((module) => dirname(module) !== "text/generated");
    expect(crowded(written)).toEqual([]);
  });

  test("each folder has a place and a line in the README, and each place a folder", () => {
    const readme = readFileSync(fileURLToPath(new URL("../README.md", import.meta.url)), "utf8");
    const folders = new Set(MODULES.map(houseOf));
    expect([...folders].sort()).toEqual(LAYERS.flat().sort());
    const lines = [...readme.matchAll(/^\| `([a-z]+)\/` +\|/gm)].map(([, folder]) => folder);
    expect(lines).toEqual(expect.arrayContaining([...folders]));
  });

  test("what is imported beside is named before, and all of it is needed", () => {
    for (const [own, others] of Object.entries(BESIDE)) {
      const layer = LAYERS[layerOf(own)] ?? [];
      for (const other of Object.keys(others)) {
        expect(layer.slice(0, layer.indexOf(own)), `${own} beside ${other}`).toContain(other);
        const used = IMPORTS.some(([from, to]) => houseOf(from) === own && houseOf(to) === other);
        expect(used, `${own} imports ${other}`).toBe(true);
      }
    }
  });
});

test("only one module touches the browser's storage, and another names it", () => {
  expect(modulesWith(STORAGE, LIBRARY)).toEqual([OWNER]);
  expect(modulesWith(STORAGE, HOUSE)).toEqual([`kit/${OWNER}`]);
  expect(readFileSync(join(HOUSE, "kit", OWNER), "utf8")).not.toMatch(
    /(local|session)Storage\b(?!")/,
  );
});

test("nothing asks for the machine's time, which may jump while a race is open", () => {
  expect([LIBRARY, HOUSE].flatMap((folder) => modulesWith(WALL_CLOCK, folder))).toEqual([]);
  for (const code of ["Date.now()", "new Date()", "new Date", "Date( )", "{ now: Date.now }"]) {
    expect(code).toMatch(WALL_CLOCK);
  }
  expect("new Date(day * DAY)").not.toMatch(WALL_CLOCK);
});

/** What a key writes, which on many layouts is no Latin letter: see `pressedKey`. */
const RAW_KEY = /\bevent\.(key|code)\b|\{[^}]*\bkey\b[^}]*\} = event\b|KeyboardEvent, "key"/;

test("one module reads what keys are, on the keyboards of all scripts", () => {
  // A refusal's `code`, and a message's, are read from events, too.
  const listening = modulesWith(/KeyboardEvent|onkey(down|up|press)/, HOUSE);
  expect(listening).toContain("table/HelpTools.svelte");
  const raw = new Set(modulesWith(RAW_KEY, HOUSE));
  expect(listening.filter((module) => raw.has(module))).toEqual(["kit/keyboard.ts"]);
  for (const code of ["event.key.toLowerCase()", "const { target, key } = event;"]) {
    expect(code).toMatch(RAW_KEY);
  }
});

/** A module that is kept as it comes: were it to fail once, it would for ever. */
const KEPT_IMPORT = /\?\?=[^;]*\bimport\(/;

test("what is loaded once is loaded again if that fails: `src/later.ts` does", () => {
  expect([LIBRARY, HOUSE].flatMap((folder) => modulesWith(KEPT_IMPORT, folder))).toEqual([]);
  expect('this.#watching ??= import("./watching.ts").then(made);').toMatch(KEPT_IMPORT);
  // Of the library, nothing else loads a part of it, but the messages that come along.
  expect(modulesWith(/\bimport\(/, LIBRARY)).toEqual(["client.ts", "wire.ts"]);
  const client = codeOf(readFileSync(join(LIBRARY, "client.ts"), "utf8"));
  const imports = client.match(/\bimport\(/g) ?? [];
  expect(client.match(/new Later\(async \(\) => \{\s*[^;]*\bimport\(/g)).toHaveLength(
    imports.length,
  );
});

/** A player's name as it is, which may be written from right to left: see `nameOf` and `Name`. */
const BARE_NAME = /\b(player|sender|ghost|runner|member|host|me)\)?\??\.name\b/i;
/** Where it stands alone in an element of its own, is typed, or goes on to where it is shown. */
const BARE = ["parts/NameForm.svelte", "practice/GhostTrack.svelte", "shell/Header.svelte"];

test("players' names are shown in one way, which scrambles nothing beside them", () => {
  expect(modulesWith(BARE_NAME, HOUSE).sort()).toEqual(BARE);
});

describe("the rule finds", () => {
  test.each([
    ["an import that goes up", "kit/Title.svelte", "app/app.ts"],
    ["an import of another wing", "account/Account.svelte", "race/Room.svelte"],
    ["an import of a wing that imports this one", "deals/Deal.svelte", "race/Room.svelte"],
    ["a folder without a place", "attic/old.ts", "kit/days.ts"],
    ["a module in no folder", "main.ts", "kit/days.ts"],
  ])("%s", (_, from, to) => {
    expect(broken([[from, to]])).toEqual([`${from} imports ${to}`]);
  });

  test("nothing in imports down, within a folder, and for a reason", () => {
    const right: Import[] = [
      ["race/rounds/Results.svelte", "race/terms.ts"],
      ["shell/App.svelte", "kit/idle.ts"],
      ["watch/Watch.svelte", "race/Seats.svelte"],
    ];
    expect(broken(right)).toEqual([]);
  });

  test("a folder with a module too many", () => {
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
