import { beforeAll, expect, test } from "vitest";
import { useParser } from "../../syntax/current-parser.ts";
import { testParser } from "../../syntax/testing/parse-text.ts";
import { ProgramDatabase } from "../program-database.ts";
import type { AnalysisSettings } from "../settings.ts";

const settings: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };

beforeAll(async () => {
  useParser(await testParser);
});

test("what is declared before a table moves it, though the kernel does not use it", () => {
  const text = (size: number): string => `__constant__ float before[${size}];
__constant__ float table[64];
__global__ void k(float *o) { int i = threadIdx.x; o[i] = table[2 * i] + table[2 * i + 1]; }
int main() { float *o; cudaMalloc(&o, 128); k<<<1, 32>>>(o); }`;
  const programs = new ProgramDatabase({ read: () => undefined });
  const places = [16, 17, 18].map((size) => {
    programs.setText("/a.cu", text(size));
    programs.configure("/a.cu", settings);
    const [fact] = programs.program("/a.cu").launches;
    return [fact?.lower().globals.map(({ offset }) => offset), fact?.stamp] as const;
  });
  expect(places.map(([offsets]) => offsets)).toEqual([[64], [68], [72]]);
  // Reports are kept for launches whose stamps are the same.
  const words = places.map(([, stamp]) => stamp?.filter((each) => typeof each === "string").join(" "));
  expect(new Set(words).size).toBe(3);
});
