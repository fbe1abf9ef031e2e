/*
 * Graph primitives in plain C style: one step of each algorithm on a skewed undirected graph.
 *   bfs (top-down queue, thread / warp; bottom-up bitmap), sssp relaxation (vertex, edge, worklist),
 *   pagerank push / pull, degree count, triangle counting, connected components, label propagation, MIS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

#define CK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
    fprintf(stderr, "CUDA error %s at %s:%d\n", cudaGetErrorString(e_), __FILE__, __LINE__); exit(1); } } while (0)

#define NUM_V      (1 << 17)
#define NUM_E      900000
#define TPB        256
#define FULL_MASK  0xffffffffu
#define INF        0x3fffffff
#define NLABEL     64
#define DIVUP(a, b) (((a) + (b) - 1) / (b))
#define GTID       (blockIdx.x * blockDim.x + threadIdx.x)
#define GWARP      (GTID >> 5)
#define LANE       (threadIdx.x & 31)

#define TO_DEV(dst, src, count, type) do { \
    CK(cudaMalloc((void **)&(dst), (size_t)(count) * sizeof(type))); \
    CK(cudaMemcpy((dst), (src), (size_t)(count) * sizeof(type), cudaMemcpyHostToDevice)); } while (0)
#define PUT(dst, src, count, type) CK(cudaMemcpy((dst), (src), (size_t)(count) * sizeof(type), cudaMemcpyHostToDevice))
#define GET(dst, src, count, type) CK(cudaMemcpy((dst), (src), (size_t)(count) * sizeof(type), cudaMemcpyDeviceToHost))
#define ALLOC(dst, count, type) CK(cudaMalloc((void **)&(dst), (size_t)(count) * sizeof(type)))

/* ---------------------------------------------------------------- BFS */
__global__ void bfs_topdown_thread(const int *row, const int *adj, const int *frontier, int nf,
                                   int *dist, int level, int *next, int *next_count)
{
    int i = GTID;
    if (i >= nf) return;
    int u = frontier[i];
    for (int e = row[u]; e < row[u + 1]; e++) {
        int v = adj[e];
        if (dist[v] == -1 && atomicCAS(&dist[v], -1, level) == -1) {
            int pos = atomicAdd(next_count, 1);
            next[pos] = v;
        }
    }
}

__global__ void bfs_topdown_warp(const int *__restrict__ row, const int *__restrict__ adj,
                                 const int *__restrict__ frontier, int nf,
                                 int *dist, int level, int *next, int *next_count)
{
    int w = GWARP;
    if (w >= nf) return;
    int u = frontier[w];
    int beg = row[u], end = row[u + 1];
    for (int base = beg; base < end; base += 32) {
        int e = base + LANE;
        int v = -1, fresh = 0;
        if (e < end) {
            v = adj[e];
            if (dist[v] == -1) fresh = (atomicCAS(&dist[v], -1, level) == -1);
        }
        unsigned m = __ballot_sync(FULL_MASK, fresh);
        if (m) {
            int leader = __ffs(m) - 1, pos = 0;
            if (LANE == leader) pos = atomicAdd(next_count, __popc(m));
            pos = __shfl_sync(FULL_MASK, pos, leader);
            if (fresh) next[pos + __popc(m & ((1u << LANE) - 1))] = v;
        }
    }
}

__global__ void bfs_bottomup(const int *__restrict__ row, const int *__restrict__ adj,
                             const unsigned *__restrict__ front_bits, int *dist, int level,
                             unsigned *next_bits, int *next_count)
{
    int v = GTID;                      /* NUM_V is a multiple of the block size */
    int found = 0;
    if (dist[v] == -1) {
        for (int e = row[v]; e < row[v + 1]; e++) {
            int u = adj[e];
            if ((front_bits[u >> 5] >> (u & 31)) & 1u) { found = 1; break; }
        }
        if (found) dist[v] = level;
    }
    unsigned m = __ballot_sync(FULL_MASK, found);
    if (LANE == 0) {
        next_bits[v >> 5] = m;
        if (m) atomicAdd(next_count, __popc(m));
    }
}

