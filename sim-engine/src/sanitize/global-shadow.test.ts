import { expect, test } from "vitest";
import type { Dim3 } from "../ir/kernel.ts";
import { type BlockTouch, GlobalShadow } from "./global-shadow.ts";

const by = (block: Dim3, site = 0): BlockTouch => ({ block, warp: 0, lane: 0, site });
const [first, second, third]: Dim3[] = [
  [0, 0, 0],
  [1, 0, 0],
  [0, 1, 0],
] as const as unknown as Dim3[];

test("what one block writes another must not touch", () => {
  const shadow = new GlobalShadow(4);
  expect(shadow.write(10, by(first!))).toBeUndefined();
  expect(shadow.write(10, by(first!))).toBeUndefined();
  expect(shadow.read(10, by(first!))).toBeUndefined();
  expect(shadow.read(10, by(second!))).toMatchObject({ block: first });
  expect(shadow.write(10, by(third!))).toMatchObject({ block: first });
});

test("what several read none must write", () => {
  const shadow = new GlobalShadow(4);
  shadow.read(7, by(first!));
  expect(shadow.read(7, by(second!))).toBeUndefined();
  expect(shadow.write(7, by(second!))).toMatchObject({ block: first });
  expect(shadow.write(8, by(second!))).toBeUndefined();
});
