/** Vite plugin: an entry page for each kind of screen, which preloads that screen's modules. */

import type { Plugin, Rollup } from "vite";

/** The modules of the first paint, by the first segment of the path. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  home: ["cards/drawings.ts", "home/Home.svelte"],
  new: ["race/opening/NewRace.svelte"],
  r: ["cards/drawings.ts", "race/Room.svelte"],
  watch: ["cards/drawings.ts", "watch/Watch.svelte"],
  // Of the two screens there, one game's is what links lead to.
  daily: ["cards/drawings.ts", "daily/Daily.svelte"],
  leaderboard: ["leaderboard/Leaderboard.svelte"],
  practice: ["practice/Practice.svelte"],
  rules: ["practice/Rules.svelte"],
  run: ["replay/Run.svelte"],
  deal: ["deals/Deal.svelte"],
  archive: ["daily/Archive.svelte"],
  player: ["account/PlayerPage.svelte"],
  settings: ["account/Settings.svelte"],
};

/**
 * Write `screens/<first segment>.html` for the server to send at those paths. Without the preloads,
 * a browser would request a screen's files only once the code that imports them runs, a round trip
 * later.
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
        const page = String(index.source);
        for (const [part, modules] of Object.entries(MODULES)) {
          const files = new Set(modules.flatMap((module) => filesOf(module, bundle)));
          const links = [...files]
            .filter((file) => !page.includes(file))
            .map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`);
          const source = page.replace("</head>", `${links.join("")}</head>`);
          this.emitFile({ type: "asset", fileName: `screens/${part}.html`, source });
        }
      },
    },
  };
}

/** The chunk that contains a module, and its static imports. */
function filesOf(module: string, bundle: Rollup.OutputBundle): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  const own = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/src/${module}`)));
  if (own === undefined) throw new Error(`${module} is in no file.`);
  return [own.fileName, ...own.imports];
}
