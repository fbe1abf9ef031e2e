import fc from "fast-check";
import { expect, test } from "vitest";
import { printKernel } from "../ir/text.ts";
import { verifyKernel } from "../ir/verify.ts";
import { faultOf } from "./testing/compare.ts";
import { programLaunch, randomProgram } from "./testing/random-program.ts";

const decisions = fc.array(fc.nat(), { minLength: 60, maxLength: 500, size: "max" });
const launches = fc.tuple(fc.constantFrom(1, 3, 5), fc.constantFrom(1, 2), fc.nat(9), fc.boolean());

test("optimised programs leave in memory what they did before, and each pass keeps the accesses it is to keep", () => {
  fc.assert(
    fc.property(decisions, launches, fc.nat(), (choices, shape, pass) => {
      const kernel = randomProgram(choices);
      expect(verifyKernel(kernel)).toEqual([]);
      expect(faultOf(kernel, programLaunch(...shape), pass), printKernel(kernel)).toBeUndefined();
    }),
    { numRuns: 60, seed: 20_251_113 },
  );
});
