import { describe, expect, test } from "vitest";
import { Products } from "./products.ts";
import { Server } from "./server.ts";

const time = { cycles: 64, gap: 0, commits: true };
const fromRegisters = { cycles: 64, gap: 4, commits: false };

describe("products of warp groups", () => {
  test("of other schedulers keep none waiting, in whatever order they are told of", () => {
    const products = new Products(8, 4, new Server(1000));
    expect(products.begin(0, 0, time, 5000, 12, 1)).toBe(5064);
    expect(products.begin(1, 1, time, 100, 12, 1)).toBe(164);
    // Of the same scheduler they follow each other.
    expect(products.begin(5, 1, time, 120, 12, 1)).toBe(228);
  });

  test("what a group's four warps read together bounds them where it is more than the products take", () => {
    const l1 = new Server(1000);
    const products = new Products(4, 4, l1);
    expect([0, 1, 2, 3].map((slot) => products.begin(slot, slot, time, 0, 20, 2))).toEqual([80, 80, 80, 80]);
    expect(l1.busy).toBe(2 * 4 * 20);
    expect(l1.free).toBe(0);
  });

  test("one warp's with A in registers leave gaps, which another warp's fill", () => {
    const products = new Products(8, 4, new Server(1000));
    expect([0, 0, 0].map((slot) => products.begin(slot, 0, fromRegisters, 0, 0, 1))).toEqual([64, 132, 200]);
    // Six take six times as long, whoever they belong to.
    expect([4, 4, 4].map((slot) => products.begin(slot, 0, fromRegisters, 0, 0, 1)).at(-1)).toBe(6 * 64);
  });

  test("waits are for groups, oldest first; what is not committed only a wait for all waits for", () => {
    const products = new Products(8, 4, new Server(1000));
    products.end(0, 100, false);
    products.end(0, 160, true);
    products.end(0, 300, true);
    products.end(0, 500, false);
    expect([2, 1, 0].map((pending) => products.there(0, pending))).toEqual([0, 160, 500]);
    products.clear(0);
    expect(products.there(0, 0)).toBe(0);
  });
});
