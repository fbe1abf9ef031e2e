import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import sharedBankConflict from "../rules/shared-bank-conflict.ts";
import { folderWith, run, runIn, writeInto } from "./testing/command.ts";

const clean = "__global__ void k(float *a) { a[threadIdx.x] = 1.0f; }\n";
const poor = "__global__ void k(float *a) {\n  float x = max(a[0], 0.0);\n  a[threadIdx.x] = x * 0.1;\n}\n";

const header = "__device__ float at(const float *p, int i) { return p[i * 8]; }\n";
const including = (launches: string): string =>
  `#include "k.cuh"\n__global__ void k(float *o, const float *p) { int i = blockIdx.x * 256 + threadIdx.x; o[i] = at(p, i); }\nint main() { float *p, *o; cudaMalloc(&p, 1 << 26); cudaMalloc(&o, 1 << 26); ${launches} }\n`;

describe("usage", () => {
  test.each<[string, string[], number, RegExp]>([
    ["nothing", [], 2, /Usage: warplens COMMAND/],
    ["help", ["--help"], 0, /check PATH\.\.\./],
    ["help of a command", ["check", "--help"], 0, /--baseline FILE/],
    ["help of a command, the other way", ["help", "simulate"], 0, /--kernel NAME/],
    ["version", ["--version"], 0, /^warplens \d+\.\d+\.\d+\n$/],
  ])("%s", async (_, argv, code, text) => {
    const ran = await run({}, argv);
    expect(ran).toMatchObject({ code, err: "" });
    expect(ran.out).toMatch(text);
  });

  test.each<[string, string[], string]>([
    ["an unknown command", ["chekc"], "there is no command `chekc`; did you mean check?"],
    ["an unknown option", ["check", "a.cu", "--fromat", "json"], "check has no option --fromat; did you mean --format?"],
    ["another command's option", ["rules", "--fix"], "rules has no option --fix; it is an option of check"],
    ["an option that several others have", ["explain", "--kernel", "k"], "explain has no option --kernel; it is an option of simulate"],
    ["an unknown format", ["check", "a.cu", "--format", "jsno"], "--format: there is no format `jsno`; did you mean json?"],
    ["an unknown GPU", ["check", "a.cu", "--gpu", "h20"], "--gpu: there is no GPU model `h20`; did you mean h200? All: warplens gpus"],
    [
      "an unknown rule",
      ["check", "a.cu", "--select", "unsigned-loop-countr"],
      "--select: There is no rule `unsigned-loop-countr`; did you mean `unsigned-loop-counter`?",
    ],
    [
      "an unknown severity",
      ["check", "a.cu", "--fail-on", "bad"],
      "--fail-on: there is no severity `bad`; there are error, warning, information, hint, never",
    ],
    [
      "two levels",
      ["check", "a.cu", "--fail-on", "error", "--fail-level", "error"],
      "--fail-level is the older name of --fail-on: give one",
    ],
    ["a baseline that is not named", ["check", "a.cu", "--write-baseline"], "--write-baseline needs the file: --baseline FILE"],
    ["a missing value", ["check", "a.cu", "--gpu"], "--gpu needs a value: --gpu ID"],
    ["proofs that nothing shows", ["check", "a.cu", "--prove"], "--prove says what comes of fixes in --format json: give both"],
    [
      "fixes tried in two ways",
      ["check", "a.cu", "--prove", "--fix", "--format", "json"],
      "--fix and --diff try fixes one on top of the other, --prove each by itself: give one",
    ],
    ["an option for a value", ["check", "a.cu", "--gpu", "--fix"], "--gpu needs a value: --gpu ID"],
    ["a value for a flag", ["check", "a.cu", "--fix=yes"], "--fix takes no value"],
    ["one option twice", ["check", "a.cu", "--gpu", "t4", "--gpu", "v100"], "--gpu is given twice"],
    ["no path", ["check"], "check needs a file or folder: warplens check PATH..."],
    ["a missing file", ["check", "b.cu"], "there is no b.cu; did you mean a.cu?"],
    ["unsafe fixes without fixes", ["check", "a.cu", "--unsafe-fixes"], "--unsafe-fixes says which fixes --fix applies: give both"],
    [
      "two GPUs to check on",
      ["check", "a.cu", "--gpu", "t4,v100"],
      "this takes one GPU; compare several with `warplens simulate --gpu a,b`",
    ],
    [
      "an option of nvcc's that cannot be read",
      ["check", "a.cu", "--nvcc-options", "-O3 -maxrregcount=many"],
      "--nvcc-options says -maxrregcount=many, which cannot be read",
    ],
    ["registers of nothing", ["check", "a.cu", "--registers", "32"], "--registers '32', column 1: registers are written KERNEL=N"],
    ["no jobs", ["check", "a.cu", "--jobs", "0"], "--jobs must be a whole number, at least 1: 0"],
    ["more jobs than make sense", ["check", "a.cu", "--jobs", "99999999"], "--jobs must be at most 1024: 99999999"],
    ["no time", ["check", "a.cu", "--timeout", "0"], "--timeout must be a whole number, at least 1: 0"],
    ["a macro that is none", ["check", "a.cu", "-D", "1X"], "--define: not a macro: 1X; write NAME or NAME=VALUE"],
    [
      "a macro of two lines",
      ["check", "a.cu", "-D", "A=\n#include <b>"],
      "--define: not a macro: A= #include <b>; write NAME or NAME=VALUE, in one line",
    ],
    ["all rules, by no name", ["check", "a.cu", "--select", ""], "--select: a name is empty in ''"],
    ["no rule, by no name", ["check", "a.cu", "--ignore", "memory,"], "--ignore: a name is empty in 'memory,'"],
    ["an open quote", ["check", "a.cu", "--argv", "8 it's"], "--argv: nothing closes the ' in 8 it's"],
    ["an open quote of nvcc's", ["check", "a.cu", "--nvcc-options", '-DA="x'], '--nvcc-options: nothing closes the " in -DA="x'],
    ["a base of no name", ["check", "a.cu", "--base", ""], "--base needs a revision"],
    ["a baseline of no name", ["check", "a.cu", "--baseline", ""], "--baseline needs a file"],
    ["operands that nothing reads", ["rules", "memory"], "rules takes options only, not `memory`; see warplens rules --help"],
    ["an operand of the server", ["lsp", "--stdio", "a.cu"], "lsp takes options only, not `a.cu`"],
    ["an operand of occupancy", ["occupancy", "256"], "occupancy takes options only, not `256`"],
    ["help of nothing", ["help", "chekc"], "there is no command `chekc`; did you mean check?"],
    ["help of two", ["help", "check", "diff"], "help is about one command, not also `diff`"],
    [
      "an option beside lines",
      ["occupancy", "--stdin", "--block", "3"],
      "--stdin reads everything from the lines: --block means nothing beside it",
    ],
    ["an unknown rule to explain", ["explain", "strided"], "there is no rule `strided`; did you mean strided-global-access?"],
    ["a server that is not on the standard streams", ["lsp"], "lsp speaks over the standard streams only: warplens lsp --stdio"],
  ])("%s", async (_, argv, message) => {
    const ran = await run({ "a.cu": clean }, argv);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(`warplens: ${message}`);
    expect(ran.err).not.toContain("    at ");
  });

  const two = {
    "a.cu": "__global__ void k(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 0; }",
    "b.cu":
      "__global__ void init(float *b) { b[threadIdx.x] = 0; }\nint main(int argc, char **argv) { int count = atoi(argv[1]); other<<<count, 32>>>(); }",
  };
  describe.each([["simulate"], ["check"], ["check", "--no-simulate"]])("names in options of %s %s", (...command) => {
    test.each<[string, string[], string]>([
      ["a launch without values", ["--launch", "k: grid"], "--launch 'k: grid', column 4: not of the form KEY=VALUE KEY=VALUE: `grid`"],
      ["a bad value", ["--launch", "k: grid=(1) block=(0)"], "--launch 'k: grid=(1) block=(0)', column 13: `block=(0)`: not (X), "],
      ["an assumption of nothing", ["--assume", "n="], "--assume 'n=', column 3: `n=` has no value"],
      ["a kernel", ["--launch", "zzz: grid=(1)"], "--launch 'zzz: grid=(1)', column 1: there is no kernel `zzz`; there are `k`, `init`"],
      ["an assumption's kernel", ["--assume", "zzz.n=1"], "--assume 'zzz.n=1', column 1: there is no kernel `zzz`; there are `k`, `init`"],
      ["registers' kernel", ["--registers", "zzz=32"], "--registers 'zzz=32', column 1: there is no kernel `zzz`; there are `k`, `init`"],
      ["a number for an array", ["--assume", "k.a=5"], "--assume 'k.a=5', column 3: `a` is an array, not a number: constant(c)"],
      ["an array for a number", ["--assume", "n=uniform(0, 4)"], "--assume 'n=uniform(0, 4)', column 1: `n` is a number, not an array"],
      ["a fraction", ["--launch", "k: grid=(1) n=0.5"], "--launch 'k: grid=(1) n=0.5', column 13: `n` is a whole number, not 0.5"],
      ["a fraction for any kernel", ["--assume", "n=0.5"], "--assume 'n=0.5', column 1: `n` is a whole number, not 0.5"],
      [
        "more than the type holds",
        ["--assume", "n=99999999999999999999999999"],
        "--assume 'n=99999999999999999999999999', column 1: `n` is from -2147483648 to 2147483647, not 1e+26",
      ],
      [
        "one more than the type holds",
        ["--launch", "k: n=1<<31"],
        "--launch 'k: n=1<<31', column 4: `n` is from -2147483648 to 2147483647, not 2147483648",
      ],
      ["a block that means nothing", ["--launch", "k: block=(99999999999)"], "--launch 'k: block=(99999999999)', column 4: "],
      [
        "registers that mean nothing",
        ["--registers", "k=4000000000"],
        "--registers 'k=4000000000', column 3: a thread has 1 to 255 registers, not 4000000000",
      ],
      ["a key", ["--launch", "k: gird=(4)"], "--launch 'k: gird=(4)', column 4: "],
      ["a misspelt key", ["--launch", "k: gri=4"], "--launch 'k: gri=4', column 4: k has no parameter `gri`; did you mean the key `grid`?"],
      [
        "a parameter",
        ["--launch", "k: grid=(1) m=4"],
        "--launch 'k: grid=(1) m=4', column 13: k has no parameter `m`; there are `a`, `n`; keys are `grid`, `block`, ",
      ],
      ["an assumption's parameter", ["--assume", "k.m=4"], "--assume 'k.m=4', column 3: k has no parameter `m`; there are `a`, `n`"],
      ["a parameter of none", ["--assume", "m=4"], "--assume 'm=4', column 1: no kernel has a parameter `m`; there are `a`, `n`, `b`"],
      ["a name in a value", ["--launch", "k: grid=(m)"], "--launch 'k: grid=(m)', column 10: k has no parameter `m`; there are `a`, `n`"],
    ])("%s", async (_, argv, message) => {
      const ran = await run(two, [...command.slice(0, 1), "a.cu", "b.cu", ...command.slice(1), ...argv]);
      expect(ran.err).toContain(`warplens: ${message}`);
      expect([ran.code, ran.out]).toEqual([2, ""]);
    });

    test.each([
      [
        "a kernel of one of the files, and its parameters",
        ["--launch", "k: grid=(n/32) block=(32) n=64", "--assume", "init.b=constant(1)"],
      ],
      ["a parameter of any kernel", ["--assume", "n=3"]],
      ["a variable of the host", ["--assume", "count=3"]],
      ["a number that no kernel takes for an array", ["--assume", "a=3"]],
      ["the most and the least that the type holds", ["--launch", "k: grid=(1) block=(32) n=(1<<31)-1", "--assume", "n=-(1<<31)"]],
      ["a kernel that another file defines", ["--launch", "other: grid=(3) whatever=3"]],
    ])("%s", async (_, argv) => {
      const ran = await run(two, [...command.slice(0, 1), "a.cu", "b.cu", ...command.slice(1), ...argv]);
      expect([ran.code === 2, ran.err]).toEqual([false, ""]);
    });
  });

  test.each([["simulate"], ["check"]])("a kernel that is not there: %s", async (command) => {
    const argv = command === "simulate" ? ["--kernel", "zzz"] : ["--assume", "zzz.n=3"];
    const whole = await run(two, [command, ".", ...argv]);
    expect([whole.code, whole.err]).toEqual([2, expect.stringContaining("there is no kernel `zzz`; there are `k`, `init`")]);
    // Another part of the files may have it.
    expect((await run(two, [command, ".", "--shard", "2/2", ...argv])).err).not.toContain("there is no kernel");
  });

  test("options of warplens.json that cannot be read, at their place", async () => {
    const { code, err } = await run({ "a.cu": clean, "warplens.json": '{\n  "launches": ["k: grid"] }' }, ["simulate", "a.cu"]);
    expect([code, err]).toEqual([2, expect.stringContaining("warplens: warplens.json:2:20: not of the form KEY=VALUE KEY=VALUE: `grid`")]);
  });

  test("the server is started by lsp --stdio", async () => {
    let served = 0;
    const { code } = await run({}, ["lsp", "--stdio"], { serve: () => Promise.resolve(void served++) });
    expect([code, served]).toEqual([0, 1]);
  });
});

