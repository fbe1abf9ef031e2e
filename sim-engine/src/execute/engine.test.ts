import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { cloneKernel } from "../ir/builder.ts";
import type { Kernel, Launch } from "../ir/kernel.ts";
import { printKernel } from "../ir/text.ts";
import { verifyKernel } from "../ir/verify.ts";
import { optimise } from "../passes/index.ts";
import { promote } from "../passes/memory/promote.ts";
import { programLaunch, randomProgram } from "../passes/testing/random-program.ts";
import { CountVector } from "../sampling/counts.ts";
import { markSkips } from "../sampling/loops.ts";
import { Subject } from "../sampling/variation.ts";
import { Work } from "../work.ts";
import { compile } from "./compile.ts";
import { launchConstants } from "./constants.ts";
import type { Environment } from "./environment.ts";
import { WrapsAround } from "./patterns.ts";
import type { Program } from "./program.ts";
import { Runner } from "./run.ts";
import { wholeKernel } from "./slice.ts";
import { naiveCosts } from "./testing/counters.ts";
import { outputsPerThread, randomKernel, randomLaunch } from "./testing/random-kernel.ts";
import { Reference } from "./testing/reference.ts";

const decisions = fc.array(fc.nat(), { minLength: 40, maxLength: 250, size: "max" });
const shapes = fc.constantFrom<[number, number, number]>([32, 1, 1], [48, 1, 1], [16, 4, 1], [8, 3, 1]);
const runs = { numRuns: 40, seed: 20_240_607 };

const blocks = 2;

function outputs(environment: Environment, launch: Launch): unknown[] {
  const threads = launch.block[0] * launch.block[1] * launch.grid[0];
  const [ints = 0, longs = 0] = environment.bufferStarts;
  return Array.from({ length: threads * outputsPerThread }, (_, k) => [
    environment.read(ints + 4 * k, "i32", 0),
    environment.read(longs + 8 * k, "i64", 0),
  ]);
}

/** What the buffers of a launch hold, word by word. */
const memoryOf = (environment: Environment, { buffers }: Launch): number[] =>
  buffers.flatMap(({ bytes = 0 }, buffer) =>
    Array.from({ length: bytes / 4 }, (_, k) => Number(environment.read((environment.bufferStarts[buffer] ?? 0) + 4 * k, "i32", 0))),
  );

/** The reference knows one NaN; which of them the engine keeps is not said. */
function withOneNaN(words: readonly number[], reference: readonly number[]): number[] {
  return words.map((word, k) => {
    const [low, high] = [reference[k], reference[k | 1]];
    const isSingle = low === 0x7fc00000 && (word & 0x7fffffff) > 0x7f800000;
    const isDouble = high === 0x7ff80000 && reference[k & ~1] === 0 && ((words[k | 1] ?? 0) & 0x7ff00000) === 0x7ff00000;
    return isSingle || isDouble ? (low ?? 0) : word;
  });
}

function run(program: Program): { runner: Runner; totals: Float64Array; counts: CountVector } {
  const runner = new Runner(program, new Work(1e8));
  for (let x = 0; x < blocks; x++) runner.runBlock([x, 0, 0]);
  const counts = new CountVector(runner);
  return { runner, totals: counts.take(), counts };
}

/** Costs by operation, without those that never ran. */
function costs({ totals, counts }: ReturnType<typeof run>): Map<number, unknown> {
  return new Map(
    counts.counters.flatMap((counter) => {
      const found = counts.access(totals, counter);
      return found.requests === 0 ? [] : [[counter.op.id, found]];
    }),
  );
}

const sorted = (map: ReadonlyMap<number, unknown>): unknown[] => [...map].sort(([a], [b]) => a - b);

function refer(kernel: Kernel, launch: Launch): Reference {
  const reference = new Reference(kernel, launch);
  for (let x = 0; x < blocks; x++) reference.runBlock([x, 0, 0]);
  return reference;
}

