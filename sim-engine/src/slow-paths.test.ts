/** Slow paths of divisions and roots, from what buffers hold to the instructions of a launch. */
import { expect, test } from "vitest";
import { opcodesOf, slowPath } from "./compilers/expansions.ts";
import type { SlowCase } from "./compilers/files.ts";
import { findGpu } from "./gpus/model.ts";
import type { Content, EarlierLaunch, Launch } from "./ir/kernel.ts";
import { parseKernel } from "./ir/text.ts";
import { simulate } from "./simulate.ts";

const h200 = findGpu("h200");
if (!h200) throw new Error("no H200");

/** out[i] = what `body` makes of a[i] and b[i], as %r. */
const kernelOf = (body: string, type = "f32", bytes = 4) =>
  parseKernel(`kernel @each(%out: ptr ${type}, %a: ptr const ${type}, %b: ptr const ${type}) {
entry:
  %out: ptr = param 0
  %a: ptr = param 1
  %b: ptr = param 2
  %tx: i32 = special tid.x
  %bx: i32 = special ctaid.x
  %c64: i32 = const 64
  %i0: i32 = mul %bx, %c64
  %i: i32 = add %i0, %tx
  %pa: ptr = gep %a, %i, scale ${bytes}
  %va: ${type} = load.global %pa, align ${bytes} !1
  %pb: ptr = gep %b, %i, scale ${bytes}
  %vb: ${type} = load.global %pb, align ${bytes} !1
  ${body}
  %po: ptr = gep %out, %i, scale ${bytes}
  store.global %po, %r, align ${bytes} !3
  return
}`);

const size = 64 * 132;

const launchOf = (a: Content, b: Content, element: "f32" | "f64" = "f32"): Launch => ({
  grid: [132, 1, 1],
  block: [64, 1, 1],
  dynamicSharedBytes: 0,
  arguments: [0, 1, 2].map((buffer) => ({ kind: "pointer" as const, buffer, offset: 0 })),
  buffers: ([{ kind: "zero" }, a, b] satisfies Content[]).map((content, k) => ({ name: `buffer${k}`, bytes: 8 * size, element, content })),
});

const warps = 2 * 132;
const zero: Content = { kind: "zero" };
const unknown: Content = { kind: "unknown" };
const constant = (value: number): Content => ({ kind: "constant", value });

const instructions = (...[body, launch, type, bytes]: [string, Launch, string?, number?]): number =>
  simulate(kernelOf(body, type, bytes), launch, h200).instructions.warp / warps;

const divide = "%r: f32 = fdiv %va, %vb !2";
const usual = instructions(divide, launchOf(unknown, unknown));
const lengthOf = (name: string, type: "f32" | "f64", kind: SlowCase): number => slowPath(name, type, kind)?.code.length ?? Number.NaN;

test.each<[Content, Content, SlowCase | undefined]>([
  [zero, unknown, "zero"],
  [zero, zero, "invalid"],
  [unknown, zero, "infinite"],
  [constant(1), constant(3), undefined],
  [unknown, constant(1e-8), undefined],
  [constant(1e-40), constant(3), "tiny"],
  // As FCHK was measured to tell the exponents: 126 apart is not too far, 127 is.
  [constant(2 ** 126), constant(1), undefined],
  [constant(2 ** 127), constant(1), "scaled"],
  [constant(2 ** -102), constant(1), undefined],
  [constant(2 ** -103), constant(1), "scaled"],
  [{ kind: "bytes", value: 0 }, unknown, "zero"],
  [{ kind: "bytes", value: 0x3f }, unknown, undefined],
  [{ kind: "uniform", lo: 0, hi: 1 }, { kind: "uniform", lo: 0, hi: 1 }, undefined],
  [{ kind: "linear", start: 0, stride: 1 }, unknown, undefined],
])("%j by %j goes the way of %s", (a, b, kind) => {
  expect(instructions(divide, launchOf(a, b)) - usual).toBe(kind === undefined ? 0 : lengthOf("div", "f32", kind));
});

test("roots and reciprocals of zero leave out the rest of the usual path", () => {
  const root = "%r: f32 = math.sqrt.precise %va !2";
  const rest = (name: string): number => {
    const code = opcodesOf(`f32.${name}`) ?? [];
    return code.length - code.indexOf("BRA") - 2;
  };
  expect(instructions(root, launchOf(zero, unknown)) - instructions(root, launchOf(unknown, unknown))).toBe(
    lengthOf("sqrt", "f32", "zero") - rest("sqrt"),
  );
  const reciprocal = "%one: f32 = const 1\n  %r: f32 = fdiv %one, %vb !2";
  expect(instructions(reciprocal, launchOf(unknown, zero)) - instructions(reciprocal, launchOf(unknown, unknown))).toBe(
    lengthOf("rcp", "f32", "infinite") - rest("rcp"),
  );
});

