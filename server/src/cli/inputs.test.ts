import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { collectInputs } from "./inputs.ts";
import { UsageError } from "./io.ts";
import { ProjectFolders } from "./project-folders.ts";

let folder = "";
const at = (name: string): string => path.join(folder, name);
const kernel = "__global__ void k() {}\n";
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "inputs-")));
  mkdirSync(at("src/deep"), { recursive: true });
  for (const name of ["src/b.cu", "src/a.cuh", "src/deep/c.h"]) writeFileSync(at(name), kernel);
  writeFileSync(at("src/host.h"), "int x;\n");
  writeFileSync(at("src/large.cu"), "");
  truncateSync(at("src/large.cu"), 20 * 2 ** 20);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function collected(...paths: string[]): { readonly names: readonly string[]; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const inputs = collectInputs(paths, folder, (note) => notes.push(note));
  return {
    names: inputs.flatMap(({ name, unread }) => (unread === undefined ? [name] : [])),
    notes: [...notes, ...inputs.flatMap(({ unread }) => unread ?? [])],
  };
}
const problemOf = (ask: () => unknown): string => {
  try {
    ask();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return "no problem";
};

test("a folder's sources, each once; one that is too large is named", () => {
  expect(collected("src", "src/b.cu")).toEqual({
    names: ["src/a.cuh", "src/b.cu", "src/deep/c.h"],
    notes: ["src/large.cu is not read: it has 20 MB; WarpLens reads up to 8 MB"],
  });
});

test("links that lead back are not followed", () => {
  mkdirSync(at("loop"));
  symlinkSync(at("loop"), at("loop/loop"));
  symlinkSync(at("src/b.cu"), at("loop/b.cu"));
  writeFileSync(at("loop/a.cu"), kernel);
  expect(collected("loop").names).toEqual(["loop/a.cu"]);
});

test("folders nested without end are left where they are too deep", () => {
  mkdirSync(at(`nest${"/n".repeat(70)}`), { recursive: true });
  writeFileSync(at("nest/a.cu"), kernel);
  const { names, notes } = collected("nest");
  expect(names).toEqual(["nest/a.cu"]);
  expect(notes).toEqual([expect.stringMatching(/^nest(?:\/n){65} cannot be searched: folders are nested deeper than 64$/)]);
});

test.skipIf(process.platform === "win32").each([
  ["a device", "/dev/zero", "/dev/zero is not read: it is a device, not a file"],
  ["a large file", "src/large.cu", "src/large.cu is not read: it has 20 MB; WarpLens reads up to 8 MB"],
  ["links in a circle", "circle.cu", "circle.cu is not read: its links lead in a circle"],
])("%s that is named is said not to be read", (_, name, problem) => {
  if (name === "circle.cu") symlinkSync(at(name), at(name));
  expect(problemOf(() => collected(name))).toBe(problem);
});

test.skipIf(process.platform === "win32").each([
  ["a device", () => symlinkSync("/dev/zero", at("device/warplens.json")), "device/warplens.json is not read: it is a device, not a file"],
  ["a pipe", () => execFileSync("mkfifo", [at("pipe/warplens.json")]), "pipe/warplens.json is not read: it is a pipe, not a file"],
  ["a folder", () => mkdirSync(at("folder/warplens.json")), "folder/warplens.json is not read: it is a folder"],
])("a warplens.json that is %s is said", (what, make, problem) => {
  const name = what.replace("a ", "");
  mkdirSync(at(name));
  make();
  expect(problemOf(() => new ProjectFolders(folder).of(at(name)))).toBe(problem);
});
