import { defineRule, type RuleContext } from "./rule.ts";
import { type Cost, costsOf, findingOf } from "./support/costs.ts";
import { excerpt } from "./support/edits.ts";
import { gainOptions } from "./worth.ts";

export default defineRule({
  id: "division-by-run-time-value",
  group: "instructions",
  severity: "information",
  priority: "low",
  guide: { document: "best-practices", section: "11.1.1" },
  summary: "Integers are divided by what is the same in the whole launch, but unknown to the compiler.",
  why: "An integer division or remainder takes some twenty instructions. By a constant the compiler multiplies instead; by a power of two it shifts.",
  remedy:
    "Make the divisor a template parameter or `constexpr`; where it is always a power of two, pass its logarithm and shift; or compute a multiplier once on the host (`cuda::fast_mod_div`, as cub and PyTorch do); or use a grid of two dimensions, so that nothing need be divided.",
  notes:
    "All such divisions of a kernel are one finding, told from a tenth of its time. The time without it is that of the same kernel dividing by a constant that is no power of two.",
  fix: "none",
  simulated: true,
  tellsGain: true,
  // To make a kernel's sizes constants takes more than an edit.
  options: { minGain: { ...gainOptions.minGain, default: 10 } },
  specificity: 1,
  example: {
    bad: `__global__ void ring(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 64; ++k) sum += in[(i + k) % n];
  out[i] = sum;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  ring<<<16384, 256>>>(out, in, 1000003);
}`,
    good: `template <int n>
__global__ void ring(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 64; ++k) sum += in[(i + k) % n];
  out[i] = sum;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  ring<1000003><<<16384, 256>>>(out, in);
}`,
  },
  *check(context) {
    for (const cost of costsOf(context, "division")) {
      const by = divisorsOf(context, cost);
      const wide = isWide(cost) ? " in 64 bits a hundred and more: 32 bits take a fraction of that where they hold the numbers." : "";
      yield findingOf(
        cost,
        `Division by ${by}, the same for all threads but unknown to the compiler, takes some twenty instructions${wide === "" ? "." : `,${wide}`} Make it a template parameter, shift where it is a power of two, or multiply by a number made on the host.`,
      );
    }
  },
});

/** Divisors that are named. */
const mostNamed = 3;
const longestName = 30;

/** What is divided by, as it is written. */
function divisorsOf({ program, syntax }: RuleContext, { report, place, besides }: Cost): string {
  if (report.object !== undefined) return `\`${report.object}\``;
  const { reading } = program;
  const divisions = [...syntax.expressions("binary"), ...syntax.expressions("assign")].filter(({ op }) => /^[/%]=?$/.test(op));
  const names = [place, ...besides].flatMap(({ file, start, end }) => {
    const division = divisions.find((each) => {
      const at = reading.locate(each.start, each.end);
      return at.file === file && at.start === start && at.end === end;
    });
    return division ? [`\`${excerpt(reading, division.right, longestName)}\``] : [];
  });
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return "what the launch says";
  return distinct.length > mostNamed
    ? `${distinct.slice(0, mostNamed).join(", ")} and ${distinct.length - mostNamed} more`
    : distinct.join(", ");
}

/** Whether numbers of 64 bits are divided there. */
function isWide({ report: { at }, launch: { kernel } }: Cost): boolean {
  return kernel.blocks.some(({ ops }) =>
    ops.some(
      ({ action, type, span }) =>
        type === "i64" &&
        action.kind === "int" &&
        /^[su](div|rem)$/.test(action.op) &&
        at.some(({ file, start, end }) => file === span.file && start === span.start && end === span.end),
    ),
  );
}
