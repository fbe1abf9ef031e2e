import { expect, test } from "vitest";
import { runPasses, stored } from "../testing/run-passes.ts";
import { mergeAddresses } from "./merge-addresses.ts";

const row = "%20: ptr = gep %1, %4, scale 4, offset 0";
const element = "%21: ptr = gep %20, %3, scale 4, offset 0\n%28: f32 = load.global %21, align 4";

test.each([
  ["an index into a row is summed with where the row begins, in 64 bits", `${row}\n${element}`, /sext %4[\s\S]*sext %3[\s\S]*: i64 = add /],
  ["a row of other elements stays", `${row.replace("scale 4", "scale 16")}\n${element}`, /gep %20, %3, scale 4/],
  ["a row whose beginning is accessed stays", `${row}\n%22: f32 = load.global %20, align 4\n${element}`, /gep %20, %3, scale 4/],
])("%s", (_, code, expected) => expect(runPasses(stored("28", code), mergeAddresses)).toMatch(expected));
