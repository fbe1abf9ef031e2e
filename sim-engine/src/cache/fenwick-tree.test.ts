import fc from "fast-check";
import { expect, test } from "vitest";
import { FenwickTree } from "./fenwick-tree.ts";

test("sums what stands behind a place, whatever was added where", () => {
  const changes = fc.array(fc.tuple(fc.nat(19), fc.integer({ min: -5, max: 5 })));
  fc.assert(
    fc.property(changes, fc.nat(19), (added, place) => {
      const tree = new FenwickTree(20);
      const row = new Array<number>(20).fill(0);
      for (const [index, amount] of added) {
        tree.add(index, amount);
        row[index]! += amount;
      }
      expect(tree.sumAfter(place)).toBe(row.slice(place + 1).reduce((sum, each) => sum + each, 0));
    }),
  );
});
