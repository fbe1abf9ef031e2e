// Sparse matrix and graph kernels on a synthetic graph built by hashing.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_TRY(call)                                                                  \
  {                                                                                     \
    cudaError_t const status = (call);                                                  \
    if (cudaSuccess != status) {                                                        \
      fprintf(stderr, "ERROR: CUDA call='%s' at file=%s line=%d failed with %s\n", #call, \
              __FILE__, __LINE__, cudaGetErrorString(status));                          \
      exit(1);                                                                          \
    }                                                                                   \
  }

typedef int vid_t;
typedef int eid_t;

static uint32_t mix(uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  return h;
}

struct csr_host {
  int n;
  std::vector<eid_t> off;
  std::vector<vid_t> col;
  std::vector<float> val;
};

static csr_host build_graph(int n) {
  csr_host g;
  g.n = n;
  g.off.resize(n + 1);
  g.off[0] = 0;
  for (int i = 0; i < n; ++i) {
    int deg = 4 + mix(i * 3u + 1u) % 20;
    if (mix(i) % 1024 == 0) deg = 300;   // some hubs
    g.off[i + 1] = g.off[i] + deg;
  }
  g.col.resize(g.off[n]);
  g.val.resize(g.off[n]);
  for (int i = 0; i < n; ++i) {
    for (int e = g.off[i]; e < g.off[i + 1]; ++e) {
      uint32_t h = mix((uint32_t)e * 2654435761u + 17u);
      if (h & 1) g.col[e] = (i + (int)((h >> 1) % 2048) - 1024 + n) % n;   // near the diagonal
      else g.col[e] = (h >> 1) % n;                                        // anywhere
      g.val[e] = ((h >> 8) & 255) / 256.0f;
    }
    std::sort(g.col.begin() + g.off[i], g.col.begin() + g.off[i + 1]);
  }
  return g;
}

// ----- SpMV ---------------------------------------------------------------------------------
__global__ void spmv_csr_scalar_kernel(const int num_rows, const int *ptr, const int *indices,
                                       const float *data, const float *x, float *y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row < num_rows) {
    float dot = 0;
    int row_start = ptr[row];
    int row_end = ptr[row + 1];
    for (int jj = row_start; jj < row_end; jj++) dot += data[jj] * x[indices[jj]];
    y[row] = dot;
  }
}

template <int THREADS_PER_VECTOR>
__global__ void spmv_csr_vector_kernel(const int num_rows, const int *__restrict__ ptr,
                                       const int *__restrict__ indices, const float *__restrict__ data,
                                       const float *__restrict__ x, float *__restrict__ y) {
  const int thread_lane = threadIdx.x & (THREADS_PER_VECTOR - 1);
  const int vector_id = (blockDim.x * blockIdx.x + threadIdx.x) / THREADS_PER_VECTOR;
  const int num_vectors = gridDim.x * blockDim.x / THREADS_PER_VECTOR;
  for (int row0 = 0; row0 < num_rows; row0 += num_vectors) {   // same trip count for the whole warp
    const int row = row0 + vector_id;
    float sum = 0;
    if (row < num_rows) {
      const int row_start = ptr[row], row_end = ptr[row + 1];
      for (int jj = row_start + thread_lane; jj < row_end; jj += THREADS_PER_VECTOR)
        sum += data[jj] * __ldg(x + indices[jj]);
    }
#pragma unroll
    for (int o = THREADS_PER_VECTOR / 2; o > 0; o /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, o, THREADS_PER_VECTOR);
    if (thread_lane == 0 && row < num_rows) y[row] = sum;
  }
}

// Column-major ELL; padding has index -1.
__global__ void spmv_ell_kernel(const int num_rows, const int num_cols_per_row, const int pitch,
                                const int *__restrict__ indices, const float *__restrict__ data,
                                const float *__restrict__ x, float *__restrict__ y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row >= num_rows) return;
  float dot = 0;
  for (int n = 0; n < num_cols_per_row; n++) {
    int col = indices[(size_t)pitch * n + row];
    if (col < 0) break;
    dot += data[(size_t)pitch * n + row] * x[col];
  }
  y[row] = dot;
}

