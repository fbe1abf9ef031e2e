// b1_sparse_suite.cu -- a small benchmark suite of sparse / irregular kernels.
//
// Every case registers a launch function and a verification function; main()
// runs all cases once, in order, and prints a table.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#define CUDA_CHECK(expr)                                                              \
  do {                                                                                \
    cudaError_t err__ = (expr);                                                       \
    if (err__ != cudaSuccess) {                                                       \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err__)); \
      std::exit(1);                                                                   \
    }                                                                                 \
  } while (0)

// ----------------------------------------------------------------------------
// Utilities
// ----------------------------------------------------------------------------
template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(size_t n) { alloc(n); }
  explicit DeviceBuffer(const std::vector<T>& h) {
    alloc(h.size());
    CUDA_CHECK(cudaMemcpy(ptr_, h.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(ptr_); }
  void alloc(size_t n) {
    n_ = n;
    CUDA_CHECK(cudaMalloc(&ptr_, n * sizeof(T)));
    CUDA_CHECK(cudaMemset(ptr_, 0, n * sizeof(T)));
  }
  void zero() { CUDA_CHECK(cudaMemset(ptr_, 0, n_ * sizeof(T))); }
  std::vector<T> host() const {
    std::vector<T> h(n_);
    CUDA_CHECK(cudaMemcpy(h.data(), ptr_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
  }
  T* get() const { return ptr_; }
  size_t size() const { return n_; }

 private:
  T* ptr_ = nullptr;
  size_t n_ = 0;
};

struct Lcg {
  uint32_t s;
  explicit Lcg(uint32_t seed) : s(seed) {}
  uint32_t next() {
    s = s * 1664525u + 1013904223u;
    return s >> 8;
  }
  float uniform() { return static_cast<float>(next()) * (1.0f / 16777216.0f); }
};

static inline int div_up(int a, int b) { return (a + b - 1) / b; }

struct Csr {
  int rows = 0, cols = 0;
  std::vector<int> ptr, col;
  std::vector<float> val;
  int nnz() const { return static_cast<int>(col.size()); }
};

static Csr make_csr(int rows, int cols, int base, int spread, int heavy_every, int heavy_extra,
                    uint32_t seed) {
  Lcg rng(seed);
  Csr m;
  m.rows = rows;
  m.cols = cols;
  m.ptr.resize(rows + 1);
  m.ptr[0] = 0;
  for (int r = 0; r < rows; ++r) {
    int len = base + static_cast<int>(rng.next() % static_cast<uint32_t>(spread));
    if (heavy_every && r % heavy_every == heavy_every / 2) len += heavy_extra;
    m.ptr[r + 1] = m.ptr[r] + len;
  }
  m.col.resize(m.ptr[rows]);
  m.val.resize(m.ptr[rows]);
  for (int r = 0; r < rows; ++r) {
    const int n = m.ptr[r + 1] - m.ptr[r];
    // Half of the entries near the diagonal, half anywhere (strictly inside the matrix).
    for (int j = 0; j < n; ++j) {
      int c;
      if (j & 1) {
        c = static_cast<int>(rng.next() % static_cast<uint32_t>(cols));
      } else {
        c = static_cast<int>((static_cast<int64_t>(r) * cols / rows + j) % cols);
      }
      m.col[m.ptr[r] + j] = c;
      m.val[m.ptr[r] + j] = rng.uniform() - 0.5f;
    }
  }
  return m;
}

// ----------------------------------------------------------------------------
// Device helpers
// ----------------------------------------------------------------------------
__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

// ----------------------------------------------------------------------------
// CSR SpMV variants
// ----------------------------------------------------------------------------
__global__ void csr_spmv_scalar(int rows, const int* __restrict__ ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x,
                                float* __restrict__ y) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float acc = 0.f;
  const int end = ptr[r + 1];
  for (int j = ptr[r]; j < end; ++j) acc += val[j] * __ldg(&x[col[j]]);
  y[r] = acc;
}

// LANES threads cooperate on one row (LANES a power of two, at most 32).
template <int LANES>
__global__ void csr_spmv_vector(int rows, const int* __restrict__ ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x,
                                float* __restrict__ y) {
  const int gid = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = gid / LANES;
  const int lane = gid & (LANES - 1);
  float acc = 0.f;
  if (row < rows) {
    const int end = __ldg(ptr + row + 1);
    for (int j = __ldg(ptr + row) + lane; j < end; j += LANES)
      acc = fmaf(__ldg(val + j), __ldg(x + __ldg(col + j)), acc);
  }
#pragma unroll
  for (int o = LANES / 2; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o, LANES);
  if (row < rows && lane == 0) y[row] = acc;
}

// One block per row, for the rows in row_list only.
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    csr_spmv_block(int n_list, const int* __restrict__ row_list, const int* __restrict__ ptr,
                   const int* __restrict__ col, const float* __restrict__ val,
                   const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float part[BLOCK / 32];
  const int r = row_list[blockIdx.x];
  float acc = 0.f;
  for (int j = ptr[r] + threadIdx.x; j < ptr[r + 1]; j += BLOCK) acc += val[j] * x[col[j]];
  acc = warp_sum(acc);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = acc;
  __syncthreads();
  if (threadIdx.x < 32) {
    acc = threadIdx.x < BLOCK / 32 ? part[threadIdx.x] : 0.f;
    acc = warp_sum(acc);
    if (threadIdx.x == 0) y[r] = acc;
  }
}

// Merge-based SpMV: the merge of the row-end offsets with the non-zero indices
// is split into equal tiles.  First a kernel finds the start of each tile ...
constexpr int kMergeBlock = 128;
constexpr int kMergeItems = 8;
constexpr int kMergeTile = kMergeBlock * kMergeItems;

__global__ void merge_partition(int rows, int nnz, const int* __restrict__ row_end, int n_tiles,
                                int2* __restrict__ tile_start) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t > n_tiles) return;
  const int diag = min(t * kMergeTile, rows + nnz);
  int lo = max(diag - nnz, 0);
  int hi = min(diag, rows);
  while (lo < hi) {
    const int mid = (lo + hi) >> 1;
    if (row_end[mid] <= diag - mid - 1)
      lo = mid + 1;
    else
      hi = mid;
  }
  tile_start[t] = make_int2(lo, diag - lo);
}

