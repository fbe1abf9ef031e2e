import { expect, test } from "vitest";
import type { Dim3 } from "../ir/kernel.ts";
import { BlockClocks } from "./clocks.ts";
import { type BlockTouch, GlobalShadow } from "./global-shadow.ts";

const by = (block: Dim3, warp = 0, time = 1, site = 0): BlockTouch => ({
  block,
  warp,
  lane: 0,
  time,
  interval: time,
  site,
  isAtomic: false,
  isAstray: false,
});
const never = (): boolean => false;
const [first, second, third]: Dim3[] = [
  [0, 0, 0],
  [1, 0, 0],
  [0, 1, 0],
] as const as unknown as Dim3[];

test("what one block writes another must not touch", () => {
  const shadow = new GlobalShadow(4, undefined);
  expect(shadow.write(10, by(first!), never)).toBeUndefined();
  expect(shadow.write(10, by(first!), never)).toBeUndefined();
  expect(shadow.read(10, by(first!))).toBeUndefined();
  expect(shadow.read(10, by(second!))).toMatchObject({ block: first });
  expect(shadow.write(10, by(third!), never)).toMatchObject({ block: first });
});

test("what several read none must write", () => {
  const shadow = new GlobalShadow(4, undefined);
  shadow.read(7, by(first!));
  expect(shadow.read(7, by(second!))).toBeUndefined();
  expect(shadow.write(7, by(second!), never)).toMatchObject({ block: first });
  expect(shadow.write(8, by(second!), never)).toBeUndefined();
});

test("within a block what no barrier stands between, unless all store the same at once", () => {
  const clocks = new BlockClocks();
  const shadow = new GlobalShadow(4, clocks);
  shadow.write(3, by(first!, 0), never);
  expect(shadow.read(3, by(first!, 1))).toMatchObject({ warp: 0 });
  expect(shadow.write(3, by(first!, 2), () => true)).toMatchObject({ warp: 1 });
  clocks.blockSync();
  expect(shadow.write(3, by(first!, 1, 2), never)).toBeUndefined();
  expect(shadow.write(3, by(first!, 2, 2), () => true)).toBeUndefined();
  expect(shadow.write(3, by(second!, 2, 2), () => true)).toMatchObject({ block: first });
});
