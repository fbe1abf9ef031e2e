import { expect, test } from "vitest";
import { parseKernel, printKernel } from "../../ir/text.ts";
import { verifyKernel } from "../../ir/verify.ts";
import { Work } from "../../work.ts";
import { removeDeadCode } from "../fold/dce.ts";
import { promote } from "./promote.ts";

function run(text: string): string {
  const kernel = parseKernel(text);
  expect(verifyKernel(kernel)).toEqual([]);
  promote(kernel, new Work());
  removeDeadCode(kernel, new Work());
  expect(verifyKernel(kernel)).toEqual([]);
  return printKernel(kernel);
}

test("a counter in an alloca becomes a phi", () => {
  const text = run(`kernel @count(%out: ptr i32, %n: i32) {
b0:
  %1: ptr = alloca 4, align 4, "i"
  %2: i32 = const 0
  %3: i32 = param 1
  store.local %1, %2, align 4
  jump b1
b1:
  %4: i32 = load.local %1, align 4
  %5: i1 = icmp.slt %4, %3
  branch %5, b2, b3
b2:
  %6: i32 = const 1
  %7: i32 = load.local %1, align 4
  %8: i32 = add.exact %7, %6
  store.local %1, %8, align 4
  jump b1
b3:
  %9: ptr = param 0
  %10: i32 = load.local %1, align 4
  store.global %9, %10, align 4
  return
}
`);
  expect(text).not.toContain("alloca");
  expect(text).toMatch(/phi \[%2, b0\], \[%8, b\d+\]/);
  expect(text).not.toMatch(/(load|store)\.local/);
});

test("a struct becomes its members, an array with a dynamic index stays", () => {
  const text = run(`kernel @parts(%out: ptr f32, %n: i32) {
b0:
  %1: ptr = alloca 12, align 4, "s"
  %2: ptr = alloca 16, align 4, "a"
  %3: i32 = const 0
  %4: f32 = const 1.5
  %5: f32 = const 2.5
  %6: i32 = param 1
  %7: ptr = gep %1, %3, scale 4, offset 8
  %8: ptr = gep %2, %6, scale 4, offset 0
  store.local %1, %4, align 4
  store.local %7, %5, align 4
  store.local %8, %4, align 4
  %9: f32 = load.local %7, align 4
  %10: f32 = load.local %2, align 4
  %11: f32 = fadd %9, %10
  %12: ptr = param 0
  store.global %12, %11, align 4
  return
}
`);
  expect(text).toContain("fadd %5, %10");
  expect(text).toContain('alloca 16, align 4, "a"');
  expect(text).not.toContain("alloca 12");
});

test("a vector store is read back by its components, and as other types", () => {
  const text = run(`kernel @vector(%out: ptr i32) {
b0:
  %1: ptr = alloca 16, align 16, "v"
  %2: f32 = const 1
  %3: f32 = const 2
  %4: i32 = const 1
  store.local %1, %2, %3, %2, %3, align 16
  %5: ptr = gep %1, %4, scale 4, offset 0
  %6: i32 = load.local %5, align 4
  %7: f32x4 = load.local %1, align 16
  %8: f32 = extract %7, 3
  %9: ptr = param 0
  store.global %9, %6, align 4
  store.global %9, %8, align 4
  return
}
`);
  expect(text).toContain("bitcast %3");
  expect(text).toContain("store.global %9, %3, align 4");
});

test("a pointer to an alloca, kept in another, is followed", () => {
  const text = run(`kernel @through(%out: ptr i32) {
b0:
  %1: ptr = alloca 4, align 4, "x"
  %2: ptr = alloca 8, align 8, "p"
  %3: i32 = const 7
  store.local %2, %1, align 8
  %4: ptr = load.local %2, align 8
  store.generic %4, %3, align 4
  %5: i32 = load.local %1, align 4
  %6: ptr = param 0
  store.global %6, %5, align 4
  return
}
`);
  expect(text).toContain("store.global %6, %3");
  expect(text).not.toContain("alloca");
});

test("cases of a switch that fall through cost as many steps as there are", () => {
  const all = (count: number, line: (k: number) => string): string => Array.from({ length: count }, (_, k) => line(k)).join("");
  const cost = (cases: number): number => {
    const kernel = parseKernel(`kernel @falls(%out: ptr i32, %n: i32) {
entry:
  %out: ptr = param 0
  %n: i32 = param 1
  %s: ptr = alloca 4, align 4, "s"
  store.local %s, %n, align 4
  jump t0
${all(cases, (k) => `t${k}:\n  %l${k}: i32 = load.local %s, align 4\n  %k${k}: i32 = const ${k}\n  %c${k}: i1 = icmp.eq %l${k}, %k${k}\n  branch %c${k}, b${k}, t${k + 1}\n`)}t${cases}:
  jump b${cases}
${all(cases, (k) => `b${k}:\n  store.local %s, %k${k}, align 4\n  store.global %out, %n, align 4\n  jump b${k + 1}\n`)}b${cases}:
  %end: i32 = load.local %s, align 4
  store.global %out, %end, align 4
  return
}
`);
    const work = new Work();
    promote(kernel, work);
    expect(kernel.blocks.at(-1)?.phis).toHaveLength(1);
    return work.taken;
  };
  expect(cost(800) / cost(400)).toBeLessThan(2.5);
});
