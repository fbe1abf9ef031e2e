/** A slice of what `npm run fuzz` does, the same each time; and all that it ever found, once more. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCases } from "./cases.ts";
import { Watched } from "./watched.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("none of the first 300 inputs fails", { timeout: 300_000 }, () => {
  const args = ["scripts/fuzz.mjs", "--inputs", "300", "--seed", "1", "--keep", ""];
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  expect(stdout).toMatch(/^total +300 +\d+ +\d+ +0 +0 +0$/m);
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
