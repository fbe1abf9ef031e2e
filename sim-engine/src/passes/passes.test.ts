/** What each pass takes and gives, in the text of the IR. */

import { expect, test } from "vitest";
import type { Kernel } from "../ir/kernel.ts";
import { parseKernel, printKernel } from "../ir/text.ts";
import { verifyKernel } from "../ir/verify.ts";
import { Work } from "../work.ts";
import { duplicateReturns } from "./flow/duplicate-returns.ts";
import { convertBranches } from "./flow/if-convert.ts";
import { simplifyCfg } from "./flow/simplify-cfg.ts";
import { sinkCommon } from "./flow/sink-common.ts";
import { contract } from "./fold/contract.ts";
import { removeDeadCode } from "./fold/dce.ts";
import { fold } from "./fold/fold.ts";
import { mergeEqualValues } from "./fold/gvn.ts";
import { hoistLeaves } from "./fold/leaves.ts";
import { reduceStraightLine } from "./fold/straight-line.ts";
import { hoistInvariants } from "./loops/licm.ts";
import { reduceStrength } from "./loops/strength-reduce.ts";
import { inferSpaces } from "./memory/infer-spaces.ts";
import { markReadOnly } from "./memory/mark-read-only.ts";
import { narrowLoads } from "./memory/narrow-loads.ts";
import { removeDeadStores, sinkStores } from "./memory/stores.ts";
import { vectorizeAccesses } from "./memory/vectorize.ts";

const header = "kernel @k(%in: ptr f32, %out: ptr f32, %n: i32)";
const shared = `shared @tile 4096 align 4 dims 32x32 element 4`;

/** Runs the passes on a kernel of one block, or of the blocks given, and prints what is left. */
function run(body: string, ...passes: ((kernel: Kernel, work: Work) => unknown)[]): string {
  const blocks = /^b\d+:/m.test(body) ? body : `b0:\n${body}\n  return`;
  const kernel = parseKernel(`${header} {\n${shared}\n${blocks}\n}\n`);
  expect(verifyKernel(kernel)).toEqual([]);
  hoistLeaves(kernel, new Work());
  for (const pass of passes) {
    pass(kernel, new Work());
    expect(verifyKernel(kernel)).toEqual([]);
  }
  removeDeadCode(kernel, new Work());
  return printKernel(kernel);
}

const common = `
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = param 2
  %4: i32 = special tid.x
  %5: i32 = const 0
  %6: i32 = const 1
  %7: i32 = const 8
  %8: f32 = const 2`;

const stored = (value: string, ops: string): string => `${common}
  ${ops.trim().split("\n").join("\n  ")}
  store.global %2, %${value}, align 4`;

test.each([
  ["x + 0", "%20: i32 = add %4, %5", /store\.global %2, %4/],
  ["x - 8 is x + -8", "%20: i32 = sub %4, %7", /= add %4, %\d+/],
  ["x * 8 is a shift", "%20: i32 = mul %4, %7", /= shl %4, %\d+/],
  [
    "two shifts that meet are a rotation",
    "%18: i32 = const 24\n%17: i32 = shl %4, %7\n%16: i32 = lshr %4, %18\n%20: i32 = or %17, %16",
    /= math\.funnel\.l\S* %4, %4, %7/,
  ],
  [
    "shifts that leave bits out are not",
    "%18: i32 = const 23\n%17: i32 = shl %4, %7\n%16: i32 = lshr %4, %18\n%20: i32 = or %17, %16",
    /= or %\d+, %\d+/,
  ],
  ["x / 8 unsigned is a shift", "%20: i32 = udiv %4, %7", /= lshr %4, %\d+/],
  ["x % 8 unsigned is a mask", "%20: i32 = urem %4, %7", /= and %4, %\d+/],
  ["x / 8 signed stays: x may be negative", "%20: i32 = sdiv %4, %7", /= sdiv %4, %7/],
  ["(x & 255) / 8 signed is a shift", "%19: i32 = const 255\n%18: i32 = and %4, %19\n%20: i32 = sdiv %18, %7", /= lshr %18, %\d+/],
  ["(x + 1) + 8 is x + 9", "%19: i32 = add %4, %6\n%20: i32 = add %19, %7", /const 9[\s\S]*= add %4, %\d+/],
  ["8 > x is x < 8", "%19: i1 = icmp.sgt %7, %4\n%20: i32 = select %19, %4, %3", /icmp\.slt %4, %7/],
  ["x < n ? x : n is a minimum", "%19: i1 = icmp.slt %4, %3\n%20: i32 = select %19, %4, %3", /= smin %4, %3/],
  ["constants", "%19: i32 = const -7\n%20: i32 = srem %19, %7", /store\.global %2, %19/],
])("folds %s", (_, ops, expected) => {
  expect(run(stored("20", ops), fold)).toMatch(expected);
});

