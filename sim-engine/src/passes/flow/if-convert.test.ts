import { expect, test } from "vitest";
import { common, diamond, runPasses } from "../testing/run-passes.ts";
import { convertBranches } from "./if-convert.ts";
import { simplifyCfg } from "./simplify-cfg.ts";

test("short arms become selections, loads in them do not", () => {
  expect(runPasses(diamond("%21: i32 = add %4, %6", "%22: i32 = mul %4, %7"), convertBranches, simplifyCfg)).toMatch(
    /select %10, %21, %22/,
  );
  const loading = runPasses(diamond("%21: i32 = load.global %1, align 4", "%22: i32 = mul %4, %7"), convertBranches, simplifyCfg);
  expect(loading).toMatch(/branch %10/);
});

test("what both arms begin with is done before them, what they end with behind them", () => {
  const hoisted = runPasses(
    diamond(
      "%20: i32 = load.global %1, align 4\n  %21: i32 = sdiv %20, %3",
      "%23: i32 = load.global %1, align 4\n  %22: i32 = udiv %23, %3",
    ),
    convertBranches,
  );
  expect(hoisted.match(/load\.global/g)).toHaveLength(1);
  const sunk = runPasses(
    diamond(
      "%20: i32 = sdiv %4, %3\n  store.global %1, %20, align 4\n  %21: i32 = sdiv %3, %4",
      "%23: i32 = udiv %4, %3\n  store.global %1, %23, align 4\n  %22: i32 = sdiv %3, %4",
    ),
    convertBranches,
  );
  expect(sunk.match(/store\.global %1/g)).toHaveLength(1);
});

test("conditions that lead to one place are joined", () => {
  const text = runPasses(
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
  expect(runPasses(guarded(address, space), convertBranches).match(/branch/g)?.length).toBe(branches);
});
