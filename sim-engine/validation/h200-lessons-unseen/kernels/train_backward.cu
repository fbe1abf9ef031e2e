// Backward kernels of a transformer block (fp32). Each section is fed with its
// own pseudo-random activations so that it can be studied by itself.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
namespace cg = cooperative_groups;

#define CHECK(stmt)                                                             \
  if (cudaError_t e_ = (stmt); e_ != cudaSuccess) {                             \
    std::fprintf(stderr, "%s failed at line %d: %s\n", #stmt, __LINE__,         \
                 cudaGetErrorString(e_));                                       \
    std::abort();                                                               \
  }

static inline int cdiv(int a, int b) { return (a + b - 1) / b; }

// ---- layernorm -------------------------------------------------------------
// version 1: a warp per row, parameter gradients by global atomics
__global__ void layernorm_backward_atomic(float* dinp, float* dweight, float* dbias, const float* dout,
                                          const float* inp, const float* weight, const float* mean,
                                          const float* rstd, int N, int C) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= N) return;
  const float* g = dout + (size_t)row * C;
  const float* x = inp + (size_t)row * C;
  float m = mean[row], r = rstd[row], s1 = 0.f, s2 = 0.f;
  for (int i = warp.thread_rank(); i < C; i += 32) {
    float dn = weight[i] * g[i];
    s1 += dn;
    s2 += dn * (x[i] - m) * r;
  }
  s1 = cg::reduce(warp, s1, cg::plus<float>()) / C;
  s2 = cg::reduce(warp, s2, cg::plus<float>()) / C;
  for (int i = warp.thread_rank(); i < C; i += 32) {
    float xn = (x[i] - m) * r;
    atomicAdd(&dbias[i], g[i]);
    atomicAdd(&dweight[i], xn * g[i]);
    dinp[(size_t)row * C + i] = (weight[i] * g[i] - s1 - xn * s2) * r;
  }
}

// version 2: blocks walk over rows and keep the parameter gradients in shared memory
__global__ void layernorm_backward_shared(float* dinp, float* dweight, float* dbias, const float* dout,
                                          const float* inp, const float* weight, const float* mean,
                                          const float* rstd, int N, int C) {
  extern __shared__ float smem[];
  float *db = smem, *dw = smem + C;
  for (int i = threadIdx.x; i < 2 * C; i += blockDim.x) smem[i] = 0.f;
  __syncthreads();
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int warps = gridDim.x * warp.meta_group_size();
  for (int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank(); row < N; row += warps) {
    const float* g = dout + (size_t)row * C;
    const float* x = inp + (size_t)row * C;
    float m = mean[row], r = rstd[row], s1 = 0.f, s2 = 0.f;
    for (int i = warp.thread_rank(); i < C; i += 32) {
      float dn = weight[i] * g[i];
      s1 += dn;
      s2 += dn * (x[i] - m) * r;
    }
    s1 = cg::reduce(warp, s1, cg::plus<float>()) / C;
    s2 = cg::reduce(warp, s2, cg::plus<float>()) / C;
    for (int i = warp.thread_rank(); i < C; i += 32) {
      float xn = (x[i] - m) * r;
      atomicAdd(&db[i], g[i]);
      atomicAdd(&dw[i], xn * g[i]);
      dinp[(size_t)row * C + i] = (weight[i] * g[i] - s1 - xn * s2) * r;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < C; i += blockDim.x) {
    atomicAdd(&dbias[i], db[i]);
    atomicAdd(&dweight[i], dw[i]);
  }
}

// ---- gelu --------------------------------------------------------------------
__global__ void gelu_backward(float* dinp, const float* inp, const float* dout, int n) {
  const float s = 0.7978845608028654f;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = inp[i];
  float th = tanhf(s * (x + 0.044715f * x * x * x));
  float ch = coshf(s * (x + 0.044715f * x * x * x));
  float local = 0.5f * (1.f + th) + 0.5f * x / (ch * ch) * s * (1.f + 3.f * 0.044715f * x * x);
  dinp[i] = local * dout[i];
}

// ---- matmul ------------------------------------------------------------------
// dinp (N,C) = dout (N,OC) @ weight (OC,C), one thread per element
__global__ void matmul_backward_input(float* dinp, const float* dout, const float* weight, int N, int C, int OC) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int n = blockIdx.y * blockDim.y + threadIdx.y;
  if (n >= N || c >= C) return;
  float acc = 0.f;
  for (int o = 0; o < OC; ++o) acc += dout[(size_t)n * OC + o] * weight[(size_t)o * C + c];
  dinp[(size_t)n * C + c] = acc;
}

