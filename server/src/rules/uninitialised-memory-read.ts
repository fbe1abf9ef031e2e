import { defineRule } from "./rule.ts";
import { alsoAt, byCause } from "./support/causes.ts";
import { about, elementAt, shown, threadOf } from "./support/violations.ts";

export default defineRule({
  id: "uninitialised-memory-read",
  group: "correctness",
  severity: "warning",
  priority: "correctness",
  summary: "A thread reads memory that nobody has written: of its block, of a local array, or of the device since it was allocated.",
  why: "It holds what was left there by whoever had it before: the value is another one in each run.",
  remedy: "Write every element that is read, also where there is no input for it (with the neutral element), or do not read it.",
  notes:
    "What `cudaMalloc` gives counts as written by every copy, fill and launch before, as far as they may reach; where a call cannot be followed nothing is said of what it is given. A buffer that nothing was ever written to is passed over in a launch none of whose buffers the host fills. Of local arrays and variables, elements that are picked by an index are looked at, and what something is worked out from: copies are not.",
  fix: "none",
  simulated: true,
  specificity: 2,
  example: {
    bad: `__global__ void sum(float *out, const float *in, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) s[threadIdx.x] = in[i];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 200 * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  sum<<<1, 256>>>(out, in, 200);
}`,
    good: `__global__ void sum(float *out, const float *in, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 200 * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  sum<<<1, 256>>>(out, in, 200);
}`,
  },
  *check(context) {
    for (const { first: each, others } of byCause(shown(context, "uninitialised"), ({ object }) => `${object.kind} ${object.name}`)) {
      const { by, object } = each.violation;
      yield {
        span: each.place,
        message: `Nobody has written it: ${threadOf(by)} reads \`${each.text}\`, ${elementAt(each.violation)} of \`${object.name}\`, before any thread stores there.${others.length === 0 ? "" : ` So ${others.length === 1 ? "does one more read" : `do ${others.length} more reads`} of it.`}`,
        ...about(
          each,
          alsoAt(others, (more) => `${threadOf(more.by)} reads it here, too`),
        ),
      };
    }
  },
});