describe("check", () => {
  test("exits with 0 where nothing is found, 1 where something is", async () => {
    expect((await run({ "a.cu": clean }, ["check", "a.cu"])).code).toBe(0);
    expect((await run({ "a.cu": poor }, ["check", "a.cu"])).code).toBe(1);
    for (const [level, code] of [
      ["hint", 1],
      ["information", 0],
      ["warning", 0],
      ["never", 0],
    ] as const)
      expect((await run({ "a.cu": poor }, ["check", "a.cu", "--no-simulate", "--fail-on", level])).code).toBe(code);
    expect((await run({ "a.cu": poor }, ["check", "a.cu", "--no-simulate", "--fail-level", "warning"])).code).toBe(0);
    expect((await run({ "a.cu": poor }, ["check", "a.cu", "--ignore", "instructions"])).code).toBe(0);
    expect((await run({ "a.cu": poor }, ["check", "a.cu", "--select", "legacy-warp-intrinsic,memory"])).code).toBe(0);
  });

  test("text: place, message, mark, fix, count", async () => {
    const { out } = await run({ "src/a.cu": poor }, ["check", "src/a.cu", "--no-simulate"]);
    expect(out).toContain("src/a.cu:2:23  hint double-constant-in-float\n");
    expect(out).toContain("  2 |   float x = max(a[0], 0.0);\n    |                       ^^^\n");
    expect(out).toContain("  fix  Write `0.0f`\n");
    expect(out).toMatch(/fix {2}Write `0\.1f` \(rounding may change\) \[unsafe\]/);
    expect(out).toMatch(/2 findings \(2 hints\) in 1 file\n$/);
  });

  test("colours where a person reads, unless they are not wanted", async () => {
    const argv = ["check", "a.cu", "--no-simulate"];
    expect((await run({ "a.cu": poor }, argv)).out).not.toContain("\u001B");
    expect((await run({ "a.cu": poor }, argv, { isTerminal: true })).out).toContain("\u001B[1");
    expect((await run({ "a.cu": poor }, argv, { isTerminal: true, env: { NO_COLOR: "1" } })).out).not.toContain("\u001B");
    expect((await run({ "a.cu": poor }, [...argv, "--no-color"], { isTerminal: true })).out).not.toContain("\u001B");
    expect((await run({ "a.cu": poor }, [...argv, "--color"])).out).toContain("\u001B");
  });

  test("json: with --prove each fix has what came of trying it, without there is none", async () => {
    const files = { "a.cu": sharedBankConflict.example.bad };
    const fixes = async (...argv: string[]) => {
      const { out } = await run(files, ["check", "a.cu", "--format", "json", ...argv]);
      return JSON.parse(out).files[0].diagnostics[0].fixes;
    };
    expect(await fixes("--prove")).toMatchObject([
      { title: "Pad `tile` to [32][33]", proof: { verdict: "proved", gain: {}, compared: { launches: 1, results: "equal" } } },
    ]);
    expect((await fixes())[0]).not.toHaveProperty("proof");
  });

  test("json: the report, version 1", async () => {
    const { out } = await run({ "a.cu": poor }, ["check", "a.cu", "--format", "json", "--gpu", "t4"]);
    expect(JSON.parse(out)).toMatchObject({
      version: 1,
      tool: { name: "warplens", version: expect.stringMatching(/^\d/) },
      gpu: { id: "t4", name: expect.stringContaining("T4"), computeCapability: "7.5" },
      files: [
        {
          path: "a.cu",
          diagnostics: [
            {
              ruleId: "double-constant-in-float",
              severity: "hint",
              message: expect.any(String),
              range: { start: { line: 1, character: 22 }, end: { line: 1, character: 25 } },
              kernel: "k",
              fixes: [{ title: "Write `0.0f`", safe: true, edits: [{ range: { start: { line: 1, character: 22 } }, newText: "0.0f" }] }],
            },
            { ruleId: "double-constant-in-float", fixes: [{ safe: false }] },
          ],
          launches: expect.any(Array),
          notSimulated: expect.any(Array),
        },
      ],
    });
  });

  test("sarif: 2.1.0 with rules, places and fixes", async () => {
    const { out } = await run({ "my src/a.cu": poor }, ["check", "my src", "--format", "sarif", "--no-simulate"]);
    const log = JSON.parse(out);
    expect(log).toMatchObject({ version: "2.1.0", runs: [{ tool: { driver: { name: "WarpLens" } }, columnKind: "utf16CodeUnits" }] });
    const [{ results, tool }] = log.runs;
    expect(results[0]).toMatchObject({
      ruleId: "double-constant-in-float",
      level: "note",
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "my%20src/a.cu", uriBaseId: "%SRCROOT%" },
            region: { startLine: 2, startColumn: 23, endLine: 2, endColumn: 26 },
          },
        },
      ],
      fixes: [{ artifactChanges: [{ replacements: [{ deletedRegion: { startLine: 2 }, insertedContent: { text: "0.0f" } }] }] }],
    });
    expect(tool.driver.rules[results[0].ruleIndex].id).toBe("double-constant-in-float");
  });

  test("github: one command a finding", async () => {
    const { out } = await run({ "a.cu": "__device__ int f(int x) { return __any(x); }\n" }, [
      "check",
      "a.cu",
      "--format",
      "github",
      "--no-simulate",
    ]);
    expect(out).toMatch(/^::error file=a\.cu,line=1,endLine=1,col=34,endColumn=39,title=WarpLens legacy-warp-intrinsic::`__any` .*\n$/);
  });

  test("folders are searched, headers for device code only, and not what was installed", async () => {
    const files = {
      "src/a.cu": poor,
      "src/deep/b.cuh": poor,
      "src/c.h": poor,
      "src/host.h": "int x;\n",
      "src/d.txt": poor,
      "node_modules/e.cu": poor,
      ".git/f.cu": poor,
    };
    const { out } = await run(files, ["check", ".", "--format", "json", "--no-simulate"]);
    expect(JSON.parse(out).files.map(({ path: name }: { path: string }) => name)).toEqual(["src/a.cu", "src/c.h", "src/deep/b.cuh"]);
  });

  test("a header is found through -I and a macro through -D", async () => {
    const files = {
      "a.cu": '#include "half.h"\n__global__ void k(float *a) { a[0] = a[0] * HALF * TWO; }\n',
      "inc/half.h": "#define HALF 0.7\n",
    };
    const { out } = await run(files, ["check", "a.cu", "-I", "inc", "-DTWO=2.0", "--format", "json", "--no-simulate"]);
    expect(JSON.parse(out).files[0].diagnostics).toHaveLength(1);
  });
});