// ... then each block works on one tile: products and row ends go to shared memory.
__global__ void __launch_bounds__(kMergeBlock)
    merge_spmv(int rows, int nnz, const int* __restrict__ row_end, const int* __restrict__ col,
               const float* __restrict__ val, const float* __restrict__ x,
               const int2* __restrict__ tile_start, float* __restrict__ y) {
  __shared__ int s_end[kMergeTile + 1];
  __shared__ float s_prod[kMergeTile];

  const int2 t0 = tile_start[blockIdx.x];
  const int2 t1 = tile_start[blockIdx.x + 1];
  const int tile_rows = t1.x - t0.x;
  const int tile_nnz = t1.y - t0.y;
  const int tile_items = tile_rows + tile_nnz;

  for (int i = threadIdx.x; i <= tile_rows; i += kMergeBlock)
    s_end[i] = (t0.x + i < rows) ? row_end[t0.x + i] : nnz;
#pragma unroll
  for (int k = 0; k < kMergeItems; ++k) {
    const int i = threadIdx.x + k * kMergeBlock;
    if (i < tile_nnz) s_prod[i] = val[t0.y + i] * __ldg(x + col[t0.y + i]);
  }
  __syncthreads();

  const int diag = min(static_cast<int>(threadIdx.x) * kMergeItems, tile_items);
  int lo = max(diag - tile_nnz, 0);
  int hi = min(diag, tile_rows);
  while (lo < hi) {
    const int mid = (lo + hi) >> 1;
    if (s_end[mid] <= t0.y + diag - mid - 1)
      lo = mid + 1;
    else
      hi = mid;
  }
  int cx = lo, cy = diag - lo;
  const int todo = min(kMergeItems, tile_items - diag);
  float sum = 0.f;
  bool first = true;
  for (int i = 0; i < todo; ++i) {
    if (t0.y + cy < s_end[cx]) {
      sum += s_prod[cy++];
    } else {
      // The first row to end here may have been begun by another thread.
      if (first)
        atomicAdd(&y[t0.x + cx], sum);
      else
        y[t0.x + cx] = sum;
      first = false;
      sum = 0.f;
      ++cx;
    }
  }
  if (sum != 0.f && t0.x + cx < rows) atomicAdd(&y[t0.x + cx], sum);
}

// ELLPACK, column-major, padded with col = -1.
__global__ void ell_spmv(int rows, int width, int pitch, const int* __restrict__ col,
                         const float* __restrict__ val, const float* __restrict__ x,
                         float* __restrict__ y) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float acc = 0.f;
#pragma unroll 4
  for (int k = 0; k < width; ++k) {
    const int c = col[k * pitch + r];
    if (c >= 0) acc += val[k * pitch + r] * x[c];
  }
  y[r] = acc;
}

