/** From words of a command to what they make of code, and from there to the kernel and what its report says of it. */
import type { Kernel } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { select } from "../../../sim-engine/src/machine/index.ts";
import { optimise } from "../../../sim-engine/src/passes/index.ts";
import { useParser } from "../syntax/current-parser.ts";
import { installedAssets } from "../syntax/parser/installed.ts";
import { loadWasmParser } from "../syntax/parser/wasm.ts";
import { analyze } from "./analyze.ts";
import { splitWords } from "./command-words.ts";
import { agreed, type CodeOptions, readNvccOptions, wordsOf } from "./nvcc-options.ts";

beforeAll(async () => {
  useParser(await loadWasmParser(installedAssets()));
});

const codeOf = (text: string): CodeOptions => readNvccOptions(splitWords(text), "/p").code;
const fast: CodeOptions = { fastMath: true, ftz: true, precDiv: false, precSqrt: false, fmad: true };

test.each<[string, CodeOptions]>([
  ["nvcc -O3 -lineinfo -Xcompiler -Wall a.cu -o a", {}],
  ["--use_fast_math", fast],
  ["-use_fast_math -ftz=false -maxrregcount 64", { ...fast, ftz: false, maxRegisters: 64 }],
  ["--prec-div=true -use_fast_math", { ...fast, precDiv: true }],
  ["-fmad=false --maxrregcount=32", { fmad: false, maxRegisters: 32 }],
  ["-Xptxas -v,-dlcm=cg", { loadCache: "cg" }],
  ["--ptxas-options='--def-load-cache cg -O1'", { loadCache: "cg", unoptimised: "-Xptxas -O1" }],
  ["-G -O0", { unoptimised: "-G" }],
  ["-G -dopt=on", {}],
  ["-Xcompiler -ftz=true -Xcompiler=-G", {}],
])("%s", (text, expected) => expect(codeOf(text)).toEqual(expected));

test.each([
  ["-maxrregcount=many", "-maxrregcount=many"],
  ["-ftz perhaps", "-ftz=perhaps"],
  ["-Xptxas -dlcm=xx", "-Xptxas -dlcm=xx"],
])("%s cannot be read, and is named", (text, named) => {
  const { code, problems } = readNvccOptions(splitWords(text), "/p");
  expect([code, problems]).toEqual([{}, [`says ${named}, which cannot be read`]]);
});

test.each<CodeOptions>([{}, fast, { ...fast, ftz: false }, { fmad: false, precSqrt: false, maxRegisters: 40, loadCache: "cg" }])(
  "%j is read as it is written",
  (code) => expect(readNvccOptions(wordsOf(code), "/p").code).toEqual(code),
);

test("commands agree on what all of them say", () => {
  expect(agreed(["-use_fast_math -G", "-use_fast_math -maxrregcount=32"].map(codeOf))).toEqual(fast);
  expect(agreed([])).toEqual({});
});

