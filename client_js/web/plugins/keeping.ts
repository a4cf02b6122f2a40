/** Vite plugin: build the service worker, with the list of files it caches. */

import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, type Plugin, build } from "vite";
import { ENTRY, type KeptFile } from "../src/offline/kept.ts";
import { TARGET } from "./minimum.ts";

/** A twentieth smaller than esbuild's output. */
export const SMALL = {
  minify: "terser",
  terserOptions: { ecma: 2020, module: true, compress: { passes: 3 } },
} satisfies BuildOptions;

/** The service worker's file. Browsers register it by this name, so it must never change. */
const WORKER = "sw.js";

/**
 * Build a service worker's script. It is separate from the page's build because browsers refuse
 * imports in it, so shared code is in both.
 */
export async function workerScript(entry: string, options: BuildOptions = SMALL): Promise<string> {
  const built = await build({
    configFile: false,
    publicDir: false,
    logLevel: "warn",
    build: {
      target: TARGET,
      ...options,
      write: false,
      rollupOptions: { input: entry, output: { format: "iife" } },
    },
  });
  if (!("output" in built)) throw new Error(`The build of ${entry} has no single output.`);
  return built.output[0].code;
}

/** Make a service worker cache the build's assets, the entry page and the files of `folder`. */
export function keeping(entry: string, folder: string): Plugin {
  return {
    name: "keeping",
    apply: "build",
    generateBundle: {
      order: "post",
      async handler(_, bundle) {
        const contents = new Map<string, string | Uint8Array>();
        for (const [name, file] of Object.entries(bundle)) {
          // The entry pages of other screens differ from `ENTRY` only in their preloads.
          if (!name.startsWith("assets/") && name !== ENTRY) continue;
          // Files only for operators should cost other players nothing.
          if (/operators/i.test(name)) continue;
          contents.set(name, file.type === "asset" ? file.source : file.code);
        }
        for (const name of readdirSync(folder)) {
          // Link previews, a megabyte in total, are fetched by other services and never by the
          // page.
          if (name.startsWith("preview")) continue;
          contents.set(name, readFileSync(join(folder, name)));
        }
        const files: KeptFile[] = [...contents].map(([path, content]) => ({
          path,
          integrity: `sha256-${createHash("sha256").update(content).digest("base64")}`,
        }));
        const list = JSON.stringify(files);
        const digest = createHash("sha256").update(list).digest("hex").slice(0, 16);
        const source = (await workerScript(entry))
          .replaceAll("KEPT_FILES", list)
          .replaceAll("KEPT_DIGEST", JSON.stringify(digest));
        this.emitFile({ type: "asset", fileName: WORKER, source });
      },
    },
  };
}
