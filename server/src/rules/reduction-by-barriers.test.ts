import { testRule } from "../testing/rule-tables.ts";
import rule from "./reduction-by-barriers.ts";

const program = (loop: string): string => `
__global__ void sums(float *out, const float *in) {
  __shared__ float part[256];
  part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
${loop}
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n / 256 * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  sums<<<n / 256, 256>>>(out, in);
}`;

testRule(rule, {
  clean: {
    "down to a warp": program(`  for (int d = blockDim.x / 2; d >= 32; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }`),
    "a scan, of which all threads do a part in every turn": program(`  for (int d = 1; d < blockDim.x; d *= 2) {
    float next = threadIdx.x >= d ? part[threadIdx.x - d] : 0;
    __syncthreads();
    part[threadIdx.x] += next;
    __syncthreads();
  }`),
    "a step of a sort": program(`  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    int to = 2 * threadIdx.x - (threadIdx.x & (d - 1));
    if (to + d < 256) {
      float a = part[to], b = part[to + d];
      part[to] = fminf(a, b);
      part[to + d] = fmaxf(a, b);
    }
    __syncthreads();
  }`),
    "a loop of barriers that halves nothing": program(`  for (int d = 0; d < blockDim.x / 32; ++d) {
    float next = part[(threadIdx.x + 1) % 256];
    __syncthreads();
    part[threadIdx.x] += next;
    __syncthreads();
  }`),
  },
  found: {
    halving: {
      code: program(`  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
//  ^^^^^^^^^^^^^^^ let the first warp go on with \`__shfl_down_sync\`
  }`),
      unsafe: program(`  for (int d = blockDim.x / 2; d > 16; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    auto value = part[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
    if (threadIdx.x == 0) part[0] = value;
  }
  __syncthreads();`),
    },
    doubling: {
      code: program(`  for (int d = 1; d < blockDim.x; d *= 2) {
    if (threadIdx.x % (2 * d) == 0) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
//  ^^^^^^^^^^^^^^^ Stop at 32 values
  }`),
    },
  },
});