describe("against the reference interpreter, on random kernels", () => {
  const variants: readonly (readonly [string, (kernel: Kernel) => void])[] = [
    ["with variables in memory", () => undefined],
    ["with variables promoted to values", (kernel) => void promote(kernel, new Work())],
  ];
  test.each(variants)("values, requests and visits %s", (_name, prepare) => {
    fc.assert(
      fc.property(decisions, shapes, (choices, shape) => {
        const kernel = randomKernel(choices);
        prepare(kernel);
        expect(verifyKernel(kernel)).toEqual([]);
        const launch = randomLaunch(shape, blocks);
        const { environment, accesses, visits } = refer(kernel, launch).result();
        const program = compile(kernel, launch, { slice: wholeKernel, allLanes: true });
        const executed = run(program);
        expect(outputs(program.environment, launch)).toEqual(outputs(environment, launch));
        // Code made at once instead of each operation's step: the same values, the same counts.
        const made = compile(kernel, launch, { slice: wholeKernel, allLanes: true, hotAfter: 0 });
        expect([...run(made).totals]).toEqual([...executed.totals]);
        expect(outputs(made.environment, launch)).toEqual(outputs(program.environment, launch));
        expect(sorted(costs(executed))).toEqual(sorted(naiveCosts(accesses)));
        const expected = new Map<number, { executions: number; lanes: number }>();
        for (const [visit, lanes] of visits) {
          const id = Number(visit.split("/")[0]);
          const sum = expected.get(id) ?? { executions: 0, lanes: 0 };
          expected.set(id, { executions: sum.executions + 1, lanes: sum.lanes + lanes });
        }
        for (const each of program.blocks) {
          // Lanes that return early do so on their own.
          if (each.block.ops.length === 0 && each.block.end.kind === "return") continue;
          const { executions, lanes } = executed.counts.flow(executed.totals, each);
          expect({ executions, lanes }, `b${each.block.id}`).toEqual(expected.get(each.block.id) ?? { executions: 0, lanes: 0 });
        }
      }),
      runs,
    );
  });

  test("values after optimisation", () => {
    fc.assert(
      fc.property(decisions, shapes, (choices, shape) => {
        const kernel = randomKernel(choices);
        const launch = randomLaunch(shape, blocks);
        const { environment } = refer(kernel, launch).result();
        const optimised = cloneKernel(kernel);
        optimise(optimised, { contract: false });
        expect(verifyKernel(optimised)).toEqual([]);
        for (const hotAfter of [Number.POSITIVE_INFINITY, 0]) {
          const program = compile(optimised, launch, { slice: wholeKernel, hotAfter });
          run(program);
          expect(outputs(program.environment, launch), printKernel(optimised)).toEqual(outputs(environment, launch));
        }
      }),
      runs,
    );
  });
});

test("values that pass through every kind of memory", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 60, maxLength: 400, size: "max" }), fc.nat(9), fc.boolean(), (choices, n, meet) => {
      const kernel = randomProgram(choices);
      promote(kernel, new Work());
      const launch = programLaunch(5, blocks, n, meet);
      const expected = memoryOf(refer(kernel, launch).result().environment, launch);
      for (const hotAfter of [Number.POSITIVE_INFINITY, 0]) {
        const program = compile(kernel, launch, { slice: wholeKernel, allLanes: true, hotAfter });
        run(program);
        expect(withOneNaN(memoryOf(program.environment, launch), expected), printKernel(kernel)).toEqual(expected);
      }
    }),
    runs,
  );
});

test("executing only what decides branches and addresses counts the same as executing everything", () => {
  fc.assert(
    fc.property(decisions, shapes, (choices, shape) => {
      const kernel = randomKernel(choices);
      promote(kernel, new Work());
      const launch = randomLaunch(shape, blocks);
      const whole = run(compile(kernel, launch, { slice: wholeKernel, allLanes: true }));
      const sliced = (allLanes: boolean): Float64Array => {
        const program = compile(kernel, launch, { allLanes });
        const work = new Work();
        markSkips(new Subject(program, launchConstants(program.environment), work), work);
        return run(program).totals;
      };
      let totals: Float64Array;
      try {
        totals = sliced(false);
      } catch (error) {
        expect(error).toBeInstanceOf(WrapsAround);
        totals = sliced(true);
      }
      expect([...totals]).toEqual([...whole.totals]);
    }),
    runs,
  );
});

test("where code may not be made, each operation's step does the same", () => {
  let asked = 0;
  const forbidden = function forbidden(): never {
    asked++;
    throw new EvalError("a content-security policy forbids it");
  };
  const decided = Array.from({ length: 200 }, (_, k) => (k * 7919) % 1009);
  const launch = randomLaunch([32, 1, 1], blocks);
  const results = [Function, forbidden].map((maker) => {
    vi.stubGlobal("Function", maker);
    try {
      const kernel = randomKernel(decided);
      promote(kernel, new Work());
      const program = compile(kernel, launch, { slice: wholeKernel, allLanes: true, hotAfter: 0 });
      return { totals: [...run(program).totals], outputs: outputs(program.environment, launch) };
    } finally {
      vi.unstubAllGlobals();
    }
  });
  expect(results[1]).toEqual(results[0]);
  expect(asked).toBeGreaterThan(0);
});