describe("check --fix", () => {
  test("applies the safe fixes, and the others when told to", async () => {
    const safe = await run({ "a.cu": poor }, ["check", "a.cu", "--fix", "--no-simulate"]);
    expect(safe.read("a.cu")).toBe(poor.replace("0.0", "0.0f"));
    expect(safe.code).toBe(1);
    const all = await run({ "a.cu": poor }, ["check", "a.cu", "--fix", "--unsafe-fixes", "--no-simulate"]);
    expect(all.read("a.cu")).toBe(poor.replace("0.0", "0.0f").replace("0.1", "0.1f"));
    expect(all.code).toBe(0);
  });

  test("keeps line ends, a byte order mark and everything else", async () => {
    const text = `\uFEFF// é\r\n${poor.replaceAll("\n", "\r\n")}`;
    expect((await run({ "a.cu": text }, ["check", "a.cu", "--fix", "--no-simulate"])).read("a.cu")).toBe(text.replace("0.0", "0.0f"));
  });

  test("does not touch what is not UTF-8", async () => {
    const bytes = Buffer.concat([Buffer.from("// \xe9\n", "latin1"), Buffer.from(poor)]);
    const ran = await run({ "a.cu": bytes }, ["check", "a.cu", "--fix", "--no-simulate"]);
    expect(ran.err).toContain("a.cu is not UTF-8: it is not changed");
    expect(ran.code).toBe(1);
  });

  test("leaves a file without findings alone", async () => {
    const ran = await run({ "a.cu": clean }, ["check", "a.cu", "--fix", "--no-simulate"]);
    expect(ran).toMatchObject({ code: 0, err: "" });
  });
});

