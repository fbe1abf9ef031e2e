import type { Expression } from "../syntax/ast.ts";
import { formatCapacity } from "../units.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { excerpt } from "./support/edits.ts";
import type { Call } from "./support/library-calls.ts";
import { runtimeCalls } from "./support/runtime-calls.ts";
import { Variables } from "./support/variables.ts";

export default defineRule({
  id: "managed-memory-without-prefetch",
  group: "host",
  severity: "information",
  priority: "medium",
  guide: { document: "best-practices", section: "9.1.4" },
  ofFile: true,
  summary: "Managed memory in a program that never says where it is needed next.",
  why: "What the host has filled lies with the host: the kernel's first access to each page stops its warps until the page has come over, in pieces of 64 KB and more, which takes several times as long as one copy.",
  remedy: "`cudaMemPrefetchAsync` before the first launch, and back before the host reads; or `cudaMalloc` and a copy.",
  fix: "none",
  notes:
    "One finding a file, at its first `cudaMallocManaged`, where the file launches kernels and nothing in it prefetches, advises or attaches, and where the arrays come to 1 MiB or more; of a size that nobody says, where the host goes through the array itself.",
  example: {
    bad: `__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
void run(int n) {
  float *x;
  cudaMallocManaged(&x, n * sizeof(float));
  for (int i = 0; i < n; i++) x[i] = i;
  twice<<<n / 256, 256>>>(x);
  cudaDeviceSynchronize();
}`,
    good: `__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
void run(int n, cudaMemLocation device) {
  float *x;
  cudaMallocManaged(&x, n * sizeof(float));
  for (int i = 0; i < n; i++) x[i] = i;
  cudaMemPrefetchAsync(x, n * sizeof(float), device, 0);
  twice<<<n / 256, 256>>>(x);
  cudaDeviceSynchronize();
}`,
  },
  *check(context): Generator<Finding> {
    const { program, syntax } = context;
    const calls = runtimeCalls(context);
    if (
      calls.some(({ name }) => /^cuda(MemPrefetch|MemAdvise|StreamAttach)/.test(name)) ||
      !syntax.expressions("call", /<<</).some(({ launch }) => launch)
    )
      return;
    const allocated = calls.filter(({ name }) => name === "cudaMallocManaged");
    const [first, ...others] = allocated;
    if (!first) return;
    const variables = new Variables(syntax, program.semantics);
    const sizes = allocated.map(({ call }) => call.arguments[1] && sizeOf(context, variables, call.arguments[1]));
    const said = sizes.reduce<bigint | undefined>(
      (sum, size) => (sum !== undefined && typeof size === "bigint" ? sum + size : undefined),
      0n,
    );
    const total = said ?? bytesLaunched(context);
    if (total === undefined ? !isFilledHere(context, first.call) : total < smallest) return;
    const name = first.call.arguments[0] ? excerpt(program.reading, first.call.arguments[0], 30).replace(/^.*&/, "") : "";
    yield {
      span: first.call,
      message: `\`${name}\`${others.length > 0 ? ` and ${others.length} more` : ""}${total === undefined ? "" : `, ${formatCapacity(Number(total))},`} ${others.length > 0 ? "come" : "comes"} to the device page by page, as kernels touch them: nothing prefetches. \`cudaMemPrefetchAsync\` brings them in one go.`,
      related: others.slice(0, 8).map(({ call }) => ({ at: call, message: "also managed" })),
    };
  },
});

/** Of less a page fault or two are all there is. */
const smallest = 1n << 20n;

/** Of products of constants and of variables that keep what they began with. */
function sizeOf(context: RuleContext, variables: Variables, size: Expression): bigint | undefined {
  const constant = context.program.semantics.constant(size);
  if (constant !== undefined) return typeof constant === "bigint" ? constant : undefined;
  if (size.kind === "parenthesized") return sizeOf(context, variables, size.inner);
  if (size.kind === "binary" && size.op === "*") {
    const [a, b] = [sizeOf(context, variables, size.left), sizeOf(context, variables, size.right)];
    return a === undefined || b === undefined ? undefined : a * b;
  }
  const variable = variables.of(size);
  const initial = variable && variables.writes(variable).length === 0 ? variables.initial(variable) : undefined;
  const value = initial && context.program.semantics.constant(initial);
  return typeof value === "bigint" ? value : undefined;
}

/** What launches are given of managed memory, each array once, where host code says how large all of it is and nothing is assumed. */
function bytesLaunched({ program }: RuleContext): bigint | undefined {
  const isManaged = ({ residence }: { readonly residence?: string }): boolean => residence === "managed";
  const given = program.launches.filter(({ launch }) => launch?.buffers.some(isManaged));
  if (given.some(({ assumptions }) => assumptions.length > 0)) return undefined;
  const managed = given.flatMap(({ launch }) => launch?.buffers.filter(isManaged) ?? []);
  const sizes = new Map(managed.map(({ name, bytes }) => [name, bytes]));
  if (sizes.size === 0) return undefined;
  return [...sizes.values()].reduce<bigint | undefined>(
    (sum, bytes) => (sum === undefined || bytes === undefined ? undefined : sum + BigInt(bytes)),
    0n,
  );
}

/** The host goes through the array's elements itself, and gives it to a kernel: not an allocator, whose callers know. */
function isFilledHere({ program, syntax }: RuleContext, { arguments: [pointer] }: Call): boolean {
  const variables = new Variables(syntax, program.semantics);
  const named = pointer && syntax.expressions("name").find((each) => each.start >= pointer.start && each.end <= pointer.end);
  const variable = named && variables.of(named);
  const uses = variable ? variables.uses(variable) : [];
  const parents = uses.flatMap((use) => {
    const around = syntax.parent(use);
    return around?.role === "expression" ? [around.node] : [];
  });
  return parents.some(({ kind }) => kind === "subscript") && parents.some((node) => node.kind === "call" && node.launch !== undefined);
}
