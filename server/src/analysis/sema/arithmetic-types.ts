/** The arithmetic types by name: their widths (LP64, as CUDA on Linux), and what operators convert them to. */
import type { FloatName, IntegerName } from "./types.ts";

/** Bits of an integer type, and whether it is signed. */
export const integerShape: Readonly<
  Record<IntegerName, { readonly bits: 1 | 8 | 16 | 32 | 64; readonly signed: boolean; readonly rank: number }>
> = {
  bool: { bits: 1, signed: false, rank: 0 },
  char: { bits: 8, signed: true, rank: 1 },
  schar: { bits: 8, signed: true, rank: 1 },
  uchar: { bits: 8, signed: false, rank: 1 },
  short: { bits: 16, signed: true, rank: 2 },
  ushort: { bits: 16, signed: false, rank: 2 },
  int: { bits: 32, signed: true, rank: 3 },
  uint: { bits: 32, signed: false, rank: 3 },
  long: { bits: 64, signed: true, rank: 4 },
  ulong: { bits: 64, signed: false, rank: 4 },
  longlong: { bits: 64, signed: true, rank: 5 },
  ulonglong: { bits: 64, signed: false, rank: 5 },
};

const floatRank: Readonly<Record<FloatName, number>> = { half: 0, bfloat16: 1, float: 2, double: 3 };

export const isFloatName = (name: IntegerName | FloatName): name is FloatName =>
  name === "float" || name === "double" || name === "half" || name === "bfloat16";

/** Integral promotion: what is narrower than `int` becomes `int`. */
export function promotedName(name: IntegerName): IntegerName {
  return integerShape[name].rank < integerShape.int.rank ? "int" : name;
}

/** What the usual arithmetic conversions bring two types to. */
export function commonName(a: IntegerName | FloatName, b: IntegerName | FloatName): IntegerName | FloatName {
  if (isFloatName(a)) return isFloatName(b) && floatRank[b] > floatRank[a] ? b : a;
  if (isFloatName(b)) return b;
  const [left, right] = [promotedName(a), promotedName(b)];
  if (left === right) return left;
  const [l, r] = [integerShape[left], integerShape[right]];
  if (l.signed === r.signed) return l.rank >= r.rank ? left : right;
  const [signed, unsigned] = l.signed ? [left, right] : [right, left];
  const [s, u] = [integerShape[signed], integerShape[unsigned]];
  if (u.rank >= s.rank) return unsigned;
  if (s.bits > u.bits) return signed;
  return signed === "long" ? "ulong" : "ulonglong";
}

/** Wraps an integer to the type's width and sign, as a conversion does. */
export function wrapInteger(value: bigint, name: IntegerName): bigint {
  const { bits, signed } = integerShape[name];
  if (name === "bool") return value === 0n ? 0n : 1n;
  return signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
}
