import { isLibraryHeader } from "../analysis/headers/index.ts";
import { defineRule } from "./rule.ts";
import { allocations, faultsOf, nameOf, placeOf } from "./support/host-faults.ts";

/** Who asks whether the device reads pageable memory means to let it. */
const pageable = /ageableMemoryAccess/;

export default defineRule({
  id: "wrong-memory-space",
  group: "correctness",
  severity: "error",
  priority: "correctness",
  guide: { document: "best-practices", section: "9.1.4" },
  alsoIn: [{ document: "best-practices", section: "9.1.3" }],
  summary: "The host goes through a pointer of the device, or a kernel through one of the host.",
  why: "The host ends with a segmentation fault; the kernel with an illegal access, which shows at the next call of the runtime.",
  remedy:
    "Copy between the two (`cudaMemcpy`), or allocate what both may use: `cudaMallocManaged`, or `cudaMallocHost` for memory of the host that kernels read.",
  notes:
    "Memory of `cudaMalloc` on the host's side, memory of `malloc` and `new` on the kernel's. Page-locked, registered and managed memory is both's. Some systems let the device use pageable memory: a program that asks for `pageableMemoryAccess` is left alone.",
  fix: "none",
  simulated: true,
  specificity: 3,
  example: {
    bad: `#include <cstdlib>
__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
int main() {
  float *x = (float *)malloc(256 * sizeof(float));
  fill<<<1, 256>>>(x);
}`,
    good: `__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
int main() {
  float *x;
  cudaMalloc(&x, 256 * sizeof(float));
  fill<<<1, 256>>>(x);
}`,
  },
  *check(context) {
    for (const { at, object, use } of faultsOf(context, "device-memory-on-host"))
      yield { span: at, message: `${nameOf(object)} is ${use} by the host, and lies ${placeOf(object)}.`, related: allocations(object) };
    const { reading } = context.program;
    if (reading.sources.some((text, file) => !isLibraryHeader(reading.files[file] ?? "") && pageable.test(text))) return;
    for (const { at, object, kernel, parameter } of faultsOf(context, "host-memory-in-kernel"))
      yield {
        span: at,
        message: `\`${kernel}\` goes through \`${parameter}\`, which points to ${nameOf(object)}, ${placeOf(object)}: no device reaches it, but one that may use pageable memory.`,
        related: allocations(object),
        kernel,
      };
  },
});
