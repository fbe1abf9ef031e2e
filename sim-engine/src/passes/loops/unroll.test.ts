import { expect, test } from "vitest";
import { cloneKernel } from "../../ir/builder.ts";
import { findLoops } from "../../ir/graph.ts";
import type { Kernel } from "../../ir/kernel.ts";
import { parseKernel, printKernel } from "../../ir/text.ts";
import { verifyKernel } from "../../ir/verify.ts";
import { Work } from "../../work.ts";
import { simplifyCfg } from "../flow/simplify-cfg.ts";
import { removeDeadCode } from "../fold/dce.ts";
import { fold } from "../fold/fold.ts";
import { mergeEqualValues } from "../fold/gvn.ts";
import { interpret } from "../testing/interpret.ts";
import { hoistInvariants } from "./licm.ts";
import { rotateLoops } from "./rotate.ts";
import { unrollAgain, unrollConstantLoops, unrollLoops } from "./unroll.ts";

/** `for (i = start; i < bound; i += step) sum += a[i];` and what follows. */
const loop = (
  start: string,
  bound: string,
  step: string,
  unroll = "",
  test = "slt",
): string => `kernel @sum(%a: ptr f32, %out: ptr f32, %n: i32) {
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = ${start}
  %4: i32 = ${bound}
  %5: i32 = const ${step}
  %6: f32 = const 0
  jump b1
b1:${unroll}
  %10: i32 = phi [%3, b0], [%14, b2]
  %11: f32 = phi [%6, b0], [%17, b2]
  %12: i1 = icmp.${test} %10, %4
  branch %12, b2, b3
b2:
  %15: ptr = gep %1, %10, scale 4, offset 0
  %16: f32 = load.global %15, align 4
  %17: f32 = fadd %11, %16
  %14: i32 = add.exact %10, %5
  jump b1
b3:
  store.global %2, %11, align 4
  %18: ptr = gep %2, %10, scale 4, offset 0
  store.global %18, %11, align 4
  return
}
`;

function clean(kernel: Kernel): void {
  simplifyCfg(kernel, new Work());
  fold(kernel, new Work());
  mergeEqualValues(kernel, new Work());
  simplifyCfg(kernel, new Work());
  removeDeadCode(kernel, new Work());
}

function prepared(text: string): Kernel {
  const kernel = parseKernel(text);
  expect(verifyKernel(kernel)).toEqual([]);
  rotateLoops(kernel, new Work());
  expect(verifyKernel(kernel)).toEqual([]);
  clean(kernel);
  hoistInvariants(kernel, new Work());
  expect(verifyKernel(kernel)).toEqual([]);
  return kernel;
}

const same = (before: Kernel, after: Kernel, n: number): void => {
  expect(interpret(after, [4096, 1 << 20, n]).memory).toEqual(interpret(before, [4096, 1 << 20, n]).memory);
};

test("rotation leaves one branch in each iteration", () => {
  const kernel = prepared(loop("const 0", "param 2", "1"));
  const [found] = findLoops(kernel);
  expect(found?.blocks.size).toBe(1);
  for (const n of [0, 1, 7]) same(parseKernel(loop("const 0", "param 2", "1")), kernel, n);
});

test("a constant trip count is unrolled completely", () => {
  const kernel = prepared(loop("const 0", "const 12", "1"));
  const before = cloneKernel(kernel);
  unrollLoops(kernel, new Work(1e9));
  expect(verifyKernel(kernel)).toEqual([]);
  clean(kernel);
  expect(findLoops(kernel)).toEqual([]);
  expect(printKernel(kernel).match(/load\.global/g)?.length).toBe(12);
  same(before, kernel, 0);
});

test("geometric counters are counted", () => {
  const text = loop("const 16", "const 0", "1", "", "sgt").replace("add.exact %10, %5", "ashr %10, %5");
  const kernel = prepared(text);
  unrollLoops(kernel, new Work(1e9));
  clean(kernel);
  expect(findLoops(kernel)).toEqual([]);
  expect(printKernel(kernel).match(/load\.global/g)?.length).toBe(5);
});

