/** Single values as memory holds them. */

import { bf16FromBits, bf16ToBits, f16FromBits, f16ToBits } from "../ir/half.ts";
import type { ScalarType } from "../ir/kernel.ts";

const halfPointer = 2 ** 32;

/** One value of memory: i64 as a sign-extended bigint, all else a number (integers sign-extended, i1 0 or 1). */
export type Scalar = number | bigint;

export function readScalar(view: DataView, offset: number, type: ScalarType): Scalar {
  switch (type) {
    case "i1":
      return view.getUint8(offset) === 0 ? 0 : 1;
    case "i8":
      return view.getInt8(offset);
    case "i16":
      return view.getInt16(offset, true);
    case "i32":
      return view.getInt32(offset, true);
    case "i64":
      return view.getBigInt64(offset, true);
    case "f16":
      return f16FromBits(view.getUint16(offset, true));
    case "bf16":
      return bf16FromBits(view.getUint16(offset, true));
    case "f32":
      return view.getFloat32(offset, true);
    case "f64":
      return view.getFloat64(offset, true);
    case "ptr":
      return view.getUint32(offset, true) + view.getUint32(offset + 4, true) * halfPointer;
  }
}

export function writeScalar(view: DataView, offset: number, type: ScalarType, value: Scalar): void {
  switch (type) {
    case "i1":
    case "i8":
      view.setInt8(offset, Number(value));
      return;
    case "i16":
      view.setInt16(offset, Number(value), true);
      return;
    case "i32":
      view.setInt32(offset, Number(value), true);
      return;
    case "i64":
      view.setBigInt64(offset, BigInt(value), true);
      return;
    case "f16":
      view.setUint16(offset, f16ToBits(Number(value)), true);
      return;
    case "bf16":
      view.setUint16(offset, bf16ToBits(Number(value)), true);
      return;
    case "f32":
      view.setFloat32(offset, Number(value), true);
      return;
    case "f64":
      view.setFloat64(offset, Number(value), true);
      return;
    case "ptr":
      view.setUint32(offset, Number(value) % halfPointer, true);
      view.setUint32(offset + 4, Math.floor(Number(value) / halfPointer), true);
      return;
  }
}
