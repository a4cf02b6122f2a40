/** Vite plugin: an entry page for each kind of screen, which preloads that screen's modules. */

import type { Plugin, Rollup } from "vite";
import type { Segment } from "../src/kit/segments.ts";

/** The texts for the entry pages' first paint, one module per language. */
const WORDS = /\/text\/generated\/([a-z]+)\.([a-z]+)\.ts$/;

/** The screens whose first paint needs no later texts. */
const FIRST_ONLY: ReadonlySet<string> = new Set(["home", "r", "daily", "practice"]);

/** The text groups of single screens, by screen. */
const OWN: Readonly<Partial<Record<Segment, string>>> = {
  c: "challenges",
  circles: "circles",
  o: "circles",
  own: "variants",
  r: "race",
  run: "spoken",
};

/** The modules of the first paint, by the first segment of the path. */
const MODULES: Readonly<Partial<Record<Segment | "home", readonly string[]>>> = {
  home: ["cards/drawings.ts", "home/Home.svelte"],
  new: ["race/opening/NewRace.svelte"],
  r: ["cards/drawings.ts", "race/Room.svelte"],
  watch: ["cards/drawings.ts", "watch/Watch.svelte"],
  // Of the two screens there, links mostly lead to a single game's.
  daily: ["cards/drawings.ts", "daily/Daily.svelte"],
  leaderboard: ["leaderboard/Leaderboard.svelte"],
  practice: ["practice/Practice.svelte"],
  rules: ["practice/Rules.svelte"],
  c: ["cards/drawings.ts", "challenges/Challenge.svelte"],
  run: ["replay/Run.svelte"],
  deal: ["deals/Deal.svelte"],
  archive: ["daily/Archive.svelte"],
  player: ["account/PlayerPage.svelte"],
  settings: ["account/Settings.svelte"],
  circles: ["circles/Circles.svelte"],
  o: ["circles/Circles.svelte"],
  own: ["own/Own.svelte"],
  statistics: ["statistics/Statistics.svelte"],
};

/**
 * Write `screens/<first segment>.html` for the server to send at those paths. Without the preloads,
 * a browser would request a screen's files only once the importing code runs, a round trip later.
 * The server keeps only the text preloads in the reader's language.
 */
export function entries(): Plugin {
  return {
    name: "entries",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const index = bundle["index.html"];
        if (index?.type !== "asset") this.error("There is no index.html.");
        // The server changes these pages and sends them uncompressed.
        const page = String(index.source).replaceAll(/^ +/gm, "");
        for (const [part, modules] of Object.entries(MODULES)) {
          const files = new Set(modules.flatMap((module) => filesOf(module, bundle)));
          const links = [...files]
            .filter((file) => !page.includes(file))
            .map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`);
          const own = OWN[part as Segment] ?? "";
          const words = ["first", ...(FIRST_ONLY.has(part) ? [] : ["race", "later"]), own];
          links.push(...wordsOf(words, bundle));
          const source = page.replace("</head>", `${links.join("")}</head>`);
          this.emitFile({ type: "asset", fileName: `screens/${part}.html`, source });
        }
      },
    },
  };
}

/** Return the preloads of text modules in all languages; the server keeps one language's. */
function wordsOf(parts: readonly string[], bundle: Rollup.OutputBundle): string[] {
  return Object.values(bundle).flatMap((file) => {
    if (file.type !== "chunk") return [];
    const [, language, part = ""] = WORDS.exec(file.facadeModuleId ?? "") ?? [];
    if (language === undefined || !parts.includes(part)) return [];
    const { fileName } = file;
    return `<link rel="modulepreload" crossorigin href="/${fileName}" data-language="${language}">`;
  });
}

/** Return the chunk that contains a module, and its static imports. */
function filesOf(module: string, bundle: Rollup.OutputBundle): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  const own = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/src/${module}`)));
  if (own === undefined) throw new Error(`No chunk contains ${module}.`);
  return [own.fileName, ...own.imports];
}
