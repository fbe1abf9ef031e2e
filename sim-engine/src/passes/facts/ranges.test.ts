import { expect, test } from "vitest";
import type { Op } from "../../ir/kernel.ts";
import { Ranges } from "./ranges.ts";

test("what an operation is made of is looked at a few times, however often it is used on the way", () => {
  let looks = 0;
  const counted = (args: Op[]): Op => ({
    ...({ type: "i32", action: { kind: "int", op: "add" } } as Op),
    get args() {
      looks++;
      return args;
    },
  });
  let sum: Op = { type: "i32", action: { kind: "load" }, args: [] as Op[] } as unknown as Op;
  const sums = Array.from({ length: 40 }, () => (sum = counted([sum, sum])));
  const ranges = new Ranges();
  for (const each of sums.toReversed()) ranges.of(each);
  // Every sum once for each depth that it may be met at, where two more would double with each level.
  expect(looks).toBeLessThan(40 * 11);
});

test("what was found further down is found again where there is less room to look", () => {
  const constant = (value: number): Op => ({ type: "i32", action: { kind: "const", value }, args: [] as Op[] }) as unknown as Op;
  const add = (a: Op, b: Op): Op => ({ type: "i32", action: { kind: "int", op: "add", exact: true }, args: [a, b] }) as unknown as Op;
  let sum = constant(1);
  for (let k = 0; k < 6; k++) sum = add(sum, constant(1));
  const ranges = new Ranges();
  expect(ranges.of(sum)).toEqual({ low: 7, high: 7 });
  expect(ranges.of(sum, 8)).toEqual({ low: 7, high: 7 });
});
