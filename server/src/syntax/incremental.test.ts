import { describe, expect, it } from "vitest";
import type { TranslationUnit } from "./ast.ts";
import { FileParser, type ParsedFile, read } from "./index.ts";
import { print } from "./print.ts";
import { testParser } from "./testing/parse-text.ts";

const parser = await testParser;

const itemsOf = (parsed: ParsedFile | undefined) => parsed?.placed.map(({ item }) => item) ?? [];

/** The first declarations of several versions of one file, printed. */
function firsts(...texts: readonly string[]): string[] {
  const found: string[] = [];
  parsedVersions(texts, ({ unit: { declarations } }) => found.push(declarations[0] ? print(declarations[0]) : ""));
  return found;
}

function versions(...texts: readonly string[]): TranslationUnit[] {
  return parsedVersions(texts).map(({ unit }) => unit);
}

function parsedVersions(texts: readonly string[], look: (parsed: ParsedFile) => void = () => undefined): ParsedFile[] {
  parser.forget("/src/v.cu");
  const file = new FileParser(parser);
  return texts.map((text) => {
    const parsed = file.parse(read("/src/v.cu", text, { read: () => undefined }, { computeCapability: 90 }));
    if (!parsed) throw new Error("no tree");
    look(parsed);
    return parsed;
  });
}

const first = "__global__ void first(float* a, int n) { if (threadIdx.x < n) a[threadIdx.x] = (T)-a[0]; }\n";
const unrolled = (count: string) => `__device__ void loop(float* a) {\n#pragma unroll ${count}\nfor (int i = 0; i < 8; i++) a[i] = 0; }\n`;
const last = "void last(float* a) { first<<<1, 256>>>(a, 1); }\n";

