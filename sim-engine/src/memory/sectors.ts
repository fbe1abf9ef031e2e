/** Global and local memory move in sectors of 32 bytes: which of them one warp access touches. Addresses are as `nearAddresses` gives them. */
import { DistinctSet } from "./distinct.ts";

const sectorBytes = 32;
const seen = new DistinctSet();

/** Distinct sectors that the lanes of `mask` touch, each moving `bytes`: at most 32, or 64 where addresses are not aligned. */
export function distinctSectors(near: Int32Array, mask: number, bytes: number): number {
  if (mask === 0) return 0;
  // Most accesses ascend with the lane: then a new sector is one above the last.
  const lead = 31 - Math.clz32(mask & -mask);
  let last = near[lead]! >> 5;
  let count = 1;
  for (let lane = lead, bits = mask >>> lead; bits !== 0; lane++, bits >>>= 1) {
    if ((bits & 1) === 0) continue;
    const sector = near[lane]! >> 5;
    if (sector < last || (near[lane]! + bytes - 1) >> 5 !== sector) return scattered(near, mask, bytes);
    if (sector !== last) count++;
    last = sector;
  }
  return count;
}

function scattered(near: Int32Array, mask: number, bytes: number): number {
  seen.clear();
  let count = 0;
  for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
    if ((bits & 1) === 0) continue;
    const end = (near[lane]! + bytes - 1) >> 5;
    for (let sector = near[lane]! >> 5; sector <= end; sector++) if (seen.add(sector)) count++;
  }
  return count;
}

/** The same for addresses that are far from each other, `addresses[from + lane]`. */
export function farSectors(addresses: Float64Array, from: number, mask: number, bytes: number): number {
  seen.clear();
  let count = 0;
  for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
    if ((bits & 1) === 0) continue;
    const end = Math.floor((addresses[from + lane]! + bytes - 1) / sectorBytes);
    // Numbers that agree in their lower 32 bits are 128 GiB apart: further than one buffer reaches.
    for (let sector = Math.floor(addresses[from + lane]! / sectorBytes); sector <= end; sector++) if (seen.add(sector | 0)) count++;
  }
  return count;
}

/** The lanes of `mask` in groups of so many neighbours, as masks; groups without a lane are left out. */
export function laneGroups(mask: number, lanes: number): number[] {
  if (lanes === 32) return mask === 0 ? [] : [mask];
  const first = 2 ** lanes - 1;
  const groups = Array.from({ length: 32 / lanes }, (_, group) => mask & (first << (group * lanes)));
  return groups.filter((each) => each !== 0);
}

/**
 * The sectors an access would take if its lanes' bytes lay side by side, as Nsight Compute's
 * `memory_l2_theoretical_sectors_global_ideal` counts: never more than it does take (a broadcast is ideal).
 */
export const idealSectors = (sectors: number, lanes: number, bytes: number): number =>
  Math.min(sectors, Math.ceil((lanes * bytes) / sectorBytes));

/**
 * Sectors of a local memory access, of offsets in each thread's frame: word w of lane k lies at word 32 w + k, so that lanes at
 * one offset share sectors, and the words of a wide access lie in different ones.
 */
export function localSectors(offsets: Int32Array, mask: number, bytes: number): number {
  seen.clear();
  let count = 0;
  for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
    if ((bits & 1) === 0) continue;
    const last = (offsets[lane]! + bytes - 1) >> 2;
    for (let word = offsets[lane]! >> 2; word <= last; word++) if (seen.add(word * 4 + (lane >> 3))) count++;
  }
  return count;
}

/** Where the word `word` words above each lane's address lies, for frames that start at `frame`. */
export function localAddresses(addresses: Float64Array, from: number, mask: number, frame: number, word: number, out: Float64Array): void {
  for (let lane = 0; lane < 32; lane++) {
    if (((mask >>> lane) & 1) === 0) continue;
    const offset = addresses[from + lane]! - frame;
    out[lane] = ((Math.floor(offset / 4) + word) * 32 + lane) * 4 + (offset % 4);
  }
}
