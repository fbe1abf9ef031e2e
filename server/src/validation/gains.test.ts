/** Whether what is recommended gains what is said of it, as it was measured on an H200: the rules' examples, and programs with fixes. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { findGpu } from "@warplens/sim-engine";
import { beforeAll, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { rules } from "../rules/index.ts";
import { simulateProgram } from "../simulate.ts";
import { analyseCode } from "../testing/rule-tables.ts";

interface Measured {
  readonly rule: string;
  readonly text: "bad" | "good" | "fixed";
  readonly sha256: string;
  readonly ns: number;
}

interface Fixed {
  readonly program: string;
  readonly bad: { readonly ns: number };
  readonly fixed: { readonly ns: number };
}

const folder = new URL("../../../sim-engine/validation/gains/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");
const measured = JSON.parse(read("launches.json")) as readonly Measured[];
const fixes = JSON.parse(read("fixes.json")) as readonly Fixed[];
/** The better one goes over other data. */
const notAlike = ["predicated-off-lanes"];
/** Ratio of two times from which one of them is told to be better. */
const telling = 1.05;

const isAsMeasured = (rule: string, text: "bad" | "good"): boolean => {
  const source = rules.find(({ id }) => id === rule)?.example[text] ?? "";
  const found = measured.find((each) => each.rule === rule && each.text === text);
  return found?.sha256 === createHash("sha256").update(source).digest("hex");
};

const nsOf = (rule: string, text: "bad" | "good"): number => measured.find((each) => each.rule === rule && each.text === text)?.ns ?? 0;

function simulatedNs(code: string): number {
  const gpu = findGpu("h200");
  if (!gpu) throw new Error("no H200");
  return simulateProgram(analyseCode(code), gpu, { figuresOnly: true }).launches.reduce(
    (sum, { report }) => sum + (report.time?.ns ?? 0),
    0,
  );
}

const pairs = rules.filter(({ id }) => !notAlike.includes(id) && isAsMeasured(id, "bad") && isAsMeasured(id, "good"));
/** A factor by which one text is faster than another. */
interface Factor {
  readonly simulated: number;
  readonly real: number;
}

const examples = new Map<string, Factor>();
const programs = new Map<string, Factor>();

beforeAll(async () => {
  await loadGrammarFromDisk();
  for (const { id, example } of pairs)
    examples.set(id, { simulated: simulatedNs(example.bad) / simulatedNs(example.good), real: nsOf(id, "bad") / nsOf(id, "good") });
  for (const { program, bad, fixed } of fixes) {
    const [before, after] = [read(`fixes/${program}.bad.cu`), read(`fixes/${program}.fixed.cu`)].map(simulatedNs);
    programs.set(program, { simulated: (before ?? 0) / (after ?? 0), real: bad.ns / fixed.ns });
  }
}, 240_000);

test("most examples are as they were measured", () => expect(pairs.length).toBeGreaterThanOrEqual(18));

/** At least so many are as far from each other as on the GPU, within a quarter. */
test.each([
  ["examples", examples, 14],
  ["fixes", programs, 31],
] as const)("what is better of %s on the GPU is better here, and most by about as much", (_, factors, near) => {
  const wrong = [...factors].filter(([, { simulated, real }]) => real > telling !== simulated > telling);
  expect(wrong).toEqual([]);
  const off = [...factors].filter(([, { simulated, real }]) => !(Math.abs(simulated / real - 1) <= 0.25));
  expect(factors.size - off.length, off.map(([name]) => name).join()).toBeGreaterThanOrEqual(near);
});