test.each([
  ["const 0", "param 2", "1", "slt"],
  ["const 0", "param 2", "1", "sle"],
  ["const 3", "param 2", "1", "slt"],
  ["special tid.x", "param 2", "32", "slt"],
  ["special tid.x", "param 2", "3", "sle"],
  ["param 2", "const 0", "-1", "sgt"],
  ["param 2", "const 0", "-5", "sge"],
  ["param 2", "special tid.x", "-2", "sgt"],
])("runtime trip counts from %s to %s by %s (%s) keep their meaning", (start, bound, step, predicate) => {
  const text = loop(start, bound, step, "", predicate);
  const original = parseKernel(text);
  const kernel = prepared(text);
  expect(unrollLoops(kernel, new Work(1e9))).toBe(true);
  expect(verifyKernel(kernel)).toEqual([]);
  for (let n = 0; n < 40; n++) same(original, kernel, n);
  clean(kernel);
  hoistInvariants(kernel, new Work());
  expect(verifyKernel(kernel)).toEqual([]);
  expect(findLoops(kernel)).toHaveLength(2);
  unrollAgain(kernel, new Work(1e9));
  expect(verifyKernel(kernel)).toEqual([]);
  for (let n = 0; n < 80; n++) same(original, kernel, n);
  clean(kernel);
  expect(verifyKernel(kernel)).toEqual([]);
  expect(findLoops(kernel)).toHaveLength(3);
  for (let n = 0; n < 80; n += 3) same(original, kernel, n);
});

test("pragma unroll says how much", () => {
  const one = prepared(loop("const 0", "const 12", "1", " unroll 1"));
  expect(unrollLoops(one, new Work(1e9))).toBe(false);
  const six = prepared(loop("const 0", "const 12", "1", " unroll 6"));
  unrollLoops(six, new Work(1e9));
  clean(six);
  expect(findLoops(six)).toHaveLength(1);
  expect(printKernel(six).match(/load\.global/g)?.length).toBe(6);
  const runtime = prepared(loop("const 0", "param 2", "1", " unroll 8"));
  unrollLoops(runtime, new Work(1e9));
  clean(runtime);
  expect(printKernel(runtime).match(/load\.global/g)?.length).toBe(9);
});

test("pragma unroll without a number does not make more copies than anybody waits for", () => {
  const long = prepared(loop("const 0", "const 65536", "1", " unroll full"));
  unrollLoops(long, new Work(1e9));
  clean(long);
  expect(printKernel(long).match(/load\.global/g)?.length).toBe(128);
});

test.each([2, 3, 4, 5, 6, 7])("unrolled by %i, any number of turns is left over", (factor) => {
  const original = prepared(loop("const 0", "param 2", "1", ` unroll ${factor}`));
  const kernel = cloneKernel(original);
  unrollLoops(kernel, new Work(1e9));
  clean(kernel);
  for (let n = 0; n < 20; n++) same(original, kernel, n);
});

/** `for (i = 0; i < bound; i += 4) sum += a[i];` with a bound of 64 bits, as `sizeof` has. */
const widened = (bound: number, add = "add.exact"): string =>
  loop("const 0", `const ${bound}`, "4")
    .replace("%4: i32", "%4: i64")
    .replace("%12: i1 = icmp.slt %10, %4", "%9: i64 = sext %10\n  %12: i1 = icmp.ult %9, %4")
    .replace("add.exact", add);

test("turns of a counter compared in a wider type are counted, however many, where it cannot wrap", () => {
  const source = widened(4096);
  const kernel = prepared(source);
  expect(unrollLoops(kernel, new Work(1e9))).toBe(true);
  expect(verifyKernel(kernel)).toEqual([]);
  clean(kernel);
  // 1,024 turns leave no rest: one loop, with several turns in each of its.
  expect(findLoops(kernel)).toHaveLength(1);
  expect(printKernel(kernel).match(/load\.global/g)?.length).toBeGreaterThan(1);
  same(parseKernel(source), kernel, 0);
  expect(unrollLoops(prepared(widened(4096, "add")), new Work(1e9))).toBe(false);
  // What is not counted beforehand is left as it is.
  const runtime = prepared(source.replace("i64 = const 4096", "i64 = sext %3"));
  expect(unrollAgain(runtime, new Work(1e9))).toBe(false);
  expect(verifyKernel(runtime)).toEqual([]);
});

/** `for (i = 0; i < 4; i++) for (j = 0; j < i; j++) sum += a[j];` */
const triangle = `kernel @triangle(%a: ptr f32, %out: ptr f32) {
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = const 0
  %4: i32 = const 4
  %5: i32 = const 1
  %6: f32 = const 0
  jump b1
b1:
  %10: i32 = phi [%3, b0], [%14, b5]
  %11: f32 = phi [%6, b0], [%21, b5]
  %12: i1 = icmp.slt %10, %4
  branch %12, b2, b6
b2:
  jump b3
b3:
  %20: i32 = phi [%3, b2], [%24, b4]
  %21: f32 = phi [%11, b2], [%27, b4]
  %22: i1 = icmp.slt %20, %10
  branch %22, b4, b5
b4:
  %25: ptr = gep %1, %20, scale 4, offset 0
  %26: f32 = load.global %25, align 4
  %27: f32 = fadd %21, %26
  %24: i32 = add.exact %20, %5
  jump b3
b5:
  %14: i32 = add.exact %10, %5
  jump b1
b6:
  store.global %2, %11, align 4
  return
}
`;