// ----- BFS ----------------------------------------------------------------------------------
__global__ void bfs_expand_level(const vid_t *frontier, int frontier_size, const eid_t *off, const vid_t *col,
                                 int *level, int depth, vid_t *next, int *next_size) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = tid >> 5, lane = tid & 31;
  int nwarps = (gridDim.x * blockDim.x) >> 5;
  for (int i = warp; i < frontier_size; i += nwarps) {
    vid_t u = frontier[i];
    eid_t e0 = off[u], e1 = off[u + 1];
    for (eid_t e = e0 + lane; e < e1; e += 32) {
      vid_t v = col[e];
      if (atomicCAS(&level[v], -1, depth + 1) == -1) {
        int pos = atomicAdd(next_size, 1);
        next[pos] = v;
      }
    }
  }
}

// ----- PageRank -----------------------------------------------------------------------------
__global__ void pagerank_push(int n, const eid_t *__restrict__ off, const vid_t *__restrict__ col,
                              const float *__restrict__ rank, float *next, float damping) {
  int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= n) return;
  eid_t b = off[u], e = off[u + 1];
  if (b == e) return;
  float contrib = damping * rank[u] / (float)(e - b);
  for (eid_t i = b; i < e; ++i) atomicAdd(&next[col[i]], contrib);
}

__global__ void pagerank_pull(int n, const eid_t *__restrict__ off, const vid_t *__restrict__ col,
                              const float *__restrict__ rank, float *__restrict__ next, float damping) {
  // eight lanes per vertex; list is read as incoming edges
  int gid = (blockIdx.x * blockDim.x + threadIdx.x) >> 3;
  int sub = threadIdx.x & 7;
  float s = 0.f;
  if (gid < n) {
    for (eid_t i = off[gid] + sub; i < off[gid + 1]; i += 8) {
      vid_t u = col[i];
      int d = off[u + 1] - off[u];
      s += __fdividef(rank[u], (float)d);
    }
  }
  s += __shfl_xor_sync(0xffffffffu, s, 4);
  s += __shfl_xor_sync(0xffffffffu, s, 2);
  s += __shfl_xor_sync(0xffffffffu, s, 1);
  if (gid < n && sub == 0) next[gid] = (1.f - damping) / n + damping * s;
}

// ----- Connected components -----------------------------------------------------------------
__global__ void cc_hook(int n, const eid_t *__restrict__ off, const vid_t *__restrict__ col,
                        const int *__restrict__ parent_in, int *parent_out) {
  int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= n) return;
  int pu = parent_in[u];
  for (eid_t i = off[u]; i < off[u + 1]; ++i) {
    int pv = parent_in[col[i]];
    if (pu != pv) {
      int hi = pu > pv ? pu : pv;
      int lo = pu > pv ? pv : pu;
      atomicMin(&parent_out[hi], lo);
    }
  }
}

__global__ void cc_compress(int n, const int *__restrict__ parent_in, int *__restrict__ parent_out) {
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
    int p = parent_in[v];
    int q = parent_in[p];
    while (p != q) {
      p = q;
      q = parent_in[p];
    }
    parent_out[v] = p;
  }
}

