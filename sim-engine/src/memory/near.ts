/** Addresses as 32-bit integers, counted from a place near them: what counting a request's sectors, banks and lanes works on. */

/** An address this far from the others, or more, is not near. */
const reach = 2 ** 31;
/** A GPU's addresses have no more bits. An index that is only data can lead beyond, where neighbouring numbers are far apart. */
export const addressable = 2 ** 49;

/**
 * Writes what the addresses of the lanes of `mask` are above `origin`; lane k's is `addresses[from + k]`. False when one is too far
 * away or beyond what can be addressed; the 32 lowest bits are right even so.
 */
export function nearAddresses(addresses: Float64Array, from: number, mask: number, origin: number, to: Int32Array): boolean {
  let far = !(Math.abs(origin) < addressable);
  for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
    if ((bits & 1) === 0) continue;
    const above = addresses[from + lane]! - origin;
    if (!(above > -reach && above < reach)) far = true;
    to[lane] = above;
  }
  return !far;
}

/** The multiple of 128 at or below the first active lane's address: sectors, lines and banks lie as above 0. */
export function originOf(addresses: Float64Array, from: number, mask: number): number {
  const first = addresses[from + 31 - Math.clz32(mask & -mask)]!;
  return Math.floor(first / 128) * 128;
}

/** Addresses brought into reach by taking them modulo what can be addressed; 0 for what is no number. */
export function withinReach(addresses: Float64Array, from: number, to: Float64Array): void {
  for (let lane = 0; lane < 32; lane++) to[lane] = addresses[from + lane]! % addressable || 0;
}