test.each([
  ["x / 4 is x * 0.25", "%19: f32 = const 4\n%20: f32 = sitofp %4\n%21: f32 = fdiv %20, %19", /const 0\.25[\s\S]*fmul/],
  ["x / 3 stays a division", "%19: f32 = const 3\n%20: f32 = sitofp %4\n%21: f32 = fdiv %20, %19", /fdiv %20, %19/],
  ["x + 0 stays: x may be -0", "%19: f32 = const 0\n%20: f32 = sitofp %4\n%21: f32 = fadd %20, %19", /fadd %20, %19/],
  ["x - 2 is x + -2", "%20: f32 = sitofp %4\n%21: f32 = fsub %20, %8", /const -2[\s\S]*fadd %20/],
])("folds %s", (_, ops, expected) => {
  expect(run(stored("21", ops), fold)).toMatch(expected);
});

test("addresses: exact constants become offsets, what may wrap does not", () => {
  const load = (add: string): string =>
    run(stored("22", `%20: i32 = ${add} %3, %7\n%21: ptr = gep %1, %20, scale 4, offset 0\n%22: f32 = load.global %21, align 4`), fold);
  expect(load("add.exact")).toMatch(/gep %1, %3, scale 4[\s\S]*scale 1, offset 32/);
  expect(load("add")).toMatch(/add %3, %7[\s\S]*gep %1, %20, scale 4/);
});

test("equal values are computed once, in dominating blocks too", () => {
  const text = run(stored("22", "%20: i32 = add %4, %3\n%21: i32 = add %3, %4\n%22: i32 = mul %20, %21"), mergeEqualValues);
  expect(text).toMatch(/mul %20, %20/);
});

test("spaces come from where an address does", () => {
  const text = run(
    `${common}
  %10: ptr = shared.address 0
  %11: ptr = gep %10, %4, scale 4, offset 0
  %12: f32 = load.generic %11, align 4
  %13: i1 = icmp.slt %4, %3
  %14: ptr = select %13, %1, %2
  %15: ptr = select %13, %1, %10
  store.generic %14, %12, align 4
  store.generic %15, %12, align 4`,
    inferSpaces,
  );
  expect(text).toMatch(/load\.shared %11/);
  expect(text).toMatch(/store\.global %14/);
  expect(text).toMatch(/store\.generic %15/);
});

test("restrict data that is not stored to is read-only", () => {
  const kernel = parseKernel(`kernel @k(%a: ptr f32 restrict, %b: ptr f32 restrict, %c: ptr f32) {
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: ptr = param 2
  %4: f32 = load.global %1, align 4
  %5: f32 = load.global %2, align 4
  %6: f32 = load.global %3, align 4
  %7: f32 = fadd %4, %5
  %8: f32 = fadd %7, %6
  store.global %2, %8, align 4
  return
}
`);
  markReadOnly(kernel);
  const text = printKernel(kernel);
  expect(text).toMatch(/load\.global %1, align 4, nc/);
  expect(text).not.toMatch(/load\.global %[23], align 4, nc/);
});

const diamond = (then: string, otherwise: string): string => `b0:${common}
  %10: i1 = icmp.slt %4, %3
  branch %10, b1, b2
b1:
  ${then}
  jump b3
b2:
  ${otherwise}
  jump b3
b3:
  %30: i32 = phi [%21, b1], [%22, b2]
  store.global %2, %30, align 4
  return`;

