/** Engines against what libstdc++ and glibc give: the first two numbers from a seed, and the one behind 5,000 more. */
import { expect, test } from "vitest";
import { generators } from "./generators.ts";

test.each([
  ["mt19937", 1, 1791095845, 4282876139, 3002198059],
  ["mt19937", 42, 1608637542, 3421126067, 2540072686],
  ["minstd_rand0", 1, 16807, 282475249, 502269373],
  ["minstd_rand", 42, 2027382, 1226992407, 121942034],
  ["default_random_engine", 42, 705894, 1126542223, 1767960843],
  ["rand", 1, 1804289383, 846930886, 761812811],
  ["rand", 42, 71876166, 708592740, 2015965083],
  // Of `srand48(42)`.
  ["rand48", 42 * 65536 + 0x330e, 209565157052673, 96461890741112, 65080725838074],
])("%s from %d", (name, seed, first, second, later) => {
  const made = generators.get(name)?.(seed);
  const copy = made?.clone();
  const few = [made?.next(), made?.next()];
  made?.next();
  for (let k = 0; k < 5000; k++) made?.next();
  expect([...few, made?.next(), copy?.next()]).toEqual([first, second, later, first]);
});
