/** Programs' time lines against measured runs: sim-engine/validation/h200-time-lines. */
import { readdirSync, readFileSync } from "node:fs";
import { findGpu } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { simulateProgram } from "../simulate.ts";
import { analyseCode } from "../testing/rule-tables.ts";
import { timelineOf } from "../timeline/timeline.ts";

beforeAll(loadGrammarFromDisk);

const root = new URL("../../../", import.meta.url);
const set = new URL("sim-engine/validation/h200-time-lines/", root);
const measured: Readonly<Record<string, readonly number[]>> = JSON.parse(readFileSync(new URL("measured.json", set), "utf8"));
const own = readdirSync(new URL("programs", set));
const h200 = findGpu("h200")!;

/** Of the time in the median of the runs. */
const tolerance = 0.2;

describe("the whole program", () => {
  test("each program was measured", () => expect([...own, "pipeline.cu"].sort()).toEqual(Object.keys(measured).sort()));

  test.each(Object.entries(measured))("%s", (name, runs) => {
    const program = analyseCode(
      readFileSync(own.includes(name) ? new URL(`programs/${name}`, set) : new URL(`examples/${name}`, root), "utf8"),
    );
    const found = timelineOf(program, h200, simulateProgram(program, h200).launches);
    const median = runs.toSorted((a, b) => a - b)[Math.floor(runs.length / 2)]!;
    expect(found!.ns / 1000 / median).toBeGreaterThan(1 - tolerance);
    expect(found!.ns / 1000 / median).toBeLessThan(1 + tolerance);
  });
});
