import { expect, test } from "vitest";
import { Work } from "../work.ts";
import { FirstRounds } from "./first-rounds.ts";
import { load, SectorLog, store } from "./log.ts";

const gathered = { irregular: true, buffer: 0 };
const rows = { irregular: false, buffer: 0 };

/** A block of one warp that goes to one sector after the other, waiting for each. */
function rounds(
  sectors: readonly number[],
  site: { readonly buffer: number; readonly irregular?: boolean } = gathered,
  kind: typeof load | typeof store = load,
): FirstRounds {
  const log = new SectorLog(0);
  for (const sector of sectors) {
    log.request(0, 0, kind);
    log.sector(sector);
  }
  return new FirstRounds(log, [site], new Work());
}

test("what one block alone goes to, it waits for itself", () => expect(rounds([5, 6, 7, 8]).withFirst(0, 1)).toBe(1));

test("of four rounds the first is nobody's after, of each later one fewer blocks are the first", () =>
  // A sector that a block comes to in round r is one that another has not come to before with a chance of 1 - r / 4.
  expect(rounds([5, 6, 7, 8]).withFirst(0, 2)).toBeCloseTo((1 + 3 / 4 + 2 / 4 + 1 / 4) / 4));

test("the more blocks, the fewer come later and yet with the first", () => {
  const found = rounds([5, 6, 7, 8]);
  expect(found.withFirst(0, 100)).toBeLessThan(found.withFirst(0, 10));
  expect(found.withFirst(0, 1e9)).toBeCloseTo(1 / 4);
});

test("what comes again is not counted", () => expect(rounds([5, 5, 5, 5]).withFirst(0, 50)).toBe(1));

test("all of what goes where the thread's place says comes together", () => expect(rounds([5, 6, 7, 8], rows).withFirst(0, 50)).toBe(1));

test("nobody waits for stores", () => expect(rounds([5, 6, 7, 8], gathered, store).withFirst(0, 50)).toBe(1));
