import { deepest } from "../syntax/deepest.ts";
import { defineRule } from "./rule.ts";

/** Of more the file is not meant to be read by people. */
const most = 3;

const reasons = {
  depth: `this is nested deeper than ${deepest} levels of the syntax: nothing in it is analysed`,
  cost: "this can be read in too many ways: nothing in it is analysed",
} as const;

export default defineRule({
  id: "analysis-limit",
  group: "directives",
  severity: "information",
  priority: "correctness",
  summary: "Code of which a part is not analysed, because the analysis would take too long.",
  why: "What is not analysed may have any problem: that there is no other finding says nothing of it.",
  remedy: "Nest less deeply: give parts a name, or generate loops and tables instead of expressions. Else suppress the finding.",
  fix: "none",
  notes: `Each stage of the analysis has a budget, of steps or levels and never of time, so that the same code always has the same findings.
Where a budget ends, what lies behind it is unknown. A kernel that cannot be simulated for that reason is listed with it.`,
  example: {
    bad: `#define P(x) ((((((((((x))))))))))
#define Q(x) P(P(P(P(P(P(P(P(x))))))))
__global__ void nested(float *data) {
  data[threadIdx.x] = Q(Q(Q(Q(Q(Q(0.0f))))));
}`,
    good: `#define P(x) ((x))
__global__ void nested(float *data) {
  data[threadIdx.x] = P(0.0f);
}`,
  },
  *check({ syntax }) {
    for (const { node, limit } of syntax.notConverted().slice(0, most)) yield { span: node, message: reasons[limit] };
  },
});