template <typename T>
T *to_device(const std::vector<T> &h) {
  T *d;
  CUDA_TRY(cudaMalloc(&d, h.size() * sizeof(T)));
  CUDA_TRY(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
  return d;
}
template <typename T>
double dsum(const T *d, int n) {
  std::vector<T> h(n);
  CUDA_TRY(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
  double s = 0;
  for (auto v : h) s += v;
  return s;
}

int main() {
  const int n = 400000;
  csr_host g = build_graph(n);
  const int m = g.off[n];
  printf("graph: %d vertices, %d edges\n", n, m);

  eid_t *off = to_device(g.off);
  vid_t *col = to_device(g.col);
  float *val = to_device(g.val);
  std::vector<float> hx(n);
  for (int i = 0; i < n; ++i) hx[i] = (mix(i + 99) & 1023) / 1024.f;
  float *x = to_device(hx), *y;
  CUDA_TRY(cudaMalloc(&y, n * sizeof(float)));

  // ELL of the first 24 entries of each row
  const int ell_w = 24, pitch = (n + 31) / 32 * 32;
  std::vector<int> eidx((size_t)ell_w * pitch, -1);
  std::vector<float> eval((size_t)ell_w * pitch, 0.f);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < ell_w && g.off[i] + k < g.off[i + 1]; ++k) {
      eidx[(size_t)k * pitch + i] = g.col[g.off[i] + k];
      eval[(size_t)k * pitch + i] = g.val[g.off[i] + k];
    }
  int *d_eidx = to_device(eidx);
  float *d_eval = to_device(eval);

  const int TB = 256;
  double cs = 0;
  spmv_csr_scalar_kernel<<<(n + TB - 1) / TB, TB>>>(n, off, col, val, x, y);
  CUDA_TRY(cudaGetLastError());
  cs += dsum(y, n);
  spmv_csr_vector_kernel<8><<<132 * 8, TB>>>(n, off, col, val, x, y);
  CUDA_TRY(cudaGetLastError());
  cs += dsum(y, n);
  spmv_csr_vector_kernel<32><<<132 * 16, 128>>>(n, off, col, val, x, y);
  CUDA_TRY(cudaGetLastError());
  cs += dsum(y, n);
  spmv_ell_kernel<<<(n + TB - 1) / TB, TB>>>(n, ell_w, pitch, d_eidx, d_eval, x, y);
  CUDA_TRY(cudaGetLastError());
  cs += dsum(y, n);

  // BFS from every 64th vertex: two levels
  {
    std::vector<int> lev(n, -1);
    std::vector<vid_t> fr;
    for (int i = 0; i < n; i += 64) { lev[i] = 0; fr.push_back(i); }
    int *level = to_device(lev);
    vid_t *f0, *f1;
    int *sz, hsz = 0;
    CUDA_TRY(cudaMalloc(&f0, n * sizeof(vid_t)));
    CUDA_TRY(cudaMalloc(&f1, n * sizeof(vid_t)));
    CUDA_TRY(cudaMalloc(&sz, sizeof(int)));
    CUDA_TRY(cudaMemcpy(f0, fr.data(), fr.size() * sizeof(vid_t), cudaMemcpyHostToDevice));
    int cur = (int)fr.size();
    for (int d = 0; d < 2; ++d) {
      CUDA_TRY(cudaMemset(sz, 0, sizeof(int)));
      bfs_expand_level<<<std::min((cur * 32 + TB - 1) / TB, 8192), TB>>>(f0, cur, off, col, level, d, f1, sz);
      CUDA_TRY(cudaGetLastError());
      CUDA_TRY(cudaMemcpy(&hsz, sz, sizeof(int), cudaMemcpyDeviceToHost));
      cur = hsz;
      std::swap(f0, f1);
      if (cur == 0) break;
    }
    cs += dsum(level, n);
    cudaFree(level); cudaFree(f0); cudaFree(f1); cudaFree(sz);
  }

  // PageRank
  {
    std::vector<float> r(n, 1.0f / n), nx(n, 0.15f / n);
    float *rank = to_device(r), *next = to_device(nx);
    pagerank_push<<<(n + 127) / 128, 128>>>(n, off, col, rank, next, 0.85f);
    CUDA_TRY(cudaGetLastError());
    cs += dsum(next, n);
    pagerank_pull<<<(n * 8 + TB - 1) / TB, TB>>>(n, off, col, next, rank, 0.85f);
    CUDA_TRY(cudaGetLastError());
    cs += dsum(rank, n);
    cudaFree(rank); cudaFree(next);
  }

  // Components: one hook and one compress
  {
    std::vector<int> id(n);
    for (int i = 0; i < n; ++i) id[i] = i;
    int *p0 = to_device(id), *p1 = to_device(id);
    cc_hook<<<(n + TB - 1) / TB, TB>>>(n, off, col, p0, p1);
    CUDA_TRY(cudaGetLastError());
    cc_compress<<<132 * 4, TB>>>(n, p1, p0);
    CUDA_TRY(cudaGetLastError());
    CUDA_TRY(cudaDeviceSynchronize());
    cs += dsum(p0, n);
    cudaFree(p0); cudaFree(p1);
  }
  printf("sparse_graph checksum %.3f\n", cs);
  cudaFree(off); cudaFree(col); cudaFree(val); cudaFree(x); cudaFree(y); cudaFree(d_eidx); cudaFree(d_eval);
  return 0;
}
