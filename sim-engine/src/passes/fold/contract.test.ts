import { expect, test } from "vitest";
import { runPasses, stored } from "../testing/run-passes.ts";
import { contract } from "./contract.ts";

test("products and sums are contracted where nothing else wants the product", () => {
  const product = "%20: f32 = sitofp %4\n%21: f32 = fmul %20, %8\n%22: f32 = fadd %21, %20";
  expect(runPasses(stored("22", product), contract)).toMatch(/= fma %20, %8, %20/);
  expect(runPasses(stored("22", `${product}\nstore.global %1, %21, align 4`), contract)).toMatch(/fmul/);
});
