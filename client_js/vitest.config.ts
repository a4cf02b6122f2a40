import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [svelte({ configFile: false })],
  resolve: {
    alias: { "@samedeal/client": fileURLToPath(new URL("src/index.ts", import.meta.url)) },
  },
  test: {
    // Long enough for a loaded machine: this aborts hanging tests, and asserts no speed.
    testTimeout: 60_000,
    setupFiles: ["tests/setup.ts", "web/tests/texts.ts"],
    include: ["tests/**/*.test.ts", "web/tests/**/*.test.ts"],
    // Two workers: the tests start their own engine process and socket server.
    maxWorkers: 2,
    minWorkers: 1,
    // A worker imports the rules once instead of per file, which saves a quarter of the processor
    // time.
    isolate: false,
  },
});
