/** Vite plugin: dynamic imports without Vite's preloading. */

import type { Plugin } from "vite";

/**
 * Leave dynamic imports as they are. Vite would wrap each in a call that also requests the imports
 * of the imported file, from a list of all files that costs each first visit two kilobytes. The
 * entry pages preload what a first screen needs, and the service worker soon keeps everything else.
 */
export function plainImports(): Plugin {
  return {
    name: "plain-imports",
    apply: "build",
    configResolved({ plugins }) {
      const wrapping = plugins.find(({ name }) => name === "vite:build-import-analysis");
      if (wrapping?.transform === undefined) throw new Error("Vite wraps imports elsewhere now.");
      delete wrapping.transform;
    },
  };
}
