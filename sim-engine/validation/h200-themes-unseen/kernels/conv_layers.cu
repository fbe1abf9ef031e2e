// CNN building blocks, NCHW float. Course project: "forward pass of a small ResNet-like stem".
#include <cuda_runtime.h>
#include <iostream>
#include <vector>
#include <cmath>
#include <cstdlib>

#define KH 3
#define KW 3
#define TILE 16
#define wbCheck(stmt)                                                        \
  do {                                                                       \
    cudaError_t err = stmt;                                                  \
    if (err != cudaSuccess) {                                                \
      std::cerr << "Failed to run stmt " << #stmt << " : "                   \
                << cudaGetErrorString(err) << std::endl;                     \
      exit(-1);                                                              \
    }                                                                        \
  } while (0)

__constant__ float c_mask[64 * 16 * KH * KW];   // 36 KB, (OC=64, IC=16, 3, 3)

// direct: one thread per output pixel and output channel
__global__ void convDirect(const float *x, const float *w, float *y, int C, int H, int W, int OC) {
#define x4d(n, c, h, w_) x[(((size_t)(n)*C + (c)) * H + (h)) * W + (w_)]
#define w4d(o, c, p, q) w[(((o)*C + (c)) * KH + (p)) * KW + (q)]
  int ow = blockIdx.x * blockDim.x + threadIdx.x;
  int oh = blockIdx.y * blockDim.y + threadIdx.y;
  int n = blockIdx.z / OC, oc = blockIdx.z % OC;
  if (ow >= W || oh >= H) return;
  float acc = 0.f;
  for (int c = 0; c < C; c++)
    for (int p = 0; p < KH; p++)
      for (int q = 0; q < KW; q++) {
        int ih = oh + p - 1, iw = ow + q - 1;
        if (ih >= 0 && ih < H && iw >= 0 && iw < W) acc += x4d(n, c, ih, iw) * w4d(oc, c, p, q);
      }
  y[(((size_t)n * OC + oc) * H + oh) * W + ow] = acc;
}

// tiled with halo in shared memory, weights in constant memory, OCB output channels per thread
template <int OCB>
__global__ void convTiledHalo(const float *x, float *y, int C, int H, int W, int OC) {
  __shared__ float tile[TILE + KH - 1][TILE + KW - 1 + 1];
  int groups = OC / OCB;
  int n = blockIdx.z / groups, oc0 = (blockIdx.z % groups) * OCB;
  int ow = blockIdx.x * TILE + threadIdx.x, oh = blockIdx.y * TILE + threadIdx.y;
  float acc[OCB];
#pragma unroll
  for (int o = 0; o < OCB; o++) acc[o] = 0.f;
  for (int c = 0; c < C; c++) {
    for (int i = threadIdx.y * TILE + threadIdx.x; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
      int r = i / (TILE + 2), s = i % (TILE + 2);
      int ih = (int)blockIdx.y * TILE + r - 1, iw = (int)blockIdx.x * TILE + s - 1;
      tile[r][s] = (ih >= 0 && ih < H && iw >= 0 && iw < W) ? x4d(n, c, ih, iw) : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < KH; p++)
#pragma unroll
      for (int q = 0; q < KW; q++) {
        float v = tile[threadIdx.y + p][threadIdx.x + q];
#pragma unroll
        for (int o = 0; o < OCB; o++) acc[o] += v * c_mask[(((oc0 + o) * C + c) * KH + p) * KW + q];
      }
    __syncthreads();
  }
  if (ow < W && oh < H)
#pragma unroll
    for (int o = 0; o < OCB; o++) y[(((size_t)n * OC + oc0 + o) * H + oh) * W + ow] = acc[o];
}

// im2col for one batch of images: col is (N, C*9, H*W)
__global__ void im2col(const float *x, float *col, int C, int H, int W, long total) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < total; i += (long)gridDim.x * blockDim.x) {
    int hw = i % (H * W);
    int row = (i / (H * W)) % (C * KH * KW);
    int n = i / ((long)H * W * C * KH * KW);
    int c = row / (KH * KW), p = (row / KW) % KH, q = row % KW;
    int ih = hw / W + p - 1, iw = hw % W + q - 1;
    col[i] = (ih >= 0 && ih < H && iw >= 0 && iw < W) ? x4d(n, c, ih, iw) : 0.f;
  }
}

// per image: y[OC, HW] = w[OC, K] * col[K, HW];  64 x 64 tile, 16x16 threads, 4x4 each
__global__ void gemmTiled(const float *w, const float *col, float *y, int OC, int K, int HW) {
  __shared__ float ws[16][65];
  __shared__ float cs[16][64];
  const float *b = col + (size_t)blockIdx.z * K * HW;
  float *out = y + (size_t)blockIdx.z * OC * HW;
  int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
  int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  float acc[4][4] = {{0}};
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int i = tid; i < 64 * 16; i += 256) {
      int m = i / 16, k = i % 16;
      ws[k][m] = (m0 + m < OC && k0 + k < K) ? w[(m0 + m) * K + k0 + k] : 0.f;
      int kk = i / 64, nn = i % 64;
      cs[kk][nn] = (k0 + kk < K && n0 + nn < HW) ? b[(size_t)(k0 + kk) * HW + n0 + nn] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] += ws[k][ty * 4 + i] * cs[k][tx + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      int m = m0 + ty * 4 + i, n = n0 + tx + 16 * j;
      if (m < OC && n < HW) out[(size_t)m * HW + n] = acc[i][j];
    }
}

