import { expect, test } from "vitest";
import { formatWaits } from "./wait-text.ts";

test.each([
  [{ memory: 0.94, issue: 0.05 }, "waits for memory 94 %, issues 5 %"],
  [{ issue: 0.05, barrier: 0.5 }, "waits for a barrier 50 %, issues 5 %"],
  [{ pipe: 0.2, shared: 0.004 }, "waits for a busy pipe 20 %"],
  [{ dependence: 0.004 }, "waits for results of arithmetic < 1 %"],
  [{}, ""],
] as const)("%j: %s", (shares, words) => expect(formatWaits(shares)).toBe(words));
