/**
 * The operands of a warp group's matrix products as they lie in shared memory: what a matrix descriptor says, and where each element
 * is by it (PTX ISA, Asynchronous Warpgroup Level Matrix Instructions: Matrix Descriptor Format, Shared Memory Matrix Layout).
 */

import { bf16FromBits, f16FromBits } from "../ir/half.ts";
import type { GroupElement } from "../ir/kernel.ts";

/** All in bytes but `swizzled`: how many bits of an address are swizzled, 0 to 3 for rows of 16 (none) to 128 bytes. */
export interface MatrixDescriptor {
  readonly start: number;
  readonly leading: number;
  readonly stride: number;
  /** Rows of 128 bytes by which the pattern of swizzling begins later. */
  readonly base: number;
  readonly swizzled: number;
}

const bitsByMode = [0, 3, 2, 1] as const;

/** A descriptor by its two halves. */
export const decodeDescriptor = (low: number, high: number): MatrixDescriptor => ({
  start: (low & 0x3fff) << 4,
  leading: ((low >>> 16) & 0x3fff) << 4,
  stride: (high & 0x3fff) << 4,
  base: (high >>> 17) & 7,
  swizzled: bitsByMode[high >>> 30] ?? 0,
});

/** Addresses that a descriptor can name. */
const window = 0x3ffff;

const swizzle = (at: number, { base, swizzled }: MatrixDescriptor): number =>
  (at ^ ((((at >>> 7) - base) & ((1 << swizzled) - 1)) << 4)) & window;

/**
 * Where byte `byte` of 32 along the depth of row `row` is, for a matrix whose depth is contiguous; rows are those of A, columns of B.
 * Eight rows of 16 bytes, or as wide as the swizzle, make a block.
 */
export function alongDepth(descriptor: MatrixDescriptor, row: number, byte: number): number {
  const { start, leading, stride, swizzled } = descriptor;
  const beside = swizzled === 0 ? (byte >> 4) * leading + (byte & 15) : byte;
  return swizzle(start + (row & 7) * (16 << swizzled) + (row >> 3) * stride + beside, descriptor);
}

/** The same for 16-bit elements whose rows are contiguous: element `k` along the depth of row `row`. */
export function acrossDepth(descriptor: MatrixDescriptor, row: number, k: number): number {
  const { start, leading, stride, swizzled } = descriptor;
  const unit = row >> 3;
  const beside =
    swizzled === 0
      ? unit * stride + (k >> 3) * leading
      : (unit & ((1 << swizzled) - 1)) * 16 + (unit >> swizzled) * leading + (k >> 3) * stride;
  return swizzle(start + beside + (k & 7) * (16 << swizzled) + (row & 7) * 2, descriptor);
}

export const elementBytes: Readonly<Record<GroupElement, 1 | 2 | 4>> = { f16: 2, bf16: 2, tf32: 4, e4m3: 1, e5m2: 1, s8: 1, u8: 1 };

/** An element of a word, `index` from its low end. */
export function elementOf(element: GroupElement, word: number, index: number): number {
  const half = (word >>> (16 * index)) & 0xffff;
  const byte = (word >>> (8 * index)) & 0xff;
  switch (element) {
    case "f16":
      return f16FromBits(half);
    case "bf16":
      return bf16FromBits(half);
    case "tf32":
      // The low bits are not looked at.
      return asFloat(word & 0xffffe000);
    case "e5m2":
      return f16FromBits(byte << 8);
    case "e4m3":
      return e4m3FromBits(byte);
    case "s8":
      return (byte << 24) >> 24;
    case "u8":
      return byte;
  }
}

const scratch = new DataView(new ArrayBuffer(4));

function asFloat(bits: number): number {
  scratch.setInt32(0, bits);
  return scratch.getFloat32(0);
}

/** Without infinities: all ones are no number (OCP 8-bit floating point). */
function e4m3FromBits(bits: number): number {
  const sign = bits & 0x80 ? -1 : 1;
  const exponent = (bits >> 3) & 15;
  const fraction = bits & 7;
  if (exponent === 15 && fraction === 7) return Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -9 : sign * (1 + fraction / 8) * 2 ** (exponent - 7);
}
