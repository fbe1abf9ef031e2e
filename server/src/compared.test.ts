import type { LineCounters } from "@warplens/sim-engine";
import { expect, test } from "vitest";
import { comparedOf } from "./compared.ts";
import { reportOf } from "./lsp/testing.ts";

const line = (more: Partial<LineCounters>): LineCounters => ({
  instructions: 0,
  threadInstructions: 0,
  globalRequests: 0,
  globalSectors: 0,
  globalSectorsIdeal: 0,
  sharedWavefronts: 0,
  sharedWavefrontsIdeal: 0,
  divergentBranches: 0,
  ...more,
});

test("lines have their shares of each measure, and those that have little of all are left out", () => {
  const lines = {
    "12": line({ instructions: 300, timeShare: 0.9, globalSectors: 64 }),
    "7": line({ instructions: 699, timeShare: 0.004 }),
    "9": line({ instructions: 1, timeShare: 0.004 }),
  };
  const compared = comparedOf({ ...reportOf(1000), lines }, "a GPU", { "7": "seven", "12": "twelve" });
  expect(compared.lines).toEqual([
    { line: 7, text: "seven", shares: { time: 0.004, instructions: 0.699, sectors: 0, wavefronts: 0 } },
    { line: 12, text: "twelve", shares: { time: 0.9, instructions: 0.3, sectors: 1, wavefronts: 0 } },
  ]);
});

test("levels have what they moved; what is not known is absent", () => {
  const report = reportOf(1000);
  const traffic = {
    globalLoadRequests: 1,
    globalLoadSectors: 4,
    globalStoreRequests: 0,
    globalStoreSectors: 0,
    l1HitPct: 25,
    dramReadBytes: 96,
  };
  expect(comparedOf({ ...report, accesses: [], traffic }, "a GPU", {}).levels).toEqual([
    { name: "Requested", read: 0, written: 0 },
    { name: "L1", read: 128, written: 0, hitPct: 25 },
    { name: "L2" },
    { name: "DRAM", read: 96 },
  ]);
});
