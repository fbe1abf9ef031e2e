import { boundsCheck } from "../rules/support/bounds-check.ts";
import { Variables } from "../rules/support/variables.ts";
import { defineRefactoring } from "./refactoring.ts";
import { mapping } from "./support/examples.ts";

export default defineRefactoring({
  id: "check-bounds",
  summary: "Compares an index with the number of elements before the statement that goes by it.",
  where:
    "At `x[i]` in a statement of a kernel's own body, where `i` is a variable, `x` a pointer that the kernel is given, and one of its parameters has the number of elements from there on.",
  guide: { document: "best-practices", section: "10.3" },
  rules: ["out-of-bounds-access"],
  changes: "faults",
  example: {
    before: mapping("  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = 2 * in[i];"),
    cursor: "out[i]",
    after: mapping("  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = 2 * in[i];"),
  },
  *offers(context) {
    const { program, syntax, launches } = context;
    const variables = new Variables(syntax, program.semantics);
    for (const access of syntax.expressions("subscript")) {
      const owner = syntax.code(access)?.function;
      const parameter = variables.of(access.base);
      if (owner?.kind !== "function" || owner.specifiers.global !== true || !parameter || "kind" in parameter) continue;
      const index = owner.parameters.indexOf(parameter);
      const type = program.semantics.typeOf(access);
      const width = type && program.semantics.sizeOf(type);
      for (const launch of launches) {
        if (launch.fact.kernel?.declaration !== owner || !launch.fact.launch || !width) continue;
        const { arguments: args, buffers } = launch.fact.launch;
        const argument = args[index];
        const bytes = argument?.kind === "pointer" ? (buffers[argument.buffer]?.bytes ?? 0) - argument.offset : 0;
        const fix = bytes > 0 ? boundsCheck(context, access, bytes / width, launch) : undefined;
        if (!fix) continue;
        yield { at: [access], fix };
        break;
      }
    }
  },
});
