/**
 * Tensor maps: what `cuTensorMapEncodeTiled` is told of a tensor in global memory and of the boxes that are copied of it, and where the
 * bytes of a box lie. The driver's own form is not known; the bundled `cuda.h` has these fields in its place.
 */
import type { ScalarType } from "../ir/kernel.ts";
import { sharedBase } from "../ir/windows.ts";
import type { Environment } from "./environment.ts";
import type { Scalar } from "./scalars.ts";

/** Bytes from the map's start: the address, sizes of five dimensions, strides of all but the first, and so on. */
const place = { size: 8, stride: 48, box: 80, step: 90, rank: 95, type: 96, swizzle: 97, interleave: 98, fill: 99 } as const;
const dimensions = 5;

/** Bytes of an element, by `CUtensorMapDataType`; and what is read beyond the tensor where that is to be a NaN (PTX gives no other). */
const elements: readonly { readonly bytes: number; readonly nan?: number }[] = [
  { bytes: 1 },
  { bytes: 2 },
  { bytes: 4 },
  { bytes: 4 },
  { bytes: 8 },
  { bytes: 8 },
  { bytes: 2, nan: 0x7fff },
  { bytes: 4, nan: 0x7fffffff },
  { bytes: 8 },
  { bytes: 2, nan: 0x7fff },
  { bytes: 4, nan: 0x7fffffff },
  { bytes: 4, nan: 0x7fffffff },
  { bytes: 4, nan: 0x7fffffff },
];

export interface TensorMap {
  readonly address: number;
  readonly elementBytes: number;
  /** In elements, and bytes from one to the next, innermost dimension first. */
  readonly size: readonly number[];
  readonly stride: readonly number[];
  /** Elements of a box: of the tensor's, every `step`-th. */
  readonly box: readonly number[];
  readonly step: readonly number[];
  /** 0 none, 1 to 3: 16 bytes change places within 32, 64 or 128. */
  readonly swizzle: number;
  /** The bits of what is read beyond the tensor. */
  readonly fill: number;
}

/** Throws for what is no tensor map, and for one of another rank. */
export function readTensorMap(environment: Environment, at: number, rank: number): TensorMap {
  const read = (address: number, type: ScalarType): Scalar => environment.read(address, type, 0);
  const byte = (offset: number): number => Number(read(at + offset, "i8")) & 0xff;
  const each = (get: (k: number) => number): number[] => Array.from({ length: rank }, (_, k) => get(k));
  const element = elements[byte(place.type)];
  const known = byte(place.rank);
  if (known !== rank || !element)
    throw new Error(
      known === 0 || known > dimensions
        ? "what the tensor map says is not known"
        : `a copy of ${rank} dimensions by a tensor map of ${known}`,
    );
  if (byte(place.interleave) !== 0) throw new Error("tensor maps that interleave are not simulated");
  const step = each((k) => (k === 0 ? 1 : byte(place.step + k)));
  return {
    address: Number(read(at, "ptr")),
    elementBytes: element.bytes,
    size: each((k) => Number(BigInt.asUintN(64, BigInt(read(at + place.size + 8 * k, "i64"))))),
    stride: each((k) => (k === 0 ? element.bytes : Number(BigInt.asUintN(64, BigInt(read(at + place.stride + 8 * (k - 1), "i64")))))),
    box: each((k) => Math.ceil((Number(read(at + place.box + 2 * k, "i16")) & 0xffff) / step[k]!)),
    step,
    swizzle: byte(place.swizzle),
    fill: byte(place.fill) === 0 ? 0 : (element.nan ?? 0),
  };
}

/** Bytes of a box in shared memory. */
export const boxBytes = ({ box, elementBytes }: TensorMap): number => box.reduce((product, side) => product * side, elementBytes);

/** A row of a box: bytes that lie side by side. */
export interface BoxRow {
  /** From the box's start in shared memory, before they change places. */
  readonly offset: number;
  readonly bytes: number;
  /** Which of its bytes lie in the tensor, from `from` to `to` (excluded), and where the first of these does. */
  readonly from: number;
  readonly to: number;
  readonly address: number;
}

/** The rows of the box whose first element has these coordinates, which may lie outside of the tensor, in the order they are stored in. */
export function* boxRows({ address, elementBytes, size, stride, box, step }: TensorMap, coordinates: readonly number[]): Generator<BoxRow> {
  const bytes = box[0]! * elementBytes;
  const low = Math.max(0, -coordinates[0]!);
  const high = Math.max(low, Math.min(box[0]!, size[0]! - coordinates[0]!));
  const at = box.map(() => 0);
  for (let offset = 0; ; offset += bytes) {
    let inside = true;
    let start = address + (coordinates[0]! + low) * elementBytes;
    for (let k = 1; k < box.length; k++) {
      const coordinate = coordinates[k]! + at[k]! * step[k]!;
      if (coordinate < 0 || coordinate >= size[k]!) inside = false;
      start += coordinate * stride[k]!;
    }
    const [from, to] = inside ? [low * elementBytes, high * elementBytes] : [0, 0];
    yield { offset, bytes, from, to, address: start };
    let k = 1;
    while (k < box.length && ++at[k]! === box[k]!) at[k++] = 0;
    if (k >= box.length) return;
  }
}

/** Where a byte of shared memory is kept: the 16 bytes it is in change places with others of their row of 128 bytes, as its number says. */
export function swizzled(address: number, swizzle: number): number {
  const offset = address - sharedBase;
  return sharedBase + (offset ^ (((offset >> 7) & ((1 << swizzle) - 1)) << 4));
}
