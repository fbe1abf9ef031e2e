/** How far `#pragma unroll` goes over the steps of products of fragments, against nvcc 13.0 (sim-engine/validation/compiler/fragmentSteps.json). */
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { optimise } from "../../../sim-engine/src/passes/index.ts";
import { loadGrammarFromDisk } from "../grammar.ts";
import { analyseCode } from "../testing/rule-tables.ts";

interface Recorded {
  readonly name: string;
  readonly kind: string;
  /** Of a step. */
  readonly products: number;
  readonly steps: number;
  readonly ptx: { readonly markers: number };
  readonly source: string;
}

const file = new URL("../../../sim-engine/validation/compiler/fragmentSteps.json", import.meta.url);
const { probes } = JSON.parse(readFileSync(file, "utf8")) as { readonly probes: readonly Recorded[] };

beforeAll(loadGrammarFromDisk);

/** Copies of a step that NVVM leaves in the kernel: each has two barriers. */
function copiesOf({ name, source }: Recorded): number {
  const { launches } = analyseCode(`${source}\nint main() { ${name}<<<1, 256, 65536>>>(nullptr, nullptr); }`);
  const kernel = launches[0]!.lower();
  let barriers = 0;
  optimise(kernel, {
    afterPass: (pass) => {
      if (pass === "reduceStrength")
        barriers = kernel.blocks.flatMap(({ ops }) => ops).filter(({ action }) => action.kind === "barrier").length;
    },
  });
  return barriers / 2;
}

test("steps are unrolled as far as nvcc unrolls them", { timeout: 120_000 }, () => {
  // Those that are not unrolled completely, and the small ones that are: the rest take longer than they tell.
  const few = probes.filter(({ ptx, products, steps }) => ptx.markers <= (ptx.markers < products * steps ? 1024 : 128));
  const found = few.map((probe) => ({ probe, theirs: probe.ptx.markers / probe.products, ours: copiesOf(probe) }));
  expect(
    found.filter(({ ours, theirs }) => ours !== theirs).map(({ probe, ours, theirs }) => `${probe.name}: ${theirs}, not ${ours}`),
  ).toEqual([]);
});
