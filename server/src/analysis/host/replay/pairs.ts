/** Pairs of integers as single numbers, which are in the order that the pairs are in. */
import type { Known } from "./arithmetic.ts";
import { GivenUp } from "./machine.ts";

/** Each of the two is this far from 0 at the most. */
const half = 2 ** 25;
const width = 2 * half;

/** @throws GivenUp where one of them is too large */
export function paired(first: Known, second: Known): number {
  if (!isSmall(first) || !isSmall(second)) throw new GivenUp();
  return (first + half) * width + second + half;
}

const isSmall = (value: Known): value is number => typeof value === "number" && Number.isInteger(value) && value >= -half && value < half;

export const firstOf = (pair: number): number => Math.floor(pair / width) - half;
export const secondOf = (pair: number): number => (pair % width) - half;
