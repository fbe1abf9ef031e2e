import fc from "fast-check";
import { expect, test } from "vitest";
import { immediateDominators } from "./immediate-dominators.ts";

type Graph = readonly (readonly number[])[];

/** The nodes that ways from the roots come to which do not pass one of them. */
function reachedWithout(roots: readonly number[], incoming: Graph, without: number): ReadonlySet<number> {
  const reached = new Set(roots.filter((root) => root !== without));
  for (const from of reached) for (const [to, all] of incoming.entries()) if (to !== without && all.includes(from)) reached.add(to);
  return reached;
}

/** By their meaning: the one that all others that all ways pass stand before. */
function byMeaning(roots: readonly number[], incoming: Graph): number[] {
  const all = reachedWithout(roots, incoming, -1);
  const passed = (node: number): number[] =>
    incoming.flatMap((_, other) => (other !== node && all.has(other) && !reachedWithout(roots, incoming, other).has(node) ? [other] : []));
  return incoming.map((_, node) => {
    if (!all.has(node)) return -1;
    const over = passed(node);
    return over.find((each) => passed(each).length === over.length - 1) ?? -1;
  });
}

test("of any graph", () => {
  const graphs = fc
    .integer({ min: 1, max: 9 })
    .chain((count) =>
      fc.tuple(
        fc.array(fc.nat(count - 1), { minLength: 1, maxLength: 2 }),
        fc.array(fc.array(fc.nat(count - 1), { maxLength: 3 }), { minLength: count, maxLength: count }),
      ),
    );
  fc.assert(
    fc.property(graphs, ([roots, incoming]) => {
      expect([...immediateDominators(roots, incoming)]).toEqual(byMeaning(roots, incoming));
    }),
    { numRuns: 2000, seed: 23 },
  );
});

test("300,000 tests, each of which leads to a case that falls through to the next", () => {
  const count = 300_000;
  // Tests have even numbers, cases odd ones.
  const incoming = Array.from({ length: 2 * count }, (_, k) => (k % 2 ? [k - 1, k - 2] : [k - 2]).filter((from) => from >= 0));
  const above = immediateDominators([0], incoming);
  expect([above[2 * count - 2], above[1], above[3], above[2 * count - 1]]).toEqual([2 * count - 4, 0, 0, 0]);
});
