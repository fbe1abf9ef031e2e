/** A slice of what `npm run fuzz` does, the same each time; and all that it ever found, once more. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCases } from "./cases.ts";
import { Watched } from "./watched.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const fuzz = (...args: readonly string[]) => spawnSync(process.execPath, ["scripts/fuzz.mjs", ...args], { cwd: root, encoding: "utf8" });

test("none of the first 160 inputs fails", { timeout: 300_000 }, () => {
  const { stdout, status } = fuzz("--inputs", "160", "--seed", "1", "--keep", "");
  expect(stdout).toMatch(/^total +160 +\d+ +\d+ +0 +0 +0$/m);
  expect(status).toBe(0);
});

test("no construct of the grammar fails ten times in a row or nested", { timeout: 300_000 }, () => {
  const { stdout, status } = fuzz("--only", "growth", "--sizes", "10");
  expect(stdout).toMatch(/^\d+ constructs, 0 grow too fast or fail$/m);
  expect(status).toBe(0);
});

describe("what was found once is not found again", () => {
  let watched: Watched;
  beforeAll(async () => {
    const { bundle } = (await import(pathToFileURL(path.join(root, "bench/support/bundle.mjs")).href)) as {
      bundle(name: string, modules: readonly string[]): Promise<string>;
    };
    watched = new Watched(await bundle("fuzz-cases", ["test/fuzz/process.ts"]));
  });
  afterAll(() => watched.end());

  test.each(readCases(path.join(root, "test/fuzz/cases")))("%s", { timeout: 300_000 }, async (_, { kind, input }) =>
    expect(await watched.run(kind, input)).toHaveProperty("tally"),
  );
});