describe("check --baseline", () => {
  test("records, then reports what is new, wherever the old has moved", async () => {
    const cwd = folderWith();
    const file = path.join(cwd, "a.cu");
    const argv = ["check", "a.cu", "--no-simulate", "--baseline", "known.json"];
    writeFileSync(file, poor);
    expect(await runIn(cwd, argv)).toMatchObject({ code: 0, err: "recorded 2 findings in known.json\n" });
    expect((await runIn(cwd, argv)).code).toBe(0);
    writeFileSync(file, `// moved\n\n${poor.replace("}", "  a[1] *= 0.7;\n}")}`);
    const { code, out } = await runIn(cwd, argv);
    expect(code).toBe(1);
    expect(out).toContain("a.cu:6:11");
    expect(out).toContain("1 finding (1 hint)");
  });

  const entry = '{ "path": "a.cu", "ruleId": "r", "text": "x", "count": 1 }';
  test.each<[string, string, string]>([
    ["is no JSON", '{\n  "findings": [}', "2:16: this is not JSON: value expected"],
    ["is nested without end", "[".repeat(100_000), "1:101: this is nested too deep"],
    ["is a list behind a byte order mark", "\uFEFF[]", "1:2: a baseline has a list of `findings`"],
    ["is empty", "", "1:1: "],
    ["is a list", "[]", "1:1: a baseline has a list of `findings`"],
    ["has no list", '{ "version": 1, "findings": 3 }', "1:29: a baseline has a list of `findings`"],
    ["is of another version", '{ "version": 2, "findings": [] }', "1:14: this is no baseline of version 1"],
    [
      "has a finding without a rule",
      `{ "findings": [\n${entry},\n ${entry.replace("ruleId", "rule")}] }`,
      "3:2: a finding has `path`, `ruleId` and ",
    ],
    ["has a count that is none", `{ "findings": [\n${entry.replace(": 1", ": 0.5")}] }`, "2:1: a finding has `path`, `ruleId` and "],
  ])("that %s is told with its place", async (_, text, message) => {
    const { code, err } = await run({ "a.cu": poor, "b.json": text }, ["check", "a.cu", "--no-simulate", "--baseline", "b.json"]);
    expect([code, err]).toEqual([2, expect.stringContaining(`warplens: b.json:${message}`)]);
    expect(err).toContain("; it stays as it is: remove it to record a new one\n");
  });

  test.each<[string, string, string[]]>([
    ["the source", "a.cu", ["--baseline", "a.cu"]],
    ["what warplens.json names", "lint/flags.json", []],
  ])("is not recorded over what is none: %s", async (_, name, argv) => {
    const files = { "a.cu": poor, "lint/flags.json": '{ "precious": true }', "warplens.json": '{ "baseline": "lint/flags.json" }' };
    const cwd = folderWith(files);
    const before = readFileSync(path.join(cwd, name), "utf8");
    const { code, err } = await runIn(cwd, ["check", "a.cu", "--no-simulate", "--write-baseline", ...argv]);
    expect([code, err]).toEqual([2, expect.stringContaining(`${name}:1:1: `)]);
    expect(readFileSync(path.join(cwd, name), "utf8")).toBe(before);
  });

  test("is recorded in an empty file", async () => {
    const cwd = folderWith({ "a.cu": poor, "known.json": "" });
    const { code, err } = await runIn(cwd, ["check", "a.cu", "--no-simulate", "--baseline", "known.json", "--write-baseline"]);
    expect([code, err]).toEqual([0, "recorded 2 findings in known.json\n"]);
  });

  test("is not written anew where files failed: what is known of them would be lost", async () => {
    const cwd = folderWith({ "a.cu": poor, "b/b.cu": poor });
    const argv = ["check", ".", "--no-simulate", "--baseline", "known.json"];
    expect((await runIn(cwd, argv)).err).toBe("recorded 4 findings in known.json\n");
    const known = readFileSync(path.join(cwd, "known.json"), "utf8");
    writeInto(cwd, { "b/warplens.json": "{" });
    const { code, err } = await runIn(cwd, [...argv, "--write-baseline"]);
    expect(code).toBe(2);
    expect(err).toContain("known.json is not written: what failed may have findings");
    expect(readFileSync(path.join(cwd, "known.json"), "utf8")).toBe(known);
  });

  test("is of all files, not of a shard", async () => {
    const argv = ["check", "a.cu", "--no-simulate", "--baseline", "known.json", "--shard", "1/2"];
    for (const more of [[], ["--write-baseline"]])
      expect(await run({ "a.cu": poor }, [...argv, ...more])).toMatchObject({
        code: 2,
        err: "warplens: a baseline is of all files: record it without --shard\n",
      });
  });

  test("that is not there: recorded by a person, refused in CI unless it is asked for", async () => {
    const argv = ["check", "a.cu", "--no-simulate", "--baseline", "known.json"];
    const ci = { env: { CI: "true" } };
    expect(await run({ "a.cu": poor }, argv, ci)).toMatchObject({
      code: 2,
      err: "warplens: there is no baseline known.json; `warplens check --baseline FILE --write-baseline` records one\n",
    });
    const ran = await run({ "a.cu": poor }, [...argv, "--write-baseline"], ci);
    expect(ran).toMatchObject({ code: 0, err: "recorded 2 findings in known.json\n" });
    expect(JSON.parse(ran.read("known.json"))).toEqual({
      version: 1,
      findings: [
        { path: "a.cu", ruleId: "double-constant-in-float", text: "a[threadIdx.x] = x * 0.1;", count: 1 },
        { path: "a.cu", ruleId: "double-constant-in-float", text: "float x = max(a[0], 0.0);", count: 1 },
      ],
    });
  });

  test.each([
    ["known.json", [], "the baseline known.json that warplens.json names is behind a link that leads out of its folder"],
    ["inner.json", [], "inner.json is a link: name the file that it leads to"],
    ["inner.json", ["--baseline", "known.json"], "known.json is a link: name the file that it leads to"],
  ])("is not written through a link: %s %j", async (baseline, argv, reason) => {
    const elsewhere = path.join(folderWith({ profile: "precious" }), "profile");
    const cwd = folderWith({ "a.cu": poor, inside: "precious", "warplens.json": JSON.stringify({ baseline }) });
    symlinkSync(elsewhere, path.join(cwd, "known.json"));
    symlinkSync("inside", path.join(cwd, "inner.json"));
    const { code, err } = await runIn(cwd, ["check", "a.cu", "--no-simulate", "--write-baseline", ...argv]);
    expect([code, err]).toEqual([2, expect.stringContaining(reason)]);
    expect([elsewhere, path.join(cwd, "inside")].map((file) => readFileSync(file, "utf8"))).toEqual(["precious", "precious"]);
  });

  test("that warplens.json names is neither read nor written behind a linked folder that leads out or is hidden; one that is typed is", async () => {
    const outside = folderWith({ "here.json": "[]" });
    const cwd = folderWith({ "a.cu": poor, "in/x": "", ".git/x": "" });
    symlinkSync(outside, path.join(cwd, "out"));
    symlinkSync("in", path.join(cwd, "within"));
    symlinkSync(".git", path.join(cwd, "inner"));
    const check = (baseline: string, ...argv: string[]) => {
      writeInto(cwd, { "warplens.json": JSON.stringify({ baseline }) });
      return runIn(cwd, ["check", "a.cu", "--no-simulate", ...argv]);
    };
    const refused = (file: string) => `the baseline ${file} that warplens.json names is behind a link that leads out of its folder\n`;
    expect(await check("out/new.json", "--write-baseline")).toMatchObject({ code: 2, err: refused("out/new.json") });
    expect(await check("out/here.json")).toMatchObject({ code: 2, err: refused("out/here.json") });
    expect(readdirSync(outside)).toEqual(["here.json"]);
    expect(await check("inner/new.json", "--write-baseline")).toMatchObject({
      code: 2,
      err: "the baseline inner/new.json that warplens.json names is behind a link that leads into a hidden folder\n",
    });
    expect(await check("within/new.json", "--write-baseline")).toMatchObject({ code: 0 });
    expect(await check("within/new.json")).toMatchObject({ code: 0 });
    expect(await check("in/x.json", "--baseline", "out/new.json", "--write-baseline")).toMatchObject({ code: 0 });
    expect(readdirSync(outside)).toEqual(["here.json", "new.json"]);
  });

  test.runIf(process.platform !== "win32")("is not written to what is no file", async () => {
    const cwd = folderWith({ "a.cu": poor });
    spawnSync("mkfifo", [path.join(cwd, "pipe")]);
    const argv = ["check", "a.cu", "--no-simulate", "--baseline", "pipe", "--write-baseline"];
    expect(await runIn(cwd, argv)).toMatchObject({
      code: 2,
      err: "warplens: pipe is not read: it is a pipe, not a file\n",
    });
    expect(lstatSync(path.join(cwd, "pipe")).isFIFO()).toBe(true);
  });

  test("that warplens.json names", async () => {
    const files = { "warplens.json": '{ "baseline": "lint/known.json" }', "lint/x": "", "src/a.cu": poor };
    const cwd = folderWith(files);
    expect(await runIn(cwd, ["check", "src", "--no-simulate"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("there is no baseline"),
    });
    expect((await runIn(cwd, ["check", "src", "--no-simulate", "--write-baseline"])).code).toBe(0);
    expect((await runIn(path.join(cwd, "src"), ["check", ".", "--no-simulate"])).code).toBe(0);
  });

  test("is about files relative to it, wherever it is used from, and knows as many equal lines as there were", async () => {
    const cwd = folderWith({ "src/a.cu": poor });
    await runIn(cwd, ["check", "src", "--no-simulate", "--baseline", "known.json"]);
    expect((await runIn(path.join(cwd, "src"), ["check", "a.cu", "--no-simulate", "--baseline", "../known.json"])).code).toBe(0);
    writeFileSync(
      path.join(cwd, "src/a.cu"),
      poor.replace(
        "float x = max(a[0], 0.0);",
        "float x = max(a[0], 0.0);\n  { float x = max(a[0], 0.0); }\n    float  x = max(a[0], 0.0);",
      ),
    );
    expect((await runIn(cwd, ["check", "src", "--no-simulate", "--baseline", "known.json"])).out).toContain("2 findings (2 hints)");
  });

  test("in a header, found from a source", async () => {
    const cwd = folderWith({ "k.cuh": header, "a.cu": including("k<<<1024, 256>>>(o, p);") });
    const argv = ["check", "a.cu", "--baseline", "known.json"];
    await runIn(cwd, argv);
    expect(JSON.parse((await runIn(cwd, [...argv, "--format", "json"])).out).files.map(({ path: name }: { path: string }) => name)).toEqual(
      ["a.cu", "k.cuh"],
    );
    writeFileSync(path.join(cwd, "k.cuh"), `\n// moved\n${header}`);
    expect(await runIn(cwd, argv)).toMatchObject({ code: 0 });
  });
});

describe("warplens.json", () => {
  const check = (settings: string, ...argv: string[]) =>
    run({ "warplens.json": settings, "src/a.cu": poor }, ["check", "src", "--no-simulate", ...argv]);

  test("chooses the GPU and the levels of rules, from the nearest folder above", async () => {
    const { out, code } = await check('{ "gpu": "v100", "rules": { "double-constant-in-float": "warning" } }', "--format", "json");
    const report = JSON.parse(out);
    expect(report.gpu.id).toBe("v100-sxm2");
    expect(report.files[0].diagnostics[0].severity).toBe("warning");
    expect(code).toBe(1);
  });

  test("silences rules", async () => expect((await check('{ "ignore": ["instructions"] }')).code).toBe(0));

  test.each([
    ["not JSON", '{\n  "gpu": h200\n}', /warplens\.json:2:10: this is not JSON: invalid symbol/],
    ["not an object", "[]", /warplens\.json:1:1: this must be an object/],
    ["an unknown key", '{ "gpux": "h200" }', /warplens\.json:1:3: a key `gpux` means nothing; did you mean `gpu`\?/],
    ["a value of the wrong kind", '{ "defines": "N" }', /warplens\.json:1:14: `defines` should be a list of texts/],
    ["an unknown rule", '{ "rules": { "unsigned": "off",\n "nothing": "off" } }', /warplens\.json:2:2: There is no rule `nothing`/],
    [
      "a GPU that cannot be",
      '{ "gpus": [\n  { "id": "mine", "extends": "h200",\n    "figures": { "smcount": 66 } }] }',
      /warplens\.json:3:18: gpus\[0\]\.figures\.smcount: no figure is called smcount; did you mean smCount\?/,
    ],
    ["an unknown GPU", '{ "gpu": "h300" }', /warplens\.json: there is no GPU model `h300`/],
  ])("%s is said, and where", async (_, settings, message) => {
    const ran = await check(settings);
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(message);
  });
});

describe("a GPU of the project's own", () => {
  const project = {
    "warplens.json": `{
      // Half of it.
      "gpus": [{ "id": "half-h200", "name": "Half H200", "extends": "h200", "figures": { "smCount": 66, "maxBlocksPerSm": 8 } }],
    }`,
  };
  const ask = async (...argv: string[]) => (await run({ ...project, "src/a.cu": strided }, argv)).out;

  test("is simulated where --gpu names it, in any folder of the project", async () => {
    const report = JSON.parse(await ask("simulate", "src/a.cu", "--gpu", "half-h200", "--format", "json"));
    expect(report.gpu).toEqual({ id: "half-h200", name: "Half H200", computeCapability: "9.0" });
    const whole = JSON.parse(await ask("simulate", "src/a.cu", "--gpu", "h200", "--format", "json"));
    const waves = ({ files }: typeof report): number => files[0].launches[0].occupancy.wavesPerSm;
    expect(waves(report)).toBeCloseTo(2 * waves(whole), 5);
  });

  test("is listed, with whose its figures are", async () => {
    expect(await ask("gpus")).toMatch(/^half-h200 +Half H200 +9\.0 +66 /m);
    expect(await ask("gpus", "half-h200")).toMatch(/^smCount +66 SMs +specified +warplens\.json, gpus$/m);
    const { gpus, sources } = JSON.parse(await ask("gpus", "half-h200", "--format", "json"));
    expect(gpus).toMatchObject([{ extends: "h200", figures: { smCount: { value: 66, source: "user" }, clock: { value: 1980 } } }]);
    expect(sources).toHaveProperty("user");
  });

  test("has its own occupancy", async () => {
    expect(await ask("occupancy", "--gpu", "half-h200", "--registers", "32", "--block", "128")).toMatch(/Half H200: 50 % occupancy/);
    const line = '{"gpu":"half-h200","registers":32,"blockSize":128}\n';
    const { out } = await run(project, ["occupancy", "--stdin"], { stdin: line });
    expect(JSON.parse(out)).toMatchObject({ blocksPerSm: 8, limiters: ["blocks"] });
  });
});

describe("settings that are wrong cost the files they are for, and no others", () => {
  const bad = '{ "gpu": h200 }';
  const files = { "a/x.cu": strided, "b/warplens.json": bad, "b/x.cu": strided, "b/y.cu": strided };
  const told = /^b\/warplens\.json:1:10: .+\nb\/x\.cu and 1 more: not inspected\n$/;

  test.each(["check", "simulate"])("%s", async (command) => {
    const { code, out, err } = await run(files, [command, "a", "b", "--format", "json"]);
    expect(code).toBe(2);
    expect(err).toMatch(told);
    const report = JSON.parse(out);
    expect(report.files.map(({ path, launches }: { path: string; launches: unknown[] }) => [path, launches.length])).toEqual([
      ["a/x.cu", 1],
      ["b/x.cu", 0],
      ["b/y.cu", 0],
    ]);
    expect(report.files[1].failures).toEqual([{ stage: "settings", reason: expect.stringMatching(/^b\/warplens\.json:1:10: /) as string }]);
  });

  test("for what would be changed, too", async () => {
    expect(await run(files, ["check", "a", "b", "--diff"])).toMatchObject({ code: 2, err: expect.stringMatching(told) as string });
  });

  test("whichever comes first, and where they are those of the working directory", async () => {
    const first = await run(files, ["check", "b", "a"]);
    expect(first.err).toMatch(told);
    expect(first.out).toContain("a/x.cu");
    const above = await run({ "warplens.json": bad, "x.cu": strided, "a/warplens.json": "{}", "a/x.cu": strided }, ["check", "."]);
    expect(above).toMatchObject({ code: 2, out: expect.stringContaining("a/x.cu") as string });
    expect(above.err).toMatch(/^warplens\.json:1:10: .+\nx\.cu: not inspected\n$/);
  });

  test("where there are no others that is all there is to say", async () => {
    const { code, out, err } = await run({ "warplens.json": bad, "a.cu": strided }, ["check", "."]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^warplens: warplens\.json:1:10: .+\n$/);
  });

  test.each([
    ["launches", "kk: grid=(1) block=(32)", "launches 'kk: grid=(1) block=(32)', column 1: there is no kernel `kk`; there are `copy`, `k`"],
    ["assume", "copy.m=3", "assume 'copy.m=3', column 6: copy has no parameter `m`; there are "],
  ])("names that %s say and the project does not have", async (key, text, problem) => {
    const project = { "p/warplens.json": JSON.stringify({ [key]: [text] }), "p/x.cu": strided, "p/y.cu": clean, "z.cu": clean };
    const whole = await run(project, ["check", "."]);
    expect(whole).toMatchObject({ code: 2, err: expect.stringContaining(`p/warplens.json: ${problem}`) as string });
    expect(whole.out).toContain("p/x.cu");
    // What is meant may stand in what is not looked at.
    expect(await run(project, ["check", "p/y.cu"])).toMatchObject({ code: 0, err: "" });
  });

  test("folders of headers that are not there are told, once", async () => {
    const project = { "warplens.json": '{ "includeDirs": ["inc"] }', "x.cu": clean, "y.cu": clean };
    expect(await run(project, ["check", ".", "-I", "none"])).toMatchObject({
      code: 0,
      err: "--include: there is no folder none\nwarplens.json: includeDirs: there is no folder inc\n",
    });
  });
});

describe("bad input", () => {
  test("binary bytes: an error, named or found; a header may be anything", async () => {
    const bytes = new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 2]);
    expect(await run({ "a.cu": bytes }, ["check", "a.cu"])).toMatchObject({
      code: 2,
      err: "warplens: a.cu is not read: it is not UTF-8 text\n",
    });
    for (const command of ["check", "simulate"])
      expect(await run({ "a.cu": bytes, "b.cu": `${clean}// warplens: grid=no\n` }, [command, "a.cu", "b.cu", "c.cu"])).toMatchObject({
        code: 2,
        err: "a.cu is not read: it is not UTF-8 text\nthere is no c.cu; did you mean a.cu?\n",
        out: expect.stringContaining("b.cu") as string,
      });
    const found = { "x/a.cu": bytes, "x/a.hpp": bytes, "x/b.cu": clean };
    expect(await run(found, ["check", "x", "--format", "github"])).toMatchObject({
      code: 2,
      err: "x/a.hpp is not read: it is not UTF-8 text; it is left out\nx/a.cu is not read: it is not UTF-8 text\n",
      out: "::error file=x/a.cu,title=WarpLens::read failed: x/a.cu is not read: it is not UTF-8 text\n",
    });
  });

  test("what is no CUDA C++ is told, rather than that nothing is found in it", async () => {
    const { code, err } = await run({ "a.cu": "# Notes\n\nWhat stands here is *no* program: it is prose.\n" }, ["check", "a.cu"]);
    expect(code).toBe(0);
    expect(err).toMatch(/^a\.cu: line \d: from here on \d+ % of the file do not parse as CUDA C\+\+: what is said of it is incomplete\n$/);
  });

  test.each([
    ["empty", ""],
    ["unbalanced braces", "__global__ void k(float *a) { if (a[0] > { a[1] = 0.5 * ; }\n"],
    ["more closing than opening", "}}}}\n__global__ void k(float *a) { a[0] = 1; } }\n"],
    ["one long line", `__global__ void k(float *a) { ${"a[0] += 1.0f; ".repeat(5000)} }\n`],
  ])(
    "%s",
    async (_, text) => {
      const ran = await run({ "a.cu": text }, ["check", "a.cu"]);
      expect(ran.code).toBeLessThan(2);
      expect(ran.err.replace(/^a\.cu: line 1: from here on \d+ % of the file do not parse .*\n/, "")).toBe("");
    },
    120_000,
  );

  test("50,000 lines", async () => {
    const kernels = Array.from(
      { length: 10_000 },
      (_, i) => `__global__ void k${i}(float *a) {\n  int t = threadIdx.x;\n  a[t] = ${i}.0f;\n}\n`,
    );
    const ran = await run({ "a.cu": kernels.join("\n") }, ["check", "a.cu", "--no-simulate"]);
    expect(ran).toMatchObject({ code: 0, err: "" });
  });

  test("a folder without CUDA", async () => {
    expect(await run({ "x/readme.txt": "no" }, ["check", "x"])).toMatchObject({ code: 0, err: "x: no CUDA sources\n" });
  });
});

