/** How far steps of products of fragments are unrolled, under `#pragma unroll` and without, against nvcc 13.0 (fragmentSteps.json, fragmentNests.json). */
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import type { Op } from "../../../sim-engine/src/ir/kernel.ts";
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

/** Of columns of fragments, to each step. */
interface Nest extends Pick<Recorded, "name" | "source" | "ptx"> {
  readonly columns: number;
  readonly turns: number;
}

function recorded<Probe>(family: string): readonly Probe[] {
  const file = new URL(`../../../sim-engine/validation/compiler/${family}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly probes: readonly Probe[] }).probes;
}

beforeAll(loadGrammarFromDisk);

/** What NVVM leaves in the kernel, in sum over its operations. */
function leftOf({ name, source }: Pick<Recorded, "name" | "source">, countOf: (op: Op) => number): number {
  const { launches } = analyseCode(`${source}\nint main() { ${name}<<<1, 256, 65536>>>(nullptr, nullptr); }`);
  const kernel = launches[0]!.lower();
  let count = 0;
  optimise(kernel, {
    afterPass: (pass) => {
      if (pass === "reduceStrength") count = kernel.blocks.flatMap(({ ops }) => ops).reduce((sum, op) => sum + countOf(op), 0);
    },
  });
  return count;
}

/** Copies of a step, each of which has two barriers. */
const copiesOf = (probe: Recorded): number => leftOf(probe, ({ action }) => (action.kind === "barrier" ? 0.5 : 0));

/** Products of whole fragments, each of which is several of the machine's. */
const productsOf = (probe: Nest): number =>
  leftOf(probe, ({ action }) => (action.kind === "matrix" && action.op === "multiply" ? 1 / (action.ofFragment ?? 1) : 0));

test("steps are unrolled as far as nvcc unrolls them", { timeout: 120_000 }, () => {
  // Those that are not unrolled completely, and the small ones that are: the rest take longer than they tell.
  const few = recorded<Recorded>("fragmentSteps").filter(
    ({ ptx, products, steps }) => ptx.markers <= (ptx.markers < products * steps ? 1024 : 128),
  );
  const found = few.map((probe) => ({ probe, theirs: probe.ptx.markers / probe.products, ours: copiesOf(probe) }));
  expect(
    found.filter(({ ours, theirs }) => ours !== theirs).map(({ probe, ours, theirs }) => `${probe.name}: ${theirs}, not ${ours}`),
  ).toEqual([]);
});

test("loops over the depth become one as with nvcc, by kind, place and columns", { timeout: 120_000 }, () => {
  const nests = recorded<Nest>("fragmentNests");
  const wrong = nests.filter((nest) => {
    const copies = nest.ptx.markers / nest.columns;
    // What is left over of the turns has no copy of its own before ptxas is through.
    return Math.round(productsOf(nest) / nest.columns) !== copies + (copies > 1 ? nest.turns % copies : 0);
  });
  // One instruction off, four of them since a lane's place is added behind a fragment's address, and the sums of doubles, whose words are more
  // than was found of the others.
  expect(wrong.map(({ name }) => name)).toEqual([
    "nests_half_q_5_16",
    "nests_half_q_6_12",
    "nests_bfloat_q_1_16",
    "nests_bfloat_q_3_6",
    "nests_bytes_q_5_16",
    "nests_bytes_q_6_12",
    "nests_tf32_q_1_16",
    "nests_tf32_q_3_6",
    "nests_double_s_6_8",
    "nests_double_s_6_16",
    "nests_double_s_8_6",
  ]);
});
