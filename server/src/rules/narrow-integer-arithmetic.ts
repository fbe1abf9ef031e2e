import { defineRule, type Finding } from "./rule.ts";
import { unqualified } from "./support/ranges.ts";
import { Variables } from "./support/variables.ts";

export default defineRule({
  id: "narrow-integer-arithmetic",
  group: "instructions",
  severity: "hint",
  priority: "low",
  guide: { document: "best-practices", section: "11.1.4" },
  offByDefault: true,
  summary: "A local variable of 8 or 16 bits that arithmetic changes.",
  why: "Registers have 32 bits and so has arithmetic: each time the result is cut to the narrow type, with an instruction of its own.",
  remedy: "Declare local variables `int`; keep `char` and `short` for what lies in memory.",
  fix: "none",
  notes: "Off by default: it is one instruction, and often the compiler sees that the cut changes nothing.",
  example: {
    bad: `__global__ void count(int *out, const int *in, int n) {
  unsigned short found = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) found += in[i] > 0;
  out[threadIdx.x] = found;
}`,
    good: `__global__ void count(int *out, const int *in, int n) {
  int found = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) found += in[i] > 0;
  out[threadIdx.x] = found;
}`,
  },
  *check({ program: { semantics }, syntax }): Generator<Finding> {
    const variables = new Variables(syntax, semantics);
    for (const { declarations } of syntax.statements("declaration")) {
      for (const variable of declarations) {
        if (variable.kind !== "variable" || variable.specifiers.shared || !syntax.inDevice(variable)) continue;
        const type = unqualified(semantics.declaredType(variable));
        const bytes = type?.kind === "integer" && type.name !== "bool" ? semantics.sizeOf(type) : undefined;
        if (bytes === undefined || bytes >= 4 || !variables.writes(variable).some(({ op }) => /^([-+*/%]|<<|\+\+|--)$/.test(op))) continue;
        yield { span: variable.name, message: `Arithmetic on ${8 * bytes} bits is arithmetic on 32 and a cut: make it an \`int\`.` };
      }
    }
  },
});
