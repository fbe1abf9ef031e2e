// Rows and small sums: normalisations, a softmax that reads its row once, cross entropy, scans; one warp a block, many warps a row.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cfloat>
#include <cstdio>
#include <cstdlib>
namespace cg = cooperative_groups;

#define OK(call)                                                                 \
  if (cudaError_t e = (call)) {                                                  \
    fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e));                \
    exit(1);                                                                     \
  }

// Root of the mean square, a block a row, pairs of bf16.
__global__ void rmsPairs(const __nv_bfloat162 *x, const __nv_bfloat162 *w, __nv_bfloat162 *y, int pairs) {
  __shared__ float parts[8];
  const __nv_bfloat162 *row = x + (size_t)blockIdx.x * pairs;
  float s = 0;
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    const float2 v = __bfloat1622float2(row[i]);
    s += v.x * v.x + v.y * v.y;
  }
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = s;
  __syncthreads();
  s = 0;
  for (int i = 0; i < 8; i++) s += parts[i];
  const float r = rsqrtf(s / (2 * pairs) + 1e-6f);
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    const float2 v = __bfloat1622float2(row[i]), g = __bfloat1622float2(w[i]);
    y[(size_t)blockIdx.x * pairs + i] = __floats2bfloat162_rn(v.x * r * g.x, v.y * r * g.y);
  }
}

// Mean and variance in two passes, a warp a row, four rows a block; the third pass writes.
__global__ void layerNorm(const float *x, const float *gain, const float *bias, float *y, int rows, int width) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= rows) return;
  const float *p = x + (size_t)row * width;
  float sum = 0;
  for (int i = warp.thread_rank(); i < width; i += 32) sum += p[i];
  const float mean = cg::reduce(warp, sum, cg::plus<float>()) / width;
  float squares = 0;
  for (int i = warp.thread_rank(); i < width; i += 32) squares += (p[i] - mean) * (p[i] - mean);
  const float scale = rsqrtf(cg::reduce(warp, squares, cg::plus<float>()) / width + 1e-5f);
  for (int i = warp.thread_rank(); i < width; i += 32) y[(size_t)row * width + i] = (p[i] - mean) * scale * gain[i] + bias[i];
}

// Largest and sum in one pass; float4; a block a row.
__global__ void onlineSoftmax(const float *x, float *y, int width) {
  __shared__ float tops[32], sums[32];
  const float4 *row = reinterpret_cast<const float4 *>(x + (size_t)blockIdx.x * width);
  float top = -FLT_MAX, sum = 0;
  for (int i = threadIdx.x; i < width / 4; i += blockDim.x) {
    const float4 v = row[i];
    const float m = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
    if (m > top) {
      sum *= expf(top - m);
      top = m;
    }
    sum += expf(v.x - top) + expf(v.y - top) + expf(v.z - top) + expf(v.w - top);
  }
  for (int o = 16; o; o >>= 1) {
    const float t = __shfl_xor_sync(~0u, top, o), s = __shfl_xor_sync(~0u, sum, o), m = fmaxf(top, t);
    sum = sum * expf(top - m) + s * expf(t - m);
    top = m;
  }
  if (threadIdx.x % 32 == 0) {
    tops[threadIdx.x / 32] = top;
    sums[threadIdx.x / 32] = sum;
  }
  __syncthreads();
  const int warps = blockDim.x / 32;
  for (int w = 0; w < warps; w++) top = fmaxf(top, tops[w]);
  sum = 0;
  for (int w = 0; w < warps; w++) sum += sums[w] * expf(tops[w] - top);
  float4 *out = reinterpret_cast<float4 *>(y + (size_t)blockIdx.x * width);
  for (int i = threadIdx.x; i < width / 4; i += blockDim.x) {
    const float4 v = row[i];
    out[i] = make_float4(expf(v.x - top) / sum, expf(v.y - top) / sum, expf(v.z - top) / sum, expf(v.w - top) / sum);
  }
}