// depthwise 3x3 stride 1, 4 outputs along w per thread
__global__ void depthwise3x3(const float *x, const float *w, float *y, int C, int H, int W) {
  int ow = (blockIdx.x * blockDim.x + threadIdx.x) * 4, oh = blockIdx.y * blockDim.y + threadIdx.y;
  int nc = blockIdx.z, c = nc % C;
  if (ow >= W || oh >= H) return;
  const float *img = x + (size_t)nc * H * W;
  float k[9], r[6], acc[4] = {0, 0, 0, 0};
  for (int i = 0; i < 9; i++) k[i] = __ldg(&w[c * 9 + i]);
  for (int p = 0; p < 3; p++) {
    int ih = oh + p - 1;
    if (ih < 0 || ih >= H) continue;
    for (int j = 0; j < 6; j++) { int iw = ow + j - 1; r[j] = (iw >= 0 && iw < W) ? img[ih * W + iw] : 0.f; }
    for (int j = 0; j < 4; j++) acc[j] += r[j] * k[p * 3] + r[j + 1] * k[p * 3 + 1] + r[j + 2] * k[p * 3 + 2];
  }
  for (int j = 0; j < 4; j++) if (ow + j < W) y[(size_t)nc * H * W + oh * W + ow + j] = acc[j];
}

// batchnorm training statistics: a block per channel (Welford, merged over the block)
__global__ void bnStats(const float *x, float *mean, float *var, float *runMean, float *runVar, int N, int C, int HW, float mom) {
  int c = blockIdx.x;
  float cnt = 0.f, m = 0.f, M2 = 0.f;
  for (int n = 0; n < N; n++)
    for (int i = threadIdx.x; i < HW; i += blockDim.x) {
      float v = x[((size_t)n * C + c) * HW + i];
      cnt += 1.f;
      float d = v - m;
      m += d / cnt;
      M2 += d * (v - m);
    }
  __shared__ float sc[512], sm[512], s2[512];
  int t = threadIdx.x;
  sc[t] = cnt; sm[t] = m; s2[t] = M2;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) {
      float na = sc[t], nb = sc[t + s], nn = na + nb;
      if (nb > 0.f) {
        float d = sm[t + s] - sm[t];
        sm[t] += d * nb / nn;
        s2[t] += s2[t + s] + d * d * na * nb / nn;
        sc[t] = nn;
      }
    }
    __syncthreads();
  }
  if (t == 0) {
    float v = s2[0] / sc[0];
    mean[c] = sm[0];
    var[c] = v;
    runMean[c] = (1 - mom) * runMean[c] + mom * sm[0];
    runVar[c] = (1 - mom) * runVar[c] + mom * v * sc[0] / (sc[0] - 1);
  }
}

// normalise + relu in one go, float4 (HW multiple of 4)
__global__ void bnReluApply(const float4 *x, float4 *y, const float *mean, const float *var, const float *g, const float *b,
                            int C, int HW4, int total4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total4) return;
  int c = (i / HW4) % C;
  float s = g[c] * rsqrtf(var[c] + 1e-5f), o = b[c] - mean[c] * s;
  float4 v = x[i];
  v.x = fmaxf(v.x * s + o, 0.f); v.y = fmaxf(v.y * s + o, 0.f);
  v.z = fmaxf(v.z * s + o, 0.f); v.w = fmaxf(v.w * s + o, 0.f);
  y[i] = v;
}

__global__ void maxPool2x2(const float *x, float *y, int *arg, int NC, int H, int W) {
  int OH = H / 2, OW = W / 2;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= NC * OH * OW) return;
  int ow = i % OW, oh = (i / OW) % OH, nc = i / (OW * OH);
  const float *p = x + (size_t)nc * H * W;
  int best = (2 * oh) * W + 2 * ow;
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) {
      int q = (2 * oh + a) * W + 2 * ow + b;
      if (p[q] > p[best]) best = q;
    }
  y[i] = p[best];
  arg[i] = best;
}

__global__ void globalAvgPool(const float *x, float *y, int HW) {   // a warp per plane, 8 planes per block
  int plane = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  const float *p = x + (size_t)plane * HW;
  float s = 0;
  for (int i = lane; i < HW; i += 32) s += p[i];
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
  if (!lane) y[plane] = s / HW;
}