const strided = `#include <cstdlib>
__global__ void copy(float *out, const float *in, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * stride];
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  float *in, *out;
  cudaMalloc(&in, 1 << 26);
  cudaMalloc(&out, 1 << 26);
  copy<<<n / 256, 256>>>(out, in, n, 4);
}
`;

describe("simulate", () => {
  const report = async (...argv: string[]) =>
    JSON.parse((await run({ "a.cu": strided }, ["simulate", "a.cu", "--format", "json", ...argv])).out);

  test("json: what the contract names, and nothing that it does not", async () => {
    const { version, gpu, files } = await report();
    expect(version).toBe(1);
    expect(gpu).toEqual({ id: "h200", name: "NVIDIA H200", computeCapability: "9.0" });
    const [{ launches, notSimulated }] = files;
    expect(notSimulated).toEqual([]);
    const [launch] = launches;
    expect(launch).toMatchObject({
      kernel: "copy",
      templateArguments: [],
      line: 11,
      grid: [4096, 1, 1],
      block: [256, 1, 1],
      dynamicSharedBytes: 0,
      resources: { registersPerThread: { value: expect.any(Number), basis: "estimated" }, staticSharedBytes: 0 },
      occupancy: { theoreticalPct: 100, blocksPerSm: 8, limiters: expect.arrayContaining(["warps"]) },
      traffic: { globalLoadRequests: 32768, globalLoadSectors: 32768 * 16, globalStoreRequests: 32768, globalStoreSectors: 32768 * 4 },
      lines: { 4: { globalRequests: 65536, globalSectors: 32768 * 20, globalSectorsIdeal: 65536 * 4 } },
      otherLines: {},
      simulated: { of: 4096 },
    });
    const known =
      "kernel templateArguments line grid block dynamicSharedBytes resources occupancy traffic shared instructions time lines otherLines assumptions simulated";
    expect(known.split(" ")).toEqual(expect.arrayContaining(Object.keys(launch)));
  });

  test("on several GPUs: a report each", async () => {
    const reports = await report("--gpu", "v100,h200");
    expect(reports.map(({ gpu }: { gpu: { id: string } }) => gpu.id)).toEqual(["v100-sxm2", "h200"]);
  });

  test("text: launches with their lines", async () => {
    const { out } = await run({ "a.cu": strided }, ["simulate", "a.cu"]);
    expect(out).toMatch(/^NVIDIA H200, compute capability 9\.0\n\na\.cu\n\n {2}copy line 11\n/);
    expect(out).toMatch(/launch +4096 blocks of 256 threads/);
    expect(out).toMatch(/line 4 .*load 16 sectors\/request, ideal 4/);
  });

  test("what the source cannot say: main's arguments, launches, values, registers", async () => {
    const launchOf = async (...argv: string[]) => (await report(...argv)).files[0].launches[0];
    expect((await launchOf("--argv", "51200")).grid).toEqual([200, 1, 1]);
    expect(await launchOf("--launch", "copy: grid=(10) block=(64)")).toMatchObject({ grid: [10, 1, 1], block: [64, 1, 1] });
    expect((await launchOf("--assume", "copy.stride=1")).traffic.globalLoadSectors).toBe(32768 * 4);
    expect((await launchOf("--registers", "copy=64")).resources.registersPerThread).toMatchObject({ value: 64, basis: "annotated" });
  });

  test("a kernel by name", async () => {
    const both = `${strided}\n__global__ void other(float *a) { a[threadIdx.x] = 1.0f; }\n`;
    const { out } = await run({ "a.cu": both }, ["simulate", "a.cu", "--kernel", "other", "--format", "json"]);
    const [{ launches }] = JSON.parse(out).files;
    expect(launches.map(({ kernel }: { kernel: string }) => kernel)).toEqual(["other"]);
  });

  test("a compiler that is not there leaves the estimate, and says so", async () => {
    const ran = await run({ "a.cu": strided }, ["simulate", "a.cu", "--nvcc", "/no/nvcc", "--format", "json"]);
    expect(ran.err).toContain("a.cu: There is no nvcc at /no/nvcc; registers are estimated.");
    expect(JSON.parse(ran.out).files[0].launches[0].resources.registersPerThread.basis).toBe("estimated");
  });

  test("a kernel that never ends is named, and the others are simulated", async () => {
    const endless = `__global__ void spin(int *a) { while (true) a[threadIdx.x]++; }\n${strided.replace("copy<<<", "spin<<<1, 32>>>((int *)in);\n  copy<<<")}`;
    const { out, code } = await run({ "a.cu": endless }, ["simulate", "a.cu", "--format", "json"]);
    const [{ launches, notSimulated }] = JSON.parse(out).files;
    expect(code).toBe(0);
    expect(launches.map(({ kernel }: { kernel: string }) => kernel)).toEqual(["copy"]);
    expect(notSimulated).toEqual([{ kernel: "spin", line: 12, reason: expect.stringMatching(/gave up|never end/) }]);
  });
});