// ----------------------------------------------------------------------------
// Block-sparse 8x8: one warp per block row, four lanes per scalar row.
// ----------------------------------------------------------------------------
__global__ void bsr8_spmv(int brows, const int* __restrict__ bptr, const int* __restrict__ bcol,
                          const float* __restrict__ bval, const float* __restrict__ x,
                          float* __restrict__ y) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  const int lane = threadIdx.x & 31;
  if (warp >= brows) return;
  const int r = lane >> 2;
  const int c = (lane & 3) * 2;
  float acc = 0.f;
  for (int b = bptr[warp]; b < bptr[warp + 1]; ++b) {
    const float2 a = *reinterpret_cast<const float2*>(bval + static_cast<size_t>(b) * 64 + r * 8 + c);
    const float2 v = *reinterpret_cast<const float2*>(x + bcol[b] * 8 + c);
    acc = fmaf(a.x, v.x, fmaf(a.y, v.y, acc));
  }
  acc += __shfl_xor_sync(0xffffffffu, acc, 1);
  acc += __shfl_xor_sync(0xffffffffu, acc, 2);
  if ((lane & 3) == 0) y[warp * 8 + r] = acc;
}

// ----------------------------------------------------------------------------
// Sparse x dense (64 columns): a warp per row, each lane two columns.  The
// column indices are loaded coalesced and broadcast with shuffles.
// ----------------------------------------------------------------------------
constexpr int kSpmmN = 64;
__global__ void spmm_csr_warp(int rows, const int* __restrict__ ptr, const int* __restrict__ col,
                              const float* __restrict__ val, const float* __restrict__ B,
                              float* __restrict__ C) {
  const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  const int lane = threadIdx.x & 31;
  if (row >= rows) return;
  const int begin = ptr[row], end = ptr[row + 1];
  float2 acc = make_float2(0.f, 0.f);
  for (int base = begin; base < end; base += 32) {
    const int j = base + lane;
    const int my_col = j < end ? col[j] : 0;
    const float my_val = j < end ? val[j] : 0.f;
    const int n = min(32, end - base);
    for (int k = 0; k < n; ++k) {
      const int c = __shfl_sync(0xffffffffu, my_col, k);
      const float a = __shfl_sync(0xffffffffu, my_val, k);
      const float2 b = reinterpret_cast<const float2*>(B + static_cast<size_t>(c) * kSpmmN)[lane];
      acc.x = fmaf(a, b.x, acc.x);
      acc.y = fmaf(a, b.y, acc.y);
    }
  }
  reinterpret_cast<float2*>(C + static_cast<size_t>(row) * kSpmmN)[lane] = acc;
}

// Sampled dense-dense product: 8 lanes per sampled entry, 32-wide factors.
__global__ void sddmm(int n, const int* __restrict__ ri, const int* __restrict__ ci,
                      const float* __restrict__ U, const float* __restrict__ V,
                      float* __restrict__ out) {
  const int gid = blockIdx.x * blockDim.x + threadIdx.x;
  const int e = gid >> 3;
  const int lane = gid & 7;
  float d = 0.f;
  if (e < n) {
    const float4 u = reinterpret_cast<const float4*>(U + ri[e] * 32)[lane];
    const float4 v = reinterpret_cast<const float4*>(V + ci[e] * 32)[lane];
    d = u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
  }
  d += __shfl_xor_sync(0xffffffffu, d, 4);
  d += __shfl_xor_sync(0xffffffffu, d, 2);
  d += __shfl_xor_sync(0xffffffffu, d, 1);
  if (e < n && lane == 0) out[e] = d;
}

// ----------------------------------------------------------------------------
// Gather / scatter
// ----------------------------------------------------------------------------
__global__ void gather_rows(int n, int vec_per_row, const int* __restrict__ idx,
                            const float4* __restrict__ table, float4* __restrict__ out) {
  const int total = n * vec_per_row;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
    const int r = i / vec_per_row;
    const int c = i - r * vec_per_row;
    out[i] = table[idx[r] * vec_per_row + c];
  }
}

__global__ void scatter_add(int n, const int* __restrict__ idx, const float* __restrict__ src,
                            float* __restrict__ dst) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(dst + idx[i], src[i]);
}

