/** Vite plugin: write the list of files to cache into the service worker. */

import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { ENTRY, type KeptFile } from "../src/offline/kept.ts";

/** The service worker's file. Browsers register it by this name, so it must never change. */
export const WORKER = "sw.js";

/** Have the service worker cache the build's assets, the entry page and the files of `folder`. */
export function keeping(folder: string): Plugin {
  return {
    name: "keeping",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const worker = bundle[WORKER];
        if (worker?.type !== "chunk") this.error(`There is no ${WORKER}.`);
        const contents = new Map<string, string | Uint8Array>();
        for (const [name, file] of Object.entries(bundle)) {
          // The entry pages of other screens differ from `ENTRY` only in their preloads.
          if (!name.startsWith("assets/") && name !== ENTRY) continue;
          // What only operators load costs nobody else anything.
          if (/operators/i.test(name)) continue;
          contents.set(name, file.type === "asset" ? file.source : file.code);
        }
        for (const name of readdirSync(folder)) {
          // Link previews, a megabyte in all, are fetched by other services and never by the page.
          if (name.startsWith("preview")) continue;
          contents.set(name, readFileSync(join(folder, name)));
        }
        const files: KeptFile[] = [...contents].map(([path, content]) => ({
          path,
          integrity: `sha256-${createHash("sha256").update(content).digest("base64")}`,
        }));
        const list = JSON.stringify(files);
        const digest = createHash("sha256").update(list).digest("hex").slice(0, 16);
        worker.code = worker.code
          .replaceAll("KEPT_FILES", list)
          .replaceAll("KEPT_DIGEST", JSON.stringify(digest));
      },
    },
  };
}
