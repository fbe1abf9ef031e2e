import { describe, expect, test } from "vitest";
import { Calendar } from "./calendar.ts";

describe("a calendar", () => {
  test("takes a request when nothing else is there", () => {
    const calendar = new Calendar();
    expect(calendar.serve(0, 100, 1)).toBe(101);
    expect(calendar.serve(0, 1000, 32)).toBe(1032);
  });
  test("lets what is asked for at once wait for each other", () => {
    const calendar = new Calendar();
    expect([1, 2, 3].map(() => calendar.serve(64, 64, 32))).toEqual([96, 128, 160]);
  });
  test("does not let what begins sooner wait for what begins later", () => {
    const calendar = new Calendar();
    expect(calendar.serve(0, 640, 32)).toBe(672);
    expect(calendar.serve(0, 64, 32)).toBe(96);
    // What lies between is free up to the first.
    expect(calendar.serve(0, 600, 64)).toBeGreaterThan(672);
  });
  test("takes no more than there is time for, whatever the order", () => {
    const calendar = new Calendar();
    const ends = [320, 0, 160, 0, 320, 160, 0].map((at) => calendar.serve(0, at, 100));
    expect(Math.max(...ends)).toBeGreaterThanOrEqual(700);
    expect(Math.max(...ends)).toBeLessThan(720);
  });
  test("uses its places again for what comes a round later", () => {
    const calendar = new Calendar();
    calendar.serve(0, 0, 32);
    expect(calendar.serve(16_384, 16_384, 32)).toBe(16_416);
    expect(calendar.serve(16_384, 16_384, 32)).toBe(16_448);
  });
  test("does not let what is asked for far ahead make room", () => {
    const calendar = new Calendar();
    const before = Array.from({ length: 17 }, () => calendar.serve(0, 0, 16)).at(-1);
    expect(before).toBe(272);
    expect(calendar.serve(0, 16_384 + 256, 1)).toBe(16_384 + 257);
    expect(calendar.serve(0, 0, 16)).toBe(288);
  });
  test.each([
    [Number.NaN, 1],
    [Number.POSITIVE_INFINITY, 1],
    [5, Number.NaN],
    [5, Number.POSITIVE_INFINITY],
    [5, 0],
  ])("ends with %d cycles from %d on", (at, cycles) => expect(typeof new Calendar().serve(0, at, cycles)).toBe("number"));
});
