import { defineRule } from "./rule.ts";
import { costsOf, findingOf } from "./support/costs.ts";

export default defineRule({
  id: "missing-tile",
  group: "memory",
  severity: "information",
  priority: "high",
  guide: { document: "best-practices", section: "9.2.3.2" },
  summary: "A loop loads two values for each product, though neighbouring threads multiply the same values too.",
  why: "A load takes as long to issue as a multiplication, and much longer to come. A thread that computes 4 by 4 results loads 8 values for 16 products, and blocks that copy their rows and columns to shared memory first load each from global memory once.",
  remedy:
    "Let each thread compute a tile of results, 4 by 4 or 8 by 8, in an array whose loops are unrolled, from tiles of both matrices in shared memory.",
  notes:
    "Told of loops whose factors come from loads, one by the thread's row and one by its column. The time then is that of the launch with a quarter of these loads, and nothing else changed.",
  fix: "none",
  simulated: true,
  tellsGain: true,
  specificity: 2,
  example: {
    bad: `__global__ void product(float *c, const float *a, const float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}
int main() {
  const int n = 2048;
  float *a, *b, *c;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float));
  cudaMemset(a, 0, n * n * sizeof(float));
  cudaMemset(b, 0, n * n * sizeof(float));
  product<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(c, a, b, n);
}`,
    good: `__global__ void product(float *c, const float *a, const float *b, int n) {
  int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
  float sum[4][4] = {};
  for (int k = 0; k < n; ++k) {
    float4 of = *(const float4 *)&b[k * n + x];
    for (int i = 0; i < 4; ++i) {
      float by = a[(y + i) * n + k];
      sum[i][0] += by * of.x;
      sum[i][1] += by * of.y;
      sum[i][2] += by * of.z;
      sum[i][3] += by * of.w;
    }
  }
  for (int i = 0; i < 4; ++i) *(float4 *)&c[(y + i) * n + x] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
int main() {
  const int n = 2048;
  float *a, *b, *c;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float));
  cudaMemset(a, 0, n * n * sizeof(float));
  cudaMemset(b, 0, n * n * sizeof(float));
  product<<<dim3(n / 128, n / 32), dim3(32, 8)>>>(c, a, b, n);
}`,
  },
  *check(context) {
    for (const cost of costsOf(context, "factors")) {
      // Of a launch that nobody makes neither the tiles nor how far values are shared are known.
      if (cost.launch.fact.expression === undefined && cost.launch.fact.configuration.length > 0) continue;
      yield findingOf(
        cost,
        "The loop loads two values for each product, which other threads load for theirs too. Let each thread compute a tile of results, 4 by 4 say, from tiles in shared memory.",
      );
    }
  },
});
