import globalAccumulator from "../rules/global-accumulator.ts";
import { accumulatedInRegister } from "../rules/support/accumulate-in-register.ts";
import { inLoop } from "../rules/support/loops.ts";
import { defineRefactoring } from "./refactoring.ts";

export default defineRefactoring({
  id: "accumulate-in-register",
  summary: "Keeps in a local variable what a loop stores to one place of memory in every turn, and stores it once behind the loop.",
  where:
    "At an assignment to `c[i]` or `*c` in a loop of a kernel in which nothing of the address changes, and that has no return, barrier, fence or atomic, and no other use of the array.",
  guide: { document: "best-practices", section: "9.2.1" },
  rules: ["global-accumulator"],
  example: {
    before: globalAccumulator.example.bad,
    cursor: "out[x] +=",
    after: globalAccumulator.example.bad.replace(
      "for (int k = 0; k < rows; ++k) out[x] += in[k * n + x];",
      "auto sum = out[x];\n  for (int k = 0; k < rows; ++k) sum += in[k * n + x];\n  out[x] = sum;",
    ),
  },
  *offers(context) {
    const { syntax } = context;
    for (const assignment of syntax.expressions("assign")) {
      const { left } = assignment;
      const isAccess = left.kind === "subscript" || (left.kind === "unary" && left.op === "*");
      if (!isAccess || !syntax.inDevice(assignment) || !inLoop(syntax, assignment)) continue;
      const fix = accumulatedInRegister(context, left);
      if (fix) yield { at: [assignment], fix };
    }
  },
});
