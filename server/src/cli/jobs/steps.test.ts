import { findGpu } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { loadNativeGrammarFromDisk } from "../../grammar.ts";
import { inspectFile } from "./inspect-file.ts";

beforeAll(() => loadNativeGrammarFromDisk());

const names = ["first", "second", "third"];
const source = `${names.map((name) => `__global__ void ${name}(float *a) { for (int i = 0; i < 50; i++) a[threadIdx.x] += a[i]; }\n`).join("")}
int main() { float *a; cudaMalloc(&a, 4096); ${names.map((name) => `${name}<<<8, 128>>>(a);`).join(" ")} }
`;

async function inspect(steps: number, isOver = () => false, text = source) {
  const gpu = findGpu("h200");
  if (!gpu) throw new Error("no GPU");
  const analysis = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };
  const job = { path: "/a.cu", text, gpu, analysis, lint: {}, simulates: true, steps, registers: [] };
  const { simulation, failures, diagnostics } = await inspectFile(job, { read: () => undefined }, { seconds: 7, isOver });
  const { launches = [], notSimulated = [] } = simulation ?? {};
  return {
    reports: launches.map(({ report }) => ({ ...report, simulated: { ...report.simulated, ms: 0 } })),
    left: notSimulated,
    failures,
    findings: diagnostics.length,
  };
}

describe("the steps of a file", () => {
  test("end it between and within launches: what came before is reported as ever, and the rest is named with the reason", async () => {
    const whole = await inspect(Number.POSITIVE_INFINITY);
    expect(whole.reports.map(({ kernel }) => kernel)).toEqual(names);
    const simulated = new Set<number>();
    for (let steps = 500; !simulated.has(names.length); steps = Math.ceil(steps * 1.4)) {
      const some = await inspect(steps);
      const count = some.reports.length;
      simulated.add(count);
      expect(some.reports).toEqual(whole.reports.slice(0, count));
      expect(some.left.map(({ kernel }) => kernel)).toEqual(names.slice(count));
      for (const [k, { reason }] of some.left.entries())
        expect(reason).toMatch(
          new RegExp(
            `^(the launches before it${k === 0 ? '|its stage "(lower|simulate)"' : ""}) took the last of the [\\d,]+ steps of the file`,
          ),
        );
      expect(some.failures).toEqual([]);
      expect(await inspect(steps)).toEqual(some);
    }
    expect([...simulated]).toEqual([0, 1, 2, 3]);
  });

  test("may be over before host code was followed: each kernel is named with the stage that took them", async () => {
    // A loop would be followed for a few turns only.
    const long = `int main() { int x = 1; ${"x = 3 * x + 1; ".repeat(1000)}`;
    const some = await inspect(50, () => false, source.replace("int main() {", long));
    expect(some.failures).toEqual([]);
    expect(some.left.map(({ kernel }) => kernel)).toEqual(names);
    expect(some.left.map(({ line }) => line)).toEqual([1, 2, 3]);
    for (const { reason } of some.left) expect(reason).toMatch(/^its stage "host evaluation" took the last of the 50 steps of the file/);
  });

  test("are its outcome, and time that runs out is a failure: there may be more another time", async () => {
    const late = await inspect(Number.POSITIVE_INFINITY, () => true);
    expect(late.failures).toEqual([{ stage: "simulate", reason: "it took longer than 7 s; --timeout gives it more" }]);
    expect(late.left.map(({ kernel }) => kernel)).toEqual(names);
  });
});
