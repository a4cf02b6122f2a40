import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { type Plugin, defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What a compressed file must shrink to, as a part of its size, to be worth while. */
const WORTH = 0.9;

/** Leaves files compressed beside the plain ones: the server sends them as they are. */
function compress(folder: string): Plugin {
  return {
    name: "compress",
    apply: "build",
    closeBundle() {
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        const plain = readFileSync(path);
        const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        const packed = {
          br: brotliCompressSync(plain, { params: quality }),
          gz: gzipSync(plain, { level: constants.Z_BEST_COMPRESSION }),
        };
        for (const [suffix, bytes] of Object.entries(packed)) {
          if (bytes.length < plain.length * WORTH) writeFileSync(`${path}.${suffix}`, bytes);
        }
      }
    },
  };
}

export default defineConfig({
  root: here("."),
  plugins: [svelte({ configFile: false }), compress(here("dist"))],
  resolve: { alias: { "@samedeal/client": here("../src/index.ts") } },
  build: { outDir: here("dist"), emptyOutDir: true },
});
