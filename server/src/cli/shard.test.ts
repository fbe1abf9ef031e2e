import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shardNamed } from "./shard.ts";
import { run } from "./testing/command.ts";

const parts = (count: number) => Array.from({ length: count }, (_, index) => shardNamed(`${index + 1}/${count}`));

describe("--shard", () => {
  test("has every file in one part, and leaves it there whatever other files there are", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), fc.integer({ min: 1, max: 20 }), (names, count) => {
        const shards = parts(count).map((isOf) => names.filter((name) => isOf({ name })));
        expect(shards.flat().sort()).toEqual([...names].sort());
      }),
    );
  });

  test("makes parts of about the same size", () => {
    const names = Array.from({ length: 4000 }, (_, index) => `src/${index}/main.cu`);
    for (const isOf of parts(8)) expect(Math.abs(names.filter((name) => isOf({ name })).length - 500)).toBeLessThan(75);
  });

  test.each(["0/4", "5/4", "1/0", "a/b", "1", "1/2/3", "-1/2", "1.5/2", "", "1/99999999999999999999"])("`%s` is none", async (shard) => {
    const ran = await run({ "a.cu": "" }, ["check", "a.cu", `--shard=${shard}`]);
    expect(ran).toMatchObject({ code: 2, out: "", err: `warplens: --shard must be I/N, with I from 1 to N: ${shard}\n` });
  });

  test("takes the files of its part alone; one without files finds nothing", async () => {
    const names = ["a.cu", "b.cu", "c.cu", "d.cu"];
    const files = Object.fromEntries(names.map((name) => [name, "__device__ double x = 1;\n"]));
    const taken: string[][] = [];
    for (let part = 1; part <= 16; part++) {
      const { code, out } = await run(files, ["check", ".", "--shard", `${part}/16`, "--format", "json", "--no-simulate"]);
      expect(code).toBe(0);
      taken.push(JSON.parse(out).files.map(({ path }: { path: string }) => path));
    }
    expect(taken.flat().sort()).toEqual(names);
    expect(taken.filter((part) => part.length === 0).length).toBeGreaterThanOrEqual(12);
  });
});
