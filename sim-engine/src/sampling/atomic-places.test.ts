/** Atomics that go where data says, most of them to one place. */
import { expect, test } from "vitest";
import { compile } from "../execute/compile.ts";
import type { Runner } from "../execute/run.ts";
import { plainContents } from "../execute/sources.ts";
import { reference } from "../gpus/model.ts";
import type { Launch } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { numberSites, Observer } from "../observe/observer.ts";
import { Work } from "../work.ts";
import { atomicPlaces } from "./atomic-places.ts";

const scatter = parseKernel(`kernel @scatter(%to: ptr i32, %out: ptr i32) {
entry:
  %to: ptr = param 0
  %out: ptr = param 1
  %tx: i32 = special tid.x
  %bx: i32 = special ctaid.x
  %one: i32 = const 1
  %size: i32 = const 256
  %first: i32 = mul %bx, %size
  %i: i32 = add %first, %tx
  %p: ptr = gep %to, %i, scale 4
  %j: i32 = load.global %p, align 4
  %q: ptr = gep %out, %j, scale 4
  %old: i32 = atomic.global.device.add %q, %one
  return
}`);

const blocks = 400;
const threads = 256 * blocks;

/** Work of the busiest slice, in lanes of all. */
function busiest(to: (thread: number) => number): number {
  const launch: Launch = {
    grid: [blocks, 1, 1],
    block: [256, 1, 1],
    dynamicSharedBytes: 0,
    arguments: [
      { kind: "pointer", buffer: 0, offset: 0 },
      { kind: "pointer", buffer: 1, offset: 0 },
    ],
    buffers: [
      {
        name: "to",
        bytes: 4 * threads,
        element: "i32",
        content: { kind: "values", values: Array.from({ length: threads }, (_, k) => to(k)) },
      },
      { name: "out", bytes: 1 << 22, element: "i32", content: { kind: "zero" } },
    ],
  };
  const program = compile(scatter, launch);
  const atomics = new Set(scatter.blocks.flatMap(({ ops }) => ops.filter(({ action }) => action.kind === "atomic")));
  const sites = numberSites(program, atomics);
  const options = { contents: plainContents, steps: 20_000, observerOf: (runner: Runner) => new Observer(runner, sites, reference.values) };
  const found = atomicPlaces(program, atomics, options, new Work())!;
  let sectors = 0;
  for (let warp = 0; warp < threads; warp += 32) sectors += new Set(Array.from({ length: 32 }, (_, lane) => to(warp + lane) >> 3)).size;
  return found.busiest(sectors);
}

const anywhere = (thread: number): number => (Math.imul(thread, 0x9e3779b1) >>> 0) % (1 << 20);

test("one warp in twenty that all go to one word is seen, though hardly any block of few has one", () => {
  const share = busiest((thread) => (thread < threads / 20 ? 0 : anywhere(thread))) / threads;
  expect(share).toBeGreaterThan(0.04);
  expect(share).toBeLessThan(0.06);
});

test("at random places none is busier than chance has it", () => expect(busiest(anywhere)).toBe(0));
