import { findGpu, type GpuModel, Work } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { analyze } from "../analysis/analyze.ts";
import type { AnalysisSettings } from "../analysis/settings.ts";
import { loadGrammarFromDisk } from "../grammar.ts";
import { withEdits } from "../lint/fix-edits.ts";
import { capabilityNumber, devicePropertiesOf } from "../simulate/device-properties.ts";
import { Imagination } from "./imagination.ts";
import type { Imagined, Overrides } from "./question.ts";

beforeAll(loadGrammarFromDisk);

const settings: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };
const files = { read: () => undefined };

/** What is asked of a kernel's first launch on a GPU. */
function asked(code: string, id: string, kernel: string) {
  const program = analyze("/project/case.cu", code, settings, files);
  const gpu = findGpu(id) as GpuModel;
  const elsewhere = { ...settings, computeCapability: capabilityNumber(gpu.computeCapability), device: devicePropertiesOf(gpu) };
  const { line } = program.launches.find(({ kernelName }) => kernelName === kernel) ?? { line: 0 };
  return {
    reality: { program, settings: id === "h200" ? settings : elsewhere, gpu, isElsewhere: id !== "h200" },
    launch: { kernel, line, nth: 0 },
  };
}

function imagined(code: string, { gpu = "h200", ...overrides }: Overrides, kernel = "k"): Imagined {
  const { reality, launch } = asked(code, gpu, kernel);
  return new Imagination(files).imagine(reality, { launch, overrides }, new Work());
}

/** The lines that are others when the values are written, and the words for it; or why they cannot be. */
function written(code: string, overrides: Overrides): readonly string[] {
  const { reality, launch } = asked(code, "h200", "k");
  const answer = new Imagination(files).write(reality, { launch, overrides }, new Work());
  if ("why" in answer) return [answer.why];
  const before = new Set(code.split("\n"));
  const lines = withEdits(code, answer.edits).split("\n");
  return [...lines.filter((line) => !before.has(line)).map((line) => line.trim()), answer.words];
}

/** Host code, around a kernel that scales `n` numbers. */
const scale = (host: string): string => `__global__ void k(float *out, const float *in, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor * in[i];
}
int main(int argc, char **argv) {
  float *in, *out;
${host}
}`;
const known = scale(`  const int n = 1 << 20;
  const int threads = 256;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  k<<<(n + threads - 1) / threads, threads>>>(out, in, n, 2.0f);`);
const plane = `__global__ void k(float *out, const float *in, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8) out[(y + row) * n + x] = in[(y + row) * n + x];
}
int main() {
  const int side = 4096;
  float *in, *out;
  cudaMalloc(&in, side * side * sizeof(float));
  cudaMalloc(&out, side * side * sizeof(float));
  k<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(out, in, side);
}`;
const assumed = scale(`  int n = atoi(argv[1]);
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  k<<<(n + 255) / 256, 256>>>(out, in, n, 2.0f);`);
const unlaunched = "__global__ void k(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= 2; }";

const shape = ({ report }: Imagined) => report && [report.grid.slice(0, 2), report.block.slice(0, 2)];

test.each<[string, string, Overrides, unknown]>([
  [
    "nothing changes",
    known,
    {},
    [
      [4096, 1],
      [256, 1],
    ],
  ],
  [
    "the grid follows the block",
    known,
    { block: [128, 1, 1] },
    [
      [8192, 1],
      [128, 1],
    ],
  ],
  [
    "the grid covers what is there, and no more",
    scale("  k<<<4, 256>>>(out, in, 1000, 2.0f);"),
    { block: [32, 1, 1] },
    [
      [32, 1],
      [32, 1],
    ],
  ],
  [
    "unless it is said",
    known,
    { block: [128, 1, 1], grid: [4, 1, 1] },
    [
      [4, 1],
      [128, 1],
    ],
  ],
  [
    "host code works the grid out of the problem's size",
    known,
    { parameters: { n: 2 ** 22 } },
    [
      [16384, 1],
      [256, 1],
    ],
  ],
  [
    "in both directions",
    plane,
    { parameters: { n: 1024 } },
    [
      [32, 32],
      [32, 8],
    ],
  ],
  [
    "and where that is assumed",
    assumed,
    { parameters: { n: 5000 } },
    [
      [20, 1],
      [256, 1],
    ],
  ],
  [
    "an extent that is given as a literal",
    scale("  k<<<4096, 256>>>(out, in, 1 << 20, 2.0f);"),
    { parameters: { n: 1 << 21 } },
    [
      [8192, 1],
      [256, 1],
    ],
  ],
  [
    "of a kernel that nothing launches",
    unlaunched,
    { parameters: { n: 1000 } },
    [
      [4, 1],
      [256, 1],
    ],
  ],
  [
    "both together",
    known,
    { block: [64, 1, 1], parameters: { n: 1024 } },
    [
      [16, 1],
      [64, 1],
    ],
  ],
])("%s", (_, code, overrides, expected) => {
  const { knobs, ...answer } = imagined(code, overrides);
  expect(answer.reason).toBeUndefined();
  expect(shape(answer)).toEqual(expected);
  expect([knobs?.grid.slice(0, 2), knobs?.block.slice(0, 2)]).toEqual(expected);
});

