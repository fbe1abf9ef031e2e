import fc from "fast-check";
import { expect, test } from "vitest";
import { Drift } from "./drift.ts";

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const applied = (text: string, { start, end, text: inserted }: Edit) => text.slice(0, start) + inserted + text.slice(end);

function after(...edits: readonly Edit[]): Drift {
  const drift = new Drift();
  for (const edit of edits) drift.add(edit, edit.text.length);
  return drift;
}

test("a place before the edit stays, one behind it moves, one inside is lost", () => {
  // float a = b[i];
  const drift = after({ start: 6, end: 7, text: "value" });
  expect(drift.carry({ start: 0, end: 5 })).toEqual({ start: 0, end: 5 });
  expect(drift.carry({ start: 10, end: 14 })).toEqual({ start: 14, end: 18 });
  expect(drift.carry({ start: 6, end: 7 })).toBeUndefined();
  expect(drift.carry({ start: 0, end: 14 })).toBeUndefined();
});

test("a place that is stretched keeps what was edited inside it", () => {
  const drift = after({ start: 6, end: 7, text: "value" });
  expect(drift.stretch({ start: 0, end: 14 })).toEqual({ start: 0, end: 18 });
  expect(drift.stretch({ start: 7, end: 14 })).toEqual({ start: 11, end: 18 });
  expect(after({ start: 4, end: 8, text: "" }).stretch({ start: 6, end: 12 })).toBeUndefined();
});

test("what is put at either end of a place is not part of it", () => {
  const drift = after({ start: 4, end: 4, text: "ab" }, { start: 10, end: 10, text: "cd" });
  expect(drift.carry({ start: 4, end: 8 })).toEqual({ start: 6, end: 10 });
  expect(drift.stretch({ start: 4, end: 8 })).toEqual({ start: 6, end: 10 });
});

/** Edits one after another, each in the text that those before it made. */
const edited = fc
  .tuple(
    fc.string({ minLength: 1, maxLength: 30 }),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 6 }), fc.string({ maxLength: 4 })), { maxLength: 12 }),
  )
  .map(([before, raw]) => {
    // Every character has a name of its own, so that it is known again.
    const start = Array.from(before, (_, index) => String.fromCharCode(0x4e00 + index)).join("");
    let text = start;
    const edits = raw.map(([at, length, insert]) => {
      const from = at % (text.length + 1);
      const edit = { start: from, end: Math.min(text.length, from + length), text: insert };
      text = applied(text, edit);
      return edit;
    });
    return { before: start, edits, after: text };
  });

test("what is carried still reads the same, and what was not touched is carried", () => {
  fc.assert(
    fc.property(edited, ({ before, edits, after: now }) => {
      const drift = after(...edits);
      for (let start = 0; start < before.length; start++)
        for (let end = start + 1; end <= Math.min(before.length, start + 3); end++) {
          const place = drift.carry({ start, end });
          const read = before.slice(start, end);
          if (place) expect(now.slice(place.start, place.end)).toBe(read);
        }
      const [only] = edits;
      if (!only || edits.length > 1) return;
      for (let start = 0; start < before.length; start++)
        if (start < only.start || start >= only.end) expect(drift.carry({ start, end: start + 1 })).toBeDefined();
    }),
  );
});

test("what is stretched begins and ends with the same characters", () => {
  fc.assert(
    fc.property(edited, ({ before, edits, after: now }) => {
      const drift = after(...edits);
      for (let start = 0; start < before.length; start++)
        for (let end = start + 1; end <= before.length; end++) {
          const place = drift.stretch({ start, end });
          if (!place || !drift.carry({ start, end: start + 1 }) || !drift.carry({ start: end - 1, end })) continue;
          expect(now[place.start]).toBe(before[start]);
          expect(now[place.end - 1]).toBe(before[end - 1]);
        }
    }),
  );
});
