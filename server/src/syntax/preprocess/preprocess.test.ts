import { describe, expect, it } from "vitest";
import { NotRead } from "../file-text.ts";
import { read } from "./preprocess.ts";
import type { ReadOptions } from "./types.ts";

const readText = (text: string, files: Readonly<Record<string, string>> = {}, options: Partial<ReadOptions> = {}) =>
  read("/src/a.cu", text, { read: (path) => files[path] }, { computeCapability: 90, ...options });

/** The text with its white space evened out. */
const squeezed = (text: string, files?: Readonly<Record<string, string>>, options?: Partial<ReadOptions>) =>
  readText(text, files, options).text.trim().replace(/\s+/g, " ");

const expansions: Readonly<Record<string, readonly [code: string, expected: string]>> = {
  "object-like": ["#define N 16\nint a[N];", "int a[16];"],
  "function-like": ["#define MAX(a, b) ((a) > (b) ? (a) : (b))\nMAX(x, f(1, 2))", "((x) > (f(1, 2)) ? (x) : (f(1, 2)))"],
  "a name without its call stays": ["#define F(x) x\nint F;", "int F;"],
  "a call over several lines": ["#define F(x, y) x + y\nF(1,\n  2)", "1 + 2"],
  "nested calls": ["#define F(x) x * 2\nF(F(F(1)))", "1 * 2 * 2 * 2"],
  "a macro does not call itself": ["#define f(x) f(x + 1)\nf(f(1))", "f(f(1 + 1) + 1)"],
  "nor through another": ["#define a b\n#define b a\na b", "a b"],
  "a call completed by what follows": ["#define F(x) [x]\n#define G F\nG(1)", "[1]"],
  stringify: ['#define S(x) #x\nS( a + "b\\n" )', '"a + \\"b\\\\n\\""'],
  "stringify does not expand, a second step does": ["#define N 4\n#define S(x) #x\n#define T(x) S(x)\nS(N) T(N)", '"N" "4"'],
  paste: ["#define C(a, b) a##b\nC(x, 1) C(, y) C(z, ) C(1, e5)", "x1 y z 1e5"],
  "paste does not expand its operands": ["#define N 4\n#define C(a, b) a##b\n#define D(a, b) C(a, b)\nC(N, 1) D(N, 1)", "N1 41"],
  "a pasted name is expanded": ["#define AB 7\n#define C(a, b) a##b\nC(A, B)", "7"],
  variadic: ["#define P(...) f(__VA_ARGS__)\nP() P(1) P(1, 2)", "f() f(1) f(1, 2)"],
  "variadic after a parameter": ["#define P(a, ...) f(a, __VA_ARGS__)\nP(1, 2, 3)", "f(1, 2, 3)"],
  "GNU comma": ['#define P(f, ...) printf(f, ##__VA_ARGS__)\nP("a") P("b", 1)', 'printf("a") printf("b", 1)'],
  "named variadic": ["#define P(f, args...) g(f, ## args)\nP(1) P(1, 2)", "g(1) g(1, 2)"],
  __VA_OPT__: ["#define P(f, ...) g(f __VA_OPT__(,) __VA_ARGS__)\nP(1) P(1, 2)", "g(1) g(1, 2)"],
  "empty arguments": ["#define F(a, b) [a|b]\nF(,) F(1,) F(,2)", "[|] [1|] [|2]"],
  "parentheses shield commas, brackets do not": ["#define F(a, b) b\nF((1, 2), 3)", "3"],
  undef: ["#define N 1\nN\n#undef N\nN", "1 N"],
  redefinition: ["#define N 1\nN\n#define N 2\nN", "1 2"],
  "continued definition": ["#define F(x) \\\n  x + \\\n  1\nF(2)", "2 + 1"],
  "comments in a definition": ["#define N /* sixteen */ 16 // yes\nN", "16"],
  "tokens do not run together": ["#define N -1\n#define E\nx-N +E+ y", "x- -1 + + y"],
  "strings are left alone": ['#define N 1\n"N" \'N\' R"(N)"', '"N" \'N\' R"(N)"'],
  __LINE__: ["\n\nint a = __LINE__;", "int a = 3;"],
  "__LINE__ in an argument": ["#define F(x) x\n\nF(__LINE__)", "3"],
  "__LINE__ in a declaration counts its lines with code": [
    "int x;\nnamespace n {\nvoid f() {\n\n  // why\n  a(__LINE__);\n  b(__LINE__); }\nvoid g() { c(__LINE__); }\n}",
    "int x; namespace n { void f() { a(2); b(3); } void g() { c(1); } }",
  ],
  __COUNTER__: ["__COUNTER__ __COUNTER__", "0 1"],
  __FILE__: ["__FILE__", '"/src/a.cu"'],
  "what nvcc defines": ["__CUDA_ARCH__ __CUDACC_VER_MAJOR__ __cplusplus", "900 13 201703L"],
  "what headers define": ["FLT_MAX INT_MAX RAND_MAX EXIT_SUCCESS", "3.402823466e+38F 2147483647 2147483647 0"],
  "a call that is not closed yet": ["#define F(x) x\nF(1;\nint b;", "F(1; int b;"],
  "directives among arguments": ["#define F(x) [x]\nF(1\n#ifdef NO\n+ 2\n#else\n+ 3\n#endif\n)", "[1 + 3]"],
  "unroll counts are expanded": ["#define N 4\n#pragma unroll N\nfor", "#pragma unroll 4 for"],
  "other pragmas go": ["#pragma omp parallel\nx", "x"],
};

