import { describe, expect, test } from "vitest";
import { directiveText, readAssumeOption, readDirective, readLaunchOption } from "./directives.ts";

describe("a directive's text", () => {
  test.each([
    ["// warplens: block=(256)", "block=(256)"],
    ["//warplens: n=1", "n=1"],
    ["/* warplens: n=1 m=2 */", "n=1 m=2"],
    ["// warplens-disable-next-line rule", undefined],
    ["// see warplens: n=1", undefined],
  ])("%s", (comment, text) => expect(directiveText(comment)).toBe(text));
});

describe("values", () => {
  const cases: Record<string, [text: string, expected: object]> = {
    "grid, block and shared": ["grid=(4096) block=(32, 8) shared=48*1024", { grid: [4096, 1, 1], block: [32, 8, 1], shared: 49152 }],
    "no parentheses": ["block=256 grid=64", { block: [256, 1, 1], grid: [64, 1, 1] }],
    "cluster and registers": ["cluster=(2,1,1) registers=40", { cluster: [2, 1, 1], registers: 40 }],
    "shifts and precedence": [
      "n=1<<20 m=2+3*4 k=(1+1)*8 h=0x10",
      {
        parameters: new Map([
          ["n", 1 << 20],
          ["m", 14],
          ["k", 16],
          ["h", 16],
        ]),
      },
    ],
    "names given before": [
      "n=1<<10 index=uniform(0, n) grid=(n/256)",
      {
        grid: [4, 1, 1],
        parameters: new Map<string, unknown>([
          ["n", 1024],
          ["index", { kind: "uniform", lo: 0, hi: 1024 }],
        ]),
      },
    ],
    contents: [
      "a=constant(3) b=linear(2) c=linear(4, 1) d=permutation(64) e=constant(0)",
      {
        parameters: new Map<string, unknown>([
          ["a", { kind: "constant", value: 3 }],
          ["b", { kind: "linear", stride: 2, start: 0 }],
          ["c", { kind: "linear", stride: 4, start: 1 }],
          ["d", { kind: "permutation", n: 64 }],
          ["e", { kind: "zero" }],
        ]),
      },
    ],
    "literals' suffixes and fractions": [
      "n=1024u x=1.5f y=-2.5",
      {
        parameters: new Map([
          ["n", 1024],
          ["x", 1.5],
          ["y", -2.5],
        ]),
      },
    ],
  };
  test.each(Object.entries(cases))("%s", (_name, [text, expected]) => {
    expect(readDirective(text)).toEqual({ directive: { parameters: new Map(), ...expected } });
  });
  test.each([
    "",
    "block",
    "block=()",
    "block=(1,2,3,4)",
    "block=(0)",
    "grid=(n)",
    "n=",
    "n=1+",
    "n=foo",
    "x=uniform(5, 5)",
    "x=uniform(1)",
    "shared=-1",
    "hello n=1",
  ])("not understood: %s", (text) => {
    expect(readDirective(text)).toHaveProperty("problem");
  });
});

describe("options", () => {
  test("a launch", () => {
    expect(readLaunchOption("saxpy: grid=(64,1,1) block=(256,1,1) shared=0")).toEqual({
      kernel: "saxpy",
      directive: { grid: [64, 1, 1], block: [256, 1, 1], shared: 0, parameters: new Map() },
    });
    expect(readLaunchOption("saxpy grid=(64)")).toHaveProperty("problem");
  });
  test("an assumption", () => {
    expect(readAssumeOption("k.n=1<<4")).toEqual({ kernel: "k", parameter: "n", value: 16 });
    expect(readAssumeOption("idx=uniform(0, 10)")).toEqual({ parameter: "idx", value: { kind: "uniform", lo: 0, hi: 10 } });
    expect(readAssumeOption("k.n")).toHaveProperty("problem");
  });
});