describe("a strided access", () => {
  test("is found by check, with the launch that makes it so", async () => {
    const { out, code } = await run({ "a.cu": strided }, ["check", "a.cu", "--format", "json"]);
    expect(code).toBe(1);
    const [{ diagnostics }] = JSON.parse(out).files;
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({
      ruleId: "strided-global-access",
      severity: "warning",
      kernel: "copy",
      range: { start: { line: 3, character: 22 }, end: { line: 3, character: 36 } },
      related: [{ path: "a.cu", range: { start: { line: 10 } } }],
    });
    expect(diagnostics[0].message).toContain(
      "4 elements (16 bytes) apart because of `threadIdx.x` in `i * stride`; 16 sectors/request, ideal 4",
    );
  });

  const files = {
    "k.cuh": header,
    "a.cu": including("k<<<1024, 256>>>(o, p); k<<<512, 256>>>(o, p);"),
    "b.cu": including("k<<<2048, 256>>>(o, p);"),
  };
  type Entry = { readonly path: string; readonly diagnostics: readonly unknown[]; readonly launches: readonly unknown[] };
  const counts = (out: string): unknown[] =>
    JSON.parse(out).files.map(({ path: name, diagnostics, launches }: Entry) => [name, diagnostics.length, launches.length]);

  test.each<[string, string[], unknown[]]>([
    [
      "a folder",
      ["."],
      [
        ["a.cu", 0, 2],
        ["b.cu", 0, 1],
        ["k.cuh", 1, 0],
      ],
    ],
    [
      "a source that includes it",
      ["a.cu"],
      [
        ["a.cu", 0, 2],
        ["k.cuh", 1, 0],
      ],
    ],
    [
      "several sources that include it",
      ["b.cu", "a.cu"],
      [
        ["b.cu", 0, 1],
        ["a.cu", 0, 2],
        ["k.cuh", 1, 0],
      ],
    ],
  ])("in a header stands under the header, once: %s", async (_, paths, expected) => {
    expect(counts((await run(files, ["check", ...paths, "--format", "json"])).out)).toEqual(expected);
  });

  test("in a header, from the report of a source", async () => {
    expect(counts((await run(files, ["simulate", "a.cu", "b.cu", "--format", "json"])).out)).toEqual([
      ["a.cu", 0, 2],
      ["b.cu", 0, 1],
      ["k.cuh", 1, 0],
    ]);
  });

  test.each<[string, string[], unknown[]]>([
    [
      "with whoever includes it, where a folder is searched",
      ["."],
      [
        ["k.cuh", 1, 0],
        ["main.cu", 0, 1],
      ],
    ],
    ["by itself, where it is named", ["k.cuh"], [["k.cuh", 1, 1]]],
  ])("of a kernel in a header is simulated %s", async (_, paths, expected) => {
    const [kernel = "", ...rest] = including("k<<<1024, 256>>>(o, p);").split("\nint main");
    const apart = { "k.cuh": header + kernel.slice(kernel.indexOf("__global__")), "main.cu": `#include "k.cuh"\nint main${rest.join("")}` };
    expect(counts((await run(apart, ["check", ...paths, "--format", "json"])).out)).toEqual(expected);
  });

  test("in a header is shown with the header's own line, in every format", async () => {
    const text = (await run(files, ["check", "a.cu", "b.cu"])).out;
    expect(text).toContain(`k.cuh:1:53  warning strided-global-access`);
    expect(text).toContain(`  1 | ${header}`);
    expect(text).toMatch(/1 finding \(1 warning\) in 3 files, 3 launches simulated\n$/);
    expect((await run(files, ["check", "a.cu", "b.cu", "--format", "github"])).out).toMatch(/^::warning file=k\.cuh,line=1,[^\n]*\n$/);
    const { runs } = JSON.parse((await run(files, ["check", "a.cu", "b.cu", "--format", "sarif"])).out);
    expect(runs[0].results).toHaveLength(1);
    expect(runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri).toBe("k.cuh");
  });
});

