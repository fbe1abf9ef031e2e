import { expect, test } from "vitest";
import { reference } from "../gpus/model.ts";
import { ReplayCode } from "./code.ts";
import { Cursors, playback } from "./playback.ts";
import type { Repeat } from "./summary.ts";
import { TimedProgram } from "./testing/program.ts";

/** The entries a warp goes through, for a trace of one-instruction blocks. */
function walk(entries: number, repeats: Repeat[], most: number): { order: number[]; weights: number[] } {
  const program = new TimedProgram();
  program.compute("alu", []);
  const code = new ReplayCode(program.launch(1, 32), reference.values);
  const weights = new Float32Array(entries).fill(1);
  for (const { from, to, times } of repeats) for (let k = from; k < to; k++) weights[k]! *= times;
  const accessStart = new Uint32Array(entries + 1);
  const played = playback({ blocks: new Uint32Array(entries), weights, repeats, accesses: new Uint16Array(), accessStart }, code, most);
  const cursors = new Cursors(1, played.times.length, code);
  cursors.begin(0, played);
  const [order, found]: [number[], number[]] = [[], []];
  while (cursors.next(0) === 0) {
    order.push(cursors.position[0]!);
    found.push(cursors.weight[0]!);
  }
  expect(cursors.next(0)).toBe(-1);
  return { order, weights: found };
}

test("a repeat is gone through as often as it stands for", () => {
  expect(walk(3, [{ from: 1, to: 2, times: 3 }], 100).order).toEqual([0, 1, 1, 1, 2]);
});

test("inner repeats begin anew in each round of the outer", () => {
  const inner = { from: 1, to: 2, times: 2 };
  expect(walk(4, [inner, { from: 1, to: 3, times: 2 }], 100).order).toEqual([0, 1, 1, 2, 1, 1, 2, 3]);
  expect(walk(3, [inner, { from: 0, to: 2, times: 2 }], 100).order).toEqual([0, 1, 1, 0, 1, 1, 2]);
});

test("what there is no room for stays as weight, and the sum is the same", () => {
  const { order, weights } = walk(4, [{ from: 1, to: 3, times: 1000 }], 40);
  expect(order.length).toBeLessThanOrEqual(40);
  expect(order.length).toBeGreaterThan(10);
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(2002, 1);
});

test("repeats that overlap are not gone through twice", () => {
  const { order, weights } = walk(
    4,
    [
      { from: 0, to: 2, times: 2 },
      { from: 1, to: 4, times: 3 },
    ],
    100,
  );
  expect(order).toEqual([0, 1, 0, 1, 2, 3]);
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(2 + 6 + 3 + 3);
});