// ----------------------------------------------------------------------------
// Segmented reduction by offsets: one block per segment, float max and sum.
// ----------------------------------------------------------------------------
__global__ void segmented_sum_max(const int* __restrict__ offsets, const float* __restrict__ v,
                                  float2* __restrict__ out) {
  __shared__ float s_sum[4], s_max[4];
  const int begin = offsets[blockIdx.x], end = offsets[blockIdx.x + 1];
  float s = 0.f, m = -INFINITY;
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const float a = v[i];
    s += a;
    m = fmaxf(m, a);
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    s += __shfl_down_sync(0xffffffffu, s, o);
    m = fmaxf(m, __shfl_down_sync(0xffffffffu, m, o));
  }
  if ((threadIdx.x & 31) == 0) {
    s_sum[threadIdx.x >> 5] = s;
    s_max[threadIdx.x >> 5] = m;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 4; ++w) {
      s += s_sum[w];
      m = fmaxf(m, s_max[w]);
    }
    out[blockIdx.x] = make_float2(s, m);
  }
}

// ----------------------------------------------------------------------------
// Top-k per row: each thread keeps four 64-bit keys (ordered value, ~index) in
// registers, k rounds of block-wide arg-max.
// ----------------------------------------------------------------------------
__device__ __forceinline__ unsigned long long topk_key(float f, unsigned idx) {
  unsigned u = __float_as_uint(f);
  u = (u & 0x80000000u) ? ~u : (u | 0x80000000u);
  return (static_cast<unsigned long long>(u) << 32) | (0xffffffffu - idx);
}

template <int BLOCK, int PER, int K>
__global__ void __launch_bounds__(BLOCK)
    topk_rows(int cols, const float* __restrict__ in, int* __restrict__ out_idx,
              float* __restrict__ out_val) {
  __shared__ unsigned long long s_best[BLOCK / 32];
  const float* row = in + static_cast<size_t>(blockIdx.x) * cols;
  unsigned long long key[PER];
#pragma unroll
  for (int i = 0; i < PER; ++i) {
    const int c = threadIdx.x + i * BLOCK;
    key[i] = c < cols ? topk_key(row[c], c) : 0ull;
  }
  for (int k = 0; k < K; ++k) {
    unsigned long long best = key[0];
#pragma unroll
    for (int i = 1; i < PER; ++i) best = key[i] > best ? key[i] : best;
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
      const unsigned long long other = __shfl_xor_sync(0xffffffffu, best, o);
      best = other > best ? other : best;
    }
    if ((threadIdx.x & 31) == 0) s_best[threadIdx.x >> 5] = best;
    __syncthreads();
    best = s_best[0];
#pragma unroll
    for (int w = 1; w < BLOCK / 32; ++w) best = s_best[w] > best ? s_best[w] : best;
#pragma unroll
    for (int i = 0; i < PER; ++i)
      if (key[i] == best) key[i] = 0ull;
    if (threadIdx.x == 0) {
      const unsigned c = 0xffffffffu - static_cast<unsigned>(best & 0xffffffffull);
      out_idx[blockIdx.x * K + k] = static_cast<int>(c);
      out_val[blockIdx.x * K + k] = row[c];
    }
    __syncthreads();
  }
}

// ----------------------------------------------------------------------------
// Embedding bag: a warp per bag, 128-wide rows, float4 per lane.
// ----------------------------------------------------------------------------
template <bool WEIGHTED_MEAN>
__global__ void embedding_bag(int bags, const int* __restrict__ offsets, const int* __restrict__ idx,
                              const float* __restrict__ weight, const float4* __restrict__ table,
                              float4* __restrict__ out) {
  const int bag = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  const int lane = threadIdx.x & 31;
  if (bag >= bags) return;
  const int begin = offsets[bag], end = offsets[bag + 1];
  float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
  float wsum = 0.f;
#pragma unroll 2
  for (int i = begin; i < end; ++i) {
    const float w = WEIGHTED_MEAN ? weight[i] : 1.f;
    const float4 t = __ldg(table + static_cast<size_t>(idx[i]) * 32 + lane);
    acc.x += w * t.x;
    acc.y += w * t.y;
    acc.z += w * t.z;
    acc.w += w * t.w;
    wsum += w;
  }
  if (WEIGHTED_MEAN) {
    const float inv = wsum > 0.f ? 1.f / wsum : 0.f;
    acc.x *= inv;
    acc.y *= inv;
    acc.z *= inv;
    acc.w *= inv;
  }
  out[static_cast<size_t>(bag) * 32 + lane] = acc;
}

// ----------------------------------------------------------------------------
// Registry
// ----------------------------------------------------------------------------
struct Case {
  std::string name;
  std::function<void()> launch;
  std::function<double()> max_error;
  double tolerance;
};