test("trip counts that an outer loop decides are constants once that is unrolled", () => {
  const kernel = prepared(triangle);
  for (let round = 0; round < 2; round++) {
    unrollConstantLoops(kernel, new Work(1e9));
    expect(verifyKernel(kernel)).toEqual([]);
    clean(kernel);
  }
  expect(findLoops(kernel)).toEqual([]);
  expect(printKernel(kernel).match(/load\.global/g)?.length).toBe(0 + 1 + 2 + 3);
  same(parseKernel(triangle), kernel, 0);
});

test("sums that share their parts are taken apart once", () => {
  const turns = 60;
  const sums = Array.from({ length: turns }, (_, k) => {
    const [x, y, p] = [k, k, k].map((each, which) => `%${100 + 10 * each + which}`);
    return `  ${p}: ptr = gep %1, %10, scale 4, offset ${4 * k}
  %${103 + 10 * k}: i32 = load.global ${p}, align 4
  %${110 + 10 * k}: i32 = add ${x}, ${y}
  %${111 + 10 * k}: i32 = add ${x}, %${103 + 10 * k}`;
  }).join("\n");
  const kernel = prepared(`kernel @sums(%a: ptr i32, %n: i32) {
b0:
  %1: ptr = param 0
  %2: i32 = param 1
  %3: i32 = const 0
  %4: i32 = const 1
  jump b1
b1: unroll 2
  %10: i32 = phi [%3, b0], [%14, b2]
  %12: i1 = icmp.slt %10, %2
  branch %12, b2, b3
b2:
  %100: i32 = xor %10, %2
  %101: i32 = and %10, %2
${sums}
  %20: ptr = gep %1, %${100 + 10 * turns}, scale 4, offset 0
  store.global %20, %10, align 4
  %14: i32 = add.exact %10, %4
  jump b1
b3:
  return
}
`);
  expect(unrollLoops(kernel, new Work())).toBe(true);
});

/** `for (k = 0; k < 5; k++) if (0 <= i + k && ... < n) sum += a[i + index of k]`, arms and all. */
const armed = (index: string): string => `kernel @armed(%a: ptr f32, %out: ptr f32, %n: i32) {
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = param 2
  %4: i32 = special tid.x
  %5: i32 = const 0
  %6: i32 = const 1
  %7: i32 = const 5
  %8: i32 = const -2
  %9: f32 = const 0
  jump b1
b1:
  %10: i32 = phi [%5, b0], [%14, b3]
  %11: f32 = phi [%9, b0], [%19, b3]
  %12: i32 = add.exact %4, %8
  ${index}
  %21: i1 = icmp.slt %20, %3
  branch %21, b2, b3
b2:
  %15: ptr = gep %1, %20, scale 4, offset 0
  %16: f32 = load.global %15, align 4
  %17: f32 = fadd %11, %16
  jump b3
b3:
  %19: f32 = phi [%11, b1], [%17, b2]
  %14: i32 = add.exact %10, %6
  %13: i1 = icmp.slt %14, %7
  branch %13, b1, b4
b4:
  store.global %2, %19, align 4
  return
}`;

test("arms of a loop that is unrolled completely share the address that their accesses begin at", () => {
  const addresses = (index: string): number => {
    const kernel = parseKernel(armed(index));
    hoistInvariants(kernel, new Work());
    unrollConstantLoops(kernel, new Work());
    for (const pass of [fold, mergeEqualValues, removeDeadCode]) pass(kernel, new Work());
    expect(verifyKernel(kernel)).toEqual([]);
    // Those of registers: constants are part of the access.
    return kernel.blocks.flatMap(({ ops }) => ops).filter(({ action }) => action.kind === "gep" && action.scale === 4).length;
  };
  expect(addresses("%20: i32 = add.exact %12, %10")).toBe(1);
  // What may wrap, and what the counter says otherwise than by adding it, each arm computes for itself.
  expect(addresses("%20: i32 = add %12, %10")).toBe(5);
  expect(addresses("%22: i32 = udiv %10, %7\n  %20: i32 = mul %4, %10")).toBeGreaterThan(1);
});
