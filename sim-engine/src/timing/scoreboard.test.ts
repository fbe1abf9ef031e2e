import { expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import type { Pipe } from "../machine/machine.ts";
import { pipeNames } from "./code.ts";
import { reasonIndex } from "./memory-path.ts";
import { Scoreboard } from "./scoreboard.ts";
import type { TimedInstruction } from "./summary.ts";

const { values } = findGpu("h200")!;
const [alu, fma, fmaHeavy] = ["alu", "fma", "fmaheavy"].map((name) => pipeNames.indexOf(name as Pipe)) as [number, number, number];

/** Its register 0 comes of an addition at 100, 3 of a product, 1 of memory at 500. */
function scoreboard(): Scoreboard {
  const board = new Scoreboard(values, 2, 4);
  board.write(1, [0], 100, reasonIndex.dependence, alu, 7, 3);
  board.write(1, [3], 100, reasonIndex.dependence, fmaHeavy, 9, 1);
  board.write(1, [1], 500, reasonIndex.dram, alu, 8, 1);
  return board;
}

test.each<[string, Partial<TimedInstruction>, number, number]>([
  ["its operand, of the same pipe", { uses: [0] }, alu, 100],
  ["its operand, of another pipe", { uses: [0] }, fma, 100 + values.crossPipeLatency],
  ["its operand, of the other half of the float pipe", { uses: [3] }, fma, 100],
  ["a condition", { uses: [0], kind: "branch" }, alu, 100 + values.branchConditionLatency],
  ["its guard", { uses: [0], guards: [0] }, alu, 100 + values.branchConditionLatency],
  ["the last of its operands", { uses: [0, 1] }, alu, 500],
  ["the load into what it writes", { defs: [1] }, alu, 500],
  ["no arithmetic into what it writes", { defs: [0] }, alu, 40],
  ["nothing", { uses: [2] }, alu, 40],
])("an instruction waits for %s", (_, instruction, pipe, at) => {
  const whole: TimedInstruction = { pipe: "alu", latency: 4, uses: [], defs: [], kind: "compute", ...instruction };
  expect(scoreboard().there(1, 9, whole, pipe, 40)).toBe(at);
});

test("what it waits for is told, and a new warp waits for nothing", () => {
  const board = scoreboard();
  const sum: TimedInstruction = { pipe: "alu", latency: 4, uses: [0, 1], defs: [2], kind: "compute" };
  board.there(1, 9, sum, alu, 40);
  expect([board.reason, board.cause, board.causeWeight]).toEqual([reasonIndex.dram, 8, 1]);
  // Another slot's registers are its own.
  expect(board.there(0, 9, sum, alu, 40)).toBe(40);
  board.clear(1);
  expect(board.there(1, 9, sum, alu, 40)).toBe(40);
  expect([board.reason, board.cause, board.causeWeight]).toEqual([reasonIndex.pipe, 9, Number.POSITIVE_INFINITY]);
});