/* ---------------------------------------------------------------- SSSP */
__global__ void sssp_relax_vertex(const int *__restrict__ row, const int *__restrict__ adj,
                                  const int *__restrict__ wgt, int *dist, int n, int *changed)
{
    int u = GTID;
    if (u >= n) return;
    int du = dist[u];
    if (du == INF) return;
    int any = 0;
    for (int e = row[u]; e < row[u + 1]; e++) {
        int nd = du + wgt[e];
        if (nd < dist[adj[e]]) { atomicMin(&dist[adj[e]], nd); any = 1; }
    }
    if (any) *changed = 1;
}

__global__ void sssp_relax_edge(const int *__restrict__ src, const int *__restrict__ dst,
                                const int *__restrict__ wgt, int m, const int *__restrict__ dist_in, int *dist_out)
{
    for (int e = GTID; e < m; e += gridDim.x * blockDim.x) {
        int du = dist_in[src[e]];
        if (du < INF) {
            int nd = du + wgt[e];
            if (nd < dist_in[dst[e]]) atomicMin(&dist_out[dst[e]], nd);
        }
    }
}

__global__ void sssp_relax_worklist(const int *__restrict__ row, const int *__restrict__ adj,
                                    const int *__restrict__ wgt, const int *__restrict__ work, int nwork,
                                    int *dist, int *in_next, int *next, int *next_count)
{
    int w = GWARP;
    if (w >= nwork) return;
    int u = work[w];
    int du = dist[u];
    for (int e = row[u] + LANE; e < row[u + 1]; e += 32) {
        int v = adj[e];
        int nd = du + wgt[e];
        if (nd < dist[v]) {
            int old = atomicMin(&dist[v], nd);
            if (nd < old && atomicExch(&in_next[v], 1) == 0) next[atomicAdd(next_count, 1)] = v;
        }
    }
}

/* ---------------------------------------------------------------- PageRank */
__global__ void pagerank_push(const int *__restrict__ row, const int *__restrict__ adj,
                              const float *__restrict__ rank, float *next, int n, float damp)
{
    int u = GTID;
    if (u >= n) return;
    int beg = row[u], end = row[u + 1];
    if (beg == end) return;
    float share = damp * rank[u] / (float)(end - beg);
    for (int e = beg; e < end; e++) atomicAdd(&next[adj[e]], share);
}

__global__ void pagerank_pull(const int *__restrict__ row, const int *__restrict__ adj,
                              const float *__restrict__ contrib, float *__restrict__ next, int n, float base, float damp)
{
    int v = GTID;
    if (v >= n) return;
    float s = 0.f;
    for (int e = row[v]; e < row[v + 1]; e++) s += contrib[adj[e]];
    next[v] = base + damp * s;
}

__global__ void pagerank_pull_warp(const int *__restrict__ row, const int *__restrict__ adj,
                                   const float *__restrict__ contrib, float *__restrict__ next, int n, float base, float damp)
{
    int v = GWARP;
    if (v >= n) return;
    float s = 0.f;
    for (int e = row[v] + LANE; e < row[v + 1]; e += 32) s += __ldg(&contrib[adj[e]]);
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(FULL_MASK, s, o);
    if (LANE == 0) next[v] = base + damp * s;
}

/* ---------------------------------------------------------------- degrees, triangles */
__global__ void degree_count(const int2 *__restrict__ edges, int m, int *deg)
{
    int e = GTID;
    if (e >= m) return;
    int2 uv = edges[e];
    atomicAdd(&deg[uv.x], 1);
    atomicAdd(&deg[uv.y], 1);
}

__global__ void triangles_edge_merge(const int *__restrict__ orow, const int *__restrict__ oadj,
                                     const int *__restrict__ osrc, int m, unsigned long long *total)
{
    int e = GTID;
    int cnt = 0;
    if (e < m) {
        int u = osrc[e], v = oadj[e];
        int i = orow[u], iu = orow[u + 1];
        int j = orow[v], jv = orow[v + 1];
        while (i < iu && j < jv) {
            int a = oadj[i], b = oadj[j];
            if (a == b) { cnt++; i++; j++; }
            else if (a < b) i++;
            else j++;
        }
    }
    for (int o = 16; o; o >>= 1) cnt += __shfl_down_sync(FULL_MASK, cnt, o);
    if (LANE == 0 && cnt) atomicAdd(total, (unsigned long long)cnt);
}

