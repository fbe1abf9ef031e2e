import { expect, test } from "vitest";
import { findGpu } from "./gpus/model.ts";
import { cloneKernel } from "./ir/builder.ts";
import type { Kernel, Launch } from "./ir/kernel.ts";
import { parseKernel } from "./ir/text.ts";
import type { LaunchReport } from "./report/launch-report.ts";
import { simulate } from "./simulate.ts";
import { Cancelled, Work } from "./work.ts";

const h200 = findGpu("h200");
if (!h200) throw new Error("no H200");

const transpose = parseKernel(`kernel @transpose(%out: ptr f32, %in: ptr const f32, %n: i32) {
entry:
  %out: ptr = param 0
  %in: ptr = param 1
  %n: i32 = param 2
  %tx: i32 = special tid.x
  %ty: i32 = special tid.y
  %bx: i32 = special ctaid.x
  %by: i32 = special ctaid.y
  %c32: i32 = const 32
  %zero: i32 = const 0
  %eight: i32 = const 8
  %x0: i32 = mul %bx, %c32
  %x: i32 = add %x0, %tx
  %y0: i32 = mul %by, %c32
  %y: i32 = add %y0, %ty
  jump loop
loop:
  %j: i32 = phi [%zero, entry], [%j2, loop]
  %yj: i32 = add %y, %j
  %row: i32 = mul %yj, %n
  %i: i32 = add %row, %x
  %p: ptr = gep %in, %i, scale 4
  %v: f32 = load.global %p, align 4 !20
  %column: i32 = mul %x, %n
  %o: i32 = add %column, %yj
  %q: ptr = gep %out, %o, scale 4
  store.global %q, %v, align 4 !20
  %j2: i32 = add %j, %eight
  %more: i1 = icmp.slt %j2, %c32
  branch %more, loop, done
done:
  return
}`);

const matrices = (n: number): Launch => ({
  grid: [n / 32, n / 32, 1],
  block: [32, 8, 1],
  dynamicSharedBytes: 0,
  arguments: [
    { kind: "pointer", buffer: 0, offset: 0 },
    { kind: "pointer", buffer: 1, offset: 0 },
    { kind: "scalar", value: n },
  ],
  buffers: [
    { name: "out", bytes: 4 * n * n, element: "f32", content: { kind: "zero" } },
    { name: "in", bytes: 4 * n * n, element: "f32", content: { kind: "unknown" } },
  ],
});

test("a large grid is counted from a few blocks", () => {
  const report = simulate(transpose, matrices(8192), h200);
  expect(report.lines[20]).toMatchObject({ globalRequests: 4194304, globalSectors: 75497472, globalSectorsIdeal: 16777216 });
  expect(report.simulated).toMatchObject({ exact: true, of: 65536 });
  expect(report.simulated.blocks).toBeLessThan(20);
});

/** `sum += a[row * columns + blockIdx.x]` down the rows: a block reads a column, blocks side by side the same sectors. */
const columnSums = (bits: 16 | 32) =>
  parseKernel(`kernel @columnSums(%a: ptr i${bits}, %columns: i32) {
entry:
  %a: ptr = param 0
  %columns: i32 = param 1
  %tx: i32 = special tid.x
  %bx: i32 = special ctaid.x
  %threads: i32 = const 128
  %rows: i32 = const 1024
  jump loop
loop:
  %row: i32 = phi [%tx, entry], [%row2, loop]
  %begin: i32 = mul %row, %columns
  %at: i32 = add %begin, %bx
  %p: ptr = gep %a, %at, scale ${bits / 8}
  %v: i${bits} = load.global %p, align ${bits / 8}, volatile !4
  %row2: i32 = add %row, %threads
  %more: i1 = icmp.slt %row2, %rows
  branch %more, loop, done
done:
  return
}`);

test.each([16, 32] as const)("columns of %i bits are read from memory once, though neighbours share sectors", (bits) => {
  const columns = 4096;
  const bytes = (columns * 1024 * bits) / 8;
  const { traffic } = simulate(
    columnSums(bits),
    {
      grid: [columns, 1, 1],
      block: [128, 1, 1],
      dynamicSharedBytes: 0,
      arguments: [
        { kind: "pointer", buffer: 0, offset: 0 },
        { kind: "scalar", value: columns },
      ],
      buffers: [{ name: "a", bytes, element: "i32", content: { kind: "unknown" } }],
    },
    h200,
  );
  expect(traffic.dramReadBytes! / bytes).toBeCloseTo(1, 1);
});

