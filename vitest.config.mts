import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Tests of what a process does first, or once: each needs one in which nothing was done yet. */
const alone = ["server/src/trace.test.ts", "server/src/syntax/current-parser.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    // Vitest leaves a core to itself, which on a machine of two would be half of them.
    maxWorkers: availableParallelism(),
    // What two workers on two cores wait for is each other's compilers: code is optimised later, and less of it for nothing.
    execArgv: ["--interrupt-budget=1000000", "--min-semi-space-size=32", "--max-semi-space-size=32"],
    projects: [
      {
        extends: true,
        test: {
          name: "together",
          include: [
            "{server,sim-engine,client}/src/**/*.test.ts",
            "client/stand-ins/*.test.mjs",
            "sim-engine/{gpus,validation}/**/*.test.ts",
            "{action,scripts,bench}/**/*.test.mjs",
            "test/fuzz/*.test.ts",
          ],
          exclude: alone,
          // To load the parser and the rules anew for each of 400 files took as long as a third of the tests.
          isolate: false,
        },
      },
      { extends: true, test: { name: "alone", include: alone, isolate: true } },
    ],
  },
});