describe("the next version of a file", () => {
  it("has the same objects for what did not change", () => {
    const [before, after] = versions(first + last, `${first}${last}int added;\n`);
    expect(after?.declarations[0]).toBe(before?.declarations[0]);
    expect(after?.declarations.length).toBe(3);
  });
  it("is in order again where an error is gone, whatever was tried on what stands before it", () => {
    const head = "template <int BYTES, bool STORE> __global__ void bench(const int *offset, unsigned mask, long long *out) {\n";
    const body = "  extern __shared__ char raw[];\n  if ((mask >> lane) & 1) {\n";
    const loops =
      "    for (int r = 0; r < 8; ++r) {\n      for (int k = 0; k < 1; ++k) {\n        if (STORE) {\n        }\n      }\n    }\n  }\n}";
    const open = "        } else {\n      for (unsigned k = 0; k < 1; ++k) {\n";
    const [broken, mended] = versions(
      `#define A\n${head}${body}${open}#ifndef A\n${"  out[0] = 1;\n".repeat(80)}`,
      `#define A\n${head}${body}${loops}`,
    );
    expect(broken?.errors.length).toBeGreaterThan(0);
    expect([mended?.errors, mended?.declarations.map(({ kind }) => kind)]).toEqual([[], ["function"]]);
  });
  describe("once it is settled", () => {
    const host = { read: () => undefined };
    /** A parser of several versions of a file, as they were read one after another. */
    const afterAll = (...texts: readonly string[]): FileParser => {
      parser.forget("/src/v.cu");
      const file = new FileParser(parser);
      for (const text of texts) file.parse(read("/src/v.cu", text, host, { computeCapability: 90 }));
      return file;
    };
    const newest = (file: FileParser, text: string): ParsedFile | undefined =>
      file.parse(read("/src/v.cu", text, host, { computeCapability: 90 }));
    const kinds = (parsed: ParsedFile | undefined) => [
      itemsOf(parsed).map(({ type, clean, shape }) => [type, clean, shape]),
      parsed?.placed.map(({ from, to }) => [from, to]),
      parsed?.unit.errors,
    ];
    const broken = "(float* y, int width, float by)// why\n__global__ void scaleRow(float* y, float4 width, float by) {\n";
    const more = `${broken}  /* more\n words */`;

    it("is as if there had been no other, where an error was recovered from otherwise", () => {
      const file = afterAll(broken, more);
      const before = kinds(newest(file, more));
      expect([file.isSettled, file.settle()]).toEqual([false, true]);
      const fresh = kinds(newest(afterAll(), more));
      expect(before).not.toEqual(fresh);
      expect([file.isSettled, kinds(newest(file, more))]).toEqual([true, fresh]);
      expect(file.settle()).toBe(false);
    });
    it("has the same objects for what is the same", () => {
      const text = `${first}${last}int broken = (;\n`;
      const file = afterAll(first + last, text);
      const before = itemsOf(newest(file, text));
      expect([file.isSettled, file.settle(), file.isSettled]).toEqual([false, false, true]);
      const after = itemsOf(newest(file, text));
      expect(after.map((item, index) => item === before[index])).toEqual(before.map(() => true));
    });
    it("has the same objects for what is in order beside what is otherwise", () => {
      const text = `int known;\n${more}`;
      const file = afterAll(`int known;\n${broken}`, text);
      const [known] = itemsOf(newest(file, text));
      expect([known?.clean, file.settle()]).toEqual([true, true]);
      expect(itemsOf(newest(file, text))[0]).toBe(known);
    });
    it("was settled already where it parses, or is the first", () => {
      expect([afterAll(broken).isSettled, afterAll(broken, first + last).isSettled, afterAll().settle()]).toEqual([true, true, false]);
    });
    it("is looked at again where blanks stand in what was mended: a repair looks only so far around it", () => {
      const kernel = "\n__global__ void k(float *x, int n) {\n  x[n] *= 0.5f;\n}\n";
      const [near, far] = [`LOCALS(size_t, nb)${kernel}`, `LOCALS(size_t, ${" ".repeat(1300)}nb)${kernel}`];
      const file = afterAll(near, far);
      expect([file.isSettled, file.settle()]).toEqual([false, true]);
      expect(kinds(newest(file, far))).toEqual(kinds(newest(afterAll(), far)));
      expect(afterAll(first, `${first}\n\n`).isSettled).toBe(true);
    });
    it("stays as it was where that is cancelled", () => {
      const file = afterAll(broken, more);
      const before = itemsOf(newest(file, more));
      let asked = 1;
      expect(file.settle(() => true)).toBe(undefined);
      expect([itemsOf(newest(file, more))[0] === before[0], file.isSettled]).toEqual([true, false]);
      // Wherever that happens, in a repair as well.
      for (let questions = 1; file.settle(() => questions-- === 0) === undefined; questions = ++asked) expect(file.isSettled).toBe(false);
      expect(kinds(newest(file, more))).toEqual(kinds(newest(afterAll(), more)));
    });
  });
  it("has the same objects for what moved, at its new place", () => {
    const [before, after] = parsedVersions([first + last, `int added;\n${first}${last}`]);
    const moved = after?.unit.declarations[1];
    expect(moved).toBe(before?.unit.declarations[0]);
    expect(moved && after?.reading.locate(moved.start, moved.end)).toEqual({
      file: 0,
      start: "int added;\n".length,
      end: "int added;\n".length + first.trimEnd().length,
    });
  });
  it("has the same objects where blanks and comments changed, each at its place", () => {
    const text = `${first}${last}`.replace("if (threadIdx", "/* why */   if (threadIdx").replace("first<<<", " first<<<");
    const [before, after] = parsedVersions([first + last, text]);
    expect(after?.unit.declarations).toEqual(before?.unit.declarations);
    const inner = after?.unit.declarations[1];
    if (inner?.kind !== "function" || !inner.body) throw new Error("no function");
    const { start, end } = after?.reading.spelled(inner.body.start, inner.body.end) ?? { start: 0, end: 0 };
    expect(text.slice(start, end)).toBe("{  first<<<1, 256>>>(a, 1); }");
    expect(itemsOf(after)).toEqual(itemsOf(before));
  });
  it("has the same function with another body where only that changed", () => {
    const [before, after] = parsedVersions([first + last, first.replace("a[0]", "a[1]") + last]);
    expect(itemsOf(after)[0]).not.toBe(itemsOf(before)[0]);
    expect(itemsOf(after)[1]).toBe(itemsOf(before)[1]);
    expect(after?.unit.declarations[0]).toBe(before?.unit.declarations[0]);
    expect(after?.unit.declarations[1]).toBe(before?.unit.declarations[1]);
    expect(after?.unit.declarations[0] && print(after.unit.declarations[0])).toContain("indices:[1]");
  });
  it("has another function where its head changed", () => {
    const [before, after] = parsedVersions([first + last, first.replace("int n", "int m") + last]);
    expect(after?.unit.declarations[0]).not.toBe(before?.unit.declarations[0]);
  });
  it("has others where words are parted into other lines", () => {
    const [before, after] = parsedVersions([first + last, first.replace("{ if", "{\n if") + last]);
    expect(itemsOf(after)[0]).not.toBe(itemsOf(before)[0]);
  });
  it("has others where only what is hidden from the parser changed", () => {
    const [before, after] = firsts(unrolled("4"), unrolled("8"));
    expect(before).toContain("unroll:4");
    expect(after).toContain("unroll:8");
  });
  it("has others where an attribute in front changed", () => {
    const [before, after] = firsts(`__launch_bounds__(128) ${first}`, `__launch_bounds__(256) ${first}`);
    expect(before).toContain("launchBounds:[128]");
    expect(after).toContain("launchBounds:[256]");
  });
  it("has others where a name became a type", () => {
    const [before, after] = firsts(`${first}int  U;        `, `${first}struct T { };\n`);
    expect(before).toContain("(binary -");
    expect(after).toContain("(cast style:c");
  });
});
