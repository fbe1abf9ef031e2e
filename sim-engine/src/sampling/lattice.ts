/**
 * The cells of a grid, each at a place of as many digits as it takes: a dimension is split where what blocks do begins anew, so that
 * what is alike in every row of a matrix lies along one digit, and what grows from row to row along another.
 */
import type { Dim3 } from "../ir/kernel.ts";
import { type Box, type Place, volume } from "./boxes.ts";

/** Cells of a round that can be told from how accesses lie or how loops are unrolled. */
const shortestRound = 8;
/** Of more rounds than this (the bits of a number, one by one) nothing is seen to repeat. */
const mostRounds = 4;
const dimensions = [0, 1, 2] as const;

export class Lattice {
  /** How many there are of each digit, the fastest first. */
  readonly sides: readonly number[];
  readonly #grid: Dim3;
  readonly #period: Dim3;
  /** By dimension, its digits: positions in a place. */
  readonly #digits: readonly (readonly number[])[];

  /**
   * @param period blocks of a cell in each dimension
   * @param rounds blocks after which what a block does may begin anew, by dimension (see `Variation.rounds`)
   */
  constructor(grid: Dim3, period: Dim3, rounds: readonly (readonly number[])[]) {
    this.#grid = grid;
    this.#period = period;
    const sides: number[] = [];
    this.#digits = dimensions.map((k) =>
      split(Math.ceil(grid[k] / period[k]), period[k], rounds[k] ?? []).map((side) => sides.push(side) - 1),
    );
    this.sides = sides;
  }

  /** All of it. */
  get box(): Box {
    return { low: this.sides.map(() => 0), high: this.sides.map((side) => side - 1), peeled: 0 };
  }

  /** The cell at a place: its first block, in cells. */
  cellAt(place: Place): Dim3 {
    const [x, y, z] = this.#digits.map((digits) => digits.reduceRight((sum, digit) => sum * this.sides[digit]! + place[digit]!, 0));
    return [x!, y!, z!];
  }

  /** Blocks in a box: cells at the grid's far rims may hold fewer than others. */
  blocksIn({ low, high }: Box): number {
    let blocks = 1;
    for (const k of dimensions) {
      const digits = this.#digits[k]!;
      const cells = volume({ low: digits.map((digit) => low[digit]!), high: digits.map((digit) => high[digit]!), peeled: 0 });
      const toRim = digits.every((digit) => high[digit] === this.sides[digit]! - 1);
      const missing = Math.ceil(this.#grid[k] / this.#period[k]) * this.#period[k] - this.#grid[k];
      blocks *= cells * this.#period[k] - (toRim ? missing : 0);
    }
    return blocks;
  }
}

/**
 * A dimension's digits: the most that can be had of its rounds, each of which holds the one before a whole number of times. Divisions
 * may follow each other: rounds of rounds are rounds as well.
 */
function split(cells: number, period: number, rounds: readonly number[]): number[] {
  if (rounds.length > mostRounds) return [cells];
  const all = rounds.flatMap((a, k) => [1, ...rounds.slice(k + 1)].map((b) => a * b));
  const fitting = [...new Set(all.map((round) => round / period))]
    .filter((round) => Number.isInteger(round) && round >= shortestRound && round < cells && cells % round === 0)
    .sort((a, b) => a - b);
  const chains: number[][] = [];
  for (const round of fitting) {
    const before = chains.filter((chain) => round % chain.at(-1)! === 0);
    chains.push([...before.reduce<number[]>((best, chain) => (chain.length > best.length ? chain : best), []), round]);
  }
  const chain = [1, ...chains.reduce<number[]>((best, each) => (each.length > best.length ? each : best), []), cells];
  return chain.slice(1).map((end, k) => end / chain[k]!);
}
