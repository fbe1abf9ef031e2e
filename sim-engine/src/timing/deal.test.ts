import { describe, expect, it } from "vitest";
import { Deal } from "./deal.ts";

const block = (index: number, weight: number, instructions: number) => ({ block: { index, weight, warps: [] }, instructions });
const dealt = (deal: Deal, count: number): number[] => Array.from({ length: count }, () => deal.next());

describe("the blocks that an SM is dealt", () => {
  it("are the longest first where there is one for each SM, however many do nothing", () => {
    const deal = new Deal([block(0, 32, 10), block(1, 32, 5000)], 1, true, 132);
    expect(dealt(deal, 1)).toEqual([1]);
    expect(deal.instructions).toBeCloseTo(5000);
  });

  it("hold a share of the longest that is rounded up where all run at once", () => {
    const deal = new Deal([block(0, 300, 100), block(1, 96, 1000)], 3, true, 132);
    expect(dealt(deal, 3).filter((k) => k === 1)).toHaveLength(1);
    expect(deal.instructions).toBeCloseTo(1200);
  });

  it("follow each other in proportion where some wait for others to end", () => {
    const deal = new Deal([block(0, 3000, 100), block(1, 1000, 1000)], 100, false, 132);
    expect(dealt(deal, 100).filter((k) => k === 1)).toHaveLength(25);
    expect(deal.instructions).toBeCloseTo(100 * 325);
  });

  it("lie all over their kinds where there are more of these than an SM is dealt, in whichever order they stand", () => {
    const kinds = Array.from({ length: 76 }, (_, k) => block(k, 10, 288 + 8 * k));
    const deal = new Deal(kinds, 31, false, 132);
    const mean = dealt(deal, 31).reduce((sum, k) => sum + kinds[k]!.instructions, 0) / 31;
    expect(mean / (deal.instructions / 31)).toBeCloseTo(1, 1);
  });
});
