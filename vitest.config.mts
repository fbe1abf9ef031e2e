import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "{server,sim-engine,client}/src/**/*.test.ts",
      "client/stand-ins/*.test.mjs",
      "sim-engine/{gpus,validation}/**/*.test.ts",
      "{action,scripts,bench}/**/*.test.mjs",
      "test/fuzz/*.test.ts",
    ],
    testTimeout: 30_000,
    // Vitest leaves a core to itself, which on a machine of two would be half of them.
    maxWorkers: availableParallelism(),
  },
});
