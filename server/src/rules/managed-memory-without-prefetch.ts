import { formatCapacity } from "../units.ts";
import { defineRule, type Finding } from "./rule.ts";
import { excerpt } from "./support/edits.ts";
import { runtimeCalls } from "./support/runtime-calls.ts";

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
    "One finding a file, at its first `cudaMallocManaged`, where the file launches kernels and nothing in it prefetches, advises or attaches.",
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
      !syntax.expressions("call").some(({ launch }) => launch)
    )
      return;
    const allocated = calls.filter(({ name }) => name === "cudaMallocManaged");
    const [first, ...others] = allocated;
    if (!first) return;
    const sizes = allocated.map(({ call }) => call.arguments[1] && program.semantics.constant(call.arguments[1]));
    const total = sizes.reduce<bigint | undefined>(
      (sum, size) => (sum !== undefined && typeof size === "bigint" ? sum + size : undefined),
      0n,
    );
    if (total !== undefined && total < smallest) return;
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