__global__ void triangles_warp_search(const int *__restrict__ orow, const int *__restrict__ oadj,
                                      int n, unsigned long long *total)
{
    int u = GWARP;
    if (u >= n) return;
    int beg = orow[u], end = orow[u + 1];
    int cnt = 0;
    for (int e = beg; e < end; e++) {
        int v = oadj[e];
        for (int k = orow[v] + LANE; k < orow[v + 1]; k += 32) {
            int key = oadj[k];
            int lo = beg, hi = end;
            while (lo < hi) {
                int mid = (lo + hi) >> 1;
                if (oadj[mid] < key) lo = mid + 1; else hi = mid;
            }
            if (lo < end && oadj[lo] == key) cnt++;
        }
    }
    for (int o = 16; o; o >>= 1) cnt += __shfl_down_sync(FULL_MASK, cnt, o);
    if (LANE == 0 && cnt) atomicAdd(total, (unsigned long long)cnt);
}

/* ---------------------------------------------------------------- connected components */
__global__ void cc_hook(const int2 *__restrict__ edges, int m, int *comp)
{
    int e = GTID;
    if (e >= m) return;
    int2 uv = edges[e];
    int cu = comp[uv.x], cv = comp[uv.y];
    if (cu != cv) {
        int hi = max(cu, cv), lo = min(cu, cv);
        atomicMin(&comp[hi], lo);
    }
}

__global__ void cc_compress(int *comp, int n)
{
    int v = GTID;
    if (v >= n) return;
    int p = comp[v];
    int g = comp[p];
    while (p != g) { p = g; g = comp[p]; }
    comp[v] = p;
}

__device__ __forceinline__ int uf_find(volatile int *parent, int x)
{
    int p = parent[x];
    while (p != x) {
        int g = parent[p];
        if (g != p) parent[x] = g;     /* halving: g is an ancestor, always smaller */
        x = p;
        p = g;
    }
    return x;
}

__global__ void cc_unionfind(const int2 *__restrict__ edges, int m, int *parent)
{
    int e = GTID;
    if (e >= m) return;
    int2 uv = edges[e];
    int a = uf_find(parent, uv.x), b = uf_find(parent, uv.y);
    while (a != b) {
        if (a < b) { int t = a; a = b; b = t; }
        int old = atomicCAS(&parent[a], a, b);
        if (old == a) break;
        a = uf_find(parent, old);
        b = uf_find(parent, b);
    }
}

/* ---------------------------------------------------------------- labels, MIS */
__global__ void label_mode(const int *__restrict__ row, const int *__restrict__ adj,
                           const int *__restrict__ label, int *__restrict__ out, int n)
{
    __shared__ int hist[TPB / 32][NLABEL];
    int wl = threadIdx.x >> 5;
    int v = GWARP;
    if (v >= n) return;
    for (int k = LANE; k < NLABEL; k += 32) hist[wl][k] = 0;
    __syncwarp();
    for (int e = row[v] + LANE; e < row[v + 1]; e += 32) atomicAdd(&hist[wl][label[adj[e]]], 1);
    __syncwarp();
    int best = -1;
    for (int k = LANE; k < NLABEL; k += 32) best = max(best, (hist[wl][k] << 8) | (NLABEL - 1 - k));
    best = __reduce_max_sync(FULL_MASK, best);
    if (LANE == 0) out[v] = (best >> 8) ? NLABEL - 1 - (best & 255) : label[v];
}

__global__ void label_min(const int *__restrict__ row, const int *__restrict__ adj,
                          const int *__restrict__ label, int *__restrict__ out, int n)
{
    int v = GTID;
    if (v >= n) return;
    int best = label[v];
    for (int e = row[v]; e < row[v + 1]; e++) best = min(best, label[adj[e]]);
    out[v] = best;
}

__device__ __host__ static inline unsigned prio(unsigned v)
{
    v ^= v >> 16; v *= 0x85ebca6bu; v ^= v >> 13; v *= 0xc2b2ae35u; v ^= v >> 16;
    return v;
}

