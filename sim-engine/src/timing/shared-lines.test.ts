import { expect, test } from "vitest";
import { SharedLines } from "./shared-lines.ts";

test("who comes soon behind another finds its lines, who comes late does not", () => {
  const lines = new SharedLines();
  for (let k = 0; k < 40; k++) {
    expect(lines.ask(0, 7)).toBeUndefined();
    lines.bring(100 * k);
  }
  // The first of 40 lines have gone for those that came last.
  expect(lines.ask(1, 8)).toBeUndefined();
  for (let k = 1; k < 8; k++) expect(lines.ask(1, 8)).toBeUndefined();
  expect(lines.ask(1, 8)).toBe(800);
  // Another warp in the slot begins at the first line.
  expect(lines.ask(1, 9)).toBeUndefined();
});
