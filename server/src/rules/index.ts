/** Generated from this folder by scripts/generate/rules.mjs: do not edit. */
import analysisLimit from "./analysis-limit.ts";
import arrayOfStructuresAccess from "./array-of-structures-access.ts";
import blockingAllocationInLoop from "./blocking-allocation-in-loop.ts";
import constantMemoryOverflow from "./constant-memory-overflow.ts";
import contendedAtomic from "./contended-atomic.ts";
import copyDirection from "./copy-direction.ts";
import copySize from "./copy-size.ts";
import defaultStreamSerialisation from "./default-stream-serialisation.ts";
import divergentBarrier from "./divergent-barrier.ts";
import divergentConstantAccess from "./divergent-constant-access.ts";
import divisionByRunTimeValue from "./division-by-run-time-value.ts";
import doubleConstantInFloat from "./double-constant-in-float.ts";
import doubleMathFunctionOnFloat from "./double-math-function-on-float.ts";
import emulatedDoubleAtomic from "./emulated-double-atomic.ts";
import extraContext from "./extra-context.ts";
import fractionalPower from "./fractional-power.ts";
import globalAccumulator from "./global-accumulator.ts";
import globalMemoryRace from "./global-memory-race.ts";
import gridDoesNotCover from "./grid-does-not-cover.ts";
import idleGpu from "./idle-gpu.ts";
import integerDivision from "./integer-division.ts";
import invalidDirective from "./invalid-directive.ts";
import l2WindowTooLarge from "./l2-window-too-large.ts";
import launchFails from "./launch-fails.ts";
import legacyWarpIntrinsic from "./legacy-warp-intrinsic.ts";
import localMemoryArray from "./local-memory-array.ts";
import lowOccupancy from "./low-occupancy.ts";
import managedMemoryWithoutPrefetch from "./managed-memory-without-prefetch.ts";
import misalignedAccess from "./misaligned-access.ts";
import missingLaunchBounds from "./missing-launch-bounds.ts";
import missingSyncwarp from "./missing-syncwarp.ts";
import missingTile from "./missing-tile.ts";
import narrowGlobalAccess from "./narrow-global-access.ts";
import narrowIntegerArithmetic from "./narrow-integer-arithmetic.ts";
import outOfBoundsAccess from "./out-of-bounds-access.ts";
import pageableAsyncCopy from "./pageable-async-copy.ts";
import partialWarpBlock from "./partial-warp-block.ts";
import powerOfConstantBase from "./power-of-constant-base.ts";
import preciseMathInHotLoop from "./precise-math-in-hot-loop.ts";
import predicatedOffLanes from "./predicated-off-lanes.ts";
import reciprocalSquareRoot from "./reciprocal-square-root.ts";
import reductionByBarriers from "./reduction-by-barriers.ts";
import redundantGlobalLoad from "./redundant-global-load.ts";
import removedApi from "./removed-api.ts";
import repeatedBarrier from "./repeated-barrier.ts";
import rowPerThread from "./row-per-thread.ts";
import type { Rule } from "./rule.ts";
import separateSineCosine from "./separate-sine-cosine.ts";
import sharedBankConflict from "./shared-bank-conflict.ts";
import sharedMemoryOverStaticLimit from "./shared-memory-over-static-limit.ts";
import sharedMemoryRace from "./shared-memory-race.ts";
import sineOfPiMultiple from "./sine-of-pi-multiple.ts";
import singleThreadLoop from "./single-thread-loop.ts";
import smallBlock from "./small-block.ts";
import smallIntegerPower from "./small-integer-power.ts";
import stridedGlobalAccess from "./strided-global-access.ts";
import synchroniseInLoop from "./synchronise-in-loop.ts";
import tailEffect from "./tail-effect.ts";
import tensorCoreCandidate from "./tensor-core-candidate.ts";
import transferInLoop from "./transfer-in-loop.ts";
import transposedThreadIndex from "./transposed-thread-index.ts";
import truncatedCeil from "./truncated-ceil.ts";
import uncheckedArithmetic from "./unchecked-arithmetic.ts";
import uncheckedCudaCall from "./unchecked-cuda-call.ts";
import uncheckedLaunch from "./unchecked-launch.ts";
import uncoalescedGlobalAccess from "./uncoalesced-global-access.ts";
import uninitialisedMemoryRead from "./uninitialised-memory-read.ts";
import unreadInclude from "./unread-include.ts";
import unsignedLoopCounter from "./unsigned-loop-counter.ts";
import unsynchronisedEvent from "./unsynchronised-event.ts";
import unsynchronisedHostRead from "./unsynchronised-host-read.ts";
import unsynchronisedTiming from "./unsynchronised-timing.ts";
import unusedSuppression from "./unused-suppression.ts";
import useAfterFree from "./use-after-free.ts";
import warpDivergence from "./warp-divergence.ts";
import warpMaskInDivergentCode from "./warp-mask-in-divergent-code.ts";
import wrongMemorySpace from "./wrong-memory-space.ts";

/** Every rule, by id. */
export const rules: readonly Rule[] = [
  analysisLimit,
  arrayOfStructuresAccess,
  blockingAllocationInLoop,
  constantMemoryOverflow,
  contendedAtomic,
  copyDirection,
  copySize,
  defaultStreamSerialisation,
  divergentBarrier,
  divergentConstantAccess,
  divisionByRunTimeValue,
  doubleConstantInFloat,
  doubleMathFunctionOnFloat,
  emulatedDoubleAtomic,
  extraContext,
  fractionalPower,
  globalAccumulator,
  globalMemoryRace,
  gridDoesNotCover,
  idleGpu,
  integerDivision,
  invalidDirective,
  l2WindowTooLarge,
  launchFails,
  legacyWarpIntrinsic,
  localMemoryArray,
  lowOccupancy,
  managedMemoryWithoutPrefetch,
  misalignedAccess,
  missingLaunchBounds,
  missingSyncwarp,
  missingTile,
  narrowGlobalAccess,
  narrowIntegerArithmetic,
  outOfBoundsAccess,
  pageableAsyncCopy,
  partialWarpBlock,
  powerOfConstantBase,
  preciseMathInHotLoop,
  predicatedOffLanes,
  reciprocalSquareRoot,
  reductionByBarriers,
  redundantGlobalLoad,
  removedApi,
  repeatedBarrier,
  rowPerThread,
  separateSineCosine,
  sharedBankConflict,
  sharedMemoryOverStaticLimit,
  sharedMemoryRace,
  sineOfPiMultiple,
  singleThreadLoop,
  smallBlock,
  smallIntegerPower,
  stridedGlobalAccess,
  synchroniseInLoop,
  tailEffect,
  tensorCoreCandidate,
  transferInLoop,
  transposedThreadIndex,
  truncatedCeil,
  uncheckedArithmetic,
  uncheckedCudaCall,
  uncheckedLaunch,
  uncoalescedGlobalAccess,
  uninitialisedMemoryRead,
  unreadInclude,
  unsignedLoopCounter,
  unsynchronisedEvent,
  unsynchronisedHostRead,
  unsynchronisedTiming,
  unusedSuppression,
  useAfterFree,
  warpDivergence,
  warpMaskInDivergentCode,
  wrongMemorySpace,
];
