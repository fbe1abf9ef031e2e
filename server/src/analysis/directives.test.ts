import { describe, expect, test } from "vitest";
import { directiveText, mergeDirectives, readAssumeOption, readDirective, readLaunchOption, resolveOpen } from "./directives.ts";

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
    "n=",
    "n=1+",
    "n=foo bar",
    "n=foo(",
    "index=uniform(0, n",
    "index=uniform(0, )",
    "registers=n",
    "x=uniform(5, 5)",
    "x=uniform(1)",
    "shared=-1",
    "hello n=1",
  ])("not understood: %s", (text) => {
    expect(readDirective(text)).toHaveProperty("problem");
  });
});

describe("values in terms of parameters that the launch gives", () => {
  const resolved = (text: string, scope: Record<string, number>) => {
    const reading = readDirective(text);
    if ("problem" in reading) throw new Error(reading.problem);
    return (reading.directive.open ?? []).map((value) => resolveOpen(value, new Map(Object.entries(scope))));
  };

  test.each([
    ["index=uniform(0, n)", [{ value: { kind: "uniform", lo: 0, hi: 4096 } }]],
    ["index=permutation(n)", [{ value: { kind: "permutation", n: 4096 } }]],
    ["index=permutation((n + 1) * (2))", [{ value: { kind: "permutation", n: 8194 } }]],
    ["m=2*n-1", [{ value: 8191 }]],
    ["a=linear(n, 1u)", [{ value: { kind: "linear", stride: 4096, start: 1 } }]],
    ["grid=((n + 255) / 256) shared=n*4", [{ value: [16, 1, 1] }, { value: 16384 }]],
    ["n=1<<10 index=uniform(0, n)", []],
  ])("%s", (text, expected) => expect(resolved(text, { n: 4096 })).toEqual(expected));

  test("what is not known, and what a value makes impossible, is said", () => {
    expect(resolved("index=uniform(0, n)", {})).toEqual([{ problem: "`index=uniform(0, n)`: the value of n is not known" }]);
    expect(resolved("index=uniform(5, n)", { n: 5 })).toEqual([{ problem: expect.stringMatching(/`index=uniform\(5, n\)`.*with n = 5/) }]);
  });

  test("a later value goes before an open one, and the other way round", () => {
    const read = (text: string) => {
      const reading = readDirective(text);
      if ("problem" in reading) throw new Error(reading.problem);
      return reading.directive;
    };
    expect(mergeDirectives([read("m=n"), read("m=5")])).toMatchObject({ open: [], parameters: new Map([["m", 5]]) });
    expect(mergeDirectives([read("m=5"), read("m=n")]).open).toMatchObject([{ key: "m" }]);
  });
});

test.each([
  ["block=(99999999999)", "`block=(99999999999)`: a block has up to (1024, 1024, 64) threads"],
  ["grid=(1) block=(1, 1, 65)", "`block=(1, 1, 65)`: a block has up to (1024, 1024, 64) threads"],
  ["block=(64, 32)", "`block=(64, 32)`: a block of 2048 threads, more than the 1024 it can have"],
  ["grid=(1, 65536)", "`grid=(1, 65536)`: a grid has up to (2147483647, 65535, 65535) blocks"],
  ["cluster=(4, 4, 2)", "`cluster=(4, 4, 2)`: a cluster of 32 blocks, more than the 16 it can have"],
  ["shared=99999999999999", "`shared=99999999999999`: no GPU gives a block as much; up to 1048576 bytes are looked at"],
  ["registers=4000000000", "`registers=4000000000`: a thread has up to 255 registers"],
])("no GPU allows %s", (text, problem) => {
  expect(readDirective(text)).toEqual({ problem, at: text.lastIndexOf(" ", text.lastIndexOf("=")) + 1 });
});

describe("options", () => {
  test("a launch", () => {
    expect(readLaunchOption("saxpy: grid=(64,1,1) block=(256,1,1) shared=0")).toEqual({
      kernel: "saxpy",
      directive: { grid: [64, 1, 1], block: [256, 1, 1], shared: 0, parameters: new Map() },
    });
  });
  test.each([
    ["saxpy grid=(64)", 0, /KERNEL: grid/],
    ["k:", 2, /KEY=VALUE/],
    ["k: grid", 3, /KEY=VALUE/],
    ["k: grid=(1) block=(0)", 12, /^`block=\(0\)`/],
    ["k: grid=(1) grid=(2) block=(1)", 12, /^`grid` is given twice/],
    ["k: n=m m=2 n=3", 11, /^`n` is given twice/],
  ])("not a launch: %s", (text, at, problem) => {
    expect(readLaunchOption(text)).toEqual({ problem: expect.stringMatching(problem), at });
  });
  test("an assumption", () => {
    expect(readAssumeOption("k.n=1<<4")).toEqual({ kernel: "k", parameter: "n", directive: { parameters: new Map([["n", 16]]) } });
    expect(readAssumeOption("idx=uniform(0, 10)")).toEqual({
      parameter: "idx",
      directive: { parameters: new Map([["idx", { kind: "uniform", lo: 0, hi: 10 }]]) },
    });
  });
  test.each([
    ["k.n", 0, /KERNEL\.PARAM=VALUE/],
    ["n=", 2, /no value/],
    ["k.grid=5", 2, /--launch/],
    ["k.n = 1 +", 2, /^`n=1 \+`/],
    ["n=1 m=2", 4, /one value an option: `m`/],
    ["n=3&.", 0, /^`n=3&\.`/],
    ["n=3|1/0", 0, /^`n=3\|1\/0`/],
  ])("not an assumption: %s", (text, at, problem) => {
    expect(readAssumeOption(text)).toEqual({ problem: expect.stringMatching(problem), at });
  });
});

test.each([
  ["parentheses", `n=${"(".repeat(4000)}1${")".repeat(4000)}`],
  ["signs", `n=${"-".repeat(9000)}1`],
  ["calls", `n=${"uniform(".repeat(1000)}`],
  ["keys", "a=b ".repeat(2400)],
  ["words", "a".repeat(9000)],
  ["blanks", `n=1${" ".repeat(9000)}`],
  ["commas", `grid=(${",".repeat(9000)})`],
  ["too much", "n=1 ".repeat(100_000)],
])("a directive of many %s is a directive or a problem", (what, text) => {
  const reading = readDirective(text);
  if (what === "blanks") expect(reading).toMatchObject({ directive: { parameters: new Map([["n", 1]]) } });
  else if (what === "too much") expect(reading).toEqual({ problem: "longer than 10000 characters", at: 0 });
  else expect("problem" in reading || (reading.directive.open ?? []).length > 0).toBe(true);
});

test("the text of a directive ends before the end of its comment", () => {
  for (const comment of ["// warplens: a=1 ", "/* warplens:\ta=1 */", "///warplens:a=1", "/** warplens: a=1\n*/"])
    expect(directiveText(comment)).toBe("a=1");
  expect(directiveText(`// warplens:${" ".repeat(200_000)}x`)).toBe("x");
});
