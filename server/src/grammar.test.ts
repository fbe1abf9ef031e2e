/** Which parser reads a file first, and that it makes no difference to what is said of it. */
import { readdirSync, readFileSync } from "node:fs";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Parser as TreeSitter } from "web-tree-sitter";
import { loadGrammarFromDisk, loadNativeGrammarFromDisk } from "./grammar.ts";
import { currentParser } from "./syntax/current-parser.ts";
import { JobRunner } from "./worker/run.ts";
import { configuration, said } from "./worker/testing/edits.ts";

const examples = new URL("../../examples/", import.meta.url);
const sources = readdirSync(examples, { encoding: "utf8" })
  .filter((name) => name.endsWith(".cu"))
  .sort();
const textOf = (name: string): string => readFileSync(new URL(name, examples), "utf8");
const path = "/project/opened.cu";

await loadGrammarFromDisk();
const wasm = currentParser();
const why = "node-tree-sitter does not load here: `node scripts/native-parser.mjs` builds it";

beforeEach(async ({ skip }) => {
  // As in a process that has just started.
  wasm.forget(path);
  await loadNativeGrammarFromDisk();
  skip(currentParser() === wasm, why);
});

function opened(text: string): JobRunner {
  const runner = new JobRunner({ read: () => undefined });
  runner.open(path, 1, text);
  runner.configure(path, configuration("h200", 1));
  return runner;
}

/** What is said of a text where there is no native parser. */
async function saidWithout(text: string): Promise<unknown> {
  wasm.forget(path);
  await loadGrammarFromDisk();
  return said(opened(text), path);
}

/** What WebAssembly parses while something is done: a whole text, or one of which it has a tree of before. */
function parsedInWebAssembly(work: () => void): string[] {
  const parse = vi.spyOn(TreeSitter.prototype, "parse");
  try {
    work();
    return parse.mock.calls.map(([, before]) => (before ? "an edit" : "a whole"));
  } finally {
    parse.mockRestore();
  }
}

const rest = (runner: JobRunner): void => void [...runner.prepareForEdits()];

describe("a file that is opened", () => {
  it.each(sources)("is told of alike with and without the native parser: %s", async (name) => {
    const text = textOf(name);
    expect(said(opened(text), path)).toEqual(await saidWithout(text));
  });

  const text = textOf("tour.cu");
  const at = text.indexOf(";", text.indexOf("__global__"));
  const edit = [{ start: at, end: at, text: " + 0" }];
  const edited = `${text.slice(0, at)} + 0${text.slice(at)}`;

  it("is parsed by WebAssembly when nobody waits, once, and its edits from that tree", () => {
    const runner = opened(text);
    expect(parsedInWebAssembly(() => runner.find(path))).toEqual([]);
    expect(parsedInWebAssembly(() => rest(runner))).toEqual(["a whole"]);
    expect(parsedInWebAssembly(() => rest(runner))).toEqual([]);
    runner.edit(path, 2, edit);
    expect(parsedInWebAssembly(() => runner.find(path))).toEqual(["an edit"]);
    expect(parsedInWebAssembly(() => rest(runner))).toEqual([]);
  });

  it("is told of alike after an edit that comes before that, and one behind it", async () => {
    const runner = opened(text);
    runner.find(path);
    runner.edit(path, 2, edit);
    expect(parsedInWebAssembly(() => runner.find(path))).toEqual([]);
    const afterEdit = said(runner, path);
    rest(runner);
    runner.edit(path, 3, [{ start: at, end: at + 4, text: "" }]);
    expect(parsedInWebAssembly(() => runner.find(path))).toEqual(["an edit"]);
    const afterBoth = said(runner, path);
    expect(afterEdit).toEqual(await saidWithout(edited));
    expect(afterBoth).toEqual(await saidWithout(text));
  });

  it("is WebAssembly's from the start where it does not parse", async () => {
    const broken = `${text}\nvoid f( {`;
    const runner = opened(broken);
    expect(parsedInWebAssembly(() => runner.find(path))).toContain("a whole");
    expect(parsedInWebAssembly(() => rest(runner))).toEqual([]);
    const told = said(runner, path);
    expect(told).toEqual(await saidWithout(broken));
  });
});