// dweight (OC,C) += dout^T (OC,N) @ inp (N,C), 64x64 tiles and 4x4 outputs per thread
__global__ void __launch_bounds__(256) matmul_backward_weight(float* dweight, const float* dout, const float* inp, int N, int C, int OC) {
  __shared__ float gs[16][64], xs[16][64];
  int o0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float acc[4][4] = {};
  for (int n0 = 0; n0 < N; n0 += 16) {
    for (int i = threadIdx.x; i < 16 * 64; i += 256) {
      int r = i / 64, col = i % 64;
      gs[r][col] = dout[(size_t)(n0 + r) * OC + o0 + col];
      xs[r][col] = inp[(size_t)(n0 + r) * C + c0 + col];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float a[4], b[4];
      for (int i = 0; i < 4; ++i) { a[i] = gs[k][ty * 4 + i]; b[i] = xs[k][tx + 16 * i]; }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) dweight[(size_t)(o0 + ty * 4 + i) * C + c0 + tx + 16 * j] += acc[i][j];
}

// ---- bias gradient: column sums ------------------------------------------------
__global__ void bias_backward_thread(float* dbias, const float* dout, int N, int OC) {
  int o = blockIdx.x * blockDim.x + threadIdx.x;
  if (o >= OC) return;
  float s = 0.f;
  for (int n = 0; n < N; ++n) s += dout[(size_t)n * OC + o];
  dbias[o] = s;
}

// 32 columns per block, 32 row groups, tree over the groups
__global__ void bias_backward_block(float* dbias, const float* dout, int N, int OC) {
  __shared__ float part[32][33];
  int o = blockIdx.x * 32 + threadIdx.x;
  float s = 0.f;
  for (int n = blockIdx.y * 32 + threadIdx.y; n < N; n += 32 * gridDim.y) s += dout[(size_t)n * OC + o];
  part[threadIdx.y][threadIdx.x] = s;
  __syncthreads();
  float v = part[threadIdx.x][threadIdx.y];
  for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x == 0) atomicAdd(&dbias[blockIdx.x * 32 + threadIdx.y], v);
}

// ---- attention -------------------------------------------------------------------
// dv[bh,t2,:] = sum_{t>=t2} att[bh,t,t2] * dout[bh,t,:]
__global__ void attention_backward_value(float* dv, const float* att, const float* dout, int T, int HS) {
  int d = threadIdx.x, t2 = blockIdx.x * blockDim.y + threadIdx.y, bh = blockIdx.y;
  if (t2 >= T) return;
  float acc = 0.f;
  for (int t = t2; t < T; ++t) acc += att[((size_t)bh * T + t) * T + t2] * dout[((size_t)bh * T + t) * HS + d];
  dv[((size_t)bh * T + t2) * HS + d] = acc;
}

// dpre = scale * att * (datt - sum(att * datt)), a block per row
__global__ void softmax_backward(float* dpre, const float* att, const float* datt, int T, float scale) {
  __shared__ float warpsums[4];
  size_t row = blockIdx.x;
  int t = row % T;
  const float* a = att + row * T;
  const float* da = datt + row * T;
  float s = 0.f;
  for (int i = threadIdx.x; i <= t; i += 128) s += a[i] * da[i];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  s = cg::reduce(warp, s, cg::plus<float>());
  if (warp.thread_rank() == 0) warpsums[threadIdx.x / 32] = s;
  __syncthreads();
  s = warpsums[0] + warpsums[1] + warpsums[2] + warpsums[3];
  for (int i = threadIdx.x; i < T; i += 128) dpre[row * T + i] = i <= t ? scale * a[i] * (da[i] - s) : 0.f;
}

// ---- loss ---------------------------------------------------------------------------
__global__ void crossentropy_forward(float* losses, const float* probs, const int* targets, int N, int V) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) losses[i] = -logf(probs[(size_t)i * V + targets[i]]);
}
__global__ void crossentropy_softmax_backward(float* dlogits, const float* probs, const int* targets,
                                              const float* dlosses, int N, int V) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size_t)N * V) return;
  int n = i / V, v = i % V;
  dlogits[i] = (probs[i] - (v == targets[n] ? 1.f : 0.f)) * dlosses[n];
}

static unsigned lcg = 4u;
static std::vector<float> randoms(size_t n, float lo, float hi) {
  std::vector<float> v(n);
  for (float& f : v) { lcg = lcg * 22695477u + 1u; f = lo + (hi - lo) * ((lcg >> 16) & 0x7fff) / 32768.f; }
  return v;
}
template <class T> static T* upload(const std::vector<T>& v) {
  T* d; CHECK(cudaMalloc(&d, v.size() * sizeof(T)));
  CHECK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice)); return d;
}
static float* zeros(size_t n) { float* d; CHECK(cudaMalloc(&d, n * sizeof(float))); CHECK(cudaMemset(d, 0, n * sizeof(float))); return d; }
static std::vector<float> download(const float* d, size_t n) {
  std::vector<float> v(n); CHECK(cudaMemcpy(v.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost)); return v;
}
static int differ(const std::vector<float>& a, const std::vector<float>& b, float tol) {
  int k = 0; for (size_t i = 0; i < a.size(); ++i) k += !(std::fabs(a[i] - b[i]) <= tol * (1.f + std::fabs(b[i]))); return k;
}

