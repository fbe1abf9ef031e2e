/**
 * Cycles an access to global or local memory keeps an SM's L1 busy, the larger of two: data, passes through 32 banks of 4-byte
 * words as in shared memory; tags, distinct 128-byte lines in one of four tag banks, chosen by the exclusive or of the line
 * number's pairs of bits. Fits the loads of an A100 and an H200 with strides up to 128 bytes within 2.3 % (data of gpu-benches);
 * stores and 16-byte accesses are taken to go by the same rule.
 */
import { DistinctSet } from "../memory/distinct.ts";
import { nearAddresses, originOf } from "../memory/near.ts";
import { sharedWavefronts } from "../memory/wavefronts.ts";

const near = new Int32Array(32);
const seen = new DistinctSet();
const perBank = new Uint8Array(4);

function tagBank(line: number): number {
  let bits = line ^ (line >>> 8);
  bits ^= bits >>> 4;
  return (bits ^ (bits >>> 2)) & 3;
}

/** For the lanes of `mask`, each moving `bytes` (1 to 16) at `addresses[from + lane]`. */
export function l1Cycles(addresses: Float64Array, from: number, mask: number, bytes: number): number {
  if (mask === 0) return 0;
  seen.clear();
  perBank.fill(0);
  let tags = 0;
  for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
    if ((bits & 1) === 0) continue;
    const last = Math.floor((addresses[from + lane]! + bytes - 1) / 128);
    for (let line = Math.floor(addresses[from + lane]! / 128); line <= last; line++) {
      if (!seen.add(line | 0)) continue;
      const ways = ++perBank[tagBank(line & 0xffff)]!;
      if (ways > tags) tags = ways;
    }
  }
  // Addresses too far apart for it share neither lines nor words: tags decide.
  const isNear = nearAddresses(addresses, from, mask, originOf(addresses, from, mask), near);
  return isNear ? Math.max(tags, sharedWavefronts(near, mask, bytes, true)) : tags;
}