int main() {
  const int N = 16, C = 16, H = 112, W = 112, OC = 64, K = C * 9;
  std::vector<float> x((size_t)N * C * H * W), w(OC * K), dw(OC * 9), g(OC), b(OC);
  for (size_t i = 0; i < x.size(); i++) x[i] = ((i * 2654435761u >> 8) & 1023) / 512.f - 1.f;
  for (size_t i = 0; i < w.size(); i++) w[i] = (((i + 3) * 40503u >> 4) & 255) / 1280.f - 0.1f;
  for (size_t i = 0; i < dw.size(); i++) dw[i] = (i % 9) * 0.05f - 0.2f;
  for (int i = 0; i < OC; i++) { g[i] = 1.f + i * 0.01f; b[i] = 0.1f - i * 0.002f; }
  size_t out = (size_t)N * OC * H * W;
  float *dx, *dwt, *ddw, *y1, *y2, *y3, *col, *st, *dg, *db, *pool, *gap;
  int *arg;
  wbCheck(cudaMalloc(&dx, x.size() * 4)); wbCheck(cudaMalloc(&dwt, w.size() * 4)); wbCheck(cudaMalloc(&ddw, dw.size() * 4));
  wbCheck(cudaMalloc(&y1, out * 4)); wbCheck(cudaMalloc(&y2, out * 4)); wbCheck(cudaMalloc(&y3, out * 4));
  wbCheck(cudaMalloc(&col, (size_t)N * K * H * W * 4));
  wbCheck(cudaMalloc(&st, 4 * OC * 4)); wbCheck(cudaMemset(st, 0, 4 * OC * 4));
  wbCheck(cudaMalloc(&dg, OC * 4)); wbCheck(cudaMalloc(&db, OC * 4));
  wbCheck(cudaMalloc(&pool, out)); wbCheck(cudaMalloc(&arg, out)); wbCheck(cudaMalloc(&gap, N * OC * 4));
  wbCheck(cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice));
  wbCheck(cudaMemcpy(dwt, w.data(), w.size() * 4, cudaMemcpyHostToDevice));
  wbCheck(cudaMemcpy(ddw, dw.data(), dw.size() * 4, cudaMemcpyHostToDevice));
  wbCheck(cudaMemcpy(dg, g.data(), OC * 4, cudaMemcpyHostToDevice));
  wbCheck(cudaMemcpy(db, b.data(), OC * 4, cudaMemcpyHostToDevice));
  wbCheck(cudaMemcpyToSymbol(c_mask, w.data(), w.size() * 4));

  convDirect<<<dim3((W + 31) / 32, (H + 7) / 8, N * OC), dim3(32, 8)>>>(dx, dwt, y1, C, H, W, OC);
  convTiledHalo<8><<<dim3((W + TILE - 1) / TILE, (H + TILE - 1) / TILE, N * OC / 8), dim3(TILE, TILE)>>>(dx, y2, C, H, W, OC);
  im2col<<<2048, 256>>>(dx, col, C, H, W, (long)N * K * H * W);
  gemmTiled<<<dim3((H * W + 63) / 64, (OC + 63) / 64, N), dim3(16, 16)>>>(dwt, col, y3, OC, K, H * W);
  wbCheck(cudaGetLastError());
  std::vector<float> a(out), t(out), m(out);
  wbCheck(cudaMemcpy(a.data(), y1, out * 4, cudaMemcpyDeviceToHost));
  wbCheck(cudaMemcpy(t.data(), y2, out * 4, cudaMemcpyDeviceToHost));
  wbCheck(cudaMemcpy(m.data(), y3, out * 4, cudaMemcpyDeviceToHost));
  float e1 = 0, e2 = 0;
  for (size_t i = 0; i < out; i++) { e1 = std::max(e1, std::fabs(a[i] - t[i])); e2 = std::max(e2, std::fabs(a[i] - m[i])); }
  std::cout << "direct vs tiled " << e1 << ", direct vs im2col " << e2 << std::endl;

  bnStats<<<OC, 512>>>(y1, st, st + OC, st + 2 * OC, st + 3 * OC, N, OC, H * W, 0.1f);
  bnReluApply<<<(out / 4 + 255) / 256, 256>>>((float4 *)y1, (float4 *)y2, st, st + OC, dg, db, OC, H * W / 4, out / 4);
  depthwise3x3<<<dim3(1, (H + 7) / 8, N * OC), dim3(32, 8)>>>(y2, ddw, y3, OC, H, W);
  maxPool2x2<<<(out / 4 + 255) / 256, 256>>>(y3, pool, arg, N * OC, H, W);
  globalAvgPool<<<N * OC / 8, 256>>>(pool, gap, H * W / 4);
  wbCheck(cudaGetLastError());
  std::vector<float> hg(N * OC), hs(2 * OC);
  wbCheck(cudaMemcpy(hg.data(), gap, hg.size() * 4, cudaMemcpyDeviceToHost));
  wbCheck(cudaMemcpy(hs.data(), st, hs.size() * 4, cudaMemcpyDeviceToHost));
  std::cout << "mean[0] " << hs[0] << " var[0] " << hs[OC] << " gap " << hg[0] << " " << hg[N * OC - 1] << std::endl;
  return 0;
}