test("short arms become selections, loads in them do not", () => {
  expect(run(diamond("%21: i32 = add %4, %6", "%22: i32 = mul %4, %7"), convertBranches, simplifyCfg)).toMatch(/select %10, %21, %22/);
  const loading = run(diamond("%21: i32 = load.global %1, align 4", "%22: i32 = mul %4, %7"), convertBranches, simplifyCfg);
  expect(loading).toMatch(/branch %10/);
});

test("what both arms begin with is done before them, what they end with behind them", () => {
  const hoisted = run(
    diamond(
      "%20: i32 = load.global %1, align 4\n  %21: i32 = sdiv %20, %3",
      "%23: i32 = load.global %1, align 4\n  %22: i32 = udiv %23, %3",
    ),
    convertBranches,
  );
  expect(hoisted.match(/load\.global/g)).toHaveLength(1);
  const sunk = run(
    diamond(
      "%20: i32 = sdiv %4, %3\n  store.global %1, %20, align 4\n  %21: i32 = sdiv %3, %4",
      "%23: i32 = udiv %4, %3\n  store.global %1, %23, align 4\n  %22: i32 = sdiv %3, %4",
    ),
    convertBranches,
  );
  expect(sunk.match(/store\.global %1/g)).toHaveLength(1);
});

test("conditions that lead to one place are joined", () => {
  const text = run(
    `b0:${common}
  %10: i1 = icmp.slt %4, %3
  branch %10, b1, b3
b1:
  %11: i1 = icmp.sgt %4, %7
  branch %11, b2, b3
b2:
  store.global %2, %8, align 4
  jump b3
b3:
  return`,
    convertBranches,
    simplifyCfg,
  );
  expect(text.match(/branch/g)).toHaveLength(1);
  expect(text).toMatch(/= and %10, %11/);
});

test.each([
  [
    "one load, of one place or the other",
    "%20: ptr = gep %1, %4, scale 4, offset 0\n  %21: f32 = load.global %20, align 4",
    "%23: ptr = gep %1, %3, scale 4, offset 0\n  %22: f32 = load.global %23, align 4",
    /gep %1, %\d+, scale 4/,
    1,
  ],
  [
    "a load and what is done with it",
    "%20: ptr = gep %1, %4, scale 4, offset 0\n  %24: f32 = load.global %20, align 4\n  %21: f32 = fadd %24, %8",
    "%23: ptr = gep %1, %3, scale 4, offset 0\n  %25: f32 = load.global %23, align 4\n  %22: f32 = fadd %25, %8",
    /fadd/,
    1,
  ],
  [
    "not a load that is followed by a store",
    "%21: f32 = load.global %1, align 4\n  store.global %2, %8, align 4",
    "%20: ptr = gep %1, %3, scale 4, offset 0\n  %22: f32 = load.global %20, align 4",
    /branch/,
    2,
  ],
])("ways that end alike meet earlier: %s", (_, then, otherwise, expected, loads) => {
  const text = run(diamond(then, otherwise).replace("%30: i32", "%30: f32"), sinkCommon, convertBranches, simplifyCfg);
  expect(text).toMatch(expected);
  expect(text.match(/load\.global/g)).toHaveLength(loads);
});

const row = (align: number): string => `${common}
  %10: ptr = shared.address 0
  %11: ptr = gep %10, %4, scale ${align}, offset 0
  %12: f32 = load.shared %11, align 4
  %13: ptr = gep %11, %5, scale 1, offset 4
  %14: f32 = load.shared %13, align 4
  %15: f32 = fadd %12, %14
  store.global %2, %15, align 4`;

test("neighbours are loaded together where their alignment is proven", () => {
  expect(run(row(128), vectorizeAccesses)).toMatch(/f32x2 = load\.shared %11, align 8/);
  expect(run(row(132), vectorizeAccesses)).not.toMatch(/f32x2/);
});

const quad = (align: number, ...offsets: number[]): string => `${common}
  %10: ptr = gep %1, %4, scale 16, offset 0
${offsets.map((offset, k) => `  %${20 + k}: ptr = gep %10, %5, scale 1, offset ${offset}`).join("\n")}
${offsets.map((offset, k) => `  %${30 + k}: f32 = load.global %${20 + k}, align ${Math.min(align, offset === 0 ? align : offset & -offset)}`).join("\n")}
${offsets.map((_, k) => `  store.global %2, %${30 + k}, align 4\n  barrier`).join("\n")}`;