test("the time is that of the text with those values", () => {
  const time = (code: string, overrides: Overrides = {}) => imagined(code, overrides).report?.time?.ns;
  const other = known.replace("1 << 20", "1 << 24").replace("threads = 256", "threads = 64");
  expect(time(known, { block: [64, 1, 1], parameters: { n: 1 << 24 } })).toBeCloseTo(time(other) ?? 0, 3);
  expect(time(known)).not.toBeCloseTo(time(other) ?? 0, 3);
});

test("on another GPU it is what a fresh look finds there", () => {
  const { report, knobs } = imagined(known, { gpu: "t4" });
  expect(knobs?.grid).toEqual([4096, 1, 1]);
  expect(report?.time?.ns).toBeGreaterThan((imagined(known, {}).report?.time?.ns ?? 0) * 3);
});

test("what can be turned, the sizes first", () => {
  expect(imagined(known, {}).knobs).toEqual({
    block: [256, 1, 1],
    grid: [4096, 1, 1],
    dimensions: 1,
    shared: 0,
    parameters: [{ name: "n", value: 1 << 20, isAssumed: false, isReal: false, isSize: true }],
  });
  expect(imagined(plane, {}).knobs?.dimensions).toBe(2);
  expect(imagined(assumed, {}).knobs?.parameters).toMatchObject([{ name: "n", isAssumed: true }]);
});

test("registers and shared memory hold blocks off an SM", () => {
  const blocks = (overrides: Overrides) => imagined(known, overrides).report?.occupancy.blocksPerSm;
  expect(blocks({})).toBe(8);
  expect(blocks({ registers: 128 })).toBe(2);
  expect(blocks({ shared: 100_000 })).toBe(2);
});

describe("what the GPU does not take is said of the value", () => {
  test.each<[Overrides, unknown, string]>([
    [{ block: [2000, 1, 1] }, "block", "2,000 threads a block: the H200 allows 1,024"],
    [{ block: [32, 0, 1] }, "block", "whole numbers from 1 on"],
    [{ block: [1, 1, 128] }, "block", "a block of 1 × 1 × 128: the H200 allows 1024 × 1024 × 64"],
    [{ grid: [1, 70_000, 1] }, "grid", "a grid of 1 × 70000 blocks: the H200 allows 2,147,483,647 × 65,535 × 65,535"],
    [{ shared: 300_000 }, "shared", "293 KB a block: the H200 allows 227 KB"],
    [{ registers: 300 }, "registers", "300 registers a thread: the H200 allows 255"],
    [{ registers: 255, block: [1024, 1, 1] }, "registers", "261,120 registers a block: the H200 allows 65,536"],
    [{ shared: 60_000, gpu: "k80" }, "shared", "58.6 KB a block: the K80 (one GK210) allows 48 KB"],
  ])("%j", (overrides, of, reason) => {
    const { report, knobs, ...answer } = imagined(known, overrides);
    expect([answer, report, knobs?.block]).toEqual([{ of, reason }, undefined, expect.anything()]);
  });
});

test("a launch that is not there any more is a reason", () =>
  expect(imagined(known, {}, "gone")).toEqual({ reason: "the launch is not in the text any more" }));

