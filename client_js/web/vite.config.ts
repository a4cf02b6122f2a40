import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { CompileOptions } from "svelte/compiler";
import { defineConfig } from "vite";
import { compress } from "./plugins/compress.ts";
import { entries } from "./plugins/entries.ts";
import { plainImports } from "./plugins/imports.ts";
import { SMALL, keeping } from "./plugins/keeping.ts";
import { TARGET, minimum } from "./plugins/minimum.ts";
import { styles } from "./plugins/styles.ts";

/** The address of `samedeal serve` during development. */
const server = `http://localhost:${process.env["SAMEDEAL_PORT"] ?? 8000}`;

/**
 * Modules that share a chunk; the first match counts, and Rollup adds their imports. Each file of a
 * first visit costs half a kilobyte of headers, so small modules are grouped.
 */
const CHUNKS: readonly (readonly [name: string, modules: RegExp])[] = [
  ["known", /src\/rules\/(known|pysolfc)\.ts|parts\/known\/mark/],
  ["pasted", /src\/rules\/pasted\w*\.ts|parts\/known\/(?!mark)/],
  ["run", /client_js\/src\/run\.ts/],
  ["public", /client_js\/src\/api\.ts|app\/publicApi\.ts/],
  ["account", /client_js\/src\/account\.ts/],
  ["operators", /client_js\/src\/operators\.ts/],
  ["later", /client_js\/src\/(laterMessages|challenges|push)\.ts/],
  ["circles", /client_js\/src\/circles\.ts/],
  // Its form is loaded only by players who edit rules or view changed ones.
  [
    "variants",
    /src\/rules\/(checks|effective|faults|refusals|schemaKeys)\.ts|parts\/rules\/(?!PlayedFold|ruleWords|Sections)/,
  ],
  ["watching", /client_js\/src\/watching\.ts/],
  // Loaded after the first move; the solver needs the second.
  ["dead", /src\/rules\/deadEnd\.ts|solver\/known\.ts|table\/deadEnds\.ts/],
  ["solver", /src\/(rules\/hints\.ts|solver\/|practice\/(advisor|par)\.ts)/],
  ["track", /rules\/headway\.ts|table\/(Track|Strip|strip|overtaking|raceOrder)\./],
  ["terms", /race\/terms\./],
  // Required by every screen: the client library, except for the above.
  ["index", /client_js\/(src\/|web\/index\.html|web\/src\/(shell\/main|cards\/suits)\.ts)/],
  [
    "index",
    /web\/src\/(app\/targets|app\/practised\/last|app\/own\/\w+|table\/runners|text\/forms|parts\/Title|parts\/Missing)\./,
  ],
  ["index", /svelte\/.*\/(each|size)\.js/],
  // Practice deals its cards itself, and needs both.
  ["board", /web\/src\/board\/(?!cascade|finishing|reasons|readers)|src\/rules\/(deal|verify)\.ts/],
  ["board", /table\/(HelpTools|PlayBar|TableFrame)\.svelte/],
  // A race against a ghost is practice, so both are needed together.
  ["practice", /practice\/(ghostRace\.svelte\.ts|practice\.svelte\.ts|Practice\.svelte)/],
  // Needed by a room before its players' view, which is loaded with a seat.
  ["room", /race\/sight\.|table\/(colours\.|emotes\/emotes\.)/],
  ["race", /table\/(Countdown\.|emotes\/(?!Reactions))/],
  ["seats", /race\/(Seats|rounds\/StartRound)\.svelte/],
  // Used by most screens other than tables.
  ["parts", /parts\/(BoardSketch|Crown|Felt|Flame|Loading|Name|OutcomeWords|Rank|ShareButton)\./],
  [
    "parts",
    /(kit\/Dialog|circles\/known|daily\/(GameRow|placing)|parts\/gameCards|race\/limits|race\/opening\/(lastRace|races))\./,
  ],
  ["parts", /table\/TableLater\./],
  // Also loaded when the page is idle.
  ["courses", /app\/courses\.|offline\/lasting\./],
  // Forms, which no first screen has.
  ["fields", /svelte\/.*\/bindings\/(input|select)\.js/],
  // Moving rows and headings of any level, which no first screen has either.
  ["rows", /svelte\/.*\/((animate|easing)\/|(transitions|svelte-element)\.js)/],
  ["index", /node_modules\/svelte\//],
  ["status", /shell\/(Status|StatusBanner|Notice)\./],
];

/** The class of each component's styles, and the component's path. */
const scopes = new Map<string, string>();

/**
 * Return the class that limits a component's styles to it: shorter than Svelte's, which repeats the
 * same prefix in every rule and element of a first visit.
 */
const cssHash: NonNullable<CompileOptions["cssHash"]> = ({ hash, filename }) => {
  const path = relative(here("."), filename);
  const scope = `s${hash(path).slice(-4)}`;
  if ((scopes.get(scope) ?? path) !== path) throw new Error(`Two components have class ${scope}.`);
  scopes.set(scope, path);
  return scope;
};

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("."),
  plugins: [
    svelte({ configFile: false, compilerOptions: { runes: true, cssHash } }),
    styles(),
    plainImports(),
    entries(),
    keeping(here("src/offline/worker.ts"), here("public")),
    minimum(),
    compress(here("dist")),
  ],
  resolve: { alias: { "@samedeal/client": here("../src/index.ts") } },
  // The server adds the path it is served below to the addresses in the HTML, and to no others.
  experimental: {
    renderBuiltUrl: (file, { hostType }) => (hostType === "html" ? `/${file}` : { relative: true }),
  },
  server: { proxy: { "/socket": { target: server, ws: true } } },
  build: {
    outDir: here("dist"),
    modulePreload: { polyfill: false },
    target: TARGET,
    ...SMALL,
    emptyOutDir: true,
    rollupOptions: {
      input: here("index.html"),
      output: {
        // A greater value would merge small parts of the first paint into chunks loaded later.
        experimentalMinChunkSize: 1_000,
        manualChunks: (id) => CHUNKS.find(([, modules]) => modules.test(id))?.[0],
        // File names are part of a first visit, and hexadecimal digits compress better.
        hashCharacters: "hex",
      },
    },
  },
});
