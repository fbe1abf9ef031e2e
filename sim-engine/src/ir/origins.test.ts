import { expect, test } from "vitest";
import type { Op } from "./kernel.ts";
import { answerOf, comesOf } from "./origins.ts";

/** `v1 = v0 + v0`, `v2 = v1 + v1` and so on. */
function doubled(times: number): Op {
  let op = { id: 0, action: { kind: "const", value: 1 }, type: "i32", args: [] } as unknown as Op;
  for (let k = 1; k <= times; k++) op = { ...op, id: k, action: { kind: "int", op: "add" }, args: [op, op] } as Op;
  return op;
}

test("each operation is looked at once, in however many ways others lead to it", () => {
  const looked: number[] = [];
  const isThere = comesOf(
    doubled(100_000),
    ({ id }) => {
      looked.push(id);
      return id === 0;
    },
    ({ args }) => args,
  );
  expect([isThere, looked.length]).toEqual([true, 100_001]);
  const known = new Map<Op, number>();
  const depth = answerOf(
    doubled(100_000),
    known,
    -1,
    ({ args }) => args,
    ({ args }) => 1 + Math.max(0, ...args.map((arg) => known.get(arg) ?? -1)),
  );
  expect([depth, known.size]).toEqual([100_001, 100_001]);
});
