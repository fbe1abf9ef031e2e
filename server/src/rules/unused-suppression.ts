import { defineRule } from "./rule.ts";

export default defineRule({
  id: "unused-suppression",
  group: "directives",
  severity: "hint",
  priority: "low",
  summary: "A suppression comment that suppresses nothing, or names no rule.",
  why: "It hides the next finding that appears there, and tells the reader of a problem that is gone.",
  remedy: "Remove the comment, or the rule from its list.",
  fix: "safe",
  changes: "spelling",
  tag: "unnecessary",
  example: {
    bad: `__global__ void clear(float *data) {
  // warplens-disable-next-line double-constant-in-float -- measured: no difference
  data[threadIdx.x] = 0.0f;
}`,
    good: `__global__ void decimate(float *data) {
  // warplens-disable-next-line double-constant-in-float -- measured: no difference
  data[threadIdx.x] *= 0.1;
}`,
  },
  /** Known only when all other rules have run: `lint` reports it. */
  *check() {},
});
