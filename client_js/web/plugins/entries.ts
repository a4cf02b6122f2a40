/** An entry page for each kind of screen, which asks for that screen's files along with the rest. */

import type { Plugin, Rollup } from "vite";

/** The screens' files, by the first part of their addresses. */
const SCREENS: Readonly<Record<string, readonly string[]>> = {
  home: ["Home"],
  new: ["NewRace"],
  r: ["Room"],
  daily: ["Dailies", "Daily"],
  leaderboard: ["Leaderboard"],
  practice: ["Practice"],
  rules: ["Rules"],
  settings: ["Settings"],
};

/**
 * Write `screens/<first part>.html` for the server to send at those addresses: without, a browser would learn of a screen's files only from the code
 * that loads them, a round trip later.
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
        for (const [part, screens] of Object.entries(SCREENS)) {
          const files = new Set(screens.flatMap((screen) => filesOf(screen, bundle)));
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

/** The file of a screen, and all that it imports. */
function filesOf(screen: string, bundle: Rollup.OutputBundle): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  const own = chunks.find(({ moduleIds }) =>
    moduleIds.some((module) => module.endsWith(`/screens/${screen}.svelte`)),
  );
  if (own === undefined) throw new Error(`The screen ${screen} is in no file.`);
  return [own.fileName, ...own.imports];
}
