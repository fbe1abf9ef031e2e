// Linear layer pieces around the matmul: forward with bias, bias gradient (column sums, many ways), dweight and dinp.
//   inp (BT, C)   weight (OC, C)   bias (OC)   out (BT, OC)
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

static inline void die(cudaError_t e, int line) { if (e) { fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e)); exit(1); } }
#define OK(e) die((e), __LINE__)
static int cdiv(int a, int b) { return (a + b - 1) / b; }

// --- forward
__global__ void matmul_forward1(float* out, const float* inp, const float* weight, const float* bias, int BT, int C, int OC) {
  int bt = blockIdx.x * blockDim.x + threadIdx.x, oc = blockIdx.y * blockDim.y + threadIdx.y;
  if (bt < BT && oc < OC) {
    float val = bias ? bias[oc] : 0.0f;
    const float *w = weight + oc * C, *x = inp + bt * C;
    for (int i = 0; i < C; i++) val += x[i] * w[i];
    out[bt * OC + oc] = val;
  }
}

__device__ float4 ld_vec(const float* p) { return *reinterpret_cast<const float4*>(p); }
__device__ void st_vec(float* p, float4 v) { *reinterpret_cast<float4*>(p) = v; }

// 128x128 per block, 16x16 threads, 8x8 per thread, both operands k-contiguous
__global__ void __launch_bounds__(256, 2) matmul_forward4(float* out, const float* inp, const float* weight, const float* bias, int C, int OC) {
  int oc = 8 * (blockIdx.y * blockDim.y + threadIdx.y);
  __shared__ float lhs_s[128][32];
  __shared__ float rhs_s[128][32];
  inp += 128 * blockIdx.x * C;
  weight += 128 * blockIdx.y * C;
  out += 128 * blockIdx.x * OC + 128 * blockIdx.y;
  float vals[8][8] = {};
  if (bias != nullptr)
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j += 4) {
        float4 b = ld_vec(bias + oc + j);
        vals[i][j + 0] = b.x; vals[i][j + 1] = b.y; vals[i][j + 2] = b.z; vals[i][j + 3] = b.w;
      }
  int si_start = 4 * (16 * threadIdx.y + threadIdx.x);
  for (int so = 0; so < C; so += 32) {
    __syncthreads();
    int xmod8 = threadIdx.x % 8, xby8 = threadIdx.x / 8, xo = 4 * xmod8;
    for (int y = 2 * threadIdx.y + xby8; y < 128; y += 32) {
      st_vec(&lhs_s[y][xo], ld_vec(inp + y * C + so + xo));
      st_vec(&rhs_s[y][xo], ld_vec(weight + y * C + so + xo));
    }
    __syncthreads();
    for (int si = si_start; si < si_start + 32; si += 4) {
      float4 rhs[8];
      for (int u = 0; u < 8; ++u) rhs[u] = ld_vec(&rhs_s[u + 8 * threadIdx.y][si % 32]);
      for (int ii = 0; ii < 8; ++ii) {
        float4 lhs = ld_vec(&lhs_s[ii + 8 * threadIdx.x][si % 32]);
        for (int ji = 0; ji < 8; ++ji) {
          vals[ii][ji] += lhs.x * rhs[ji].x;
          vals[ii][ji] += lhs.y * rhs[ji].y;
          vals[ii][ji] += lhs.z * rhs[ji].z;
          vals[ii][ji] += lhs.w * rhs[ji].w;
        }
      }
    }
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; j += 4)
      st_vec(out + (8 * threadIdx.x + i) * OC + 8 * threadIdx.y + j, make_float4(vals[i][j], vals[i][j + 1], vals[i][j + 2], vals[i][j + 3]));
}

__global__ void add_bias(float* out, const float* bias, int BT, int OC) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < BT * OC; i += blockDim.x * gridDim.x) out[i] += bias[i % OC];
}

