import type { Expression } from "../syntax/ast.ts";
import type { Reading } from "../syntax/reading.ts";
import { defineRule, type Edit, type Finding, type Fix, type RuleContext } from "./rule.ts";
import { Convergence, type Divergence } from "./support/convergence.ts";
import { all, excerpt, insertFirstArgument, replace } from "./support/edits.ts";
import { isOwn } from "./support/syntax-index.ts";

type Call = Expression & { readonly kind: "call" };

const legacy = /^__(shfl(_up|_down|_xor)?|any|all|ballot)$/;
const fullMask = "0xffffffff";

export default defineRule({
  id: "legacy-warp-intrinsic",
  group: "warp",
  severity: "error",
  priority: "correctness",
  guide: { document: "volta", section: "1.4.1.2" },
  alsoIn: [{ document: "turing", section: "1.4.1.2" }],
  summary: "A warp intrinsic without a mask of the lanes that take part.",
  why: "Since Volta the lanes of a warp are scheduled independently, so `__shfl*`, `__any`, `__all` and `__ballot` may exchange data among a different set of lanes than the code assumes. CUDA 9 deprecated them, and they do not compile for compute capability 7.0 and later.",
  remedy:
    "Use the `_sync` form, whose mask names the lanes that must arrive: `0xffffffff` where the whole warp does. In divergent code compute the mask before the branch, with `__ballot_sync`.",
  notes: `The fix is safe only where all lanes of the warp provably arrive together: every condition around the call, and around each \`return\`, \`break\` and \`continue\` before it, has one value for the whole warp, and so at every call of the function. Values that all lanes share are constants, kernel parameters, \`blockIdx\`, \`blockDim\`, results of votes, and what is computed from them; \`threadIdx.x / 32\` too, where every launch has blocks whose rows are whole warps.

Elsewhere the fix takes \`__activemask()\` as the mask, which is what the old intrinsic did at best, and is unsafe: which lanes should take part only you know. \`__ballot(1)\`, which asks for the active lanes, becomes \`__activemask()\`.

Functions and macros of your own with these names are left alone, and so is code that the preprocessor leaves out for CUDA 9 and later.`,
  fix: "safe",
  changes: "spelling",
  tag: "deprecated",
  example: {
    bad: `__global__ void sum(const float *in, float *out) {
  float value = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down(value, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(out, value);
}`,
    good: `__global__ void sum(const float *in, float *out) {
  float value = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(out, value);
}`,
  },
  *check(context) {
    const convergence = new Convergence(context.program, context.syntax);
    for (const call of context.syntax.expressions("call")) {
      const name = legacyName(context, call);
      if (name !== undefined) yield finding(context, call, name, convergence.divergence(call));
    }
  },
});

/** The intrinsic a call names, unless the program has its own function of that name. */
function legacyName({ program }: RuleContext, { callee, arguments: given }: Call): string | undefined {
  if (callee.kind !== "name" || callee.name.parts.length !== 1 || given.length === 0) return undefined;
  const name = callee.name.parts[0]?.text ?? "";
  if (!legacy.test(name)) return undefined;
  const own = program.semantics.resolve(callee).some(isOwn);
  return own ? undefined : name;
}

function finding({ program: { reading } }: RuleContext, call: Call, name: string, divergence: Divergence | undefined): Finding {
  const countsLanes = name === "__ballot" && isTrue(call.arguments[0]);
  const advice =
    divergence === undefined
      ? `All lanes arrive here together: \`${name}_sync(${fullMask}, ...)\`.`
      : countsLanes
        ? `Not all lanes may arrive here together (${divergence.reason}); to learn which did, use \`__activemask()\`.`
        : `Use \`${name}_sync\` with a mask of the lanes that take part; not all may arrive here together: ${divergence.reason}.`;
  return {
    span: call.callee,
    message: `\`${name}\` does not say which lanes take part, and lanes of a warp need not be in step since Volta; it does not compile for compute capability 7.0 and later. ${advice}`,
    fix: fix(reading, call, name, divergence, countsLanes),
  };
}

function fix(reading: Reading, call: Call, name: string, divergence: Divergence | undefined, countsLanes: boolean): Fix | undefined {
  if (divergence === undefined) {
    const edits = withMask(reading, call, name, fullMask);
    return edits && { title: `Use \`${name}_sync\` with the full mask`, safe: true, edits };
  }
  if (countsLanes) {
    const edits = all(replace(reading, call, "__activemask()"));
    return edits && { title: "Use `__activemask()`", safe: false, edits };
  }
  const edits = withMask(reading, call, name, "__activemask()");
  const title = `Use \`${name}_sync\` with the lanes that happen to be active (${excerpt(reading, divergence.at, 40)} may part the warp)`;
  return edits && { title, safe: false, edits };
}

const withMask = (reading: Reading, call: Call, name: string, mask: string): readonly Edit[] | undefined =>
  all(replace(reading, call.callee, `${name}_sync`), insertFirstArgument(reading, call, `${mask}, `));

const isTrue = (node: Expression | undefined): boolean =>
  node?.kind === "integer" ? node.value !== 0n : node?.kind === "bool" ? node.value : node?.kind === "parenthesized" && isTrue(node.inner);
