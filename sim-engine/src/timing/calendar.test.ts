import { describe, expect, test } from "vitest";
import { Calendar } from "./calendar.ts";

describe("a calendar", () => {
  test("takes a request when nothing else is there", () => {
    const calendar = new Calendar();
    expect(calendar.serve(100, 1)).toBe(101);
    expect(calendar.serve(1000, 32)).toBe(1032);
  });
  test("lets what is asked for at once wait for each other", () => {
    const calendar = new Calendar();
    expect([1, 2, 3].map(() => calendar.serve(64, 32))).toEqual([96, 128, 160]);
  });
  test("does not let what begins sooner wait for what begins later", () => {
    const calendar = new Calendar();
    expect(calendar.serve(640, 32)).toBe(672);
    expect(calendar.serve(64, 32)).toBe(96);
    // What lies between is free up to the first.
    expect(calendar.serve(600, 64)).toBeGreaterThan(672);
  });
  test("takes no more than there is time for, whatever the order", () => {
    const calendar = new Calendar();
    const ends = [320, 0, 160, 0, 320, 160, 0].map((at) => calendar.serve(at, 100));
    expect(Math.max(...ends)).toBeGreaterThanOrEqual(700);
    expect(Math.max(...ends)).toBeLessThan(720);
  });
  test("forgets what is long past", () => {
    const calendar = new Calendar();
    calendar.serve(1_000_000, 32);
    expect(calendar.serve(1_000_000, 32)).toBe(1_000_064);
    // A round of what is kept before it.
    expect(calendar.serve(1_000_000 - 1024 * 16, 32)).toBe(1_000_032 - 1024 * 16);
  });
});
