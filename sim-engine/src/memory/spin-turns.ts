/**
 * Sums in shared memory for which there is no instruction: a loop of a load, the sum and a compare-and-swap that of the lanes which want
 * words of one bank lets only one through at a time, the words being the same or not. Accesses of 8 bytes go by half-warps, which are let
 * through side by side unless they want the same word (measured: microbenchmarks/h200-shared-sums.tsv, a warp by itself).
 */
import { DistinctSet } from "./distinct.ts";

const bankCount = 32;
/** Wavefronts that the compare-and-swap takes a turn, for each part of the warp that goes by itself. */
const swapWavefronts = 2;

const seen = new DistinctSet();
const perBank = new Int32Array(bankCount);

/** Turns until the last of the lanes of `mask` is through, each of which wants `bytes` (4 or 8) at `near[lane]` (see `nearAddresses`). */
export function spinTurns(near: Int32Array, mask: number, bytes: number): number {
  const words = bytes / 4;
  const lanes = 32 / words;
  const banks = bankCount / words;
  seen.clear();
  let most = 0;
  for (let lane = 0; lane < 32; lane++) {
    if (lane % lanes === 0) perBank.fill(0);
    if (!((mask >>> lane) & 1)) continue;
    const word = Math.floor(near[lane]! / bytes);
    most = Math.max(most, ++perBank[word & (banks - 1)]!, seen.count(word));
  }
  return most;
}

/**
 * Wavefronts of all turns: each time one lane fewer of a bank loads.
 * @param wavefronts of the first load
 */
export function spinWavefronts(wavefronts: number, turns: number, bytes: number): number {
  const parts = bytes / 4;
  let all = parts * swapWavefronts * turns;
  for (let turn = 0; turn < turns; turn++) all += parts * Math.max(1, wavefronts / parts - turn);
  return all;
}