// --- bias gradient
__global__ void dbias1(float* dbias, const float* dout, int BT, int OC) {  // block per column
  extern __shared__ float shared[];
  int o = blockIdx.x, tid = threadIdx.x;
  const float* x = dout + o;
  float sum = 0.f;
  for (int i = tid; i < BT; i += blockDim.x) sum += x[(size_t)i * OC];
  shared[tid] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s >= 1; s /= 2) {
    if (tid < s) shared[tid] += shared[tid + s];
    __syncthreads();
  }
  if (tid == 0) dbias[o] += shared[0];
}
__global__ void dbias2(float* dbias, const float* dout, int BT, int OC) {  // thread per column
  int o = blockIdx.x * blockDim.x + threadIdx.x;
  if (o >= OC) return;
  float s = 0.f;
#pragma unroll 8
  for (int i = 0; i < BT; i++) s += dout[(size_t)i * OC + o];
  dbias[o] += s;
}
__global__ void dbias3(float* dbias, const float* dout, int BT, int OC) {  // 32 columns a block, warps split the rows
  extern __shared__ float smem[];
  int lane = threadIdx.x % 32, w = threadIdx.x / 32, nw = blockDim.x / 32, o = blockIdx.x * 32 + lane;
  float s = 0.f;
  if (o < OC) for (int r = w; r < BT; r += nw) s += dout[(size_t)r * OC + o];
  smem[lane + w * 32] = s;
  __syncthreads();
  if (w == 0 && o < OC) {
    s = 0.f;
    for (int j = 0; j < nw; j++) s += smem[lane + j * 32];
    dbias[o] += s;
  }
}
__global__ void dbias4(float* dbias, const float* dout, int BT, int OC, int rows) {  // 2D grid of float4 columns, atomics at the end
  __shared__ float4 sh[8][32];
  int o4 = blockIdx.x * 32 + threadIdx.x;
  float4 a = make_float4(0, 0, 0, 0);
  int r1 = min(BT, (int)(blockIdx.y + 1) * rows);
  if (o4 * 4 < OC)
    for (int r = blockIdx.y * rows + threadIdx.y; r < r1; r += 8) {
      float4 v = ld_vec(dout + (size_t)r * OC + o4 * 4);
      a.x += v.x; a.y += v.y; a.z += v.z; a.w += v.w;
    }
  sh[threadIdx.y][threadIdx.x] = a;
  __syncthreads();
  if (threadIdx.y < 4 && o4 * 4 < OC) {  // thread y takes component y
    float s = 0.f;
    for (int j = 0; j < 8; j++) s += reinterpret_cast<float*>(&sh[j][threadIdx.x])[threadIdx.y];
    atomicAdd(dbias + o4 * 4 + threadIdx.y, s);
  }
}

// --- dweight (OC, C) += dout^T inp ; k runs over BT and is split over blockIdx.z
template <int SPLIT_ATOMIC>
__global__ void __launch_bounds__(256) dweight_split(float* dw, const float* dout, const float* inp, int BT, int C, int OC, int chunk) {
  __shared__ float a[16][64], b[16][64];
  int tid = threadIdx.x, tx = tid % 16, ty = tid / 16, o0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  int k0 = blockIdx.z * chunk, k1 = min(BT, k0 + chunk);
  float acc[4][4] = {};
  for (int k = k0; k < k1; k += 16) {
    bool in = k + ty < k1;
    st_vec(&a[ty][tx * 4], in ? ld_vec(dout + (size_t)(k + ty) * OC + o0 + tx * 4) : make_float4(0, 0, 0, 0));
    st_vec(&b[ty][tx * 4], in ? ld_vec(inp + (size_t)(k + ty) * C + c0 + tx * 4) : make_float4(0, 0, 0, 0));
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 16; kk++) {
      float4 x = ld_vec(&a[kk][ty * 4]), y = ld_vec(&b[kk][tx * 4]);
      float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] += xs[i] * ys[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      float* p = dw + (size_t)(o0 + ty * 4 + i) * C + c0 + tx * 4 + j;
      if (SPLIT_ATOMIC) atomicAdd(p, acc[i][j]); else *p += acc[i][j];
    }
}

// --- dinp (BT, C) = dout W, simple 32x32 tiles
__global__ void dinp_tiled(float* dinp, const float* dout, const float* w, int BT, int C, int OC) {
  __shared__ float s[32][33], t[32][32];
  int bt = blockIdx.y * 32 + threadIdx.y, c = blockIdx.x * 32 + threadIdx.x;
  float acc = 0.f;
  for (int o = 0; o < OC; o += 32) {
    s[threadIdx.y][threadIdx.x] = (bt < BT && o + threadIdx.x < OC) ? dout[(size_t)bt * OC + o + threadIdx.x] : 0.f;
    t[threadIdx.y][threadIdx.x] = (c < C && o + threadIdx.y < OC) ? w[(size_t)(o + threadIdx.y) * C + c] : 0.f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k++) acc += s[threadIdx.y][k] * t[k][threadIdx.x];
    __syncthreads();
  }
  if (bt < BT && c < C) dinp[(size_t)bt * C + c] = acc;
}

