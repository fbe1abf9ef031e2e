import { expect, test } from "vitest";
import { Products } from "./products.ts";
import { Server } from "./server.ts";

const time = { cycles: 64, gap: 0, commits: true };

test("products of other schedulers keep none waiting, in whatever order they are told of", () => {
  const products = new Products(8, 4, new Server(1000));
  expect(products.begin(0, 0, time, 5000, 12, 1)).toBe(5064);
  expect(products.begin(1, 1, time, 100, 12, 1)).toBe(164);
  // Of the same scheduler they follow each other.
  expect(products.begin(5, 1, time, 120, 12, 1)).toBe(228);
});

test("what a group's four warps read together bounds them where it is more than the products take", () => {
  const products = new Products(4, 4, new Server(1000));
  expect([0, 1, 2, 3].map((slot) => products.begin(slot, slot, time, 0, 20, 1))).toEqual([80, 80, 80, 80]);
});