describe("written into the source", () => {
  const literal = scale("  k<<<4096, 256>>>(out, in, 1048576, 2.0f);");
  test.each<[string, string, Overrides, readonly string[]]>([
    [
      "a literal of the launch",
      literal,
      { block: [128, 1, 1] },
      ["k<<<8192, 128>>>(out, in, 1048576, 2.0f);", "256 to 128 in line 7, 4096 to 8192 in line 7"],
    ],
    [
      "one argument",
      literal,
      { parameters: { n: 1 << 21 } },
      ["k<<<8192, 256>>>(out, in, 2097152, 2.0f);", "4096 to 8192 in line 7, 1048576 to 2097152 in line 7"],
    ],
    [
      "a variable's beginning; the host works out the grid",
      known,
      { block: [64, 1, 1] },
      ["const int threads = 64;", "256 to 64 in line 8"],
    ],
    [
      "sides of a dim3",
      plane,
      { block: [32, 4, 1], grid: [128, 128, 1] },
      ["k<<<dim3(side / 32, side / 32), dim3(32, 4)>>>(out, in, side);", "8 to 4 in line 10"],
    ],
    [
      "a directive where the number is worked out",
      known,
      { parameters: { n: 4096 } },
      ["// warplens: grid=(16) n=4096", "the directive grid=(16) n=4096 above line 11"],
    ],
    [
      "a directive for registers, beside the number",
      literal,
      { block: [128, 1, 1], registers: 64 },
      [
        "// warplens: registers=64",
        "k<<<8192, 128>>>(out, in, 1048576, 2.0f);",
        "256 to 128 in line 7, 4096 to 8192 in line 7; the directive registers=64 above line 7",
      ],
    ],
    [
      "into the directive that is there",
      literal.replace("  k<<<", "  // warplens: registers=32 shared=1024\n  k<<<"),
      { registers: 64 },
      ["// warplens: registers=64 shared=1024", "registers=64 in the directive above line 8"],
    ],
    ["what is assumed", assumed, { parameters: { n: 4096 } }, ["// warplens: n=4096", "the directive n=4096 above line 10"]],
    [
      "above a kernel that nothing launches",
      unlaunched,
      { block: [64, 1, 1] },
      ["// warplens: block=(64)", "the directive block=(64) above line 1"],
    ],
    [
      "in front of a launch that is not the line's first",
      literal.replace("  k<<<", "  for (int turn = 0; turn < 2; turn++) k<<<"),
      { registers: 64 },
      [
        "for (int turn = 0; turn < 2; turn++) /* warplens: registers=64 */ k<<<4096, 256>>>(out, in, 1048576, 2.0f);",
        "the directive registers=64 in line 7",
      ],
    ],
    ["not what no GPU takes", literal, { block: [2048, 1, 1] }, ["2,048 threads a block: the H200 allows 1,024"]],
  ])("%s", (_, code, overrides, expected) => expect(written(code, overrides)).toEqual(expected));
});

describe("what a warp does at a place of the report", () => {
  const warp = (overrides: Overrides, block: number, kind: "access" | "branch") => {
    const { reality, launch } = asked(known, "h200", "k");
    const imagination = new Imagination(files);
    const { report } = imagination.imagine(reality, { launch, overrides }, new Work());
    const access = report?.accesses.find(({ operation }) => operation === "load");
    const branch = report?.branches[0];
    if (!access || !branch) throw new Error("it has both");
    const place = kind === "access" ? ({ kind, ...access } as const) : ({ kind, ...branch } as const);
    return imagination.watch(reality, { launch, overrides }, { place, block, warp: 1 }, new Work());
  };
  test("of the launch as it is", () =>
    expect(warp({}, 7, "access")).toEqual({
      executions: [{ lanes: 0xffffffff, bytes: Array.from({ length: 32 }, (_, lane) => 4 * lane), at: 0 }],
      count: 1,
      isCut: false,
    }));
  test("of what is tried, where the source is another one for that", () => {
    const n = (1 << 19) + 40;
    expect(warp({ parameters: { n } }, 1 << 11, "access")).toMatchObject({ count: 1, executions: [{ lanes: 0xff }] });
    expect(warp({ parameters: { n } }, 1 << 11, "branch")).toMatchObject({ count: 1, executions: [{ lanes: 0xffffffff }] });
  });
  test("of a block that there is not: why", () => expect(warp({}, 1 << 20, "access")).toEqual({ why: "the launch has no such warp" }));
});
