import { defineRule } from "./rule.ts";
import { allocations, faultsOf, nameOf, placeOf } from "./support/host-faults.ts";

export default defineRule({
  id: "unsynchronised-host-read",
  group: "correctness",
  severity: "error",
  priority: "correctness",
  guide: { document: "best-practices", section: "9.1.2" },
  summary: "The host reads what a kernel or an asynchronous copy stores, and has not waited for it.",
  why: "A launch returns before its kernel has begun, and so does an asynchronous copy to page-locked memory: the host reads what stood there before, or some of both.",
  remedy: "Wait before the read: `cudaDeviceSynchronize()`, or `cudaStreamSynchronize(stream)` for the stream alone.",
  notes:
    "Managed and page-locked memory that a kernel may store to, and page-locked memory that `cudaMemcpyAsync` fills. Any call that may wait, of any stream, counts as waiting: what cannot be followed is taken to.",
  fix: "none",
  simulated: true,
  specificity: 3,
  example: {
    bad: `__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
int main() {
  float *x;
  cudaMallocManaged(&x, 256 * sizeof(float));
  fill<<<1, 256>>>(x);
  float first = x[0];
}`,
    good: `__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
int main() {
  float *x;
  cudaMallocManaged(&x, 256 * sizeof(float));
  fill<<<1, 256>>>(x);
  cudaDeviceSynchronize();
  float first = x[0];
}`,
  },
  *check(context) {
    for (const { at, object, by, kernel } of faultsOf(context, "not-waited")) {
      const who = kernel === undefined ? "the asynchronous copy" : `\`${kernel}\``;
      const where = kernel === undefined ? "the copy" : "the launch";
      yield {
        span: at,
        message: `The host reads ${nameOf(object)}, ${placeOf(object)}, while ${who} may still be storing to it: nothing waits for ${where} before.`,
        related: [{ at: by, message: `${where} returns at once` }, ...allocations(object)],
        ...(kernel === undefined ? {} : { kernel }),
      };
    }
  },
});
