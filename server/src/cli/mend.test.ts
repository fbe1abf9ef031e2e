import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Diagnostic } from "../lint.ts";
import { disk } from "./files.ts";
import { collectInputs, type Input } from "./inputs.ts";
import { byFile } from "./inspect.ts";
import { mended, patches } from "./mend.ts";
import { folderWith } from "./testing/command.ts";

/** A finding on each `bad` of a file, with a fix that writes `good`. */
const findingsIn = (file: string, newText = "good", text = readFileSync(file, "utf8")): Diagnostic[] =>
  [...text.matchAll(/bad/g)].map(({ index }) => {
    const range = { start: { line: 0, character: index }, end: { line: 0, character: index + 3 } };
    return {
      path: file,
      ruleId: "strided-global-access",
      severity: "warning",
      message: "bad",
      range,
      fixes: [{ title: "Write it well", safe: true, edits: [{ range, newText }], proof: { verdict: "proved" } }],
      related: [],
      tags: [],
      simulated: true,
      url: "",
    };
  });

/** Mends `a.cu` and `b.cu`, whose results are what stands in the header that both include. */
async function mend(header: string, cwd: string, textOf: (input: Input) => string = () => "good"): Promise<string> {
  let err = "";
  const inputs = collectInputs(["a.cu", "b.cu"], cwd, () => undefined);
  const inspect = async (wanted: readonly Input[]) =>
    byFile(
      wanted.map((input) => ({ input, diagnostics: findingsIn(header, textOf(input)), failures: [] })),
      cwd,
      disk,
    );
  await mended(inputs, inspect, false, {
    error: (text) => {
      err += text;
    },
  });
  return err;
}

const sources = { "a.cu": "", "b.cu": "" };

test("what several sources include is mended once", async () => {
  const cwd = folderWith({ ...sources, "k.cuh": "bad bad\n" });
  const header = path.join(cwd, "k.cuh");
  expect(await mend(header, cwd)).toBe("k.cuh: fixed 2\n");
  expect(readFileSync(header, "utf8")).toBe("good good\n");
});

test("what they would mend in different ways is left", async () => {
  const cwd = folderWith({ ...sources, "k.cuh": "bad\n" });
  const header = path.join(cwd, "k.cuh");
  expect(await mend(header, cwd, ({ name }) => name)).toBe("");
  expect(readFileSync(header, "utf8")).toBe("bad\n");
});

test("what nobody named is left outside of the working directory", async () => {
  const header = path.join(folderWith({ "k.cuh": "bad\n" }), "k.cuh");
  const err = await mend(header, folderWith(sources));
  expect(err).toBe(`${header} was not named and is outside of the working directory: it is not changed\n`);
  expect(readFileSync(header, "utf8")).toBe("bad\n");
});

function becomesFolder(file: string): void {
  rmSync(file);
  mkdirSync(file);
}

test.each<[string, (file: string) => void, string]>([
  ["is a folder", becomesFolder, "it is a folder"],
  ["has changed", (file) => writeFileSync(file, "typed since, bad\n"), "it has changed since it was read"],
  ["is gone", (file) => rmSync(file), "it is not there any more"],
])("one that %s by the time it would be written fails, and the others are mended", async (_, meanwhile, reason) => {
  const cwd = folderWith({ "a.cu": "bad\n", "b.cu": "bad\n" });
  const inputs = collectInputs(["a.cu", "b.cu"], cwd, () => undefined);
  const [a = "", b = ""] = inputs.map((input) => input.path);
  const first = new Map(inputs.map((input) => [input.path, findingsIn(input.path)]));
  meanwhile(a);
  const changed = statSync(a, { throwIfNoEntry: false })?.mtimeMs;
  const inspect = async (wanted: readonly Input[]) =>
    wanted.map((input) => ({ input, diagnostics: input.text === "bad\n" ? (first.get(input.path) ?? []) : [], failures: [] }));
  let err = "";
  const results = await mended(inputs, inspect, false, { error: (text) => void (err += text) });
  expect(err).toBe(`b.cu: fixed 1\na.cu is not changed: ${reason}\n`);
  expect(results.map(({ failures }) => failures.map(({ stage }) => stage))).toEqual([["fix"], []]);
  expect(readFileSync(b, "utf8")).toBe("good\n");
  expect(statSync(a, { throwIfNoEntry: false })?.mtimeMs).toBe(changed);
});

test("one that is found by two names is mended by both", async () => {
  const cwd = folderWith({ "a.cu": "bad\n" });
  symlinkSync("a.cu", path.join(cwd, "b.cu"));
  const inputs = collectInputs(["a.cu", "b.cu"], cwd, () => undefined);
  const inspect = async (wanted: readonly Input[]) =>
    wanted.map((input) => ({ input, diagnostics: findingsIn(input.path, "good", input.text), failures: [] }));
  const results = await mended(inputs, inspect, false, { error: () => undefined });
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
  expect(readFileSync(path.join(cwd, "a.cu"), "utf8")).toBe("good\n");
});

test("a patch of a file with a byte order mark is one that git applies, and keeps it", () => {
  const cwd = folderWith({ "a.cu": "\uFEFFbad, 1\nbad\n" });
  const [input] = collectInputs(["a.cu"], cwd, () => undefined);
  if (!input) throw new Error("no input");
  const patch = patches([{ input, diagnostics: findingsIn(input.path, "good", "bad, 1"), failures: [] }], false);
  expect(spawnSync("git", ["apply", "-"], { cwd, input: patch, encoding: "utf8" }).stderr).toBe("");
  expect(readFileSync(input.path, "utf8")).toBe("\uFEFFgood, 1\nbad\n");
});
