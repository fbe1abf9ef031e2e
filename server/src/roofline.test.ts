import { expect, test } from "vitest";
import { rooflinePoint } from "./roofline.ts";

const time = {
  ns: 1000,
  range: [1000, 1000] as [number, number],
  cycles: 1,
  boundBy: "dram",
  dramGBs: 1,
  dramPctOfPeak: 1,
  requestedGBs: 1,
  parts: [],
};
const traffic = { globalLoadRequests: 0, globalLoadSectors: 0, globalStoreRequests: 0, globalStoreSectors: 0 };
const moved = { ...traffic, dramReadBytes: 3000, dramWriteBytes: 1000, l2ReadSectors: 200, l2WriteSectors: 50 };
const arithmetic = [
  { kind: "fp32" as const, operations: 6000, peakGflops: 1 },
  { kind: "fp64" as const, operations: 2000, peakGflops: 1 },
];

test("operations over bytes and time, all kinds together", () =>
  expect(rooflinePoint({ time, traffic: moved, arithmetic })).toEqual({ gflops: 8, perDramByte: 2, perL2Byte: 1 }));
test("what is not moved, or not known, is not divided by", () => {
  expect(rooflinePoint({ time, traffic: { ...moved, dramReadBytes: 0, dramWriteBytes: 0 }, arithmetic })).toEqual({
    gflops: 8,
    perL2Byte: 1,
  });
  expect(rooflinePoint({ time, traffic, arithmetic })).toEqual({ gflops: 8 });
});
test.each([
  ["no arithmetic", { time, traffic: moved }],
  ["no time", { traffic: moved, arithmetic }],
])("%s, no point", (_, report) => expect(rooflinePoint(report)).toBeUndefined());