static double max_diff(const std::vector<float>& a, const std::vector<double>& b) {
  double m = 0;
  for (size_t i = 0; i < a.size(); ++i) m = std::max(m, std::fabs(a[i] - b[i]));
  return m;
}

int main() {
  std::vector<Case> cases;

  // --- the CSR matrix shared by the SpMV cases -------------------------------
  const Csr A = make_csr(160000, 160000, 4, 20, 1024, 1500, 12345u);
  std::vector<float> hx(A.cols);
  for (int i = 0; i < A.cols; ++i) hx[i] = static_cast<float>(i % 17) * 0.125f - 1.f;
  std::vector<double> y_ref(A.rows, 0.0);
  for (int r = 0; r < A.rows; ++r)
    for (int j = A.ptr[r]; j < A.ptr[r + 1]; ++j) y_ref[r] += double(A.val[j]) * hx[A.col[j]];

  DeviceBuffer<int> d_ptr(A.ptr), d_col(A.col);
  DeviceBuffer<float> d_val(A.val), d_x(hx), d_y(A.rows);
  auto spmv_err = [&] { return max_diff(d_y.host(), y_ref); };

  cases.push_back({"csr_spmv_scalar",
                   [&] {
                     csr_spmv_scalar<<<div_up(A.rows, 256), 256>>>(A.rows, d_ptr.get(), d_col.get(),
                                                                   d_val.get(), d_x.get(), d_y.get());
                   },
                   spmv_err, 1e-3});
  cases.push_back({"csr_spmv_vector<8>",
                   [&] {
                     d_y.zero();
                     csr_spmv_vector<8><<<div_up(A.rows * 8, 256), 256>>>(
                         A.rows, d_ptr.get(), d_col.get(), d_val.get(), d_x.get(), d_y.get());
                   },
                   spmv_err, 1e-3});
  cases.push_back({"csr_spmv_vector<32>",
                   [&] {
                     d_y.zero();
                     csr_spmv_vector<32><<<div_up(A.rows * 32, 256), 256>>>(
                         A.rows, d_ptr.get(), d_col.get(), d_val.get(), d_x.get(), d_y.get());
                   },
                   spmv_err, 1e-3});

  std::vector<int> heavy;
  for (int r = 0; r < A.rows; ++r)
    if (A.ptr[r + 1] - A.ptr[r] > 1000) heavy.push_back(r);
  DeviceBuffer<int> d_heavy(heavy);
  cases.push_back({"csr_spmv_block (heavy rows)",
                   [&] {
                     csr_spmv_block<128><<<(int)heavy.size(), 128>>>(
                         (int)heavy.size(), d_heavy.get(), d_ptr.get(), d_col.get(), d_val.get(),
                         d_x.get(), d_y.get());
                   },
                   spmv_err, 1e-3});

  const int n_tiles = div_up(A.rows + A.nnz(), kMergeTile);
  DeviceBuffer<int2> d_tiles(n_tiles + 1);
  cases.push_back({"merge_partition",
                   [&] {
                     merge_partition<<<div_up(n_tiles + 1, 128), 128>>>(A.rows, A.nnz(), d_ptr.get() + 1,
                                                                        n_tiles, d_tiles.get());
                   },
                   [&] {
                     auto t = d_tiles.host();
                     return (t[n_tiles].x == A.rows && t[n_tiles].y == A.nnz()) ? 0.0 : 1.0;
                   },
                   0.5});
  cases.push_back({"merge_spmv",
                   [&] {
                     d_y.zero();
                     merge_spmv<<<n_tiles, kMergeBlock>>>(A.rows, A.nnz(), d_ptr.get() + 1, d_col.get(),
                                                          d_val.get(), d_x.get(), d_tiles.get(),
                                                          d_y.get());
                   },
                   spmv_err, 1e-3});

  // --- ELL -------------------------------------------------------------------
  const int ell_rows = 150000, ell_w = 16, ell_pitch = 150016;
  std::vector<int> h_ecol(ell_w * ell_pitch, -1);
  std::vector<float> h_eval(ell_w * ell_pitch, 0.f);
  std::vector<double> ell_ref(ell_rows, 0.0);
  {
    Lcg rng(99u);
    for (int r = 0; r < ell_rows; ++r) {
      const int n = 8 + r % 9;
      for (int k = 0; k < n; ++k) {
        const int c = (r + (k - 4) * (k & 1 ? 300 : 1) + A.cols) % A.cols;
        h_ecol[k * ell_pitch + r] = c;
        h_eval[k * ell_pitch + r] = rng.uniform();
        ell_ref[r] += double(h_eval[k * ell_pitch + r]) * hx[c];
      }
    }
  }
  DeviceBuffer<int> d_ecol(h_ecol);
  DeviceBuffer<float> d_eval(h_eval), d_ey(ell_rows);
  cases.push_back({"ell_spmv",
                   [&] {
                     ell_spmv<<<div_up(ell_rows, 256), 256>>>(ell_rows, ell_w, ell_pitch, d_ecol.get(),
                                                              d_eval.get(), d_x.get(), d_ey.get());
                   },
                   [&] { return max_diff(d_ey.host(), ell_ref); }, 1e-3});

  // --- BSR -------------------------------------------------------------------
  const int brows = 10000;
  std::vector<int> h_bptr(brows + 1, 0), h_bcol;
  std::vector<float> h_bval;
  {
    Lcg rng(4242u);
    for (int r = 0; r < brows; ++r) {
      const int n = 3 + rng.next() % 6;
      for (int k = 0; k < n; ++k) h_bcol.push_back(rng.next() % brows);
      h_bptr[r + 1] = h_bptr[r] + n;
    }
    h_bval.resize(h_bcol.size() * 64);
    for (size_t i = 0; i < h_bval.size(); ++i) h_bval[i] = rng.uniform() - 0.5f;
  }
  std::vector<double> bsr_ref(brows * 8, 0.0);
  for (int r = 0; r < brows; ++r)
    for (int b = h_bptr[r]; b < h_bptr[r + 1]; ++b)
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
          bsr_ref[r * 8 + i] += double(h_bval[size_t(b) * 64 + i * 8 + j]) * hx[h_bcol[b] * 8 + j];
  DeviceBuffer<int> d_bptr(h_bptr), d_bcol(h_bcol);
  DeviceBuffer<float> d_bval(h_bval), d_by(brows * 8);
  cases.push_back({"bsr8_spmv",
                   [&] {
                     bsr8_spmv<<<div_up(brows * 32, 128), 128>>>(brows, d_bptr.get(), d_bcol.get(),
                                                                 d_bval.get(), d_x.get(), d_by.get());
                   },
                   [&] { return max_diff(d_by.host(), bsr_ref); }, 1e-3});

  // --- SpMM ------------------------------------------------------------------
  const Csr S = make_csr(40000, 50000, 8, 40, 0, 0, 777u);
  std::vector<float> hB(size_t(S.cols) * kSpmmN);
  for (size_t i = 0; i < hB.size(); ++i) hB[i] = float((i * 2654435761u >> 16) & 1023) / 1024.f - 0.5f;
  DeviceBuffer<int> d_sptr(S.ptr), d_scol(S.col);
  DeviceBuffer<float> d_sval(S.val), d_B(hB), d_C(size_t(S.rows) * kSpmmN);
  cases.push_back({"spmm_csr_warp",
                   [&] {
                     spmm_csr_warp<<<div_up(S.rows, 8), 256>>>(S.rows, d_sptr.get(), d_scol.get(),
                                                               d_sval.get(), d_B.get(), d_C.get());
                   },
                   [&] {
                     auto C = d_C.host();
                     double m = 0;
                     for (int r = 0; r < S.rows; r += 37)
                       for (int c = 0; c < kSpmmN; c += 5) {
                         double s = 0;
                         for (int j = S.ptr[r]; j < S.ptr[r + 1]; ++j)
                           s += double(S.val[j]) * hB[size_t(S.col[j]) * kSpmmN + c];
                         m = std::max(m, std::fabs(s - C[size_t(r) * kSpmmN + c]));
                       }
                     return m;
                   },
                   1e-3});

  // --- SDDMM -----------------------------------------------------------------
  const int n_samples = 500000, n_fac = 30000;
  std::vector<int> h_ri(n_samples), h_ci(n_samples);
  std::vector<float> hU(n_fac * 32), hV(n_fac * 32);
  {
    Lcg rng(31u);
    for (int i = 0; i < n_samples; ++i) {
      h_ri[i] = int(int64_t(i) * n_fac / n_samples);
      h_ci[i] = rng.next() % n_fac;
    }
    for (int i = 0; i < n_fac * 32; ++i) {
      hU[i] = rng.uniform() - 0.5f;
      hV[i] = rng.uniform() - 0.5f;
    }
  }
  DeviceBuffer<int> d_ri(h_ri), d_ci(h_ci);
  DeviceBuffer<float> d_U(hU), d_V(hV), d_sd(n_samples);
  cases.push_back({"sddmm",
                   [&] {
                     sddmm<<<div_up(n_samples * 8, 256), 256>>>(n_samples, d_ri.get(), d_ci.get(),
                                                                d_U.get(), d_V.get(), d_sd.get());
                   },
                   [&] {
                     auto o = d_sd.host();
                     double m = 0;
                     for (int e = 0; e < n_samples; e += 11) {
                       double s = 0;
                       for (int k = 0; k < 32; ++k) s += double(hU[h_ri[e] * 32 + k]) * hV[h_ci[e] * 32 + k];
                       m = std::max(m, std::fabs(s - o[e]));
                     }
                     return m;
                   },
                   1e-4});

  // --- gather / scatter ------------------------------------------------------
  const int g_table = 60000, g_vec = 16 /* float4 per row */, g_n = 60000;
  std::vector<int> h_gidx(g_n);
  for (int i = 0; i < g_n; ++i) h_gidx[i] = int((uint64_t(i) * 40503u + 7u) % g_table);
  std::vector<float> h_gtab(size_t(g_table) * g_vec * 4);
  for (size_t i = 0; i < h_gtab.size(); ++i) h_gtab[i] = float(i % 8191);
  DeviceBuffer<int> d_gidx(h_gidx);
  DeviceBuffer<float> d_gtab(h_gtab), d_gout(size_t(g_n) * g_vec * 4);
  cases.push_back({"gather_rows",
                   [&] {
                     gather_rows<<<1056, 256>>>(g_n, g_vec, d_gidx.get(),
                                                reinterpret_cast<const float4*>(d_gtab.get()),
                                                reinterpret_cast<float4*>(d_gout.get()));
                   },
                   [&] {
                     auto o = d_gout.host();
                     double m = 0;
                     for (int r = 0; r < g_n; ++r)
                       for (int c = 0; c < g_vec * 4; c += 9)
                         m = std::max(m, double(std::fabs(o[size_t(r) * 64 + c] -
                                                          h_gtab[size_t(h_gidx[r]) * 64 + c])));
                     return m;
                   },
                   0.5});

  const int sc_n = 2000000, sc_bins = 100000;
  std::vector<int> h_scidx(sc_n);
  std::vector<float> h_scsrc(sc_n);
  std::vector<double> sc_ref(sc_bins, 0.0);
  {
    Lcg rng(5u);
    for (int i = 0; i < sc_n; ++i) {
      const float u = rng.uniform();
      h_scidx[i] = std::min(sc_bins - 1, int(u * u * sc_bins));
      h_scsrc[i] = float(i % 3);
      sc_ref[h_scidx[i]] += h_scsrc[i];
    }
  }
  DeviceBuffer<int> d_scidx(h_scidx);
  DeviceBuffer<float> d_scsrc(h_scsrc), d_scdst(sc_bins);
  cases.push_back({"scatter_add",
                   [&] {
                     scatter_add<<<div_up(sc_n, 256), 256>>>(sc_n, d_scidx.get(), d_scsrc.get(),
                                                             d_scdst.get());
                   },
                   [&] { return max_diff(d_scdst.host(), sc_ref); }, 0.5});

  // --- segmented reduction ---------------------------------------------------
  const int n_seg = 6000;
  std::vector<int> h_soff(n_seg + 1, 0);
  for (int i = 0; i < n_seg; ++i) h_soff[i + 1] = h_soff[i] + 50 + int((uint32_t(i) * 7919u) % 1000u);
  std::vector<float> h_sv(h_soff[n_seg]);
  for (size_t i = 0; i < h_sv.size(); ++i) h_sv[i] = std::sin(0.001f * float(i % 100000));
  DeviceBuffer<int> d_soff(h_soff);
  DeviceBuffer<float> d_sv(h_sv);
  DeviceBuffer<float2> d_sout(n_seg);
  cases.push_back({"segmented_sum_max",
                   [&] { segmented_sum_max<<<n_seg, 128>>>(d_soff.get(), d_sv.get(), d_sout.get()); },
                   [&] {
                     auto o = d_sout.host();
                     double m = 0;
                     for (int s = 0; s < n_seg; ++s) {
                       double sum = 0;
                       float mx = -INFINITY;
                       for (int i = h_soff[s]; i < h_soff[s + 1]; ++i) {
                         sum += h_sv[i];
                         mx = std::max(mx, h_sv[i]);
                       }
                       m = std::max({m, std::fabs(sum - o[s].x), double(std::fabs(mx - o[s].y))});
                     }
                     return m;
                   },
                   1e-2});

  // --- top-k -----------------------------------------------------------------
  constexpr int tk_rows = 4000, tk_cols = 1000, tk_k = 8;
  std::vector<float> h_tk(tk_rows * tk_cols);
  {
    Lcg rng(2024u);
    for (auto& v : h_tk) v = rng.uniform() * 2.f - 1.f;
  }
  DeviceBuffer<float> d_tk(h_tk), d_tkv(tk_rows * tk_k);
  DeviceBuffer<int> d_tki(tk_rows * tk_k);
  cases.push_back({"topk_rows",
                   [&] {
                     topk_rows<256, 4, tk_k>
                         <<<tk_rows, 256>>>(tk_cols, d_tk.get(), d_tki.get(), d_tkv.get());
                   },
                   [&] {
                     auto o = d_tkv.host();
                     double m = 0;
                     for (int r = 0; r < tk_rows; r += 13) {
                       std::vector<float> row(h_tk.begin() + r * tk_cols, h_tk.begin() + (r + 1) * tk_cols);
                       std::partial_sort(row.begin(), row.begin() + tk_k, row.end(), std::greater<float>());
                       for (int k = 0; k < tk_k; ++k)
                         m = std::max(m, double(std::fabs(row[k] - o[r * tk_k + k])));
                     }
                     return m;
                   },
                   1e-6});

  // --- embedding bags --------------------------------------------------------
  const int eb_bags = 16384, eb_vocab = 30000;
  std::vector<int> h_eoff(eb_bags + 1, 0);
  for (int i = 0; i < eb_bags; ++i) h_eoff[i + 1] = h_eoff[i] + 4 + (i * 31) % 40;
  std::vector<int> h_eidx(h_eoff[eb_bags]);
  std::vector<float> h_ew(h_eoff[eb_bags]);
  {
    Lcg rng(8u);
    for (size_t i = 0; i < h_eidx.size(); ++i) {
      const float u = rng.uniform();
      h_eidx[i] = std::min(eb_vocab - 1, int(u * u * u * eb_vocab));
      h_ew[i] = 0.25f + rng.uniform();
    }
  }
  std::vector<float> h_etab(size_t(eb_vocab) * 128);
  for (size_t i = 0; i < h_etab.size(); ++i) h_etab[i] = float((i * 48271u) % 2003u) * 1e-3f - 1.f;
  DeviceBuffer<int> d_eoff(h_eoff), d_eidx(h_eidx);
  DeviceBuffer<float> d_ew(h_ew), d_etab(h_etab), d_eout(size_t(eb_bags) * 128);
  auto eb_err = [&](bool weighted) {
    auto o = d_eout.host();
    double m = 0;
    for (int b = 0; b < eb_bags; b += 29)
      for (int c = 0; c < 128; c += 7) {
        double s = 0, ws = 0;
        for (int i = h_eoff[b]; i < h_eoff[b + 1]; ++i) {
          const double w = weighted ? h_ew[i] : 1.0;
          s += w * h_etab[size_t(h_eidx[i]) * 128 + c];
          ws += w;
        }
        if (weighted) s /= ws;
        m = std::max(m, std::fabs(s - o[size_t(b) * 128 + c]));
      }
    return m;
  };
  cases.push_back({"embedding_bag<sum>",
                   [&] {
                     embedding_bag<false><<<div_up(eb_bags * 32, 256), 256>>>(
                         eb_bags, d_eoff.get(), d_eidx.get(), nullptr,
                         reinterpret_cast<const float4*>(d_etab.get()),
                         reinterpret_cast<float4*>(d_eout.get()));
                   },
                   [&] { return eb_err(false); }, 1e-3});
  cases.push_back({"embedding_bag<weighted mean>",
                   [&] {
                     embedding_bag<true><<<div_up(eb_bags * 32, 256), 256>>>(
                         eb_bags, d_eoff.get(), d_eidx.get(), d_ew.get(),
                         reinterpret_cast<const float4*>(d_etab.get()),
                         reinterpret_cast<float4*>(d_eout.get()));
                   },
                   [&] { return eb_err(true); }, 1e-3});

  // --- run -------------------------------------------------------------------
  int failed = 0;
  std::printf("%-32s %12s  %s\n", "case", "max error", "status");
  for (auto& c : cases) {
    c.launch();
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    const double e = c.max_error();
    const bool ok = e <= c.tolerance;
    failed += !ok;
    std::printf("%-32s %12.3e  %s\n", c.name.c_str(), e, ok ? "ok" : "MISMATCH");
  }
  std::printf("%zu cases, %d mismatches (nnz = %d)\n", cases.size(), failed, A.nnz());
  return 0;
}
