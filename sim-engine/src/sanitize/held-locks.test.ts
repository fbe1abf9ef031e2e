import { describe, expect, test } from "vitest";
import { HeldLocks, isUnfenced } from "./held-locks.ts";

describe("a lock that a thread holds", () => {
  test("until it is given back", () => {
    const locks = new HeldLocks();
    locks.take(1, 3, 64);
    locks.fence(0, "device");
    expect(locks.of(1, 3)).toEqual({ address: 64, fence: undefined });
    locks.give(1, 3, 32);
    expect(locks.of(1, 3)).toBeDefined();
    locks.give(1, 3, 64);
    expect(locks.of(1, 3)).toBeUndefined();
  });
  test("with the widest fence behind it", () => {
    const locks = new HeldLocks();
    locks.take(1, 3, 64);
    locks.fence(1, "block");
    expect(locks.of(1, 3)?.fence).toBe("block");
    locks.fence(1, "device");
    locks.fence(1, "block");
    expect(locks.of(1, 3)?.fence).toBe("device");
    locks.take(1, 3, 64);
    expect(locks.of(1, 3)?.fence).toBeUndefined();
    locks.clear();
    expect(locks.of(1, 3)).toBeUndefined();
  });
});

test.each([
  [undefined, undefined, false, true],
  ["device", undefined, false, true],
  [undefined, "device", true, true],
  ["device", "block", false, true],
  ["device", "block", true, false],
  ["device", "device", false, false],
] as const)("fences for %s and %s, in one block: %s", (a, b, sameBlock, unfenced) => {
  expect(isUnfenced({ address: 8, fence: a }, { address: 8, fence: b }, sameBlock)).toBe(unfenced);
  expect(isUnfenced({ address: 8, fence: a }, { address: 16, fence: b }, sameBlock)).toBe(false);
  expect(isUnfenced(undefined, { address: 8, fence: b }, sameBlock)).toBe(false);
});
