import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["{server,sim-engine,client}/src/**/*.test.ts", "sim-engine/validation/**/*.test.ts"], testTimeout: 30_000 },
});