test.each([
  ["all four members", [0, 4, 8, 12], ["f32x4"]],
  ["three of four, from the first on", [0, 4, 12], ["f32x4"]],
  ["three of four without the first", [4, 8, 12], ["f32", "f32x2"]],
  ["two that are neighbours", [8, 12], ["f32x2"]],
  ["two that are not", [0, 8], ["f32", "f32"]],
  ["two across the middle", [4, 8], ["f32", "f32"]],
])("of an aligned vector are loaded, as nvcc does: %s", (_, offsets, expected) => {
  const loads = (text: string): string[] => [...text.matchAll(/(f32\S*) = load/g)].map(([, type]) => type as string);
  expect(loads(run(quad(16, ...offsets), vectorizeAccesses))).toEqual(expected);
  expect(loads(run(quad(4, ...offsets), vectorizeAccesses))).toEqual(offsets.map(() => "f32"));
});

test.each([
  ["one component", [2], ["f32"]],
  ["an aligned pair", [2, 3], ["f32x2"]],
  ["two others", [1, 2], ["f32", "f32"]],
  ["three", [0, 1, 3], ["f32x4"]],
])("of a vector that is loaded whole, what is not used is left out, as ptxas does: %s", (_, used, expected) => {
  const text = run(
    `${common}
  %10: f32x4 = load.global %1, align 16
${used.map((index, k) => `  %${20 + k}: f32 = extract %10, ${index}\n  store.global %2, %${20 + k}, align 4`).join("\n")}`,
    narrowLoads,
  );
  expect([...text.matchAll(/(f32\S*) = load/g)].map(([, type]) => type)).toEqual(expected);
});

test("stores that are written over are not made, unless somebody may look", () => {
  const twice = (between: string): string => `${common}
  store.global %2, %8, align 4
  ${between}
  %12: f32 = sitofp %4
  store.global %2, %12, align 4`;
  expect(run(twice("%11: i32 = add %4, %6"), removeDeadStores).match(/store/g)).toHaveLength(1);
  expect(run(twice("barrier"), removeDeadStores).match(/store/g)).toHaveLength(2);
  expect(
    run(
      twice("%11: f32 = load.global %1, align 4\n  store.shared %13, %11, align 4".replace("%13", "%14")).replace(
        "store.global %2, %8",
        "%14: ptr = shared.address 0\n  store.global %2, %8",
      ),
      removeDeadStores,
    ).match(/store\.global/g),
  ).toHaveLength(2);
});

const counted = (body: string): string => `b0:${common}
  jump b1
b1:
  %10: i32 = phi [%5, b0], [%11, b1]
  ${body}
  %11: i32 = add.exact %10, %6
  %12: i1 = icmp.slt %11, %3
  branch %12, b1, b2
b2:
  return`;

test("a store to one place in every iteration is made once behind the loop", () => {
  const text = run(counted("%20: f32 = sitofp %10\n  store.global %2, %20, align 4"), sinkStores);
  expect(text.indexOf("store.global")).toBeGreaterThan(text.indexOf("branch"));
  const read = run(counted("%19: f32 = load.global %1, align 4\n  store.global %2, %19, align 4"), sinkStores);
  expect(read.indexOf("store.global")).toBeLessThan(read.indexOf("branch"));
});

test("invariant arithmetic leaves the loop", () => {
  const text = run(
    counted(
      "%20: i32 = mul %4, %3\n  %21: i32 = add %20, %10\n  %22: ptr = gep %2, %21, scale 4, offset 0\n  store.global %22, %8, align 4",
    ),
    hoistInvariants,
  );
  expect(text.indexOf("= mul %4, %3")).toBeLessThan(text.indexOf("phi"));
});

