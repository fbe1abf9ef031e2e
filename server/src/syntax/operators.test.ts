import { expect, test } from "vitest";
import { compared, ofFloats, ofIntegers, precedences } from "./operators.ts";

test.each([
  ["+", 7n, 5n, 12n],
  ["-", 5n, 7n, -2n],
  ["*", -3n, 4n, -12n],
  ["/", -7n, 2n, -3n],
  ["%", -7n, 2n, -1n],
  ["/", 1n, 0n, undefined],
  ["%", 1n, 0n, undefined],
  ["&", 0b1100n, 0b1010n, 0b1000n],
  ["|", 0b1100n, 0b1010n, 0b1110n],
  ["^", 0b1100n, 0b1010n, 0b0110n],
  ["<<", 1n, 31n, 1n << 31n],
  ["<<", 1n, 32n, undefined],
  [">>", -8n, 1n, -4n],
  [">>", 1n, -1n, undefined],
  ["<=", 3n, 3n, true],
  ["!=", 3n, 3n, false],
  ["&&", 1n, 1n, undefined],
])("of integers of 32 bits: %s of %s and %s is %s", (op, a, b, result) => expect(ofIntegers(op, a, b, 32)).toBe(result));

test.each([
  ["/", 1, 0, Number.POSITIVE_INFINITY],
  ["-", 0.5, 0.25, 0.25],
  ["==", Number.NaN, Number.NaN, false],
  ["!=", Number.NaN, Number.NaN, true],
  [">=", Number.NaN, 1, false],
  ["%", 1, 1, undefined],
])("of floating-point numbers: %s of %s and %s is %s", (op, a, b, result) => expect(ofFloats(op, a, b)).toBe(result));

test("a comparison and its opposite never agree on numbers", () => {
  const opposites = [["==", "!="] as const, ["<", ">="] as const, [">", "<="] as const];
  for (const a of [-1n, 0n, 5n])
    for (const b of [-1n, 0n, 5n]) for (const [op, opposite] of opposites) expect(compared(op, a, b)).toBe(!compared(opposite, a, b));
});

test("each level binds tighter than the one before", () => {
  const levels = [
    ["||"],
    ["&&"],
    ["|"],
    ["^"],
    ["&"],
    ["==", "!="],
    ["<", ">", "<=", ">="],
    ["<=>"],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/", "%"],
  ];
  for (const [at, level] of levels.entries())
    for (const op of level) for (const looser of levels[at - 1] ?? []) expect(precedences[op]).toBeGreaterThan(precedences[looser] ?? 0);
});
