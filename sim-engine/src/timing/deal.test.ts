import fc from "fast-check";
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

  it.each([
    ["of one weight", 31, () => 10],
    ["the longer, the more of them", 16, (k: number) => 10 * 1.03 ** k],
    ["the longer, the fewer of them", 16, (k: number) => 10 * 0.97 ** k],
    ["of five weights in turn", 20, (k: number) => 1 + (k % 5)],
  ])("are like all their kinds where there are more of these than an SM is dealt: %s", (_, count, weight) => {
    const kinds = Array.from({ length: 76 }, (_, k) => block(k, weight(k), 288 + 8 * k));
    const deal = new Deal(kinds, count, false, 132);
    const mean = dealt(deal, count).reduce((sum, k) => sum + kinds[k]!.instructions, 0) / count;
    expect(mean / (deal.instructions / count)).toBeGreaterThan(0.9);
    expect(mean / (deal.instructions / count)).toBeLessThan(1.1);
  });

  it("are one of each where all run at once and are alike, and none of which there is next to none", () => {
    expect(dealt(new Deal([block(0, 132, 100), block(1, 132, 100)], 2, true, 132), 2).sort()).toEqual([0, 1]);
    const kinds = [block(0, 100, 10), block(1, 100, 1000), block(2, 1e-3, 505)];
    expect(dealt(new Deal(kinds, 2, true, 132), 2)).not.toContain(2);
  });

  it("are some, whatever they weigh and issue", () => {
    const kind = fc.record({ weight: fc.integer({ min: 1, max: 300 }), instructions: fc.integer({ min: 0, max: 2000 }) });
    fc.assert(
      fc.property(fc.array(kind, { minLength: 1, maxLength: 16 }), fc.integer({ min: 1, max: 6 }), fc.boolean(), (kinds, count, atOnce) => {
        const deal = new Deal(
          kinds.map(({ weight, instructions }, k) => block(k, weight, instructions)),
          count,
          atOnce,
          132,
        );
        for (const k of dealt(deal, count)) expect(kinds[k]).toBeDefined();
      }),
      { numRuns: 1000 },
    );
  });

  it("leave out kinds of which there is next to none", () => {
    const deal = new Deal([block(0, 1, 5), block(1, 4094, 10), block(2, 1, 5), block(3, 2, 5)], 31, false, 132);
    expect(new Set(dealt(deal, 31))).toEqual(new Set([1]));
  });
});