int main() {
  const int B = 4, T = 512, C = 768, NH = 12, HS = 64, OC = 3072, N = B * T, V = 8192;
  auto h_inp = randoms((size_t)N * C, -1, 1), h_dout = randoms((size_t)N * OC, -1, 1), h_w = randoms((size_t)OC * C, -.1f, .1f);
  float *inp = upload(h_inp), *dout = upload(h_dout), *w = upload(h_w), *lw = upload(randoms(C, .5f, 1.5f));
  float *mean = upload(randoms(N, -.1f, .1f)), *rstd = upload(randoms(N, 1.f, 2.f));
  float *di1 = zeros((size_t)N * C), *di2 = zeros((size_t)N * C), *dw1 = zeros(C), *dw2 = zeros(C), *db1 = zeros(C), *db2 = zeros(C);
  layernorm_backward_atomic<<<cdiv(N, 8), 256>>>(di1, dw1, db1, dout, inp, lw, mean, rstd, N, C);
  layernorm_backward_shared<<<132, 512, 2 * C * sizeof(float)>>>(di2, dw2, db2, dout, inp, lw, mean, rstd, N, C);
  CHECK(cudaGetLastError());
  int bad = differ(download(di1, (size_t)N * C), download(di2, (size_t)N * C), 1e-4f);
  bad += differ(download(dw1, C), download(dw2, C), 1e-3f) + differ(download(db1, C), download(db2, C), 1e-3f);

  float* dg = zeros((size_t)N * OC);
  gelu_backward<<<cdiv(N * OC, 256), 256>>>(dg, dout, dout, N * OC);
  float* dweight = zeros((size_t)OC * C);
  matmul_backward_input<<<dim3(cdiv(C, 32), cdiv(N, 8)), dim3(32, 8)>>>(di1, dout, w, N, C, OC);
  matmul_backward_weight<<<dim3(C / 64, OC / 64), 256>>>(dweight, dout, inp, N, C, OC);
  float *b1 = zeros(OC), *b2 = zeros(OC);
  bias_backward_thread<<<cdiv(OC, 64), 64>>>(b1, dout, N, OC);
  bias_backward_block<<<dim3(OC / 32, 4), dim3(32, 32)>>>(b2, dout, N, OC);
  CHECK(cudaGetLastError());
  bad += differ(download(b1, OC), download(b2, OC), 1e-3f);
  auto g = download(di1, (size_t)N * C), gw = download(dweight, (size_t)OC * C);
  for (int s = 0; s < 50; ++s) {
    int n = s * 37 % N, c = s * 101 % C, o = s * 577 % OC;
    double r = 0, q = 0;
    for (int k = 0; k < OC; ++k) r += (double)h_dout[(size_t)n * OC + k] * h_w[(size_t)k * C + c];
    for (int k = 0; k < N; ++k) q += (double)h_dout[(size_t)k * OC + o] * h_inp[(size_t)k * C + c];
    bad += std::fabs(r - g[(size_t)n * C + c]) > 1e-2; bad += std::fabs(q - gw[(size_t)o * C + c]) > 1e-2;
  }

  size_t rows = (size_t)B * NH * T;
  float *att = upload(randoms(rows * T, 0, 2.f / T)), *datt = upload(randoms(rows * T, -1, 1)), *dpre = zeros(rows * T), *dv = zeros(rows * HS);
  attention_backward_value<<<dim3(T / 4, B * NH), dim3(HS, 4)>>>(dv, att, inp, T, HS);
  softmax_backward<<<rows, 128>>>(dpre, att, datt, T, 0.125f);

  auto h_p = randoms((size_t)N * V, 0.5f / V, 1.5f / V);
  std::vector<int> tgt(N); for (int i = 0; i < N; ++i) tgt[i] = (i * 7919) % V;
  float *probs = upload(h_p), *losses = zeros(N), *dl = upload(std::vector<float>(N, 1.f / N)), *dlog = zeros((size_t)N * V);
  int* targets = upload(tgt);
  crossentropy_forward<<<cdiv(N, 128), 128>>>(losses, probs, targets, N, V);
  crossentropy_softmax_backward<<<cdiv(N * V, 512), 512>>>(dlog, probs, targets, dl, N, V);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  auto L = download(losses, N); auto dp = download(dpre, rows * T);
  double loss = 0, acc = 0; for (float f : L) loss += f / N; for (float f : dp) acc += f;
  bad += !std::isfinite(acc) || std::fabs(loss - std::log((double)V)) > 0.2;
  std::printf("loss %.4f dpre %.4f gelu %.4f bad %d %s\n", loss, acc, download(dg, 1)[0], bad, bad ? "FAIL" : "PASS");
  return bad ? 1 : 0;
}
