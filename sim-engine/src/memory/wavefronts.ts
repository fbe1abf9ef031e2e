/**
 * Shared memory has 32 banks of 4-byte words, and one wavefront reads or writes one word of each: an access takes as many
 * wavefronts as the most distinct words it wants of one bank. Lanes that want the same word share it.
 *
 * Accesses of 8 bytes go by half-warps and those of 16 bytes by quarter-warps. Two neighbouring parts of a load go together when
 * that takes one wavefront and in both each lane wants the same address as its neighbour, or as the lane two further. So Nsight
 * Compute counts on an H200 (`sim-engine/validation/shared-memory`).
 */
import { DistinctSet, popcount } from "./distinct.ts";

const bankCount = 32;
const seen = new DistinctSet();
const perBank = new Int32Array(bankCount);
const bankWord = new Int32Array(bankCount);

/** Wavefronts the lanes of `mask` take, each moving `bytes` (1 to 16) at `near[lane]` (see `nearAddresses`); only loads join parts. */
export function sharedWavefronts(near: Int32Array, mask: number, bytes: number, isLoad: boolean): number {
  if (mask === 0) return 0;
  if (bytes <= 4) return narrow(near, mask);
  const words = bytes / 4;
  const parts = bytes <= 8 ? 2 : 4;
  const lanes = 32 / parts;
  let total = 0;
  for (let part = 0; part < parts; part += 2) {
    const low = mask & (((2 ** lanes - 1) << (part * lanes)) | 0);
    const high = mask & (((2 ** lanes - 1) << ((part + 1) * lanes)) | 0);
    if (isLoad && low !== 0 && high !== 0 && joins(near, low | high, words)) total++;
    else total += (low === 0 ? 0 : wide(near, low, words)) + (high === 0 ? 0 : wide(near, high, words));
  }
  return total;
}

const joins = (near: Int32Array, mask: number, words: number): boolean =>
  (paired(near, mask, 1) || paired(near, mask, 2)) && wide(near, mask, words) === 1;

/** Every active lane wants the same address as the lane `distance` away from it, where that is active. */
function paired(near: Int32Array, mask: number, distance: number): boolean {
  for (let lane = 0; lane < 32; lane++) {
    const other = lane ^ distance;
    if ((mask >>> lane) & (mask >>> other) & 1 && near[lane] !== near[other]) return false;
  }
  return true;
}

function narrow(near: Int32Array, mask: number): number {
  let used = 0;
  for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
    if ((bits & 1) === 0) continue;
    const word = near[lane]! >> 2;
    const bank = word & (bankCount - 1);
    if ((used >>> bank) & 1) {
      if (bankWord[bank] !== word) return wide(near, mask, 1);
    } else {
      used |= 1 << bank;
      bankWord[bank] = word;
    }
  }
  return 1;
}

function wide(near: Int32Array, mask: number, words: number): number {
  seen.clear();
  perBank.fill(0);
  // Aligned to what each moves, lanes want whole groups of banks: one word of a group tells of the others.
  const step = isAligned(near, mask, 4 * words) ? words : 1;
  let most = 0;
  for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
    if ((bits & 1) === 0) continue;
    const first = near[lane]! >> 2;
    for (let word = first; word < first + words; word += step) {
      if (!seen.add(word)) continue;
      const ways = ++perBank[word & (bankCount - 1)]!;
      if (ways > most) most = ways;
    }
  }
  return most;
}

/** @param bytes a power of two */
function isAligned(near: Int32Array, mask: number, bytes: number): boolean {
  for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) if (bits & 1 && near[lane]! & (bytes - 1)) return false;
  return true;
}

/** The wavefronts if the lanes' bytes lay side by side; never more than it does take. */
export const idealWavefronts = (wavefronts: number, mask: number, bytes: number): number =>
  Math.min(wavefronts, Math.ceil((popcount(mask) * bytes) / (4 * bankCount)));
