import { expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import type { Launch } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import type { LaunchReport } from "../report/launch-report.ts";
import { simulate } from "../simulate.ts";
import { Work } from "../work.ts";

const h200 = findGpu("h200")!;

const launch = (grid: number, block: number, ...scalars: readonly number[]): Launch => ({
  grid: [grid, 1, 1],
  block: [block, 1, 1],
  dynamicSharedBytes: 0,
  arguments: [{ kind: "pointer", buffer: 0, offset: 0 }, ...scalars.map((value) => ({ kind: "scalar", value }) as const)],
  buffers: [{ name: "data", bytes: 2 ** 28, element: "i32", content: { kind: "uniform", lo: 0, hi: 256 } }],
});

const requestsOf = ({ accesses }: LaunchReport, line: number): number => {
  const found = accesses.filter((each) => each.line === line);
  return found.reduce((sum, { requests }) => sum + requests, 0);
};

/** `for (i = start; i PREDICATE end; i += step) if (data[i & mask] > 127) data[v];`: what data holds decides which way turns go. */
const search = (predicate: string) =>
  parseKernel(`kernel @search(%data: ptr i32, %start: i32, %end: i32, %step: i32) {
entry:
  %data: ptr = param 0
  %start: i32 = param 1
  %end: i32 = param 2
  %step: i32 = param 3
  %mask: i32 = const 16777215
  %half: i32 = const 127
  jump loop
loop:
  %i: i32 = phi [%start, entry], [%i2, next]
  %at: i32 = and %i, %mask
  %p: ptr = gep %data, %at, scale 4
  %v: i32 = load.global %p, align 4 !10
  %big: i1 = icmp.sgt %v, %half
  branch %big, hit, next
hit:
  %q: ptr = gep %data, %v, scale 4
  %w: i32 = load.global %q, align 4, volatile !11
  jump next
next:
  %i2: i32 = add %i, %step !12
  %more: i1 = icmp.${predicate} %i2, %end
  branch %more, loop, done !12
done:
  return
}`);

test.each([
  ["slt", 0, 900_000, 3, 300_000],
  ["sle", 0, 900_000, 3, 300_001],
  ["ne", 0, 900_000, 3, 300_000],
  ["sgt", 900_000, 0, -3, 300_000],
  ["sge", 900_000, 0, -3, 300_001],
  ["ult", 7, 900_008, 3, 300_001],
  ["ugt", 900_000, 2, -3, 300_000],
  ["slt", 0, 1_000_000_000, 1, 1_000_000_000],
] as const)(
  "turns are counted to the last, and what data decides about as often as it does: %s from %i to %i by %i",
  (predicate, start, end, step, turns) => {
    const work = new Work();
    const report = simulate(search(predicate), launch(4, 64, start, end, step), h200, { work });
    expect(requestsOf(report, 10)).toBe(turns * 8);
    expect(requestsOf(report, 11) / (turns * 8)).toBeGreaterThan(0.3);
    expect(requestsOf(report, 11) / (turns * 8)).toBeLessThan(0.7);
    expect(report.simulated.exact).toBe(false);
    expect(report.assumptions.map(({ what }) => what)).toContain("long loops");
    expect(report.time?.ns).toBeGreaterThan(0);
    expect(work.spent).toBeLessThan(1_000_000);
  },
);

test("what lies side by side along a row is brought from memory once, though few of the turns are run", () => {
  const all = launch(1, 32, 0, 8_000_000, 1);
  const buffers = all.buffers.map((buffer) => ({ ...buffer, content: { kind: "uniform", lo: 0, hi: 100 } as const }));
  // A word after the other, none of which is large enough to be followed.
  const { traffic } = simulate(search("slt"), { ...all, buffers }, h200);
  expect(traffic.dramReadBytes).toBeGreaterThan(0.9 * 8_000_000 * 4);
  expect(traffic.dramReadBytes).toBeLessThan(1.3 * 8_000_000 * 4);
});

test("what comes behind more accesses than are kept of a block goes through the caches as it is", () => {
  // Two loops, the first of which alone has more loads than that; each goes along a part of the data word by word.
  const [first, second] = [17_000, 4_000];
  const loop = (name: string, behind: string): string => `${name}:
  %i_${name}: i32 = phi [%zero_${name}, to_${name}], [%i2_${name}, ${name}_next]
  %at_${name}: i32 = add %i_${name}, %from_${name}
  %p_${name}: ptr = gep %data, %at_${name}, scale 4
  %v_${name}: i32 = load.global %p_${name}, align 4 !${name === "a" ? 10 : 20}
  %big_${name}: i1 = icmp.sgt %v_${name}, %half
  branch %big_${name}, ${name}_hit, ${name}_next
${name}_hit:
  store.global %data, %v_${name}, align 4 !30
  jump ${name}_next
${name}_next:
  %i2_${name}: i32 = add %i_${name}, %one
  %more_${name}: i1 = icmp.slt %i2_${name}, %end_${name}
  branch %more_${name}, ${name}, ${behind}`;
  const kernel = parseKernel(`kernel @twice(%data: ptr i32) {
entry:
  %data: ptr = param 0
  %one: i32 = const 1
  %half: i32 = const 127
  %zero_a: i32 = const 0
  %zero_b: i32 = const 0
  %from_a: i32 = const 64
  %from_b: i32 = const 1048576
  %end_a: i32 = const ${first}
  %end_b: i32 = const ${second}
  jump to_a
to_a:
  jump a
${loop("a", "to_b")}
to_b:
  jump b
${loop("b", "done")}
done:
  return
}`);
  const all = launch(1, 32);
  const buffers = all.buffers.map((buffer) => ({ ...buffer, content: { kind: "uniform", lo: 0, hi: 100 } as const }));
  const { traffic } = simulate(kernel, { ...all, buffers }, h200);
  expect(traffic.dramReadBytes).toBeGreaterThan(0.9 * (first + second) * 4);
  expect(traffic.dramReadBytes).toBeLessThan(1.3 * (first + second) * 4);
});

test("a short loop is run as it is", () => {
  const report = simulate(search("slt"), launch(4, 64, 0, 900, 3), h200);
  expect(report.assumptions.map(({ what }) => what)).not.toContain("long loops");
});

/** `for (i = 0; i < n; i++) for (j = 0; j <= i; j++) data[data[j] & 1023];` */
const triangle = parseKernel(`kernel @triangle(%data: ptr i32, %n: i32) {
entry:
  %data: ptr = param 0
  %n: i32 = param 1
  %zero: i32 = const 0
  %one: i32 = const 1
  %mask: i32 = const 1023
  jump outer
outer:
  %i: i32 = phi [%zero, entry], [%i2, end]
  jump inner
inner:
  %j: i32 = phi [%zero, outer], [%j2, inner]
  %p: ptr = gep %data, %j, scale 4
  %v: i32 = load.global %p, align 4 !20
  %at: i32 = and %v, %mask
  %q: ptr = gep %data, %at, scale 4
  %w: i32 = load.global %q, align 4, volatile !21
  %j2: i32 = add %j, %one
  %more: i1 = icmp.sle %j2, %i
  branch %more, inner, end
end:
  %i2: i32 = add %i, %one
  %goes: i1 = icmp.slt %i2, %n
  branch %goes, outer, done
done:
  return
}`);

test("what grows from turn to turn comes out right", () => {
  const report = simulate(triangle, launch(2, 32, 20_000), h200);
  const turns = (20_000 * 20_001) / 2;
  expect(requestsOf(report, 20) / 2 / turns).toBeGreaterThan(0.98);
  expect(requestsOf(report, 20) / 2 / turns).toBeLessThan(1.02);
});

/** Every turn each thread hands what it found to its neighbour, and all wait for it. */
const relay = parseKernel(`kernel @relay(%data: ptr i32, %turns: i32) {
shared @tile 1024 align 4 dims 256 element 4
entry:
  %data: ptr = param 0
  %turns: i32 = param 1
  %tx: i32 = special tid.x
  %tile: ptr = shared.address 0
  %zero: i32 = const 0
  %one: i32 = const 1
  %mask: i32 = const 255
  %mine: ptr = gep %tile, %tx, scale 4
  %n: i32 = add %tx, %one
  %next: i32 = and %n, %mask
  %theirs: ptr = gep %tile, %next, scale 4
  jump loop
loop:
  %i: i32 = phi [%zero, entry], [%i2, loop]
  %x: i32 = phi [%tx, entry], [%y, loop]
  %p: ptr = gep %data, %x, scale 4
  %v: i32 = load.global %p, align 4 !30
  store.shared %mine, %v, align 4 !31
  barrier !32
  %y: i32 = load.shared %theirs, align 4 !33
  barrier !34
  %i2: i32 = add %i, %one
  %more: i1 = icmp.slt %i2, %turns
  branch %more, loop, done
done:
  return
}`);

test("warps that wait for each other leave out the same turns", () => {
  const report = simulate(relay, launch(2, 256, 50_000), h200);
  expect([30, 31, 33].map((line) => requestsOf(report, line))).toEqual([1, 1, 1].map(() => 2 * 8 * 50_000));
  expect(report.simulated.exact).toBe(false);
});

/** `while (i != data[i]) i = data[i]`: nothing tells when it ends. */
const chase = parseKernel(`kernel @chase(%data: ptr i32) {
entry:
  %data: ptr = param 0
  %tx: i32 = special tid.x
  jump loop
loop:
  %i: i32 = phi [%tx, entry], [%v, loop]
  %p: ptr = gep %data, %i, scale 4
  %v: i32 = load.global %p, align 4
  %more: i1 = icmp.ne %v, %i
  branch %more, loop, done
done:
  return
}`);

test("a loop that only data ends is run, and left after some turns where that takes too long", () => {
  const work = new Work();
  const { assumptions } = simulate(chase, launch(2, 32), h200, { work });
  expect(assumptions.map(({ what }) => what)).toContain("loops that did not end");
  expect(work.spent).toBeLessThan(800_000);
});
