import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { bundled } from "../testing/bundled.ts";
import { processInspector } from "./jobs/process.ts";
import { folderWith, runIn } from "./testing/command.ts";

const kernel = (factor: string) => `#include "n.cuh"
__global__ void k(float *a, const float *b) { int i = blockIdx.x * blockDim.x + threadIdx.x; a[i] = b[i * N] * ${factor}; }
int main() { float *a, *b; cudaMalloc(&a, 1 << 24); cudaMalloc(&b, 1 << 26); k<<<16384, 256>>>(a, b); }
`;
const sources = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`src/${index}/main.cu`, kernel(`${index}.5`)]));
const project = { "warplens.json": '{ "includeDirs": ["."] }', "n.cuh": "#define N 4\n__device__ double half = 0.5;\n", ...sources };

const timeless = (text: string): string => text.replace(/"ms": [\d.]+/g, '"ms": 0');

test("many files give the same output, byte for byte, however many are inspected at once, and from what was kept", async () => {
  const { scripts, remove } = await bundled({ cli: "cli/main.ts", inspector: "cli/inspector.ts", "parent-watch": "cli/parent-watch.ts" });
  const cwd = folderWith(project);
  const cacheHome = folderWith();
  const check = async (...argv: string[]) => {
    const command = [fileURLToPath(scripts.cli), "check", ".", "--format", "json", ...argv];
    const env = { ...process.env, XDG_CACHE_HOME: cacheHome, LOCALAPPDATA: cacheHome };
    const ran = await promisify(execFile)(process.execPath, command, { cwd, env }).catch((ended) => ended);
    return { code: ran.code, out: ran.stdout, err: ran.stderr };
  };
  const one = await check("--jobs", "1", "--no-cache");
  const several = await check("--jobs", "4");
  const kept = await check("--jobs", "3");
  expect(one).toMatchObject({ code: 1, err: "" });
  expect(JSON.parse(one.out).files.map(({ launches }: { launches: unknown[] }) => launches.length)).toEqual([0, 1, 1, 1, 1, 1]);
  expect({ ...several, out: timeless(several.out) }).toEqual({ ...one, out: timeless(one.out) });
  expect(kept).toEqual(several);
  remove();
}, 120_000);

/** Inspects files as their texts say, in a process: what it is to do stands in a comment. */
const script = `
  process.once("disconnect", () => process.exit());
  process.on("message", ({ job }) => {
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 2 } };
    const finding = { path: job.path, ruleId: "strided-global-access", severity: "warning", message: "slow", range, fixes: [], related: [], tags: [], url: "" };
    const outcome = { diagnostics: [finding], failures: [], notes: [] };
    process.send({ entered: "parse" });
    if (job.text.includes("late")) {
      process.send({ soFar: JSON.stringify(outcome) });
      process.send({ entered: "simulate" });
      for (;;);
    }
    if (job.text.includes("hang")) for (;;);
    if (job.text.includes("throw")) throw new RangeError("too deep");
    if (job.text.includes("die")) process.kill(process.pid, "SIGSEGV");
    process.send({ answer: { outcome: JSON.stringify(outcome), facts: [] }, megabytes: 1 });
  });
  process.send({ ready: true });
`;

describe("a file that cannot be inspected", () => {
  const files = { "a.cu": "// fine", "b.cu": "// hang", "c.cu": "// throw", "d.cu": "// die", "e.cu": "// fine" };
  const entry = path.join(folderWith(), "inspector.mjs");
  writeFileSync(entry, script);
  const check = (...argv: string[]) =>
    runIn(folderWith(files), ["check", ".", "--timeout", "1", ...argv], { startInspector: () => processInspector(pathToFileURL(entry)) });
  const reasons = {
    "b.cu": "parse failed: it took longer than 1 s; --timeout gives it more",
    "c.cu": "parse failed: RangeError: too deep",
    "d.cu": "parse failed: its process ended with SIGSEGV",
  };

  test("is named with its reason, and the others are reported; the exit code says so", async () => {
    const { code, out, err } = await check("--jobs", "2");
    expect(code).toBe(2);
    expect(err).toBe(
      Object.entries(reasons)
        .map(([name, reason]) => `${name}: ${reason}\n`)
        .join(""),
    );
    expect(out).toMatch(/a\.cu:1:1 [\s\S]*e\.cu:1:1 /);
    expect(out).toMatch(/2 findings \(2 warnings\) in 5 files; 3 of them failed\n$/);
  });

  test("late is named, too, with what was found before", async () => {
    const { code, out, err } = await runIn(folderWith({ "a.cu": "// late" }), ["check", ".", "--timeout", "1"], {
      startInspector: () => processInspector(pathToFileURL(entry)),
    });
    expect([code, err]).toEqual([2, "a.cu: simulate failed: it took longer than 1 s; --timeout gives it more\n"]);
    expect(out).toMatch(/^a\.cu:1:1 [\s\S]*1 finding \(1 warning\) in 1 file; 1 of them failed\n$/);
  });

  test("stands in every format as what it is: not as one without findings", async () => {
    const failures = Object.entries(reasons).map(([name, text]) => ({ name, text, parts: text.split(" failed: ") }));
    const { files: entries } = JSON.parse((await check("--format", "json")).out);
    expect(entries.map(({ path: name, diagnostics, failures: own }: Entry) => [name, diagnostics.length, own])).toEqual([
      ["a.cu", 1, undefined],
      ...failures.map(({ name, parts: [stage, reason] }) => [name, 0, [{ stage, reason }]]),
      ["e.cu", 1, undefined],
    ]);
    const { runs } = JSON.parse((await check("--format", "sarif")).out);
    const [{ executionSuccessful, toolExecutionNotifications }] = runs[0].invocations;
    expect(executionSuccessful).toBe(false);
    expect(toolExecutionNotifications.map(({ level, message }: Notification) => [level, message.text])).toEqual(
      failures.map(({ text }) => ["error", text]),
    );
    const annotations = (await check("--format", "github")).out.trim().split("\n");
    expect(annotations.filter((line) => line.startsWith("::error"))).toEqual(
      failures.map(({ name, text }) => `::error file=${name},title=WarpLens::${text}`),
    );
  });
});

type Entry = { readonly path: string; readonly diagnostics: readonly unknown[]; readonly failures?: unknown };
type Notification = { readonly level: string; readonly message: { readonly text: string } };