/** `if (id < limit) for (k = 0; k < turns; k++) load(a[k & 1023])` */
const marathon = parseKernel(`kernel @marathon(%a: ptr f32, %limit: i64, %turns: i64) {
entry:
  %a: ptr = param 0
  %limit: i64 = param 1
  %turns: i64 = param 2
  %tx: i32 = special tid.x
  %bx: i32 = special ctaid.x
  %size: i32 = special ntid.x
  %zero: i64 = const 0
  %one: i64 = const 1
  %mask: i64 = const 1023
  %t: i64 = zext %tx
  %b: i64 = zext %bx
  %s: i64 = zext %size
  %before: i64 = mul %b, %s
  %id: i64 = add %before, %t
  %inside: i1 = icmp.slt %id, %limit
  branch %inside, loop, done
loop:
  %k: i64 = phi [%zero, entry], [%k2, loop]
  %i: i64 = and %k, %mask
  %p: ptr = gep %a, %i, scale 4
  %v: f32 = load.global %p, align 4, volatile !3
  %k2: i64 = add %k, %one
  %more: i1 = icmp.slt %k2, %turns
  branch %more, loop, done
done:
  return
}`);

test.each([
  ["the largest grid", [2 ** 31 - 1, 1, 1], [1024, 1, 1], 2n ** 41n - 5000n, 1n],
  ["mostly empty", [2 ** 31 - 1, 1, 1], [1024, 1, 1], 77n, 3n],
  ["a thousand million turns", [132, 1, 1], [256, 1, 1], 132n * 256n, 10n ** 9n],
  ["both", [2 ** 31 - 1, 1, 1], [96, 1, 1], 96n * (2n ** 31n - 2n) + 33n, 10n ** 5n],
] as const)("work grows neither with the grid nor with trip counts: %s", (_, grid, block, limit, turns) => {
  const launch: Launch = {
    grid,
    block,
    dynamicSharedBytes: 0,
    arguments: [
      { kind: "pointer", buffer: 0, offset: 0 },
      { kind: "scalar", value: limit },
      { kind: "scalar", value: turns },
    ],
    buffers: [{ name: "a", bytes: 4096, element: "f32", content: { kind: "zero" } }],
  };
  const { simulated, traffic } = simulate(marathon, launch, h200);
  expect(simulated.exact).toBe(true);
  expect(simulated.warpInstructions).toBeLessThan(300_000);
  const threads = BigInt(grid[0]) * BigInt(block[0]);
  const inside = limit < threads ? limit : threads;
  // Blocks are of whole warps, and the lanes of a warp load one place.
  expect(traffic.globalLoadRequests).toBe(Number((inside + 31n) / 32n) * Number(turns));
});

const columns = parseKernel(`kernel @columnSum(%out: ptr f32, %in: ptr const f32, %rows: i32, %cols: i32) {
entry:
  %out: ptr = param 0
  %in: ptr = param 1
  %rows: i32 = param 2
  %cols: i32 = param 3
  %tx: i32 = special tid.x
  %bx: i32 = special ctaid.x
  %bd: i32 = special ntid.x
  %zero: i32 = const 0
  %one: i32 = const 1
  %fzero: f32 = const 0
  %x0: i32 = mul %bx, %bd
  %col: i32 = add %x0, %tx
  %inside: i1 = icmp.slt %col, %cols
  branch %inside, loop, done
loop:
  %r: i32 = phi [%zero, entry], [%r2, loop]
  %s: f32 = phi [%fzero, entry], [%s2, loop]
  %row: i32 = mul %r, %cols
  %i: i32 = add %row, %col
  %p: ptr = gep %in, %i, scale 4
  %v: f32 = load.global %p, align 4 !7
  %s2: f32 = fadd %s, %v
  %r2: i32 = add %r, %one !7
  %more: i1 = icmp.slt %r2, %rows
  branch %more, loop, end !7
end:
  %q: ptr = gep %out, %col, scale 4
  store.global %q, %s2, align 4 !8
  jump done
done:
  return
}`);

test.each([
  [32768, 1024],
  [1_000_003, 1000],
])("a long loop is counted from a few iterations (%i rows of %i)", (rows, cols) => {
  const launch: Launch = {
    grid: [Math.ceil(cols / 128), 1, 1],
    block: [128, 1, 1],
    dynamicSharedBytes: 0,
    arguments: [
      { kind: "pointer", buffer: 0, offset: 0 },
      { kind: "pointer", buffer: 1, offset: 0 },
      { kind: "scalar", value: rows },
      { kind: "scalar", value: cols },
    ],
    buffers: [
      { name: "out", content: { kind: "zero" } },
      { name: "in", content: { kind: "unknown" } },
    ],
  };
  const report = simulate(columns, launch, h200);
  // Rows of 1000 floats begin at multiples of 32 bytes: a warp's 32 columns are four sectors, the last one's 8 are one.
  expect(report.lines[7]).toMatchObject({ globalRequests: rows * Math.ceil(cols / 32), globalSectors: (rows * cols) / 8 });
  expect(report.simulated.exact).toBe(true);
  expect(report.simulated.warpInstructions).toBeLessThan(200_000);
  expect(report.loops).toMatchObject([{ line: 7, trips: rows }]);
});