__global__ void mis_select(const int *__restrict__ row, const int *__restrict__ adj, unsigned char *state, int n)
{
    int v = GTID;
    if (v >= n) return;
    unsigned pv = prio(v);
    int local_max = 1;
    for (int e = row[v]; e < row[v + 1]; e++) {
        unsigned pu = prio(adj[e]);
        if (pu > pv || (pu == pv && adj[e] > v)) { local_max = 0; break; }
    }
    state[v] = (unsigned char)local_max;
}

/* ---------------------------------------------------------------- host */
static unsigned long long rng_state = 88172645463325252ull;
static unsigned rnd(void)
{
    rng_state = rng_state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(rng_state >> 32);
}
static int cpu_find(int *p, int x) { while (p[x] != x) { p[x] = p[p[x]]; x = p[x]; } return x; }

int main(void)
{
    const int n = NUM_V;
    int fails = 0;

    /* edge list with a skewed second end point */
    std::vector<int2> edges;
    edges.reserve(NUM_E);
    while ((int)edges.size() < NUM_E) {
        int u = (int)(rnd() & (n - 1));
        float r = (float)(rnd() >> 8) / 16777216.0f;
        int v = (int)(r * sqrtf(r) * n) & (n - 1);
        v = (int)(((unsigned)v * 40503u) & (n - 1));
        if (u != v) edges.push_back(make_int2(u, v));
    }
    std::vector<int> deg(n, 0), row(n + 1, 0);
    for (auto &e : edges) { deg[e.x]++; deg[e.y]++; }
    for (int i = 0; i < n; i++) row[i + 1] = row[i] + deg[i];
    std::vector<int> tmp(row[n]), pos(row.begin(), row.end() - 1);
    for (auto &e : edges) { tmp[pos[e.x]++] = e.y; tmp[pos[e.y]++] = e.x; }
    /* sort and drop duplicates */
    std::vector<int> adj, nrow(n + 1, 0), src;
    adj.reserve(tmp.size());
    for (int i = 0; i < n; i++) {
        std::sort(tmp.begin() + row[i], tmp.begin() + row[i + 1]);
        int last = -1;
        for (int k = row[i]; k < row[i + 1]; k++)
            if (tmp[k] != last) { last = tmp[k]; adj.push_back(last); src.push_back(i); }
        nrow[i + 1] = (int)adj.size();
    }
    row = nrow;
    const int m = (int)adj.size();
    std::vector<int> wgt(m);
    for (int e = 0; e < m; e++) {
        unsigned a = std::min(src[e], adj[e]), b = std::max(src[e], adj[e]);
        wgt[e] = 1 + (int)(prio(a * 31u + b) % 16u);
    }
    int maxdeg = 0;
    for (int i = 0; i < n; i++) maxdeg = std::max(maxdeg, row[i + 1] - row[i]);
    printf("n %d, directed edges %d, max degree %d\n", n, m, maxdeg);

    /* orient by (degree, id) for the triangle kernels */
    std::vector<int> orow(n + 1, 0), oadj, osrc;
    for (int u = 0; u < n; u++) {
        int du = row[u + 1] - row[u];
        for (int e = row[u]; e < row[u + 1]; e++) {
            int v = adj[e], dv = row[v + 1] - row[v];
            if (du < dv || (du == dv && u < v)) { oadj.push_back(v); osrc.push_back(u); }
        }
        orow[u + 1] = (int)oadj.size();
    }
    const int om = (int)oadj.size();

    /* BFS on the host up to level 2, and the count of level 3 as a reference */
    const int source = 12345;
    std::vector<int> bfs(n, -1), frontier(1, source), nextf;
    bfs[source] = 0;
    for (int lev = 1; lev <= 4 && frontier.size() < 3000; lev++) {
        nextf.clear();
        for (int u : frontier)
            for (int e = row[u]; e < row[u + 1]; e++)
                if (bfs[adj[e]] < 0) { bfs[adj[e]] = lev; nextf.push_back(adj[e]); }
        frontier.swap(nextf);
    }
    const int nf = (int)frontier.size();
    const int level = nf ? bfs[frontier[0]] + 1 : 1;
    int ref_next = 0;
    std::vector<unsigned char> seen(n, 0);
    for (int u : frontier)
        for (int e = row[u]; e < row[u + 1]; e++)
            if (bfs[adj[e]] < 0 && !seen[adj[e]]) { seen[adj[e]] = 1; ref_next++; }
    std::vector<unsigned> fbits(n / 32, 0);
    for (int u : frontier) fbits[u >> 5] |= 1u << (u & 31);
    printf("frontier %d vertices, next level %d has %d\n", nf, level, ref_next);

    /* two Bellman-Ford rounds on the host, third round as a reference */
    std::vector<int> sd(n, INF), sd3;
    sd[source] = 0;
    for (int it = 0; it < 3; it++) {
        std::vector<int> o(sd);
        for (int e = 0; e < m; e++)
            if (sd[src[e]] < INF) o[adj[e]] = std::min(o[adj[e]], sd[src[e]] + wgt[e]);
        if (it == 2) sd3 = o; else sd = o;
    }
    std::vector<int> work;
    for (int i = 0; i < n; i++) if (sd[i] < INF) work.push_back(i);

    int *d_row, *d_adj, *d_src, *d_wgt, *d_orow, *d_oadj, *d_osrc, *d_front, *d_dist, *d_dist2, *d_next, *d_count, *d_flag, *d_work;
    unsigned *d_fbits, *d_nbits;
    int2 *d_edges;
    TO_DEV(d_row, row.data(), n + 1, int);
    TO_DEV(d_adj, adj.data(), m, int);
    TO_DEV(d_src, src.data(), m, int);
    TO_DEV(d_wgt, wgt.data(), m, int);
    TO_DEV(d_orow, orow.data(), n + 1, int);
    TO_DEV(d_oadj, oadj.data(), om, int);
    TO_DEV(d_osrc, osrc.data(), om, int);
    TO_DEV(d_front, frontier.data(), nf, int);
    TO_DEV(d_fbits, fbits.data(), n / 32, unsigned);
    TO_DEV(d_edges, edges.data(), NUM_E, int2);
    TO_DEV(d_work, work.data(), work.size(), int);
    ALLOC(d_nbits, n / 32, unsigned);
    ALLOC(d_dist, n, int);
    ALLOC(d_dist2, n, int);
    ALLOC(d_next, n, int);
    ALLOC(d_flag, n, int);
    ALLOC(d_count, 1, int);

    const int gv = DIVUP(n, TPB);
    int count = 0;
#define CHECK_COUNT(name, want) do { GET(&count, d_count, 1, int); \
        printf("%-22s %d (%d)\n", name, count, (int)(want)); if (count != (int)(want)) fails++; } while (0)

    PUT(d_dist, bfs.data(), n, int);
    CK(cudaMemset(d_count, 0, sizeof(int)));
    bfs_topdown_thread<<<DIVUP(nf, TPB), TPB>>>(d_row, d_adj, d_front, nf, d_dist, level, d_next, d_count);
    CHECK_COUNT("bfs top-down thread", ref_next);

    PUT(d_dist, bfs.data(), n, int);
    CK(cudaMemset(d_count, 0, sizeof(int)));
    bfs_topdown_warp<<<DIVUP(nf * 32, TPB), TPB>>>(d_row, d_adj, d_front, nf, d_dist, level, d_next, d_count);
    CHECK_COUNT("bfs top-down warp", ref_next);

    PUT(d_dist, bfs.data(), n, int);
    CK(cudaMemset(d_count, 0, sizeof(int)));
    bfs_bottomup<<<n / TPB, TPB>>>(d_row, d_adj, d_fbits, d_dist, level, d_nbits, d_count);
    CHECK_COUNT("bfs bottom-up", ref_next);

    std::vector<int> hv(n);
    PUT(d_dist, sd.data(), n, int);
    CK(cudaMemset(d_count, 0, sizeof(int)));
    sssp_relax_vertex<<<gv, TPB>>>(d_row, d_adj, d_wgt, d_dist, n, d_count);
    GET(hv.data(), d_dist, n, int);
    int bad = 0;
    for (int i = 0; i < n; i++) bad += hv[i] > sd3[i];
    printf("%-22s bad %d\n", "sssp vertex", bad);
    fails += bad != 0;

    PUT(d_dist, sd.data(), n, int);
    PUT(d_dist2, sd.data(), n, int);
    sssp_relax_edge<<<132 * 8, TPB>>>(d_src, d_adj, d_wgt, m, d_dist, d_dist2);
    GET(hv.data(), d_dist2, n, int);
    bad = 0;
    for (int i = 0; i < n; i++) bad += hv[i] != sd3[i];
    printf("%-22s bad %d\n", "sssp edge", bad);
    fails += bad != 0;

    CK(cudaMemset(d_flag, 0, n * sizeof(int)));
    CK(cudaMemset(d_count, 0, sizeof(int)));
    sssp_relax_worklist<<<DIVUP((int)work.size() * 32, TPB), TPB>>>(d_row, d_adj, d_wgt, d_work, (int)work.size(), d_dist, d_flag, d_next, d_count);
    GET(hv.data(), d_dist, n, int);
    bad = 0;
    for (int i = 0; i < n; i++) bad += hv[i] > sd3[i];
    GET(&count, d_count, 1, int);
    printf("%-22s bad %d, next %d\n", "sssp worklist", bad, count);
    fails += bad != 0;

    /* pagerank */
    const float damp = 0.85f, base = 0.15f / n;
    std::vector<float> rank(n), contrib(n), init(n, base), hf(n);
    for (int i = 0; i < n; i++) {
        rank[i] = (1.0f + 0.5f * sinf(0.01f * i)) / n;
        int d = row[i + 1] - row[i];
        contrib[i] = d ? rank[i] / d : 0.f;
    }
    std::vector<double> pr(n);
    for (int v = 0; v < n; v++) {
        double s = 0;
        for (int e = row[v]; e < row[v + 1]; e++) s += contrib[adj[e]];
        pr[v] = base + damp * s;
    }
    float *d_rank, *d_contrib, *d_pr;
    TO_DEV(d_rank, rank.data(), n, float);
    TO_DEV(d_contrib, contrib.data(), n, float);
    TO_DEV(d_pr, init.data(), n, float);
