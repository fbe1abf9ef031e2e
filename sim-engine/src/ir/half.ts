/** The 16-bit floating types: their bits, and rounding to them (to nearest even, as the hardware does by default). */

const word = new DataView(new ArrayBuffer(8));

const bitsOf = (value: number): number => {
  word.setFloat32(0, value);
  return word.getInt32(0);
};

const fromBits = (bits: number): number => {
  word.setInt32(0, bits);
  return word.getFloat32(0);
};

/** Bits of a binary16 as a number. */
export function f16FromBits(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 0x3ff;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** A number rounded once to binary16. */
export function roundF16(value: number): number {
  if (!Number.isFinite(value) || value === 0) return value;
  const magnitude = Math.abs(value);
  const exponent = Math.max(-14, Math.floor(Math.log2(magnitude)));
  // The quotient is exact, and adding 2^52 rounds it to an integer, ties to even.
  const ulp = 2 ** (exponent - 10);
  const rounded = (magnitude / ulp + 2 ** 52 - 2 ** 52) * ulp;
  return (value < 0 ? -1 : 1) * (rounded > 65504 ? Number.POSITIVE_INFINITY : rounded);
}

export function f16ToBits(value: number): number {
  const rounded = roundF16(value);
  const sign = rounded < 0 || Object.is(rounded, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(rounded);
  if (Number.isNaN(rounded)) return 0x7fff;
  if (magnitude === Number.POSITIVE_INFINITY) return sign | 0x7c00;
  if (magnitude < 2 ** -14) return sign | (magnitude * 2 ** 24);
  const bits = bitsOf(magnitude);
  return sign | ((((bits >> 23) & 255) - 112) << 10) | ((bits >> 13) & 0x3ff);
}

/** A number rounded once to bfloat16: a binary32's upper half, ties to even. */
export function roundBf16(value: number): number {
  if (!Number.isFinite(value)) return value;
  const single = Math.fround(value);
  let bits = bitsOf(single);
  // Rounding first to binary32 may land on a tie that the number itself is not on: push it off the tie again.
  if ((bits & 0xffff) === 0x8000 && single !== value) bits += Math.abs(value) > Math.abs(single) ? 1 : -1;
  bits += 0x7fff + ((bits >>> 16) & 1);
  return fromBits(bits & 0xffff0000);
}

export const bf16FromBits = (bits: number): number => fromBits(bits << 16);
export const bf16ToBits = (value: number): number => (Number.isNaN(value) ? 0x7fff : (bitsOf(roundBf16(value)) >>> 16) & 0xffff);
