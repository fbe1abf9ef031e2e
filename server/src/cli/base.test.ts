/** What is called new beside a revision. */
import { renameSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith, runIn } from "./testing/command.ts";
import { repository, type TestRepository } from "./testing/repository.ts";

const poor = "__global__ void k(float *a) { a[threadIdx.x] = a[0] * 0.1; }\n";
const poorHeader = "__device__ float tenth(float x) { return x * 0.1; }\n";
const including = (header: string): string => `#include "${header}"\n__global__ void k(float *a) { a[threadIdx.x] = tenth(a[0]); }\n`;

const check = (cwd: string, ...argv: string[]) => runIn(cwd, ["check", ...argv, "--no-simulate", "--base", "HEAD"]);

/** With a file of its own, of a repository within it, and of an ignored folder. */
function sample(): TestRepository & { readonly short: string } {
  const repo = repository();
  repo.write({ ".gitignore": "gen/\n*.gen.cu\n", "src/a.cu": poor, "gen/deep/b.cu": including("b.h"), "gen/deep/b.h": poorHeader });
  repo.write({ "sub/c.cu": poor, "one.gen.cu": poor });
  repo.git("init", "--quiet", "sub");
  repo.git("-C", "sub", "add", ".");
  repo.git("-C", "sub", "commit", "--quiet", "-m", "inner");
  repo.commit({});
  return { ...repo, short: repo.git("rev-parse", "--short", "HEAD") };
}

describe("what the revision says nothing of", () => {
  const repo = sample();
  const why = (name: string, reason: string): string => `${name} is not compared with HEAD (${repo.short}): ${reason}`;
  const outside = path.join(folderWith({ "x.cu": poor }), "x.cu");

  test("is left out where more is asked for", async () => {
    const { code, err, out } = await check(repo.root, ".");
    expect(err.split("\n").sort()).toEqual([
      "",
      `${why("gen", "git ignores it")}; it is left out`,
      `${why("one.gen.cu", "git ignores it")}; it is left out`,
      `${why("sub", "it is a repository of its own")}; it is left out`,
    ]);
    expect([code, out]).toEqual([0, expect.not.stringContaining("double-constant")]);
  });

  test.each([
    ["sub", why("sub", "it is a repository of its own")],
    ["sub/c.cu", why("sub/c.cu", "it is a repository of its own")],
    ["gen/deep", why("gen/deep", "git ignores it")],
    ["one.gen.cu", why("one.gen.cu", "git ignores it")],
    [outside, why(outside, `it is not in the repository ${repo.root}`)],
  ])("fails where nothing else is asked for: %s", async (asked, message) => {
    expect(await check(repo.root, asked)).toMatchObject({ code: 2, err: `warplens: ${message}\n` });
    const { code, err, out } = await check(repo.root, "src", asked);
    expect([code, err]).toEqual([2, `${message}\n`]);
    expect(out).not.toContain("double-constant");
  });

  test("holds for gates as well", async () => {
    repo.write({ "warplens.json": JSON.stringify({ gates: ["*: no new finding"] }) });
    const gate = (...paths: string[]) => runIn(repo.root, ["gate", ...paths, "--base", "HEAD"]);
    expect(await gate()).toMatchObject({ code: 0, err: expect.stringContaining(`${why("gen", "git ignores it")}; it is left out\n`) });
    expect(await gate("sub")).toMatchObject({ code: 2, err: `warplens: ${why("sub", "it is a repository of its own")}\n` });
  });

  test("is not what is about to be added, nor what has been ignored since", async () => {
    const own = repository();
    own.commit({ "a.cu": poor, "old/b.cu": poor });
    own.write({ "new.cu": poor, ".gitignore": "old\n" });
    own.git("rm", "--quiet", "--cached", "-r", "old");
    const { code, err, out } = await check(own.root, ".");
    expect([code, err]).toEqual([1, ""]);
    expect(out.match(/\w+\.cu(?=:\d)/g)).toEqual(["new.cu"]);
  });
});

test.runIf(process.platform !== "win32")("is what is new, whichever links lead to it", async () => {
  const repo = repository();
  repo.write({ "src/a.cu": including("../inc/h.h"), "src/b.cu": poor, "src/deep/c.cu": including("near.h"), "inc/h.h": poorHeader });
  repo.write({ "src/deep/near.h": poorHeader });
  const away = path.join(folderWith(), "checkout");
  symlinkSync("src", path.join(repo.root, "folder"));
  symlinkSync("src/b.cu", path.join(repo.root, "file.cu"));
  symlinkSync(repo.root, away);
  repo.commit({});
  const asked = ["folder", "folder/deep", "file.cu", "folder/b.cu", away, path.join(away, "src"), path.join(away, "folder/deep/c.cu")];
  for (const one of asked) expect([one, await check(repo.root, one)]).toEqual([one, expect.objectContaining({ code: 0, err: "" })]);
  // One file by two names has what it had by each of them.
  expect(await check(repo.root, "src", "folder", "file.cu")).toMatchObject({ code: 0, err: "" });
  expect(await check(away, ".", "folder")).toMatchObject({ code: 0, err: "" });
  repo.write({ "src/b.cu": poor + poor.replace("k(", "l(") });
  for (const one of ["folder", "file.cu", away]) {
    const { code, out } = await check(repo.root, one);
    expect([one, code, out.match(/double-constant/g)]).toEqual([one, 1, ["double-constant"]]);
  }
});

test("is what is new, whichever part of the files a renamed one is in", async () => {
  const repo = repository();
  const names = Array.from({ length: 6 }, (_, index) => `${index}.cu`);
  repo.commit(Object.fromEntries(names.map((name, index) => [name, poor.replace("k(", `k${index}(`)])));
  for (const name of names) renameSync(path.join(repo.root, name), path.join(repo.root, `moved-${name}`));
  repo.git("add", "--all");
  for (const shard of ["1/3", "2/3", "3/3"])
    expect([shard, await check(repo.root, ".", "--shard", shard)]).toEqual([shard, expect.objectContaining({ code: 0, err: "" })]);
});

test.each([
  ["a.cu", "b.cu", "b.cu"],
  ["src/a.cu", "lib/a.cu", "lib"],
  ["src/a.txt", "lib/a.cu", "lib"],
  ["src/a.h", "lib/a.h", "lib/a.h"],
])("is what is new where %s has become %s and is asked for as %s", async (from, to, asked) => {
  const repo = repository();
  repo.commit({ [from]: poor, "lib/other.cu": "" });
  renameSync(path.join(repo.root, from), path.join(repo.root, to));
  repo.git("add", "--all");
  expect(await check(repo.root, asked)).toMatchObject({ code: 0, err: "" });
  repo.write({ [to]: poor + poor.replace("k(", "l(") });
  const { code, out } = await check(repo.root, asked);
  expect([code, out.match(/double-constant/g)]).toEqual([1, ["double-constant"]]);
});
