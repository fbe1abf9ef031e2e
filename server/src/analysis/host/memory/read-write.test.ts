import { Work } from "@warplens/sim-engine";
import { beforeAll, expect, it } from "vitest";
import { loadGrammarFromDisk } from "../../../grammar.ts";
import { analyseCode } from "../../../testing/rule-tables.ts";

beforeAll(loadGrammarFromDisk);

/** Steps that finding the launch takes. */
function stepsWith(elements: number, reads: number): number {
  const program = analyseCode(`__global__ void k(int *y, int n) { y[threadIdx.x] = n; }
int anything();
int main() {
  int t[] = {${Array.from({ length: elements }, (_, k) => k).join(", ")}};
  int *y, u = anything(), s = 0;
  cudaMalloc(&y, 4096);
  ${"s += t[u];\n".repeat(reads)}
  k<<<1, 32>>>(y, s);
}`);
  const work = new Work();
  const launches = program.db.within(work, () => program.launches);
  expect(launches).toHaveLength(1);
  return work.taken;
}

it("an element of which it is not known which one it is costs what going through all of them does", () => {
  const reads = (elements: number): number => stepsWith(elements, 200) - stepsWith(elements, 0);
  expect(reads(6400) - reads(64)).toBeGreaterThan(200 * 95);
});
