/** Generated from this folder by scripts/generate/rules.mjs: do not edit. */
import analysisLimit from "./analysis-limit.ts";
import doubleConstantInFloat from "./double-constant-in-float.ts";
import invalidDirective from "./invalid-directive.ts";
import legacyWarpIntrinsic from "./legacy-warp-intrinsic.ts";
import type { Rule } from "./rule.ts";
import stridedGlobalAccess from "./strided-global-access.ts";
import uncoalescedGlobalAccess from "./uncoalesced-global-access.ts";
import unreadInclude from "./unread-include.ts";
import unsignedLoopCounter from "./unsigned-loop-counter.ts";
import unusedSuppression from "./unused-suppression.ts";

/** Every rule, by id. */
export const rules: readonly Rule[] = [
  analysisLimit,
  doubleConstantInFloat,
  invalidDirective,
  legacyWarpIntrinsic,
  stridedGlobalAccess,
  uncoalescedGlobalAccess,
  unreadInclude,
  unsignedLoopCounter,
  unusedSuppression,
];