test("an address that moves on by a stride becomes a pointer that does", () => {
  const body =
    "%20: i32 = mul.exact %10, %3\n  %21: i32 = add.exact %20, %4\n  %22: ptr = gep %2, %21, scale 4, offset 0\n  store.global %22, %8, align 4";
  const text = run(counted(body), reduceStrength);
  const loop = text.slice(text.indexOf("phi"));
  expect(loop).toMatch(/ptr = phi/);
  expect(loop).toMatch(/gep %\d+, %3, scale 4/);
  expect(loop).not.toMatch(/mul/);
  // What may wrap is computed anew each time.
  expect(run(counted(body.replaceAll(".exact", "")), reduceStrength)).not.toMatch(/ptr = phi/);
});

test("rows very far apart have a pointer each", () => {
  const row = (first: number, offset: number) =>
    `%${first}: i32 = const ${offset}\n  %${first + 1}: i32 = add.exact %10, %${first}\n  %${first + 2}: i32 = mul.exact %${first + 1}, %3\n` +
    `  %${first + 3}: ptr = gep %2, %${first + 2}, scale 4, offset 0\n  store.global %${first + 3}, %8, align 4`;
  const text = run(counted(`${row(20, 0)}\n  ${row(30, 1)}\n  ${row(40, 900_000_000)}`), hoistInvariants, reduceStrength);
  expect(text.match(/ptr = phi/g)?.length).toBe(2);
});

test("a row of a row of a tensor is reached by a pointer too", () => {
  // ((n * tid + i) * (n * tid)) * 4
  const text = run(
    counted(
      "%20: i32 = mul.exact %3, %4\n  %21: i64 = sext %20\n  %22: i64 = sext %10\n  %23: i64 = add %21, %22\n  %24: i64 = mul %23, %21\n  %25: ptr = gep %2, %24, scale 4, offset 0\n  store.global %25, %8, align 4",
    ),
    hoistInvariants,
    reduceStrength,
  );
  expect(text.slice(text.indexOf("phi"))).not.toMatch(/mul/);
});

test("a neighbouring row is an addition away", () => {
  const text = run(
    stored(
      "28",
      "%20: ptr = gep %1, %4, scale 4, offset 0\n%21: f32 = load.global %20, align 4\n%22: i32 = add.exact %4, %3\n%23: ptr = gep %1, %22, scale 4, offset 0\n%24: f32 = load.global %23, align 4\n%28: f32 = fadd %21, %24",
    ),
    reduceStraightLine,
  );
  expect(text).toMatch(/gep %20, %3, scale 4/);
});

test("products and sums are contracted where nothing else wants the product", () => {
  const product = "%20: f32 = sitofp %4\n%21: f32 = fmul %20, %8\n%22: f32 = fadd %21, %20";
  expect(run(stored("22", product), contract)).toMatch(/= fma %20, %8, %20/);
  expect(run(stored("22", `${product}\nstore.global %1, %21, align 4`), contract)).toMatch(/fmul/);
});

test("each way out has a return of its own", () => {
  const text = run(
    `b0:${common}
  %10: i1 = icmp.slt %4, %3
  branch %10, b1, b2
b1:
  store.global %2, %8, align 4
  jump b2
b2:
  return`,
    duplicateReturns,
  );
  expect(text.match(/return/g)).toHaveLength(2);
});

/** `if (x < 8 && *place) out[0] = 2;` */
const guarded = (address: string, space: string): string => `b0:${common}
  ${address}
  %21: i1 = icmp.slt %4, %7
  branch %21, b1, b3
b1:
  %22: i32 = load.${space} %20, align 4
  %23: i1 = icmp.ne %22, %5
  branch %23, b2, b3
b2:
  store.global %2, %8, align 4
  jump b3
b3:
  return`;

test.each([
  ["a shared variable is read in any case", "%20: ptr = shared.address 0", "shared", 1],
  [
    "an element at a place that is not constant is not",
    "%19: ptr = shared.address 0\n  %20: ptr = gep %19, %3, scale 4, offset 0",
    "shared",
    2,
  ],
  ["nor what a pointer leads to", "%20: ptr = gep %1, %5, scale 4, offset 4", "global", 2],
])("of && only what is safe is computed beforehand: %s", (_, address, space, branches) => {
  expect(run(guarded(address, space), convertBranches).match(/branch/g)?.length).toBe(branches);
});