int main() {
  const int B = 4, T = 512, BT = B * T, C = 768, OC = 768 * 3;
  std::vector<float> inp(BT * C), w(OC * C), bias(OC), dout(BT * OC), h(BT * OC);
  unsigned s = 3;
  for (auto* v : {&inp, &w, &bias, &dout}) for (auto& x : *v) { s = s * 69069u + 1u; x = (int)(s >> 16) / 32768.f - 1.f; }
  auto up = [](const std::vector<float>& v) { float* d; OK(cudaMalloc(&d, v.size() * 4)); OK(cudaMemcpy(d, v.data(), v.size() * 4, cudaMemcpyHostToDevice)); return d; };
  float *dI = up(inp), *dW = up(w), *dB = up(bias), *dO = up(dout), *dOut = up(h), *dDB = up(bias), *dDW = up(w), *dDI = up(inp);
  cudaEvent_t e0, e1;
  OK(cudaEventCreate(&e0)); OK(cudaEventCreate(&e1));
  int bad = 0;
  auto finish = [&](const char* name, float* d, int rows, int cols, float tol, auto ref) {
    OK(cudaEventRecord(e1)); OK(cudaGetLastError()); OK(cudaEventSynchronize(e1));
    float ms; OK(cudaEventElapsedTime(&ms, e0, e1));
    OK(cudaMemcpy(h.data(), d, (size_t)rows * cols * 4, cudaMemcpyDeviceToHost));
    float worst = 0;
    for (int q = 0; q < 150; q++) {
      int r = (q * 53 + q / 5) % rows, c = (q * 197 + 3) % cols;
      float diff = fabsf(h[(size_t)r * cols + c] - ref(r, c));
      if (!(diff <= worst)) worst = diff;
    }
    printf("%-26s %7.4f ms  max diff %g\n", name, ms, worst);
    if (!(worst < tol)) { bad++; printf("   ^^^ wrong\n"); }
  };
  auto fwd = [&](int r, int o) { double a = bias[o]; for (int i = 0; i < C; i++) a += (double)inp[r * C + i] * w[o * C + i]; return (float)a; };
  OK(cudaEventRecord(e0)); matmul_forward1<<<dim3(cdiv(BT / 2, 16), cdiv(OC, 16)), dim3(16, 16)>>>(dOut, dI, dW, dB, BT / 2, C, OC); finish("forward 1", dOut, BT / 2, OC, 1e-2f, fwd);
  OK(cudaEventRecord(e0)); matmul_forward4<<<dim3(BT / 128, OC / 128), dim3(16, 16)>>>(dOut, dI, dW, dB, C, OC); finish("forward 4", dOut, BT, OC, 1e-2f, fwd);
  matmul_forward4<<<dim3(BT / 128, OC / 128), dim3(16, 16)>>>(dOut, dI, dW, nullptr, C, OC);
  OK(cudaEventRecord(e0)); add_bias<<<cdiv(BT * OC, 1024), 256>>>(dOut, dB, BT, OC); finish("forward 4 + add_bias", dOut, BT, OC, 1e-2f, fwd);

  auto db = [&](int, int o) { double a = 0; for (int i = 0; i < BT; i++) a += dout[(size_t)i * OC + o]; return (float)a; };
  auto zero = [&] { OK(cudaMemset(dDB, 0, OC * 4)); OK(cudaEventRecord(e0)); };
  zero(); dbias1<<<OC, 256, 256 * 4>>>(dDB, dO, BT, OC); finish("dbias 1", dDB, 1, OC, 1e-2f, db);
  zero(); dbias2<<<cdiv(OC, 32), 32>>>(dDB, dO, BT, OC); finish("dbias 2", dDB, 1, OC, 1e-2f, db);
  for (int bs : {256, 1024}) { zero(); dbias3<<<cdiv(OC, 32), bs, bs * 4>>>(dDB, dO, BT, OC); finish("dbias 3", dDB, 1, OC, 1e-2f, db); }
  zero(); dbias4<<<dim3(cdiv(OC, 128), cdiv(BT, 100)), dim3(32, 8)>>>(dDB, dO, BT, OC, 100); finish("dbias 4", dDB, 1, OC, 1e-2f, db);

  auto dwr = [&](int o, int c) { double a = 0; for (int i = 0; i < BT; i++) a += (double)dout[(size_t)i * OC + o] * inp[(size_t)i * C + c]; return (float)a; };
  OK(cudaMemset(dDW, 0, OC * C * 4)); OK(cudaEventRecord(e0)); dweight_split<0><<<dim3(C / 64, OC / 64, 1), 256>>>(dDW, dO, dI, BT, C, OC, BT); finish("dweight no split", dDW, OC, C, 1e-2f, dwr);
  OK(cudaMemset(dDW, 0, OC * C * 4)); OK(cudaEventRecord(e0)); dweight_split<1><<<dim3(C / 64, OC / 64, 3), 256>>>(dDW, dO, dI, BT, C, OC, cdiv(BT, 3)); finish("dweight split 3", dDW, OC, C, 1e-2f, dwr);
  OK(cudaEventRecord(e0)); dinp_tiled<<<dim3(cdiv(C, 32), cdiv(BT, 32)), dim3(32, 32)>>>(dDI, dO, dW, BT, C, OC);
  finish("dinp tiled", dDI, BT, C, 2e-2f, [&](int r, int c) { double a = 0; for (int o = 0; o < OC; o++) a += (double)dout[(size_t)r * OC + o] * w[(size_t)o * C + c]; return (float)a; });
  printf(bad ? "FAIL\n" : "PASS\n");
  for (float* d : {dI, dW, dB, dO, dOut, dDB, dDW, dDI}) cudaFree(d);
  return bad;
}
