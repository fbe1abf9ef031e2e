/** Generated from this folder by scripts/generate/rules.mjs: do not edit. */
import analysisLimit from "./analysis-limit.ts";
import copyDirection from "./copy-direction.ts";
import copySize from "./copy-size.ts";
import divergentBarrier from "./divergent-barrier.ts";
import doubleConstantInFloat from "./double-constant-in-float.ts";
import globalMemoryRace from "./global-memory-race.ts";
import gridDoesNotCover from "./grid-does-not-cover.ts";
import invalidDirective from "./invalid-directive.ts";
import launchFails from "./launch-fails.ts";
import legacyWarpIntrinsic from "./legacy-warp-intrinsic.ts";
import misalignedAccess from "./misaligned-access.ts";
import outOfBoundsAccess from "./out-of-bounds-access.ts";
import type { Rule } from "./rule.ts";
import sharedMemoryRace from "./shared-memory-race.ts";
import stridedGlobalAccess from "./strided-global-access.ts";
import uncheckedArithmetic from "./unchecked-arithmetic.ts";
import uncoalescedGlobalAccess from "./uncoalesced-global-access.ts";
import uninitialisedMemoryRead from "./uninitialised-memory-read.ts";
import unreadInclude from "./unread-include.ts";
import unsignedLoopCounter from "./unsigned-loop-counter.ts";
import unsynchronisedHostRead from "./unsynchronised-host-read.ts";
import unusedSuppression from "./unused-suppression.ts";
import useAfterFree from "./use-after-free.ts";
import wrongMemorySpace from "./wrong-memory-space.ts";

/** Every rule, by id. */
export const rules: readonly Rule[] = [
  analysisLimit,
  copyDirection,
  copySize,
  divergentBarrier,
  doubleConstantInFloat,
  globalMemoryRace,
  gridDoesNotCover,
  invalidDirective,
  launchFails,
  legacyWarpIntrinsic,
  misalignedAccess,
  outOfBoundsAccess,
  sharedMemoryRace,
  stridedGlobalAccess,
  uncheckedArithmetic,
  uncoalescedGlobalAccess,
  uninitialisedMemoryRead,
  unreadInclude,
  unsignedLoopCounter,
  unsynchronisedHostRead,
  unusedSuppression,
  useAfterFree,
  wrongMemorySpace,
];
