import { describe, expect, it } from "vitest";
import type { TranslationUnit } from "./ast.ts";
import { parse, read } from "./index.ts";
import { print } from "./print.ts";
import { testParser } from "./testing/parse-text.ts";

const parser = await testParser;

/** The units of several versions of one file. */
function versions(...texts: readonly string[]): TranslationUnit[] {
  parser.forget("/src/v.cu");
  return texts.map((text) => {
    const parsed = parse(parser, read("/src/v.cu", text, { read: () => undefined }, { computeCapability: 90 }));
    if (!parsed) throw new Error("no tree");
    return parsed.unit;
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
  it("has others for what moved, at its new place", () => {
    const [before, after] = versions(first + last, `int added;\n${first}${last}`);
    const moved = after?.declarations[1];
    expect(moved).not.toBe(before?.declarations[0]);
    expect(moved && print(moved)).toBe(before?.declarations[0] && print(before.declarations[0]));
    expect(moved?.start).toBe("int added;\n".length);
  });
  it("has others where only what is hidden from the parser changed", () => {
    const [before, after] = versions(unrolled("4"), unrolled("8"));
    expect(before?.declarations[0] && print(before.declarations[0])).toContain("unroll:4");
    expect(after?.declarations[0] && print(after.declarations[0])).toContain("unroll:8");
  });
  it("has others where an attribute in front changed", () => {
    const [before, after] = versions(`__launch_bounds__(128) ${first}`, `__launch_bounds__(256) ${first}`);
    expect(before?.declarations[0] && print(before.declarations[0])).toContain("launchBounds:[128]");
    expect(after?.declarations[0] && print(after.declarations[0])).toContain("launchBounds:[256]");
  });
  it("has others where a name became a type", () => {
    const [before, after] = versions(`${first}int  U;        `, `${first}struct T { };\n`);
    expect(before?.declarations[0] && print(before.declarations[0])).toContain("(binary -");
    expect(after?.declarations[0] && print(after.declarations[0])).toContain("(cast style:c");
  });
});
