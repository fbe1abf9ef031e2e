import type { SharedVariable } from "@warplens/sim-engine";
import type { Expression, TypeNode, VariableDeclaration } from "../syntax/ast.ts";
import { formatRatio } from "../units.ts";
import { defineRule, type Fix, type RuleContext } from "./rule.ts";
import { paddingFor } from "./support/bank-padding.ts";
import { type Cost, costsOf, findingOf } from "./support/costs.ts";
import { replace } from "./support/edits.ts";
import { expressionAt } from "./support/expression-at.ts";
import { Variables } from "./support/variables.ts";

/** Bytes of a word of a bank. */
const wordBytes = 4;
/** Bytes of shared memory that a block may have without being allowed more. */
const staticLimit = 48 << 10;

export default defineRule({
  id: "shared-bank-conflict",
  group: "memory",
  severity: "warning",
  priority: "medium",
  guide: { document: "best-practices", section: "9.2.3.1" },
  alsoIn: [
    { document: "best-practices", section: "9.2.3.3" },
    { document: "maxwell", section: "1.4.3.2" },
  ],
  summary: "Lanes of a warp access different words of the same bank of shared memory.",
  why: "Shared memory has 32 banks, each a 4-byte word wide. Words of one bank are served one after the other, so that a conflict of n ways takes n passes.",
  remedy:
    "Pad the rows of the array by an element (`tile[32][33]`), or change the index so that neighbouring lanes take neighbouring words.",
  notes:
    "Told where the launch would take less time without the conflicts. The fix pads the last dimension, where the array is used by subscripts only, each access giving all of them, and shared memory is not what limits the blocks of an SM.",
  fix: "safe",
  simulated: true,
  specificity: 2,
  example: {
    bad: `__global__ void turn(float *out, const float *in, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  turn<<<dim3(128, 128), dim3(32, 8)>>>(out, in, 4096);
}`,
    good: `__global__ void turn(float *out, const float *in, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  turn<<<dim3(128, 128), dim3(32, 8)>>>(out, in, 4096);
}`,
  },
  *check(context) {
    for (const cost of costsOf(context, "wavefronts")) {
      const { access } = cost;
      if (!access) continue;
      const { operation, worst = 0, transactions, ideal, requests } = access;
      const passes = `${formatRatio(transactions / requests)} wavefronts/request, ideal ${formatRatio(ideal / requests)}`;
      const ways = worst > 2 ? `${worst}-way bank conflict` : "Bank conflicts";
      const array = cost.report.object === undefined ? "shared memory" : `\`${cost.report.object}\``;
      yield {
        ...findingOf(
          cost,
          `${ways}: this ${operation} of ${array} takes ${passes}. Let neighbouring lanes take neighbouring words${orPadding(cost)}.`,
        ),
        fix: padded(context, cost),
      };
    }
  },
});

const arrayOf = ({ launch, report }: Cost): SharedVariable | undefined =>
  launch.kernel.shared.find(({ name, bytes }) => name === report.object && bytes !== undefined);

/** Elements that the rows of an array need more; undefined where it has none, or they would not help. */
function paddingOf({ access }: Cost, array: SharedVariable | undefined): number | undefined {
  const { dimensions = [], elementBytes = 0 } = array ?? {};
  const length = dimensions.at(-1);
  if (dimensions.length < 2 || !length || !access?.example) return undefined;
  // Wider accesses are served by parts of a warp, which one of them more lets begin at other banks, each where it is aligned.
  return access.bytesPerLane > wordBytes
    ? Math.max(1, Math.ceil(access.bytesPerLane / Math.max(1, elementBytes)))
    : paddingFor(access.example, length * elementBytes, elementBytes);
}

function orPadding(cost: Cost): string {
  const array = arrayOf(cost);
  const elements = paddingOf(cost, array);
  if ((array?.dimensions?.length ?? 0) < 2) return ", or pad the rows";
  if (elements === undefined) return "";
  return elements === 1 ? ", or pad the rows by one element" : `, or pad the rows by ${elements} elements`;
}

/** As many elements more in each row as it takes. */
function padded({ program, syntax }: RuleContext, cost: Cost): Fix | undefined {
  const { place, launch } = cost;
  const { reading, semantics } = program;
  const array = arrayOf(cost);
  const elements = paddingOf(cost, array);
  const [rows = 0, length = 0, ...more] = array?.dimensions ?? [];
  if (!array || elements === undefined || rows < 2 || more.length > 0) return undefined;
  const { resources, dynamicSharedBytes, occupancy } = launch.report;
  const bytes = resources.staticSharedBytes + dynamicSharedBytes + rows * elements * array.elementBytes;
  if (bytes > staticLimit || occupancy.limiters.includes("shared_mem")) return undefined;
  const variables = new Variables(syntax, semantics);
  const access = expressionAt(syntax, reading, place);
  const name = access && baseOf(access);
  const variable = name && variables.of(name);
  const size = variable && "kind" in variable ? rowLength(variable) : undefined;
  if (!variable || !size) return undefined;
  const whole = variables.uses(variable).every((use) => {
    const inner = syntax.parent(use);
    const outer = inner && syntax.parent(inner.node);
    return (
      [inner, outer].every((item) => item?.role === "expression" && item.node.kind === "subscript") &&
      isBase(inner?.node, use) &&
      isBase(outer?.node, inner?.node) &&
      !isAddress(outer && syntax.parent(outer.node)?.node)
    );
  });
  const text = reading.textOf(size.start, size.end);
  const edit = whole
    ? replace(
        reading,
        size,
        /^\d+$/.test(text) ? `${Number(text) + elements}` : /^[\w.:]+$/.test(text) ? `${text} + ${elements}` : `(${text}) + ${elements}`,
      )
    : undefined;
  return edit && { title: `Pad \`${array.name}\` to [${rows}][${length + elements}]`, safe: true, edits: [edit] };
}

const baseOf = (node: Expression): (Expression & { readonly kind: "name" }) | undefined =>
  node.kind === "name"
    ? node
    : node.kind === "subscript"
      ? baseOf(node.base)
      : node.kind === "parenthesized"
        ? baseOf(node.inner)
        : undefined;

const isBase = (outer: unknown, inner: unknown): boolean => (outer as { readonly base?: unknown } | undefined)?.base === inner;
const isAddress = (node: unknown): boolean => {
  const { kind, op } = (node ?? {}) as { readonly kind?: string; readonly op?: string };
  return kind === "unary" && op === "&";
};

/** What the last of two dimensions is declared by. */
function rowLength({ type }: VariableDeclaration | { readonly type: TypeNode }): Expression | undefined {
  if (type.kind !== "array" || type.of.kind !== "array" || type.of.of.kind === "array") return undefined;
  return type.of.size;
}