describe("of a project", () => {
  const kernel =
    "__global__ void k(float *p, float a) { float x = p[threadIdx.x]; p[threadIdx.x] = BODY; }\nint main() { float *d; cudaMalloc(&d, 4096); k<<<1, 256>>>(d, 2.0f); }\n";
  const launchOf = (body: string, command: string, code?: CodeOptions) => {
    const files: Record<string, string> = {
      "/p/compile_commands.json": JSON.stringify([{ directory: "/p", file: "a.cu", command: `nvcc ${command} a.cu` }]),
    };
    const settings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [], ...(code ? { code } : {}) };
    const [fact] = analyze("/p/a.cu", kernel.replace("BODY", body), settings, { read: (path) => files[path] }).launches;
    if (!fact) throw new Error("no launch");
    return fact;
  };
  const opcodes = (lowered: Kernel): string[] => {
    optimise(lowered);
    return [...select(lowered, 90).blocks.values()]
      .flatMap(({ instructions }) => instructions.map(({ opcode }) => opcode))
      .filter((opcode) => /^(F|MUFU)/.test(opcode));
  };

  // As `cuobjdump -sass` shows them (sim-engine/validation/compiler, functions.json and fastFunctions.json).
  test.each([
    ["x / a", "-use_fast_math", ["MUFU.RCP", "FMUL"]],
    ["x / a", "-use_fast_math -prec-div=true", ["MUFU.RCP", "FCHK", "FFMA", "FFMA", "FFMA", "FFMA", "FFMA"]],
    ["x / 3.0f", "-prec-div=false", ["FMUL"]],
    ["1.0f / x", "-use_fast_math", ["MUFU.RCP"]],
    ["__fsqrt_rn(x)", "-use_fast_math", ["MUFU.RSQ", "FMUL", "FMUL", "FFMA", "FFMA"]],
    ["sqrtf(x)", "-use_fast_math", ["MUFU.SQRT"]],
    ["sqrtf(x)", "-prec-sqrt=false", ["FSETP", "FMUL", "MUFU.SQRT", "FMUL"]],
    ["expf(x)", "-use_fast_math", ["FMUL", "MUFU.EX2"]],
    ["__expf(x)", "", ["FMUL", "FSETP", "FMUL", "MUFU.EX2", "FMUL"]],
    ["exp2f(x)", "-ftz=true", ["MUFU.EX2"]],
    ["sinf(x)", "-use_fast_math", ["FMUL.RZ", "MUFU.SIN"]],
    ["rsqrtf(x)", "-use_fast_math", ["MUFU.RSQ"]],
    ["x * a + 1.0f", "", ["FFMA"]],
    ["x * a + 1.0f", "-fmad=false", ["FMUL", "FADD"]],
  ])("%s with %s", (body, command, expected) => expect(opcodes(launchOf(body, command).lower())).toEqual(expected));

  test("the cap on registers, the load cache and where they come from", () => {
    const { assumptions, lower } = launchOf("x + 1", "-maxrregcount=24 -Xptxas -dlcm=cg -arch=sm_70 -G");
    const lowered = lower();
    expect([lowered.maxRegisters, lowered.loadCache]).toEqual([24, "cg"]);
    expect(
      assumptions.filter(({ what }) => /options|optim|arch/.test(what)).map(({ what, value, why }) => [what, value, why.split(" ")[0]]),
    ).toEqual([
      ["compile options", "-maxrregcount=24 -Xptxas=-dlcm=cg", "as"],
      ["optimisation", "-O3", "compile_commands.json:"],
      ["architecture of code", "sm_90", "compile_commands.json"],
    ]);
    optimise(lowered);
    expect(lowered.blocks.flatMap(({ ops }) => ops.flatMap(({ action }) => (action.kind === "load" ? [action.cache] : [])))).toEqual([
      "cg",
    ]);
  });

  test("what the user says goes before it, option by option", () => {
    const { assumptions, lower } = launchOf("x", "-maxrregcount=24 -fmad=false", { maxRegisters: 0 });
    expect([lower().maxRegisters, lower().floats]).toEqual([undefined, { unfused: true }]);
    expect(assumptions.filter(({ what }) => what === "compile options").map(({ value }) => value)).toEqual([
      "-fmad=false",
      "-maxrregcount=0",
    ]);
  });

  test("a kernel's own bounds hold before -maxrregcount", () => {
    const files = { "/p/Makefile": "a: a.cu\n\tnvcc -maxrregcount=24 a.cu -o a\nb: b.cu\n\tnvcc -G b.cu -o b\n" };
    const text =
      "__global__ void __launch_bounds__(256) k(float *p) { p[0] = 1; }\n__global__ void __maxnreg__(40) m(float *p) { p[0] = 1; }\n__global__ void n(float *p) { p[0] = 1; }\n";
    const settings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };
    const { launches } = analyze("/p/a.cu", text, settings, { read: (path) => files[path as keyof typeof files] });
    expect(launches.map((launch) => launch.lower().maxRegisters)).toEqual([undefined, 40, 24]);
  });
});
