/** Generated from this folder by scripts/generate/refactorings.mjs: do not edit. */
import accumulateInRegister from "./accumulate-in-register.ts";
import aggregateAtomicByBlock from "./aggregate-atomic-by-block.ts";
import aggregateAtomicByWarp from "./aggregate-atomic-by-warp.ts";
import allowSharedMemory from "./allow-shared-memory.ts";
import changeBlockSize from "./change-block-size.ts";
import checkBounds from "./check-bounds.ts";
import exchangeAxes from "./exchange-axes.ts";
import gridStrideLoop from "./grid-stride-loop.ts";
import insertBarrier from "./insert-barrier.ts";
import padSharedTile from "./pad-shared-tile.ts";
import type { Refactoring } from "./refactoring.ts";
import shuffleTail from "./shuffle-tail.ts";
import swizzleSharedTile from "./swizzle-shared-tile.ts";
import tileInSharedMemory from "./tile-in-shared-memory.ts";
import vectorElements from "./vector-elements.ts";
import warpPerRow from "./warp-per-row.ts";
import writeLaunchBounds from "./write-launch-bounds.ts";

/** Every refactoring, by id. */
export const refactorings: readonly Refactoring[] = [
  accumulateInRegister,
  aggregateAtomicByBlock,
  aggregateAtomicByWarp,
  allowSharedMemory,
  changeBlockSize,
  checkBounds,
  exchangeAxes,
  gridStrideLoop,
  insertBarrier,
  padSharedTile,
  shuffleTail,
  swizzleSharedTile,
  tileInSharedMemory,
  vectorElements,
  warpPerRow,
  writeLaunchBounds,
];
