import { expect, test } from "vitest";
import { heldBy, learn } from "./time-errors.mjs";

const launches = (name, errors) => errors.map((error) => ({ name, error }));
const evenly = (most) => Array.from({ length: 40 }, (_, k) => ((k + 1) * most) / 40);

test("four of five lie within the bar of their class", () => {
  const { wider, classes } = learn([launches("a", evenly(0.5)), launches("a", evenly(0.5))], ["a"]);
  // Of each group 33 of 40 by the other's: its 33rd error by its 33rd.
  expect(wider).toBe(1);
  expect(classes.a).toEqual({ launches: 80, error: Math.ceil(100 * Math.expm1(0.4125)) / 100 });
});

test("programs that the others do not cover widen it", () => {
  const groups = [launches("a", evenly(0.2)), launches("a", evenly(0.4))];
  const { wider, classes } = learn(groups, ["a"]);
  // All of the first, and 24 of 40 of the second.
  expect(wider).toBeCloseTo(1.5);
  const [near, far] = groups;
  expect([heldBy(far, near, wider, ["a"]), heldBy(near, far, wider, ["a"])]).toEqual([1, 0.6]);
  expect(heldBy(near, far, 1, ["a"])).toBeLessThan(0.5);
  expect(Math.log1p(classes.a.error)).toBeGreaterThan(1.5 * 0.24);
});

test("a class of few has no smaller error than all have", () => {
  const { classes } = learn([launches("a", evenly(0.5)), [...launches("a", evenly(0.5)), ...launches("b", [0.01])]], ["a", "b", "c"]);
  expect(classes.b).toEqual({ launches: 1, error: classes.a.error });
  expect(classes.c).toEqual({ launches: 0, error: classes.a.error });
});
