import fc from "fast-check";
import { expect, test } from "vitest";
import { carryOver } from "./carry.ts";

test("a place before the edit stays, one behind it moves, one inside is lost", () => {
  const carry = carryOver("float a = b[i];", "float value = b[i];");
  expect(carry({ start: 0, end: 5 })).toEqual({ start: 0, end: 5 });
  expect(carry({ start: 10, end: 14 })).toEqual({ start: 14, end: 18 });
  expect(carry({ start: 6, end: 7 })).toBeUndefined();
});

test("what is carried still reads the same", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (head, cut, insert, tail) => {
      const before = head + cut + tail;
      const after = head + insert + tail;
      const carry = carryOver(before, after);
      for (let start = 0; start < before.length; start++) {
        const place = carry({ start, end: start + 1 });
        if (place) expect(after.slice(place.start, place.end)).toBe(before.slice(start, start + 1));
      }
    }),
  );
});
