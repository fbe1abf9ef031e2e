/** The compiler's figures against what it was recorded to do: a figure that its record does not show fails here. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultCompiler } from "../../src/compilers/compiler.ts";
import { data } from "../../src/compilers/data.ts";
import { opcodesOf } from "../../src/compilers/expansions.ts";

interface Probe {
  readonly name: string;
  readonly ptx: { readonly instructions: number; readonly markers: number; readonly branches: number };
  readonly sass: { readonly instructions: number; readonly markers: number; readonly predicated: number; readonly branches: number };
  readonly [varied: string]: unknown;
}

function probes(family: string, wanted: Readonly<Record<string, unknown>> = {}): readonly Probe[] {
  const { nvcc, probes } = JSON.parse(readFileSync(join(import.meta.dirname, `${family}.json`), "utf8")) as {
    readonly nvcc: string;
    readonly probes: readonly Probe[];
  };
  expect(defaultCompiler.name).toContain(nvcc);
  return probes.filter((probe) => Object.entries(wanted).every(([key, value]) => probe[key] === value));
}

const { values } = defaultCompiler;
/** The largest `key` of the probes for which the answer is yes, and the smallest for which it is no. */
function edge(of: readonly Probe[], key: string, yes: (probe: Probe) => boolean): readonly [last: number, first: number] {
  const sizes = (answer: boolean): number[] => of.filter((probe) => yes(probe) === answer).map((probe) => Number(probe[key]));
  return [Math.max(...sizes(true)), Math.min(...sizes(false))];
}

describe("elements of a thread's own array chosen by what is not constant", () => {
  const inRegisters = ({ sass }: Probe): boolean => sass.markers === 0;
  test.each([1, 2, 3, 4, 5, 6, 8])("%d reads select up to so many", (count) => {
    const [last, first] = edge(probes("elements", { access: "reads", count }), "size", inRegisters);
    const most = values.selectedElements[count - 1] ?? 0;
    expect([last <= most, most < first]).toEqual([true, true]);
  });
  test.each([1, 2, 4])("%d writes count as no read", (count) => {
    const [last, first] = edge(probes("elements", { access: "writes", count }), "size", inRegisters);
    expect([last, first > (values.selectedElements[0] ?? 0)]).toEqual([values.selectedElements[0], true]);
  });
});

describe("branches", () => {
  const isPredicated = ({ sass }: Probe): boolean => sass.predicated > 0;
  test.each([
    ["divergent", values.predicatedDivergentSize],
    ["uniform", values.predicatedUniformSize],
  ])("arms of a %s branch are predicated up to %d instructions, and of two arms one less", (condition, limit) => {
    for (const arms of [1, 2]) {
      const most = limit + 1 - arms;
      expect(edge(probes("predications", { condition, of: "arithmetic", arms }), "size", isPredicated)).toEqual([most, most + 1]);
    }
  });

  test("an arm is computed always up to as many operations as are speculated", () => {
    const [last, first] = edge(probes("selections", { arms: 1 }), "size", ({ ptx }) => ptx.branches === 0);
    expect([last, first > values.speculatedSize]).toEqual([values.speculatedSize, true]);
  });
});

describe("loops", () => {
  // A multiplication and an addition; what is read besides is an extension, an address, a load and an addition.
  const size = (probe: Probe): number => 2 * Number(probe.size) + (probe.body === "load" ? 4 : 0);
  const copies = ({ ptx, ...probe }: Probe): number => ptx.markers / (Number(probe.size) + (probe.body === "load" ? 1 : 0));

  test.each([
    [4, values.unrollByFourSize],
    [2, values.unrollByTwoSize],
  ])("a trip count known at run time: by %d up to %d instructions", (factor, limit) => {
    // The rest is a loop of its own.
    for (const probe of probes("loops", { trips: "unknown" }))
      expect([probe.name, copies(probe) > factor]).toEqual([probe.name, factor * size(probe) <= limit]);
  });

  test("that ptxas unrolls again are unrolled by its factor, with half of it and the last turn behind", () => {
    const factor = values.unrollAgainFactor;
    const again = probes("loops", { trips: "unknown" }).filter(({ ptx, sass }) => sass.markers > ptx.markers);
    expect(again.length).toBeGreaterThan(8);
    for (const { name, ptx, sass } of again) {
      const [whole, rest] = [4, 1].map((part) => (ptx.markers / 5) * part) as [number, number];
      expect([name, sass.markers]).toEqual([name, whole * (factor + factor / 2 + 1) + rest]);
    }
  });

  test("under a pragma are unrolled completely where they have no more instructions", () => {
    // With what counts the turns.
    const [last, first] = edge(
      probes("pragmas").map((probe) => ({ ...probe, all: Number(probe.trips) * (2 * Number(probe.size) + 1) })),
      "all",
      ({ ptx, trips, size }) => ptx.markers === Number(trips) * Number(size),
    );
    expect([last <= values.pragmaUnrollSize, first > values.pragmaUnrollSize]).toEqual([true, true]);
  });

  test("whose counter no formula describes are tried out", () =>
    expect(edge(probes("searches"), "trips", ({ ptx, trips }) => ptx.markers === trips)).toEqual([
      values.tripSearch,
      values.tripSearch + 1,
    ]));

  test("are rotated whatever stands in the header", () => {
    const sizes = probes("headers").map(({ size, sass }) => [size, sass.markers === 2 * Number(size)]);
    expect(sizes.filter(([, rotated]) => !rotated)).toEqual([]);
    expect(Math.max(...probes("headers").map((probe) => 2 * Number(probe.size)))).toBeGreaterThan(values.rotatedHeaderSize);
  });
});

test.each([
  ["global", "widestAccess", "ptx"],
  ["constant", "widestConstantAccess", "sass"],
] as const)("%s accesses are joined up to %s", (space, name, code) => {
  const loads = (words: number): number => probes("widths", { space, words })[0]?.[code].markers ?? 0;
  // Twice the words take as many loads more as there are widest accesses in the words added.
  expect(loads(8) - loads(4)).toBe((4 * 4) / values[name]);
});

describe("what functions and divisions become", () => {
  const measured = data.compilers
    .flatMap(({ sequences }) => Object.entries(sequences))
    .flatMap(([name, { basis, source, at }]) => {
      const [, file, count] = /^(\w+)\.json: (\d+) instructions$/.exec(at) ?? [];
      return basis === "measured" && source === "compiler-probes" && file ? [{ name, file, count: Number(count) }] : [];
    });

  test.each(measured)("$name has the instructions recorded", ({ name, file, count }) => {
    const [type, call] = [name.split(".")[0], name.split(".").at(-1)];
    const instructions = (of: string | undefined): number => probes(file, { type, call: of })[0]?.sass.instructions ?? 0;
    const recorded = instructions(call) - instructions("none") + 1;
    const ours = opcodesOf(name)?.length ?? 0;
    // One more or less is how operands are loaded, which the kernel around decides.
    expect([count, Math.abs(ours - recorded) <= 3]).toEqual([recorded, true]);
  });

  test("most of those without branches are among them", () => expect(measured.length).toBeGreaterThan(35));
});

test("what is the same for all threads is compared in a thread's registers, whatever it is counted for", () => {
  const of = probes("comparedWords");
  expect([of.length, of.filter(({ sass }) => sass.markers > 0).length]).toEqual([60, 0]);
});
