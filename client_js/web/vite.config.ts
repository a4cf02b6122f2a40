import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { compress } from "./plugins/compress.ts";
import { entries } from "./plugins/entries.ts";
import { WORKER, keeping } from "./plugins/keeping.ts";

/** Where `samedeal serve` listens, beside the page that is being edited. */
const server = `http://localhost:${process.env["SAMEDEAL_PORT"] ?? 8000}`;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("."),
  plugins: [
    svelte({ configFile: false }),
    entries(),
    keeping(here("public")),
    compress(here("dist")),
  ],
  resolve: { alias: { "@samedeal/client": here("../src/index.ts") } },
  server: { proxy: { "/socket": { target: server, ws: true } } },
  build: {
    outDir: here("dist"),
    emptyOutDir: true,
    // A screen that is shown without its styles would jump; all of them take 6 KB.
    cssCodeSplit: false,
    rollupOptions: {
      input: { index: here("index.html"), worker: here("src/offline/worker.ts") },
      output: {
        // With more, small parts of the first paint are merged into what is loaded later.
        experimentalMinChunkSize: 1_000,
        entryFileNames: ({ name }) => (name === "worker" ? WORKER : "assets/[name]-[hash].js"),
      },
    },
  },
});