#define CHECK_PR(name) do { GET(hf.data(), d_pr, n, float); double w_ = 0; \
        for (int i = 0; i < n; i++) w_ = std::max(w_, fabs(hf[i] - pr[i]) / pr[i]); \
        printf("%-22s rel err %.2e\n", name, w_); if (w_ > 1e-4) fails++; } while (0)
    pagerank_push<<<gv, TPB>>>(d_row, d_adj, d_rank, d_pr, n, damp);
    CHECK_PR("pagerank push");
    pagerank_pull<<<gv, TPB>>>(d_row, d_adj, d_contrib, d_pr, n, base, damp);
    CHECK_PR("pagerank pull");
    pagerank_pull_warp<<<DIVUP(n * 32, TPB), TPB>>>(d_row, d_adj, d_contrib, d_pr, n, base, damp);
    CHECK_PR("pagerank pull warp");

    CK(cudaMemset(d_flag, 0, n * sizeof(int)));
    degree_count<<<DIVUP(NUM_E, TPB), TPB>>>(d_edges, NUM_E, d_flag);
    GET(hv.data(), d_flag, n, int);
    bad = 0;
    for (int i = 0; i < n; i++) bad += hv[i] != deg[i];
    printf("%-22s bad %d\n", "degree count", bad);
    fails += bad != 0;

    /* triangles */
    unsigned long long *d_total, t1 = 0, t2 = 0, tref = 0;
    ALLOC(d_total, 2, unsigned long long);
    CK(cudaMemset(d_total, 0, 2 * sizeof(unsigned long long)));
    triangles_edge_merge<<<DIVUP(om, TPB), TPB>>>(d_orow, d_oadj, d_osrc, om, d_total);
    triangles_warp_search<<<DIVUP(n * 32, TPB), TPB>>>(d_orow, d_oadj, n, d_total + 1);
    GET(&t1, d_total, 1, unsigned long long);
    GET(&t2, d_total + 1, 1, unsigned long long);
    for (int e = 0; e < om; e++) {
        int i = orow[osrc[e]], iu = orow[osrc[e] + 1], j = orow[oadj[e]], jv = orow[oadj[e] + 1];
        while (i < iu && j < jv) {
            if (oadj[i] == oadj[j]) { tref++; i++; j++; }
            else if (oadj[i] < oadj[j]) i++; else j++;
        }
    }
    printf("%-22s %llu %llu (%llu)\n", "triangles", t1, t2, tref);
    fails += (t1 != tref) + (t2 != tref);

    /* components */
    std::vector<int> ident(n), cpu(n);
    for (int i = 0; i < n; i++) ident[i] = cpu[i] = i;
    for (auto &e : edges) {
        int a = cpu_find(cpu.data(), e.x), b = cpu_find(cpu.data(), e.y);
        if (a != b) cpu[std::max(a, b)] = std::min(a, b);
    }
    int ncomp = 0, roots = 0;
    for (int i = 0; i < n; i++) ncomp += cpu[i] == i;
    PUT(d_dist, ident.data(), n, int);
    cc_hook<<<DIVUP(NUM_E, TPB), TPB>>>(d_edges, NUM_E, d_dist);
    cc_compress<<<gv, TPB>>>(d_dist, n);
    GET(hv.data(), d_dist, n, int);
    bad = 0;
    for (int i = 0; i < n; i++) bad += cpu_find(cpu.data(), hv[i]) != cpu_find(cpu.data(), i);
    printf("%-22s bad %d\n", "cc hook + compress", bad);
    fails += bad != 0;
    PUT(d_dist, ident.data(), n, int);
    cc_unionfind<<<DIVUP(NUM_E, TPB), TPB>>>(d_edges, NUM_E, d_dist);
    GET(hv.data(), d_dist, n, int);
    for (int i = 0; i < n; i++) roots += hv[i] == i;
    printf("%-22s %d (%d)\n", "cc union-find roots", roots, ncomp);
    fails += roots != ncomp;

    /* labels */
    for (int i = 0; i < n; i++) ident[i] = (int)(prio(i) % NLABEL);
    PUT(d_dist, ident.data(), n, int);
    label_mode<<<DIVUP(n * 32, TPB), TPB>>>(d_row, d_adj, d_dist, d_dist2, n);
    GET(hv.data(), d_dist2, n, int);
    bad = 0;
    for (int v = 0; v < n; v += 3) {
        int h[NLABEL] = {0}, best = 0;
        for (int e = row[v]; e < row[v + 1]; e++) h[ident[adj[e]]]++;
        for (int k = 1; k < NLABEL; k++) if (h[k] > h[best]) best = k;
        if (h[best] == 0) best = ident[v];
        bad += best != hv[v];
    }
    printf("%-22s bad %d\n", "label mode", bad);
    fails += bad != 0;
    label_min<<<gv, TPB>>>(d_row, d_adj, d_dist, d_dist2, n);
    GET(hv.data(), d_dist2, n, int);
    bad = 0;
    for (int v = 0; v < n; v += 3) {
        int best = ident[v];
        for (int e = row[v]; e < row[v + 1]; e++) best = std::min(best, ident[adj[e]]);
        bad += best != hv[v];
    }
    printf("%-22s bad %d\n", "label min", bad);
    fails += bad != 0;

    unsigned char *d_state;
    ALLOC(d_state, n, unsigned char);
    mis_select<<<gv, TPB>>>(d_row, d_adj, d_state, n);
    std::vector<unsigned char> st(n);
    GET(st.data(), d_state, n, unsigned char);
    bad = 0;
    for (int e = 0; e < m; e++) bad += st[src[e]] && st[adj[e]];
    printf("%-22s conflicts %d\n", "mis select", bad);
    fails += bad != 0;

    CK(cudaDeviceSynchronize());
    cudaFree(d_row); cudaFree(d_adj); cudaFree(d_src); cudaFree(d_wgt); cudaFree(d_orow); cudaFree(d_oadj);
    cudaFree(d_osrc); cudaFree(d_front); cudaFree(d_fbits); cudaFree(d_nbits); cudaFree(d_edges); cudaFree(d_work);
    cudaFree(d_dist); cudaFree(d_dist2); cudaFree(d_next); cudaFree(d_flag); cudaFree(d_count); cudaFree(d_rank);
    cudaFree(d_contrib); cudaFree(d_pr); cudaFree(d_total); cudaFree(d_state);
    printf("%s\n", fails ? "FAIL" : "PASS");
    return 0;
}
