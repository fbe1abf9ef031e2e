/**
 * A warp's part of its group's matrix product. Rows of the result do not depend on each other, so each of the four warps computes its
 * own 16 from what shared memory holds when it comes there: a program that keeps to the rules (fences, commits, waits) cannot tell.
 */

import { f16FromBits, f16ToBits } from "../ir/half.ts";
import { type GroupElement, type GroupProduct, groupDepthBytes, groupRows, type Op } from "../ir/kernel.ts";
import { sharedBase } from "../ir/windows.ts";
import type { Environment } from "./environment.ts";
import { acrossDepth, alongDepth, decodeDescriptor, elementBytes, elementOf, type MatrixDescriptor } from "./group-matrices.ts";
import type { Long, Registers, Slot, Step } from "./registers.ts";
import { NotExecutable } from "./values.ts";

/** Rows of a warp; two of each four lanes' words belong to eight of them. */
const rows = groupRows / 4;
const warpSize = 32;

/** Elements of so many lines of a matrix in shared memory, from line `from` on, line by line. */
function linesInShared(
  environment: Environment,
  descriptor: MatrixDescriptor,
  element: GroupElement,
  turned: boolean,
  from: number,
  to: Float64Array,
): void {
  const bytes = elementBytes[element];
  const depth = groupDepthBytes / bytes;
  const word = (at: number): number => environment.read(sharedBase + (at & ~3), "i32", 0) as number;
  for (let i = 0; i < to.length; i++) {
    const line = from + Math.floor(i / depth);
    const k = i % depth;
    const at = turned ? acrossDepth(descriptor, line, k) : alongDepth(descriptor, line, k * bytes);
    to[i] = elementOf(element, word(at), (at & 3) / bytes);
  }
}

/** A in registers: word j of a lane has row lane / 4, or eight further, and word lane % 4 of the row's eight, or four further. */
function linesInRegisters(words: readonly Int32Array[], o: number, element: GroupElement, to: Float64Array): void {
  const bytes = elementBytes[element];
  const perWord = 4 / bytes;
  const depth = groupDepthBytes / bytes;
  for (const [j, word] of words.entries()) {
    for (let lane = 0; lane < warpSize; lane++) {
      const row = (lane >> 2) + 8 * (j & 1);
      const first = ((lane & 3) + 4 * (j >> 1)) * perWord;
      for (let k = 0; k < perWord; k++) to[row * depth + first + k] = elementOf(element, word[o + lane]!, k);
    }
  }
}

/** The step of a `wgmma` operation. */
export function groupProductStep(op: Op, product: GroupProduct, registers: Registers, environment: Environment): Step {
  const { columns, aIn, negated, transposed } = product;
  const depth = groupDepthBytes / elementBytes[product.a];
  const [warp, adds, ...rest] = op.args;
  const a = rest.slice(0, aIn === "shared" ? 1 : 4);
  const b = rest[a.length];
  const sums = rest.slice(a.length + 1);
  if (!warp || !adds || !b) throw new NotExecutable("a product without operands");
  const warps = registers.ints(warp);
  const conditions = registers.ints(adds);
  const descriptorA = aIn === "shared" && a[0] ? registers.long(a[0]) : undefined;
  const wordsOfA = aIn === "shared" ? [] : a.map((each) => registers.ints(each));
  const descriptorB = registers.long(b);
  const matrixA = new Float64Array(rows * depth);
  const matrixB = new Float64Array(columns * depth);
  const result = new Float64Array(rows * columns);
  const before = sums.map((each) => registers.slot(each));
  const after = sums.map((_, index) => registers.slot(op, index));
  const sign = negated.a === negated.b ? 1 : -1;
  const read = ({ lo, hi }: Long, o: number): MatrixDescriptor => decodeDescriptor(lo[o]!, hi[o]!);
  return (o) => {
    if (descriptorA) linesInShared(environment, read(descriptorA, o), product.a, transposed.a, rows * (warps[o]! & 3), matrixA);
    else linesInRegisters(wordsOfA, o, product.a, matrixA);
    linesInShared(environment, read(descriptorB, o), product.b, transposed.b, 0, matrixB);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        let sum = 0;
        for (let k = 0; k < depth; k++) sum += matrixA[row * depth + k]! * matrixB[column * depth + k]!;
        result[row * columns + column] = sign * sum;
      }
    }
    writeSums(product, result, conditions[o] !== 0 ? before : undefined, after, o);
  };
}

/**
 * A lane has two columns of two rows of each eight columns: row lane / 4 and that eight further, columns 2 * (lane % 4) and the next.
 * Halves lie two to a word.
 */
function writeSums(
  { columns, sums }: GroupProduct,
  result: Float64Array,
  before: readonly Slot[] | undefined,
  after: readonly Slot[],
  o: number,
): void {
  for (let lane = 0; lane < warpSize; lane++) {
    const i = o + lane;
    for (let pair = 0; pair < columns / 4; pair++) {
      const at = ((lane >> 2) + 8 * (pair & 1)) * columns + 8 * (pair >> 1) + 2 * (lane & 3);
      if (sums === "f16") {
        const old = before?.[pair]?.data as Int32Array | undefined;
        const halves = [0, 1].map((k) => f16ToBits((old ? f16FromBits((old[i]! >>> (16 * k)) & 0xffff) : 0) + result[at + k]!));
        (after[pair]?.data as Int32Array)[i] = halves[0]! | (halves[1]! << 16);
        continue;
      }
      for (let k = 0; k < 2; k++) {
        const old = (before?.[2 * pair + k]?.data as Int32Array | Float64Array | undefined)?.[i] ?? 0;
        const sum = old + result[at + k]!;
        (after[2 * pair + k]?.data as Int32Array | Float64Array)[i] = sums === "s32" ? sum | 0 : Math.fround(sum);
      }
    }
  }
}
