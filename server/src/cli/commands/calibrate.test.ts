import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { readProjectFile } from "../../lint/project-file.ts";
import { folderWith, run, runIn } from "../testing/command.ts";

const record = path.join(import.meta.dirname, "../../../../sim-engine/validation/microbenchmarks/h200-calibrate.txt");

/**
 * A stand-in for nvcc. What it builds prints what was measured on an H200; `overrides` say what some programs print instead, and with
 * which exit code, or that they cannot be built. It writes the names of what it builds into `built`.
 */
function standIn(overrides: Readonly<Record<string, { readonly text: string; readonly code: number } | "unbuilt">> = {}) {
  const folder = folderWith();
  const nvcc = path.join(folder, "nvcc");
  writeFileSync(
    nvcc,
    `#!/usr/bin/env node
const fs = require("node:fs"), path = require("node:path");
const given = process.argv.slice(2), overrides = ${JSON.stringify(overrides)};
if (given[0] === "--version") console.log("Cuda compilation tools, release 13.0, V13.0.88");
else if (given[0] === "--list-gpu-arch") console.log("compute_80\\ncompute_90");
else {
  const out = given[given.indexOf("-o") + 1], name = path.basename(out);
  fs.appendFileSync(${JSON.stringify(path.join(folder, "built"))}, given.filter((each) => each.startsWith("arch=")).concat(name).join(" ") + "\\n");
  if (!fs.existsSync(given.at(-1))) process.exit(1);
  if (overrides[name] === "unbuilt") { console.error(given.at(-1) + "(7): error: asm operand"); process.exit(2); }
  const text = fs.readFileSync(${JSON.stringify(record)}, "utf8").split("# " + name + "\\n")[1].split("# ")[0];
  const { text: printed = text, code = 0 } = overrides[name] ?? {};
  fs.writeFileSync(out, "#!/bin/sh\\ncat <<'END'\\n" + printed + "\\nEND\\nexit " + code + "\\n");
  fs.chmodSync(out, 0o755);
}
`,
  );
  chmodSync(nvcc, 0o755);
  const built = (): string[] => readFileSync(path.join(folder, "built"), "utf8").trim().split("\n");
  return { nvcc, built };
}

test("a GPU is measured, its model written, and the model checked", async () => {
  const { nvcc, built } = standIn();
  // A run that was ended by force may have left its own.
  const left = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith("warplens-calibrate-"));
  const before = left();
  const ran = await run({}, ["calibrate", "--nvcc", nvcc, "--out", "gpu.json"]);
  expect(ran.err).toBe("");
  expect(ran.code).toBe(0);
  const { file, problems } = readProjectFile(ran.read("gpu.json"));
  expect(problems).toEqual([]);
  expect(file.gpus?.[0]).toMatchObject({ id: "my-h200", own: { extends: "h200" }, values: { l2Latency: 276.3, smCount: 132 } });
  expect(ran.read("gpu.json")).toContain("Measured on an NVIDIA H200 by `warplens calibrate`, nvcc 13.0.");
  expect(ran.read("gpu.json")).toMatch(
    /Times of copy, strided, transpose, stencil, reduce, matmul by this model: off by \d+\.\d % in the mean/,
  );
  expect(ran.out).toMatch(/^l2Latency +276\.3 cycles +± 0\.\d % +283 +-2\.4 %$/m);
  expect(ran.out).toMatch(/^matmul +2\.11 ms +[\d.]+ ms +[+-]\d+\.\d % +[+-]\d+\.\d %$/m);
  expect(built()[0]).toBe("device");
  expect(built()).toContain("arch=compute_90,code=sm_90 chase");
  expect(left()).toEqual(before);
});

test("without --out the model is the answer, can be used as it is, and nothing is written", async () => {
  const empty = folderWith();
  const { nvcc } = standIn({ check: { text: "", code: 0 } });
  const ran = await runIn(empty, ["calibrate", "--nvcc", nvcc]);
  expect(readdirSync(empty)).toEqual([]);
  const folder = folderWith({ "warplens.json": ran.out });
  const shown = await runIn(folder, ["gpus", "my-h200"]);
  expect(shown.out).toMatch(/^l1Latency +32 cycles +specified +warplens.json/m);
  expect(ran.err).toMatch(/^l1Latency +32 cycles/m);
});

test.each<[string, ReturnType<typeof standIn> | undefined, readonly string[], string]>([
  [
    "no nvcc",
    undefined,
    ["--nvcc", "/no/nvcc"],
    "calibrate needs nvcc and a GPU: There is no nvcc at /no/nvcc; --nvcc PATH says where it is",
  ],
  [
    "no GPU",
    standIn({ device: { text: "error no CUDA-capable device is detected", code: 1 } }),
    [],
    "calibrate needs a GPU that CUDA can use: device: no CUDA-capable device is detected",
  ],
  [
    "no compiler for host code",
    standIn({ device: "unbuilt" }),
    [],
    "calibrate needs a GPU that CUDA can use: nvcc cannot build device.cu: device.cu(7): error: asm operand",
  ],
  [
    "an nvcc that is too old for the GPU",
    standIn({ device: { text: "name NVIDIA B200\ncomputeCapability 10.0\nsmCount 148", code: 0 } }),
    [],
    "nvcc 13.0 does not compile for the NVIDIA B200, of compute capability 10.0: another version may",
  ],
  [
    "a GPU that nothing is known of",
    standIn({ device: { text: "name NVIDIA New\ncomputeCapability 99.0\nsmCount 1", code: 0 } }),
    [],
    "nothing is known of compute capability 99.0: --gpu ID says which model comes near",
  ],
  [
    "a file that is there",
    standIn(),
    ["--out", "gpu.json"],
    "--out: there is a gpu.json already; name another file, and take over what you want of it",
  ],
])("%s is said, and nothing is written", async (_, tool, options, message) => {
  const given = tool === undefined ? options : ["--nvcc", tool.nvcc, ...options];
  const ran = await run({ "gpu.json": "{}" }, ["calibrate", ...given]);
  expect(ran).toMatchObject({ code: 2, out: "", err: `warplens: ${message}\n` });
  expect(ran.read("gpu.json")).toBe("{}");
});

test("a program that fails costs its figures, not the others", async () => {
  const { nvcc } = standIn({
    check: { text: "", code: 0 },
    l2: { text: "l2Bandwidth 1\nerror out of memory", code: 1 },
    shared: "unbuilt",
  });
  const ran = await run({}, ["calibrate", "--nvcc", nvcc, "--out", "gpu.json"]);
  expect(ran.code).toBe(0);
  expect(ran.err).toContain("warplens: l2: out of memory; what it measures is left as h200 has it\n");
  expect(ran.err).toContain(
    "warplens: nvcc cannot build shared.cu: shared.cu(7): error: asm operand; what it measures is left as h200 has it\n",
  );
  const [gpu] = readProjectFile(ran.read("gpu.json")).file.gpus ?? [];
  expect(gpu?.own?.figures).toContain("l1Latency");
  expect(gpu?.own?.figures).not.toContain("l2Bandwidth");
  expect(gpu?.own?.figures).not.toContain("sharedLatency");
});