test("divisions by several constants share a function that knows none of them", () => {
  const by = (...constants: number[]): string =>
    [
      ...constants.map((constant, k) => `%c${k}: f32 = const ${constant}\n  %d${k}: f32 = fdiv %va, %c${k} !2`),
      constants.length === 1 ? "%r: f32 = fadd %d0, %vb" : "%r: f32 = fadd %d0, %d1",
    ].join("\n  ");
  const more = (body: string): number => instructions(body, launchOf(zero, unknown)) - instructions(body, launchOf(unknown, unknown));
  expect(more(by(3))).toBe(lengthOf("divConstant", "f32", "zero"));
  expect(more(by(3, 7))).toBe(2 * lengthOf("div", "f32", "zero"));
});

test("doubles have tests of their own", () => {
  const division = "%r: f64 = fdiv %va, %vb !2";
  const fast = instructions(division, launchOf(unknown, unknown, "f64"), "f64", 8);
  expect(instructions(division, launchOf(zero, unknown, "f64"), "f64", 8) - fast).toBe(lengthOf("div", "f64", "zero"));
  expect(instructions(division, launchOf(constant(1e-300), unknown, "f64"), "f64", 8) - fast).toBe(lengthOf("div", "f64", "scaled"));
  expect(instructions(division, launchOf(constant(1e-290), unknown, "f64"), "f64", 8) - fast).toBe(0);
});

test("what is computed of zeros is followed", () => {
  const computed = `%c9: f32 = const 0.9
  %m: f32 = fmul %va, %c9
  %s: f32 = fma %m, %vb, %m
  %r: f32 = fdiv %s, %vb !2`;
  expect(instructions(computed, launchOf(zero, unknown)) - instructions(computed, launchOf(unknown, unknown))).toBe(
    lengthOf("div", "f32", "zero"),
  );
});

const written = (launch: Launch, body = "%r: f32 = fadd %va, %vb"): Content => {
  const by: EarlierLaunch = { name: "earlier", resolve: () => ({ kernel: kernelOf(body), launch }) };
  return { kind: "written", by, buffer: 0, offset: 0 };
};

test("and what earlier launches left of them", () => {
  expect(instructions(divide, launchOf(written(launchOf(zero, zero)), unknown)) - usual).toBe(lengthOf("div", "f32", "zero"));
  expect(instructions(divide, launchOf(written(launchOf(zero, unknown)), unknown)) - usual).toBe(0);
});

test("what is zero in the first turn of the host's loop alone says nothing of the others", () => {
  const first = launchOf(zero, unknown);
  const turn = (a: Content) => ({ ...first, later: [{ arguments: first.arguments, buffers: launchOf(a, unknown).buffers }] });
  expect(instructions(divide, turn(zero)) - usual).toBe(lengthOf("div", "f32", "zero"));
  expect(instructions(divide, turn(written(launchOf(zero, unknown))))).toBe(usual);
});

test("a sum that goes round a loop stays zero, and is none once something else is added", () => {
  const loop = (value: string) =>
    parseKernel(`kernel @each(%out: ptr f32, %a: ptr const f32, %b: ptr const f32, %n: i32) {
entry:
  %out: ptr = param 0
  %a: ptr = param 1
  %b: ptr = param 2
  %n: i32 = param 3
  %i: i32 = special tid.x
  %none: f32 = const 0
  %first: i32 = const 0
  %one: i32 = const 1
  jump loop
loop:
  %k: i32 = phi [%first, entry], [%next, loop]
  %sum: f32 = phi [%none, entry], [%more, loop]
  %at: i32 = mul %k, %n
  %j: i32 = add %at, %i
  %pa: ptr = gep %a, %j, scale 4
  %va: f32 = load.global %pa, align 4 !1
  %pb: ptr = gep %b, %j, scale 4
  %vb: f32 = load.global %pb, align 4 !1
  %more: f32 = fadd %sum, ${value}
  %next: i32 = add %k, %one
  %again: i1 = icmp.slt %next, %n
  branch %again, loop, done
done:
  %r: f32 = fdiv %more, %vb !2
  %po: ptr = gep %out, %i, scale 4
  store.global %po, %r, align 4 !3
  return
}`);
  const run = (value: string, a: Content): number => {
    const launch = launchOf(a, unknown);
    return (
      simulate(loop(value), { ...launch, arguments: [...launch.arguments, { kind: "scalar", value: 64 }] }, h200).instructions.warp / warps
    );
  };
  expect(run("%va", zero) - run("%va", unknown)).toBe(lengthOf("div", "f32", "zero"));
  expect(run("%vb", zero) - run("%vb", unknown)).toBe(0);
});
