/**
 * What a warp's copy from global to shared memory moves that goes past the registers and the L1 (`cp.async.cg`): each sector once for
 * each 32 bytes of shared memory that it goes to, in passes of one line each. A pass takes pieces that leave the same halves of their sectors
 * and go to the same halves of theirs. Read off the counters and times of `validation/microbenchmarks/h200-async-copies.txt`.
 */

/** Bytes of a lane. */
const copiedBytes = 16;
/** Passes of the L1's data path in which what all lanes copy is written to shared memory, 128 bytes each. */
export const copyWrites = (32 * copiedBytes) / 128;
const sectorBytes = 32;
const lineSectors = 4;
/** Cycles of a pass, and of each sector that it moves. */
const perPass = 0.75;
const perSector = 0.25;

export interface Copied {
  /** Sectors of global memory, address / 32, each as often as it is moved. */
  readonly sectors: readonly number[];
  /** Cycles in which the L1 takes no other copy. */
  readonly cycles: number;
}

/** Lane k of `mask` copies 16 bytes, aligned to as many, from `sources[at + k]` to `targets[at + k]`. */
export function copied(sources: Float64Array, targets: Float64Array, at: number, mask: number): Copied {
  const sectors: number[] = [];
  const places: number[] = [];
  // Which half of the source a piece leaves, 1 or 2 or both, and four times that of the target's.
  const halves: number[] = [];
  for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
    if ((bits & 1) === 0) continue;
    const [source, target] = [sources[at + lane]!, targets[at + lane]!];
    const [sector, place] = [Math.floor(source / sectorBytes), Math.floor(target / sectorBytes)];
    const half = (source % sectorBytes < copiedBytes ? 1 : 2) | (target % sectorBytes < copiedBytes ? 4 : 8);
    // Neighbours are likely to share a sector.
    let piece = sectors.length - 1;
    while (piece >= 0 && (sectors[piece] !== sector || places[piece] !== place)) piece--;
    if (piece >= 0) halves[piece]! |= half;
    else {
      sectors.push(sector);
      places.push(place);
      halves.push(half);
    }
  }
  const passes = new Set(sectors.map((sector, piece) => Math.floor(sector / lineSectors) * 16 + halves[piece]!));
  return { sectors, cycles: perPass * passes.size + perSector * sectors.length };
}
