import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("."),
  plugins: [svelte({ configFile: false })],
  resolve: { alias: { "@samedeal/client": here("../src/index.ts") } },
  build: { outDir: here("dist"), emptyOutDir: true },
});
