import { expect, test } from "vitest";
import { common, counted, runPasses } from "../testing/run-passes.ts";
import { removeDeadStores, sinkStores } from "./stores.ts";

test("stores that are written over are not made, unless somebody may look", () => {
  const twice = (between: string): string => `${common}
  store.global %2, %8, align 4
  ${between}
  %12: f32 = sitofp %4
  store.global %2, %12, align 4`;
  expect(runPasses(twice("%11: i32 = add %4, %6"), removeDeadStores).match(/store/g)).toHaveLength(1);
  expect(runPasses(twice("barrier"), removeDeadStores).match(/store/g)).toHaveLength(2);
  expect(
    runPasses(
      twice("%11: f32 = load.global %1, align 4\n  store.shared %13, %11, align 4".replace("%13", "%14")).replace(
        "store.global %2, %8",
        "%14: ptr = shared.address 0\n  store.global %2, %8",
      ),
      removeDeadStores,
    ).match(/store\.global/g),
  ).toHaveLength(2);
});

test("a store to one place in every iteration is made once behind the loop", () => {
  const text = runPasses(counted("%20: f32 = sitofp %10\n  store.global %2, %20, align 4"), sinkStores);
  expect(text.indexOf("store.global")).toBeGreaterThan(text.indexOf("branch"));
  const read = runPasses(counted("%19: f32 = load.global %1, align 4\n  store.global %2, %19, align 4"), sinkStores);
  expect(read.indexOf("store.global")).toBeLessThan(read.indexOf("branch"));
});

test("what was loaded from a place is not stored there again, unless something may have written to it meanwhile", () => {
  const copied = (between: string): string => `${common}
  %20: ptr = gep %2, %5, scale 4, offset 0
  %21: ptr = gep %2, %5, scale 4, offset 4
  %22: f32 = load.global %20, align 4
  ${between}
  store.global %20, %22, align 4`;
  const stores = (between: string): number => (runPasses(copied(between), removeDeadStores).match(/store/g) ?? []).length;
  expect(stores("store.global %21, %8, align 4")).toBe(1);
  expect(stores("store.global %20, %8, align 4\n  %23: f32 = load.global %20, align 4\n  store.global %21, %23, align 4")).toBe(3);
  expect(stores("%23: ptr = gep %2, %4, scale 4, offset 0\n  store.global %23, %8, align 4")).toBe(2);
  expect(stores("barrier")).toBe(1);
});
