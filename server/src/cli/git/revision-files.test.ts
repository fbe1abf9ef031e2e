import { chmodSync, existsSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { NotRead } from "../../syntax/file-text.ts";
import { disk, type Files } from "../files.ts";
import { folderWith } from "../testing/command.ts";
import { repository } from "../testing/repository.ts";
import { Repository } from "./repository.ts";
import { RevisionFiles } from "./revision-files.ts";

describe("a revision", () => {
  test("holds the files as they were, whatever has become of them", () => {
    const repo = repository();
    const commit = repo.commit({ "a.cu": "one\n", "inc/é b.cuh": "two\n", "gone.cu": "three" });
    repo.commit({ "a.cu": "changed", "new.cu": "" });
    repo.remove("gone.cu");
    repo.write({ "untracked.cuh": "" });
    const files = new RevisionFiles({ root: repo.root, commit });
    const at = (name: string) => `${repo.root}/${name}`;
    expect(files.paths).toEqual(["a.cu", "gone.cu", "inc/é b.cuh"].map(at));
    expect([...files.paths, at("new.cu"), at("untracked.cuh"), at("inc")].map((file) => files.read(file))).toEqual([
      "one\n",
      "three",
      "two\n",
      undefined,
      undefined,
      new NotRead("it is a folder"),
    ]);
    expect([files.list(repo.root), files.list(at("inc")), files.list(at("none"))]).toEqual([["a.cu", "gone.cu"], [], []]);
    expect([files.realPath(repo.root), files.realPath(at("a.cu")), files.realPath(at("inc")), files.realPath(at("new.cu"))]).toEqual([
      repo.root,
      at("a.cu"),
      at("inc"),
      undefined,
    ]);
    expect(files.repository(at("inc/x"))).toBe(repo.root);
  });

  test("leaves to the disk what git ignores, and what lies outside", () => {
    const repo = repository();
    const outside = path.join(folderWith({ "x.h": "outside" }), "x.h");
    const commit = repo.commit({ ".gitignore": "build/\n*.gen.*\n", "a.cu": "" });
    repo.write({ "build/compile_commands.json": "[]", "k.gen.cu": "made", "build/deep/b.h": "b", "build/gen.cu": "" });
    const files = new RevisionFiles({ root: repo.root, commit });
    expect(["build/compile_commands.json", "build/deep/b.h", "k.gen.cu"].map((name) => files.read(`${repo.root}/${name}`))).toEqual([
      "[]",
      "b",
      "made",
    ]);
    expect(files.list(`${repo.root}/build`)).toEqual(["gen.cu"]);
    expect(files.list(repo.root)).toContain("k.gen.cu");
    expect(files.read(outside)).toBe("outside");
  });

  test("follows links as the disk does, and tells where they lead", () => {
    const repo = repository();
    const outside = path.join(folderWith({ "x.h": "outside" }), "x.h");
    repo.write({ "real/a.cuh": "here", "real/deep/b.cuh": "deep" });
    symlinkSync("real/deep", path.join(repo.root, "deep"));
    symlinkSync("deep/../a.cuh", path.join(repo.root, "by-parent.cuh"));
    for (const [target, name] of [
      ["real/a.cuh", "file.cuh"],
      ["real", "folder"],
      ["round", "round"],
      ["folder/a.cuh", "twice.cuh"],
      ["none/x.h", "nowhere.h"],
      [path.join(repo.root, "real"), "absolute"],
      [outside, "out.h"],
      [path.relative(repo.root, outside), "up.h"],
      [path.dirname(outside), "outer"],
    ] as const)
      symlinkSync(target, path.join(repo.root, name));
    const files = new RevisionFiles({ root: repo.root, commit: repo.commit({}) });
    const names = [
      "file.cuh",
      "folder/a.cuh",
      "twice.cuh",
      "by-parent.cuh",
      "absolute/a.cuh",
      "nowhere.h",
      "out.h",
      "up.h",
      "outer/x.h",
      "round",
    ];
    const of = (host: Pick<Files, "read" | "realPath">) =>
      names.map((name) => [name, host.read(`${repo.root}/${name}`), host.realPath?.(`${repo.root}/${name}`)]);
    expect(of(files)).toEqual(of(disk));
    expect(of(files)).toContainEqual(["absolute/a.cuh", "here", `${repo.root}/real/a.cuh`]);
    expect(of(files)).toContainEqual(["up.h", "outside", outside]);
  });

  test("holds no link to more than a path may have, which no checkout could make", () => {
    const repo = repository();
    repo.write({ "real/a.cuh": "here", target: "none/".repeat(400_000), longest: `${"./".repeat(2042)}real/a.cuh` });
    for (const name of ["target", "longest"])
      repo.git("update-index", "--add", "--cacheinfo", `120000,${repo.git("hash-object", "-w", name)},${name}.cuh`);
    repo.git("add", "real");
    repo.git("commit", "--quiet", "-m", "links");
    const files = new RevisionFiles({ root: repo.root, commit: repo.git("rev-parse", "HEAD") });
    const refused = new NotRead("it is a link to more than a path may have");
    expect(["target.cuh", "target.cuh/a", "longest.cuh"].map((name) => files.read(`${repo.root}/${name}`))).toEqual([
      refused,
      refused,
      "here",
    ]);
    expect(files.realPath(`${repo.root}/target.cuh`)).toBeUndefined();
  });

  test("has nothing below what is not there", () => {
    const repo = repository();
    const commit = repo.commit({ "a.cu": "here", "deep/b.cu": "" });
    const files = new RevisionFiles({ root: repo.root, commit });
    const names = ["none/../a.cu", "a.cu/../a.cu", "deep/../a.cu", `${"none/".repeat(1_000_000)}a.cu`];
    expect(names.map((name) => files.read(`${repo.root}/${name}`))).toEqual([undefined, undefined, "here", undefined]);
  });

  test("refuses what is refused on disk", () => {
    const repo = repository();
    const commit = repo.commit({ "big.cu": "x".repeat(8 * 2 ** 20 + 1), "binary.cu": new Uint8Array([65, 0]) });
    const files = new RevisionFiles({ root: repo.root, commit });
    expect(files.read(`${repo.root}/big.cu`)).toEqual(new NotRead("it has 8.1 MB; WarpLens reads up to 8 MB"));
    expect(files.read(`${repo.root}/binary.cu`)).toEqual(new NotRead("it is not UTF-8 text"));
  });

  test.each<[string, (object: string) => void]>([
    ["is missing", (object) => rmSync(object)],
    ["ends early", (object) => truncateSync(object, 10)],
    ["is something else", (object) => writeFileSync(object, "something else")],
  ])("names what git cannot give, and no other file: an object that %s", (_, spoil) => {
    const repo = repository();
    const commit = repo.commit({ "a.cu": "a", "b.cu": "b", "c.cu": "c" });
    const object = repo.git("rev-parse", "HEAD:b.cu");
    const stored = path.join(repo.root, ".git/objects", object.slice(0, 2), object.slice(2));
    chmodSync(stored, 0o644);
    spoil(stored);
    const files = new RevisionFiles({ root: repo.root, commit });
    expect(files.paths.map((file) => files.read(file))).toEqual(["a", new NotRead("git does not have it here, or not whole"), "c"]);
  });
});

describe("revisions by name", () => {
  const repo = repository();
  const first = repo.commit({ "a.cu": "kernel text that stays\nand more\n" });
  repo.git("tag", "v1");
  repo.git("checkout", "--quiet", "-b", "side");
  const side = repo.commit({ "b.cu": "" });
  repo.git("checkout", "--quiet", "main");
  const second = repo.commit({ "c.cu": "" });
  const { root } = repo;

  test.each([
    ["v1", first],
    ["HEAD~1", first],
    ["side", side],
    [second.slice(0, 8), second],
    ["@", second],
  ])("%s", (name, commit) => expect(Repository.of(root).commit(name)).toBe(commit));

  test.each([
    "none",
    "",
    "-h",
    "--help",
    "--output=/tmp/x",
    "HEAD; touch /tmp/x",
    "$(touch /tmp/x)",
    "HEAD:a.cu",
    "v1..side",
    "^v1",
    "\0",
    "a\nb",
  ])("none: %j", (name) => expect(() => Repository.of(root).commit(name)).toThrow(`there is no revision \`${name}\``));

  test("where two lines part", () => expect(Repository.of(root).mergeBase(side, second)).toBe(first));

  test("names that have changed", () => {
    repo.git("mv", "a.cu", "moved.cu");
    expect(Repository.of(root).renames(first, undefined)).toEqual([{ from: "a.cu", to: "moved.cu" }]);
    expect(Repository.of(root).renames(first, repo.commit({}))).toEqual([{ from: "a.cu", to: "moved.cu" }]);
  });

  test("from a folder in it, and from none", () => {
    repo.write({ "deep/er/x.cu": "" });
    expect(Repository.of(path.join(root, "deep/er")).root).toBe(root);
    expect(() => Repository.of(folderWith())).toThrow("this folder is in no git repository");
  });
});

test("what a repository would have git run is not run", () => {
  const repo = repository();
  const trap = path.join(repo.root, "trap");
  const commit = repo.commit({ "a.cu": "", ".gitattributes": "*.cu filter=trap diff=trap\n" });
  repo.write({ "a.cu": "other", "hooks/post-index-change": `#!/bin/sh\ntouch ${trap}\n` });
  chmodSync(path.join(repo.root, "hooks/post-index-change"), 0o755);
  for (const setting of ["core.fsmonitor", "diff.external", "core.pager", "filter.trap.clean", "filter.trap.smudge", "diff.trap.textconv"])
    repo.git("config", setting, `touch ${trap}; cat`);
  repo.git("config", "core.hooksPath", path.join(repo.root, "hooks"));
  const files = new RevisionFiles({ root: repo.root, commit });
  expect(files.read(`${repo.root}/a.cu`)).toBe("");
  Repository.of(repo.root).renames(commit, undefined);
  expect(existsSync(trap)).toBe(false);
  // The trap works.
  repo.git("diff", "--stat");
  expect(existsSync(trap)).toBe(true);
});

test("nothing that a partial clone lacks is fetched, wherever its settings would have it from", () => {
  const repo = repository();
  repo.commit({ "a.cu": "" });
  const trap = path.join(repo.root, "trap");
  for (const [setting, value] of [
    ["core.repositoryFormatVersion", "1"],
    ["extensions.partialClone", "origin"],
    ["remote.origin.promisor", "true"],
    ["remote.origin.url", `ext::touch ${trap}`],
    ["protocol.ext.allow", "always"],
    ["protocol.allow", "always"],
  ] as const)
    repo.git("config", setting, value);
  const missing = "1".repeat(40);
  expect(Repository.of(repo.root).contents([missing])).toEqual([undefined]);
  expect(existsSync(trap)).toBe(false);
  // The trap works.
  expect(() => repo.git("cat-file", "-p", missing)).toThrow();
  expect(existsSync(trap)).toBe(true);
});
