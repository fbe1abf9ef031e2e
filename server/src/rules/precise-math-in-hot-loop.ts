import { defineRule, type Finding } from "./rule.ts";
import { all, replace } from "./support/edits.ts";
import { inLoop } from "./support/loops.ts";
import { mathCalls, numberOf } from "./support/math-calls.ts";

/** What each takes of instructions, and what its intrinsic: nvcc 13.0, sm_90. */
const intrinsics: Readonly<Record<string, readonly [precise: number, fast: number]>> = {
  sin: [138, 8],
  cos: [138, 8],
  log: [32, 11],
  log10: [33, 11],
  exp: [16, 11],
  pow: [97, 15],
};

export default defineRule({
  id: "precise-math-in-hot-loop",
  group: "instructions",
  severity: "hint",
  priority: "medium",
  guide: { document: "best-practices", section: "11.1.6" },
  alsoIn: [{ document: "best-practices", section: "11.2" }],
  offByDefault: true,
  summary: "A function of floats in a loop for which there is a faster, less exact intrinsic.",
  why: "The intrinsics run on the special function units, without looking at special cases and without reducing their argument.",
  remedy:
    "Call `__sinf`, `__expf` and their kin where their error, which the programming guide tells, is no matter; or compile with `-use_fast_math`.",
  fix: "unsafe",
  changes: "rounding",
  notes: "Off by default: whether the error matters only you know.",
  example: {
    bad: `__global__ void total(float *sum, const float *x, int n) {
  float s = 0.0f;
  for (int i = 0; i < n; i++) s += expf(x[i]);
  sum[threadIdx.x] = s;
}`,
    good: `__global__ void total(float *sum, const float *x, int n) {
  float s = 0.0f;
  for (int i = 0; i < n; i++) s += __expf(x[i]);
  sum[threadIdx.x] = s;
}`,
  },
  *check(context): Generator<Finding> {
    const { reading, semantics } = context.program;
    for (const { call, name, written } of mathCalls(context, new Set(Object.keys(intrinsics)))) {
      const [precise, fast] = intrinsics[name] ?? [0, 0];
      if (!inLoop(context.syntax, call) || !call.arguments.every((each) => numberOf(semantics, each) === "float")) continue;
      const better = `__${name}f`;
      const edits = all(replace(reading, call.callee, better));
      yield {
        span: call.callee,
        message: `\`${written}\` takes about ${precise} instructions each turn, \`${better}\` ${fast}, if its error is no matter.`,
        fix: edits && { title: `Call \`${better}\` (less exact)`, safe: false, edits },
      };
    }
  },
});