describe("macros", () => {
  for (const [name, [code, expected]] of Object.entries(expansions)) it(name, () => expect(squeezed(code)).toBe(expected));
});

const conditions: Readonly<Record<string, boolean>> = {
  "1": true,
  "0": false,
  "-1 < 0": true,
  "-1 < 0u": false,
  "1 + 2 * 3 == 7": true,
  "(1 + 2) * 3 == 9": true,
  "7 / 2 == 3 && 7 % 4 == 3": true,
  "1 << 4 == 16": true,
  "-8 >> 1 == -4": true,
  "0x10 == 16 && 010 == 8 && 0b11 == 3": true,
  "1 ? 0 : 1": false,
  "0 ? 0 : 2": true,
  "!0 && ~0 == -1": true,
  "'a' == 97": true,
  "'\\n' == 10": true,
  "defined(N)": true,
  "defined N && N == 4": true,
  "!defined(UNDEFINED)": true,
  UNDEFINED: false,
  "F(2) == 4": true,
  "defined(UNDEFINED) && UNDEFINED(1)": false,
  "1 || 1 / 0": true,
  "1 / 0": false,
  "5 % 0": false,
  "__CUDA_ARCH__ >= 800": true,
  "__has_include(<nothing.h>)": false,
  '__has_include("there.h")': true,
  "__has_builtin(__builtin_expect)": false,
  "18446744073709551615u > 0": true,
  "9223372036854775807 + 1 < 0": true,
  "true && !false": true,
  "not defined(UNDEFINED) and 1": true,
  "1 |": false,
  "": false,
  "(1": false,
  "1 == 1 == 1": true,
  "3 > 2 > 1": false,
  "0xFFFFFFFFFFFFFFFF == -1": true,
};

describe("#if", () => {
  for (const [condition, holds] of Object.entries(conditions)) {
    it(condition || "(nothing)", () => {
      const text = `#define N 4\n#define F(x) ((x) * 2)\n#if ${condition}\nyes\n#else\nno\n#endif`;
      expect(squeezed(text, { "/src/there.h": "" })).toBe(holds ? "yes" : "no");
    });
  }
  const branches: Readonly<Record<string, readonly [code: string, expected: string]>> = {
    elif: ["#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif e", "b"],
    else: ["#if 0\na\n#elif 0\nb\n#else\nd\n#endif", "d"],
    "nested in what is skipped": ["#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif\nd", "c d"],
    "nested in what is taken": ["#if 1\n#if 0\na\n#else\nb\n#endif\nc\n#else\nd\n#endif", "b c"],
    ifdef: ["#ifdef N\na\n#endif\n#ifndef N\nb\n#endif", "b"],
    elifdef: ["#define N\n#if 0\n#elifdef N\na\n#elifndef N\nb\n#endif", "a"],
    "an endif too many": ["#endif\na", "a"],
    "an endif too few": ["a\n#if 0\nb", "a"],
    spaces: ["  #  if 1\na\n #\tendif", "a"],
    "definitions that are skipped do not count": ["#if 0\n#define N 1\n#endif\nN", "N"],
    "apostrophes in what is skipped": ["#if 0\ndon't\n#endif\na", "a"],
    "in device code": ["#ifdef __CUDA_ARCH__\ndevice\n#else\nhost\n#endif", "device"],
  };
  for (const [name, [code, expected]] of Object.entries(branches)) it(name, () => expect(squeezed(code)).toBe(expected));
});