describe("occupancy", () => {
  const guide = ["occupancy", "--gpu", "v100", "--registers", "37", "--block"];

  test("the guide's examples", async () => {
    expect(JSON.parse((await run({}, [...guide, "128", "--format", "json"])).out)).toMatchObject({
      blocksPerSm: 12,
      activeWarpsPerSm: 48,
      occupancyPct: 75,
    });
    expect(JSON.parse((await run({}, [...guide, "320", "--format", "json"])).out)).toMatchObject({ blocksPerSm: 4, occupancyPct: 62.5 });
  });

  test("in words", async () => {
    const { out, code } = await run({}, [...guide, "128"]);
    expect(code).toBe(0);
    expect(out).toContain("75 % occupancy");
    expect(out).toMatch(/limited by {2}registers/);
  });

  test("what would change it, in words and as JSON", async () => {
    const argv = ["occupancy", "--gpu", "v100", "--registers", "46", "--block", "256"];
    const { out } = await run({}, argv);
    expect(out).toMatch(/next step {3}6 fewer registers a thread: 75 %/);
    expect(out).toMatch(/best block {2}640, 320, 256, .*: 63 %/);
    expect(out).toMatch(/3 more registers a thread: 50 %/);
    expect(JSON.parse((await run({}, [...argv, "--format", "json"])).out)).toMatchObject({
      occupancyPct: 62.5,
      l1Bytes: 131072,
      gains: [{ resource: "registers", value: 40, change: -6, occupancyPct: 75, words: "6 fewer registers a thread: 75 %" }],
      nextStep: "6 fewer registers a thread: 75 %",
      bestOccupancyPct: 62.5,
    });
  });

  test("of clusters, where there are any", async () => {
    const argv = ["occupancy", "--registers", "16", "--dynamic-shared", "40960", "--block", "256", "--cluster", "16"];
    expect((await run({}, [...argv, "--gpu", "h200"])).out).toMatch(/clusters {4}35 of 16 blocks/);
    expect(JSON.parse((await run({}, [...argv, "--gpu", "h200", "--format", "json"])).out)).toMatchObject({ activeClusters: 35 });
    expect(await run({}, [...argv, "--gpu", "a100"])).toMatchObject({ code: 2, err: expect.stringMatching(/has no clusters/) });
  });

  test("of a compute capability", async () => {
    expect((await run({}, ["occupancy", "--gpu", "sm_70", "--registers", "37", "--block", "128"])).out).toContain(
      "compute capability 7.0: 75 %",
    );
  });

  test("line by line", async () => {
    const lines = [
      '{"gpu":"v100","registers":37,"staticShared":0,"dynamicShared":0,"blockSize":128,"carveout":null}',
      '{"computeCapability":"9.0","registers":32,"staticShared":0,"dynamicShared":0,"blockSize":1024}',
      "{",
      '{"gpu":"x","registers":1,"blockSize":32}',
      '{"gpu":"t4","registers":"1","blockSize":32}',
      '{"gpu":"t4","registers":1,"blockSize":0}',
      '{"gpu":"t4","registers":1,"blockSize":32,"staticShared":1e300}',
    ];
    const { out, err, code } = await run({}, ["occupancy", "--stdin"], { stdin: `${lines.join("\n")}\n` });
    expect(
      out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { blocksPerSm: 12, activeWarpsPerSm: 48, occupancyPct: 75, limiters: ["registers"] },
      { blocksPerSm: 2, activeWarpsPerSm: 64, occupancyPct: 100, limiters: ["warps", "registers"] },
      { error: "not JSON" },
      { error: "there is no GPU or compute capability x" },
      { error: "registers must be a number" },
      { error: "blockSize must be a whole number of threads, at least 1" },
      { error: "staticShared must be a whole number of bytes, the GPU allows 65,536" },
    ]);
    expect(err).toContain("line 3: not JSON\n");
    expect(code).toBe(2);
  });

  test.each<[string, string[], string]>([
    ["no block", ["--registers", "32"], "occupancy needs --block N"],
    ["not a number", ["--registers", "many", "--block", "32"], "--registers must be a whole number: many"],
    [
      "an impossible carveout",
      ["--registers", "32", "--block", "32", "--carveout", "120"],
      "--carveout must be a whole percentage from 0 to 100",
    ],
    [
      "shared memory that means nothing",
      ["--registers", "32", "--block", "32", "--static-shared", "99999999999999"],
      "--static-shared must be a whole number of bytes, the GPU allows 232,448",
    ],
    [
      "dynamic shared memory that means nothing",
      ["--registers", "32", "--block", "32", "--dynamic-shared", "99999999999999"],
      "--dynamic-shared must be a whole number of bytes, the GPU allows 232,448",
    ],
    [
      "a block that means nothing",
      ["--registers", "32", "--block", "99999999999"],
      "--block must be a whole number of threads, the GPU allows 1,024",
    ],
    [
      "registers that mean nothing",
      ["--registers", "4000000000", "--block", "32"],
      "--registers must be a whole number of registers, the GPU allows 255",
    ],
  ])("%s", async (_, argv, message) => {
    const ran = await run({}, ["occupancy", ...argv]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(message);
  });
});

describe("catalogues", () => {
  test("gpus", async () => {
    expect((await run({}, ["gpus"])).out).toMatch(/^h200 .* 9\.0 /m);
    expect((await run({}, ["gpus", "h200"])).out).toMatch(/^smCount +132 SMs +\w+ +\S/m);
    const { gpus, sources } = JSON.parse((await run({}, ["gpus", "--format", "json"])).out);
    for (const gpu of gpus)
      for (const figure of Object.values<{ source: string }>(gpu.figures)) expect(sources).toHaveProperty([figure.source]);
  });

  test("rules", async () => {
    expect((await run({}, ["rules"])).out).toMatch(/^unsigned-loop-counter +hint /m);
    const { rules } = JSON.parse((await run({}, ["rules", "--format", "json"])).out);
    expect(rules.find(({ id }: { id: string }) => id === "legacy-warp-intrinsic")).toMatchObject({
      severity: "error",
      guide: { document: "volta", section: "1.4.1.2" },
    });
  });

  test("explain", async () => {
    expect((await run({}, ["explain", "double-constant-in-float"])).out).toMatch(/^# double-constant-in-float\n/);
  });
});