/** One block of one warp that runs a loop of `trips` iterations whose condition is `more`, with a load that a condition guards. */
const guarded = (trips: number, guard: string): ReturnType<typeof simulate> => {
  const kernel = parseKernel(`kernel @guarded(%in: ptr const f32, %trips: i32) {
entry:
  %in: ptr = param 0
  %trips: i32 = param 1
  %tx: i32 = special tid.x
  %zero: i32 = const 0
  %one: i32 = const 1
  %low: i32 = const 300
  %high: i32 = const 500
  jump loop
loop: unroll 1
  %k: i32 = phi [%zero, entry], [%next, latch]
${guard}
  branch %yes, body, latch
body:
  %i: i32 = add %k, %tx
  %p: ptr = gep %in, %i, scale 128
  %v: f32 = load.global %p, align 4, volatile !9
  jump latch
latch:
  %next: i32 = add %k, %one
  %more: i1 = icmp.ne %next, %trips
  branch %more, loop, done
done:
  return
}`);
  const launch: Launch = {
    grid: [1, 1, 1],
    block: [32, 1, 1],
    dynamicSharedBytes: 0,
    arguments: [
      { kind: "pointer", buffer: 0, offset: 0 },
      { kind: "scalar", value: trips },
    ],
    buffers: [{ name: "in", content: { kind: "zero" } }],
  };
  return simulate(kernel, launch, h200);
};

test.each([
  ["between two bounds", "  %a: i1 = icmp.sge %k, %low\n  %b: i1 = icmp.slt %k, %high\n  %yes: i1 = and %a, %b", 200],
  ["once", "  %yes: i1 = icmp.eq %k, %high", 1],
  ["but once", "  %yes: i1 = icmp.ne %k, %high", 99_999],
  ["every third time", "  %three: i32 = const 3\n  %r: i32 = urem %k, %three\n  %yes: i1 = icmp.eq %r, %zero", 33_334],
  ["up to a bound", "  %m: i32 = smin %k, %low\n  %yes: i1 = icmp.slt %m, %low", 300],
])("iterations are skipped over nothing: a load done %s", (_name, guard, times) => {
  const report = guarded(100_000, guard);
  expect(report.lines[9]).toMatchObject({ globalRequests: times, globalSectors: 32 * times });
  expect(report.simulated.warpInstructions).toBeLessThan(20_000);
});

test("figures alone are those of the whole report, without what it could do without", () => {
  // Its last rows lie behind the buffers' end.
  const tooTall = { ...matrices(256), grid: [8, 9, 1] as const };
  const whole = simulate(transpose, tooTall, h200);
  const { lines, time, instructions, occupancy, ...figures } = simulate(transpose, tooTall, h200, { figuresOnly: true });
  expect({ lines, time, instructions, occupancy }).toEqual({
    lines: whole.lines,
    time: whole.time,
    instructions: whole.instructions,
    occupancy: whole.occupancy,
  });
  expect([whole.violations, whole.costs]).not.toContain(undefined);
  expect([figures.violations, figures.costs]).toEqual([undefined, undefined]);
});

test("a kernel that is too much work is optimised in part, and the report says so", () => {
  const whole = simulate(transpose, matrices(256), h200);
  const part = simulate(transpose, matrices(256), h200, { optimisingSteps: 50 });
  expect(whole.assumptions.filter(({ what }) => what === "optimisation")).toEqual([]);
  expect(part.assumptions).toContainEqual(expect.objectContaining({ what: "optimisation", value: "in part" }));
  expect(part.traffic.globalLoadSectors).toBe(whole.traffic.globalLoadSectors);
  expect(part.instructions.warp).toBeGreaterThan(whole.instructions.warp);
});