describe("#include", () => {
  const files = {
    "/src/a.h": "#pragma once\nint a;\n#define A 1",
    "/src/sub/b.h": '#ifndef B\n#define B\n#include "../a.h"\nint b;\n#endif',
    "/inc/c.h": "int c;",
    "/src/loop.h": 'int l;\n#include "loop.h"',
  };
  it("splices in what is beside the file", () => expect(squeezed('#include "a.h"\nint x = A;', files)).toBe("int a; int x = 1;"));
  it("once", () => expect(squeezed('#include "a.h"\n#include "sub/b.h"\n#include "sub/b.h"\nx', files)).toBe("int a; int b; x"));
  it("searches the directories", () => expect(squeezed("#include <c.h>\nx", files, { includeDirs: ["/inc/."] })).toBe("int c; x"));
  it("through a macro", () => expect(squeezed('#define H "a.h"\n#include H\nx', files)).toBe("int a; x"));
  it("stops where a header includes itself", () => {
    const reading = readText('#include "loop.h"', files);
    expect(reading.text.match(/int l/g)?.length).toBe(63);
    expect(reading.files).toEqual(["/src/a.cu", "/src/loop.h"]);
  });
  it("by the first name of a file that links give many", () => {
    const own = '#include "loop/a.cu"\n#include "sub/p.h"\n#include "loop/p.h"\nint x;';
    const texts: Readonly<Record<string, string>> = { "/src/a.cu": own, "/src/p.h": "#pragma once\nint p;" };
    const realPath = (path: string) => path.replace(/^\/src\/(?:(?:loop|sub)\/)*/, "/src/");
    const host = { read: (path: string) => texts[realPath(path)], realPath };
    const reading = read("/src/a.cu", own, host, { computeCapability: 90 });
    expect(reading.files).toEqual(["/src/a.cu", expect.stringMatching(/^\/src\/(?:loop\/)*sub\/p\.h$/)]);
    expect(reading.text.match(/int p/g)).toHaveLength(1);
    expect(reading.text.match(/int x/g)?.length).toBe(64);
  });
  it("says what is missing", () => {
    const text = '#include <cuda.h>\n  #include "no.h"';
    expect(readText(text).missingIncludes).toEqual([
      { path: "cuda.h", angled: true, place: { file: 0, start: 0, end: 17 } },
      { path: "no.h", angled: false, place: { file: 0, start: 20, end: text.length } },
    ]);
  });
  it("says why one that is there is not read, and does not count it as there", () => {
    const host = { read: (path: string) => (path === "/src/pipe.h" ? new NotRead("it is a pipe, not a file") : undefined) };
    const text = '#include "pipe.h"\n#if __has_include("pipe.h")\nint x;\n#endif\n';
    const reading = read("/src/a.cu", text, host, { computeCapability: 90 });
    expect(reading.missingIncludes).toEqual([
      { path: "pipe.h", angled: false, place: { file: 0, start: 0, end: 17 }, reason: "it is a pipe, not a file" },
    ]);
    expect(reading.text).not.toContain("int x");
  });
  const guarded = `#ifndef G\n#define G\n${"int x;\n".repeat(150_000)}#endif\n`;
  it.each([
    ["that include themselves twice", { "/src/a.h": '#include "a.h"\n#include "a.h"\n' }, '#include "a.h"\n'],
    [
      "that include many",
      { "/src/a.h": '#include "b.h"\n'.repeat(1000), "/src/b.h": '#include "c.h"\n'.repeat(1000), "/src/c.h": ";" },
      '#include "a.h"\n',
    ],
    ["that are long and come again", { "/src/a.h": guarded }, '#include "a.h"\n'.repeat(1000)],
    ["that are asked for and not there", {}, Array.from({ length: 100_000 }, (_, k) => `#include "${k}.h"\n`).join("")],
  ])("ends, whatever headers there are: %s", (_, headers, text) => {
    const reading = readText(`${text}int last;`, headers as Record<string, string>);
    expect(reading.missingIncludes.at(-1)?.reason).toMatch(/^the headers before it are all|^headers are nested deeper than 64/);
    expect(reading.text).toContain("int last;");
  });
  it("leads back to the header", () => {
    const reading = readText('#include "a.h"\nint x;', files);
    const at = reading.text.indexOf("int a");
    expect(reading.locate(at, at + 5)).toEqual({ file: 1, start: 13, end: 18 });
    expect(reading.position(1, 13)).toEqual({ line: 1, character: 0 });
    const x = reading.text.indexOf("int x");
    expect(reading.spelled(x, x + 6)).toEqual({ file: 0, start: 15, end: 21 });
  });
});

