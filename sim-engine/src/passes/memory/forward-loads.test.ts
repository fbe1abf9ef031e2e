import { expect, test } from "vitest";
import { parseKernel, printKernel } from "../../ir/text.ts";
import { verifyKernel } from "../../ir/verify.ts";
import { Work } from "../../work.ts";
import { removeDeadCode } from "../fold/dce.ts";
import { forwardLoads } from "./forward-loads.ts";

function run(text: string): string {
  const kernel = parseKernel(text);
  expect(verifyKernel(kernel)).toEqual([]);
  forwardLoads(kernel, new Work());
  removeDeadCode(kernel, new Work());
  expect(verifyKernel(kernel)).toEqual([]);
  return printKernel(kernel);
}

const count = (text: string, what: RegExp): number => [...text.matchAll(new RegExp(what, "g"))].length;

const between = (parameters: string, between: string): string => `kernel @k(${parameters}) {
shared @tile 256 align 4 dims 64 element 4
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = special tid.x
  %4: ptr = gep %1, %3, scale 4, offset 0
  %5: ptr = gep %2, %3, scale 4, offset 0
  %6: ptr = shared.address 0
  %7: f32 = load.global %4, align 4
  ${between}
  %9: f32 = load.global %4, align 4
  %10: f32 = fadd %7, %9
  store.global %5, %10, align 4
  return
}
`;

test.each([
  ["nothing", "%in: ptr f32, %out: ptr f32", "%8: i32 = special laneid", 1],
  ["a store through another pointer", "%in: ptr f32, %out: ptr f32", "store.global %5, %7, align 4", 2],
  ["a store through another restrict pointer", "%in: ptr f32 restrict, %out: ptr f32 restrict", "store.global %5, %7, align 4", 1],
  ["a store to shared memory", "%in: ptr f32, %out: ptr f32", "store.shared %6, %7, align 4", 1],
  ["a barrier", "%in: ptr f32, %out: ptr f32", "barrier", 2],
  ["a warp barrier", "%in: ptr f32, %out: ptr f32", "syncwarp", 2],
])("a repeated load with %s between is loaded %#", (_, parameters, op, loads) => {
  expect(count(run(between(parameters, op)), /load\.global/)).toBe(loads);
});

test("what was stored is not loaded", () => {
  const text = run(between("%in: ptr f32, %out: ptr f32", "store.global %4, %7, align 4"));
  expect(count(text, /load\.global/)).toBe(1);
});

test("a sum kept in memory is loaded once before the loop, and stored in each iteration", () => {
  const text = run(`kernel @k(%a: ptr f32, %c: ptr f32, %n: i32) {
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = param 2
  %4: i32 = const 0
  %5: i32 = const 1
  jump b1
b1:
  %6: i32 = phi [%4, b0], [%11, b1]
  %7: ptr = gep %1, %6, scale 4, offset 0
  %8: f32 = load.global %2, align 4
  %9: f32 = load.global %7, align 4
  %10: f32 = fadd %8, %9
  store.global %2, %10, align 4
  %11: i32 = add.exact %6, %5
  %12: i1 = icmp.slt %11, %3
  branch %12, b1, b2
b2:
  return
}
`);
  expect(text).toMatch(/b0:[^b]*(?:b(?!1:)[^b]*)*load\.global %2/);
  expect(count(text, /load\.global/)).toBe(2);
  expect(text).toMatch(/f32 = phi \[%\d+, b\d+\], \[%10, b\d+\]/);
});

const guarded = (condition: string): string => `kernel @k(%a: ptr f32 restrict, %c: ptr f32 restrict, %n: i32) {
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = param 2
  %4: i32 = const 0
  %5: i32 = const 1
  jump b1
b1:
  %6: i32 = phi [%4, b0], [%11, b5]
  %7: ptr = gep %1, %6, scale 4, offset 0
  %9: f32 = load.global %7, align 4
  %13: i1 = icmp.eq %6, %5
  branch %13, b2, b3
b2:
  %14: f32 = fmul %9, %9
  jump ${condition}
b3:
  jump b4
b4:
  %15: f32 = phi [${condition === "b4" ? "%14, b2], [" : ""}%9, b3]
  %8: f32 = load.global %2, align 4
  %10: f32 = fadd %8, %15
  store.global %2, %10, align 4
  jump b5
b5:
  %11: i32 = add.exact %6, %5
  %12: i1 = icmp.slt %11, %3
  branch %12, b1, b6
b6:
  return
}
`;

test("a sum is loaded before the loop where every iteration comes to it, if not at once", () => {
  const loadsOfSum = (text: string): number => count(text.slice(text.indexOf("phi")), /load\.global %2/);
  expect(loadsOfSum(run(guarded("b4")))).toBe(0);
  expect(loadsOfSum(run(guarded("b5")))).toBe(1);
});

test("an invariant load leaves the loop", () => {
  const text = run(`kernel @k(%a: ptr i32, %n: i32) {
shared @s 4 align 4 dims - element 4
b0:
  %1: ptr = param 0
  %3: i32 = param 1
  %4: i32 = const 0
  %5: i32 = const 1
  %13: ptr = shared.address 0
  jump b1
b1:
  %6: i32 = phi [%4, b0], [%11, b1]
  %8: i32 = load.global %1, align 4
  store.shared %13, %8, align 4
  %11: i32 = add.exact %6, %5
  %12: i1 = icmp.slt %11, %3
  branch %12, b1, b2
b2:
  return
}
`);
  const [before, inside] = text.split("store.shared");
  expect(count(before ?? "", /load\.global/)).toBe(1);
  expect(before?.indexOf("load.global")).toBeLessThan(before?.indexOf("phi") ?? 0);
  expect(inside).not.toContain("load.global");
});

const joined = (then: string, otherwise: string): string => `kernel @k(%a: ptr f32 restrict, %c: ptr f32 restrict, %n: i32) {
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = param 2
  %4: i32 = special tid.x
  %5: f32 = const 1
  %6: i1 = icmp.slt %4, %3
  branch %6, b1, b2
b1:
  ${then}
  jump b3
b2:
  ${otherwise}
  jump b3
b3:
  %20: ptr = gep %1, %4, scale 4, offset 0
  %21: f32 = load.global %20, align 4
  %22: ptr = gep %2, %4, scale 4, offset 0
  store.global %22, %21, align 4
  return
}
`;

test("what one of the ways to a join stored is loaded on the other only, equal addresses wherever they are computed", () => {
  const store = "%10: ptr = gep %1, %4, scale 4, offset 0\n  store.global %10, %5, align 4";
  const one = run(joined(store, ""));
  expect(count(one, /load\.global/)).toBe(1);
  expect(one).toMatch(/f32 = phi \[%5, b\d+\], \[%\d+, b\d+\]/);
  expect(one.indexOf("load.global")).toBeLessThan(one.indexOf("phi"));
  const both = run(joined(store, store.replaceAll("%10", "%11")));
  expect(count(both, /load\.global/)).toBe(0);
  const neither = run(joined("barrier", "barrier"));
  expect(neither.indexOf("load.global")).toBeGreaterThan(neither.lastIndexOf("gep %1"));
});