test("nobody waits for the optimiser longer than wanted", () => {
  const block = "entry:\n  %zero: i32 = const 0\n";
  const sum = Array.from({ length: 60_000 }, (_, k) => `  %v${k + 1}: i32 = mul %v${k}, %v${k}`).join("\n");
  const long = parseKernel(
    `kernel @long(%out: ptr i32) {\n${block}  %v0: i32 = special tid.x\n${sum}\n  %out: ptr = param 0\n  store.global %out, %v60000, align 4 !3\n  return\n}`,
  );
  let asked = 0;
  const isCancelled = (): boolean => ++asked > 1;
  expect(() =>
    simulate(long, { ...matrices(256), arguments: [{ kind: "pointer", buffer: 0, offset: 0 }] }, h200, {
      work: new Work(1e9, isCancelled),
    }),
  ).toThrow(Cancelled);
  expect(asked).toBe(2);
});

test("what is cancelled anywhere leaves nothing behind: the same question then gets the same answer", () => {
  const ask = (kernel: Kernel, work: Work): LaunchReport => simulate(kernel, matrices(256), h200, { work, now: () => 0 });
  let questions = 0;
  const counting = new Work(Number.POSITIVE_INFINITY, () => {
    questions++;
    return false;
  });
  const expected = ask(cloneKernel(transpose), counting);
  expect(questions).toBeGreaterThan(10);
  for (let last = 1; last <= questions; last++) {
    const kernel = cloneKernel(transpose);
    let asked = 0;
    const cancelled = new Work(Number.POSITIVE_INFINITY, () => ++asked === last);
    expect(() => ask(kernel, cancelled)).toThrow(Cancelled);
    expect(asked).toBe(last);
    if (last % 8 === 1) expect(ask(kernel, new Work())).toEqual(expected);
  }
});

test("a budget that is used up ends a simulation with a reason", () => {
  expect(() => simulate(cloneKernel(transpose), matrices(256), h200, { work: new Work(10) })).toThrow(/gave up after/);
});

test("a long computation from data to an address is followed", () => {
  const links = 20_000;
  const chain = Array.from({ length: links }, (_, k) => `  %v${k + 1}: i32 = mul %v${k}, %v${k}`).join("\n");
  const kernel = parseKernel(`kernel @chain(%data: ptr i32) {
entry:
  %data: ptr = param 0
  %tx: i32 = special tid.x
  %mask: i32 = const 255
  %p: ptr = gep %data, %tx, scale 4
  %v0: i32 = load.global %p, align 4 !2
${chain}
  %i: i32 = and %v${links}, %mask
  %q: ptr = gep %data, %i, scale 4
  store.global %q, %tx, align 4 !3
  return
}`);
  const launch: Launch = {
    grid: [1, 1, 1],
    block: [32, 1, 1],
    dynamicSharedBytes: 0,
    arguments: [{ kind: "pointer", buffer: 0, offset: 0 }],
    buffers: [{ name: "data", bytes: 4096, element: "i32", content: { kind: "unknown" } }],
  };
  expect(simulate(kernel, launch, h200).traffic.globalStoreRequests).toBe(1);
});

/** More than the stack of a process has room for, where each step takes some of it. */
const longest = 4000;

const chain = (first: string, step: (before: string) => string, type: string): string =>
  Array.from({ length: longest }, (_, k) => `  %v${k}: ${type} = ${step(k === 0 ? first : `%v${k - 1}`)}`).join("\n");
const end = `%v${longest - 1}`;

const computing = (body: string): string => `kernel @k(%out: ptr f32, %n: i32) {
b0:
  %out: ptr = param 0
  %n: i32 = param 1
  %t: i32 = special tid.x
  %wide: i32 = const 33
  %half: f32 = const 0.5
  %f: f32 = sitofp %t
${body}
}`;

const one: Launch = {
  grid: [256, 1, 1],
  block: [256, 1, 1],
  dynamicSharedBytes: 0,
  arguments: [
    { kind: "pointer", buffer: 0, offset: 0 },
    { kind: "scalar", value: 5, assumed: true },
  ],
  buffers: [{ name: "out", bytes: 1 << 24, element: "f32", content: { kind: "zero" } }],
};

const strided = (index: string): string => `  %i: i32 = mul ${index}, %wide
  %p: ptr = gep %out, %i, scale 4
  store.global %p, %f, align 4 !1`;

test.each([
  [
    "a place that floats lead to",
    `${chain("%f", (before) => `fadd ${before}, %half`, "f32")}\n  %x: i32 = fptosi ${end}\n${strided("%x")}\n  return`,
  ],
  ["a place that an assumed number leads to", `${chain("%t", (before) => `xor ${before}, %n`, "i32")}\n${strided(end)}\n  return`],
])(
  "%s may be computed in any number of steps",
  (_, body) => {
    expect(simulate(parseKernel(computing(body)), one, h200).time?.ns).toBeGreaterThan(0);
  },
  60_000,
);
