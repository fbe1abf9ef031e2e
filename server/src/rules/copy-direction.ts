import { defineRule, type Fix } from "./rule.ts";
import { allocations, type FaultOf, faultsOf, nameOf, placeOf } from "./support/host-faults.ts";

/** By number: `cudaMemcpyKind`. */
const kinds = ["cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"] as const;

export default defineRule({
  id: "copy-direction",
  group: "correctness",
  severity: "error",
  priority: "correctness",
  guide: { document: "best-practices", section: "9.1" },
  summary: "A copy says a direction that contradicts where its pointers lead.",
  why: "The copy fails, which only its return value tells: nothing is copied, and the program goes on with what stood there before.",
  remedy: "Give the direction that the pointers have, target first: `cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost)`.",
  notes:
    "Where memory lies is known of what the host code allocates on its way from `main`, whether or not the file launches kernels. Page-locked and managed memory may stand on either side; `cudaMemcpyDefault` is always right.",
  fix: "unsafe",
  changes: "faults",
  simulated: true,
  specificity: 3,
  example: {
    bad: `#include <cstdlib>
__global__ void iota(int *x) { x[threadIdx.x] = threadIdx.x; }
int main() {
  int *h = (int *)malloc(256 * sizeof(int)), *d;
  cudaMalloc(&d, 256 * sizeof(int));
  iota<<<1, 256>>>(d);
  cudaMemcpy(h, d, 256 * sizeof(int), cudaMemcpyHostToDevice);
}`,
    good: `#include <cstdlib>
__global__ void iota(int *x) { x[threadIdx.x] = threadIdx.x; }
int main() {
  int *h = (int *)malloc(256 * sizeof(int)), *d;
  cudaMalloc(&d, 256 * sizeof(int));
  iota<<<1, 256>>>(d);
  cudaMemcpy(h, d, 256 * sizeof(int), cudaMemcpyDeviceToHost);
}`,
  },
  *check(context) {
    for (const fault of faultsOf(context, "direction")) {
      const { at, direction, said, to, from } = fault;
      yield {
        span: direction ?? at,
        message: `This copies from ${nameOf(from)}, ${placeOf(from)}, to ${nameOf(to)}, ${placeOf(to)}, and says \`${kinds[said]}\`.`,
        related: allocations(to, from),
        fix: fixOf(fault),
      };
    }
  },
});

function fixOf({ direction, fits }: FaultOf<"direction">): Fix | undefined {
  const newText = kinds[fits];
  if (direction?.kind !== "name" || newText === undefined) return undefined;
  return { title: `Use \`${newText}\``, safe: false, edits: [{ span: direction, newText }] };
}
