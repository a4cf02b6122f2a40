import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    // Two workers: the tests start an engine process and a socket server of their own.
    maxWorkers: 2,
    minWorkers: 1,
  },
});
