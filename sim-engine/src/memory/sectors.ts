/** Global and local memory move in sectors of 32 bytes: which of them one warp access touches. */
import { DistinctSet } from "./distinct.ts";

const sectorBytes = 32;

const seen = new DistinctSet();

/**
 * Writes the distinct sector numbers (address / 32) that the lanes of `mask` touch to `out` and returns how many there are:
 * at most 32, or 64 for addresses that are not aligned to `bytes`. Lane k's address is `addresses[from + k]`.
 */
export function distinctSectors(addresses: Float64Array, from: number, mask: number, bytes: number, out: Float64Array): number {
  if (mask === 0) return 0;
  const lead = 31 - Math.clz32(mask & -mask);
  let last = Math.floor(addresses[from + lead]! * (1 / sectorBytes));
  let count = 0;
  out[count++] = last;
  // Most accesses ascend with the lane: then a new sector is one above the last.
  let ascending = true;
  for (let lane = lead, bits = mask >>> lead; bits !== 0; lane++, bits >>>= 1) {
    if ((bits & 1) === 0) continue;
    const address = addresses[from + lane]!;
    const sector = Math.floor(address * (1 / sectorBytes));
    const end = Math.floor((address + (bytes - 1)) * (1 / sectorBytes));
    if (sector === last && end === last) continue;
    if (sector < last || end !== sector) {
      ascending = false;
      break;
    }
    out[count++] = last = sector;
  }
  return ascending ? count : scattered(addresses, from, mask, bytes, out);
}

function scattered(addresses: Float64Array, from: number, mask: number, bytes: number, out: Float64Array): number {
  seen.clear();
  let count = 0;
  for (let lane = 0; lane < 32; lane++) {
    if (((mask >>> lane) & 1) === 0) continue;
    const address = addresses[from + lane]!;
    const end = Math.floor((address + (bytes - 1)) * (1 / sectorBytes));
    for (let sector = Math.floor(address * (1 / sectorBytes)); sector <= end; sector++) {
      // Numbers that agree in their lower 32 bits are 128 GiB apart: further than one buffer reaches.
      if (seen.add(sector | 0)) out[count++] = sector;
    }
  }
  return count;
}

/**
 * The sectors an access would take if its lanes' bytes lay side by side, as Nsight Compute's
 * `memory_l2_theoretical_sectors_global_ideal` counts: never more than it does take (a broadcast is ideal).
 */
export const idealSectors = (sectors: number, lanes: number, bytes: number): number =>
  Math.min(sectors, Math.ceil((lanes * bytes) / sectorBytes));

/** Sectors of a local memory access: word w of lane k lies at word 32 w + k, so that lanes at one offset share sectors. */
export function localAddresses(addresses: Float64Array, from: number, mask: number, frame: number, out: Float64Array): void {
  for (let lane = 0; lane < 32; lane++) {
    if (((mask >>> lane) & 1) === 0) continue;
    const offset = addresses[from + lane]! - frame;
    out[lane] = (Math.floor(offset / 4) * 32 + lane) * 4 + (offset % 4);
  }
}