// Loss of each row: its logarithm of the sum less the target's value; one warp a block.
__global__ void crossEntropy(const __nv_bfloat16 *logits, const int *targets, float *losses, int width) {
  const __nv_bfloat16 *row = logits + (size_t)blockIdx.x * width;
  float top = -FLT_MAX;
  for (int i = threadIdx.x; i < width; i += 32) top = fmaxf(top, __bfloat162float(row[i]));
  for (int o = 16; o; o >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
  float sum = 0;
  for (int i = threadIdx.x; i < width; i += 32) sum += __expf(__bfloat162float(row[i]) - top);
  for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x == 0) losses[blockIdx.x] = logf(sum) + top - __bfloat162float(row[targets[blockIdx.x]]);
}

// Sums of pairs, quadruples, …: a scan of 512 values a block by Hillis and Steele, two buffers.
__global__ void scanBlock(const int *x, int *y) {
  __shared__ int buffer[2][512];
  int from = 0;
  buffer[0][threadIdx.x] = x[blockIdx.x * 512 + threadIdx.x];
  __syncthreads();
  for (int d = 1; d < 512; d *= 2) {
    int v = buffer[from][threadIdx.x];
    if (threadIdx.x >= d) v += buffer[from][threadIdx.x - d];
    buffer[from ^ 1][threadIdx.x] = v;
    from ^= 1;
    __syncthreads();
  }
  y[blockIdx.x * 512 + threadIdx.x] = buffer[from][threadIdx.x];
}

// Sums of the columns of a matrix: a thread a column, and rows in parts.
__global__ void columnParts(const float *x, float *sums, int rows, int width, int each) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int r = blockIdx.y * each; r < min(rows, (int)(blockIdx.y + 1) * each); r++) s += x[(size_t)r * width + c];
  atomicAdd(sums + c, s);
}

int main() {
  const int rows = 4096, width = 4096;
  float *x, *y, *g;
  __nv_bfloat16 *h, *o;
  int *targets;
  OK(cudaMalloc(&x, (size_t)rows * width * sizeof(float)));
  OK(cudaMalloc(&y, (size_t)rows * width * sizeof(float)));
  OK(cudaMalloc(&g, 2 * width * sizeof(float)));
  OK(cudaMalloc(&h, (size_t)rows * width * sizeof(__nv_bfloat16)));
  OK(cudaMalloc(&o, (size_t)rows * width * sizeof(__nv_bfloat16)));
  OK(cudaMalloc(&targets, rows * sizeof(int)));
  OK(cudaMemset(x, 0, (size_t)rows * width * sizeof(float)));
  OK(cudaMemset(h, 0, (size_t)rows * width * sizeof(__nv_bfloat16)));
  OK(cudaMemset(g, 0, 2 * width * sizeof(float)));
  OK(cudaMemset(targets, 0, rows * sizeof(int)));
  rmsPairs<<<rows, 256>>>((__nv_bfloat162 *)h, (__nv_bfloat162 *)o, (__nv_bfloat162 *)o, width / 2);
  layerNorm<<<rows / 4, 128>>>(x, g, g + width, y, rows, width);
  layerNorm<<<rows * 4 / 4, 128>>>(x, g, g + 1024, y, rows * 4, 1024);
  layerNorm<<<256 / 4, 128>>>(x, g, g, y, 256, 49152);
  onlineSoftmax<<<rows, 256>>>(x, y, width);
  onlineSoftmax<<<rows, 1024>>>(x, y, width);
  crossEntropy<<<rows, 32>>>(h, targets, y, width);
  crossEntropy<<<512, 32>>>(h, targets, y, 32768);
  scanBlock<<<rows * 8, 512>>>((int *)x, (int *)y);
  columnParts<<<dim3(width / 128, 16), 128>>>(x, y, rows, width, rows / 16);
  OK(cudaDeviceSynchronize());
  return 0;
}