describe("the way back", () => {
  it("keeps the layout of what it leaves alone", () => {
    const text = "int a; // one\n#if 1\nint b; /* two\n three */ int c;\n#endif\n";
    expect(readText(text).text).toBe("int a;       \n     \nint b;       \n          int c;\n      \n");
  });
  it("places an expansion at the macro's use", () => {
    const text = "#define N 1 + 2\nint a = N;";
    const reading = readText(text);
    const at = reading.text.indexOf("1 + 2");
    expect(reading.locate(at, at + 1)).toEqual({ file: 0, start: 24, end: 25 });
    expect(reading.spelled(at, at + 5)).toEqual({ file: 0, start: 10, end: 15, macro: "N" });
    expect(reading.macroUses).toEqual([{ name: "N", place: { file: 0, start: 24, end: 25 }, start: at, end: at + 5 }]);
  });
  it("finds arguments where they are written", () => {
    const text = "#define F(x) (x * 2)\nint a = F(b + c);";
    const reading = readText(text);
    const at = reading.text.indexOf("b + c");
    expect(reading.spelled(at, at + 5)).toEqual({ file: 0, start: text.indexOf("b + c"), end: text.indexOf("b + c") + 5 });
    expect(reading.spelled(at, at + 7)).toBeUndefined();
  });
  it("keeps comments, those of headers too, not those that are skipped", () => {
    const { comments } = readText('// a\n#include "h.h"\n#if 0\n// no\n#endif\n#define N 1 // b\nF(/* c */)', { "/src/h.h": "/* h */" });
    expect(comments.map(({ text, place }) => [text, place.file])).toEqual([
      ["// a", 0],
      ["/* h */", 1],
      ["// b", 0],
      ["/* c */", 0],
    ]);
  });
});

describe("budgets", () => {
  it("stops macros that double", () => {
    const doubling = Array.from({ length: 40 }, (_, i) => `#define M${i} M${i + 1} M${i + 1}`).join("\n");
    expect(readText(`${doubling}\nM0`).text.length).toBeLessThan(40_000_000);
  });
  it("leaves a use as it is written in which another came to too much", () => {
    const use = `${"M(".repeat(150)};${")".repeat(150)}`;
    expect(readText(`#define M(x) x x\n${use}`).text.trim()).toBe(use);
    // Others are made.
    expect(readText(`#define M(x) x x\n${use}\nM(a)`).text.trim()).toBe(`${use}\na a`);
  });
  it("stops headers that double", () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`/src/${i}.h`, `#include "${i + 1}.h"\n#include "${i + 1}.h"\n${"int x;".repeat(100)}`]),
    );
    expect(readText('#include "0.h"', files).text.length).toBeLessThan(9_000_000);
  });
  it("keeps what grows with the number of macros, not with its square", () => {
    const text = Array.from({ length: 40_000 }, (_, k) => `#define M${k} ${k}`).join("\n");
    const before = process.memoryUsage().heapUsed;
    const result = readText(`${text}\nM39999`);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(300_000_000);
    expect(result.text.trim()).toBe("39999");
  });
});
