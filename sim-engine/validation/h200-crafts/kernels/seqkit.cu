// seqkit-gpu: small DNA toolbox (packing, k-mers, seeding, alignment)
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

static void die(const char *msg, cudaError_t e) { fprintf(stderr, "seqkit: %s: %s\n", msg, cudaGetErrorString(e)); exit(1); }
#define CK(x) { cudaError_t _e = x; if (_e) die(#x, _e); }
#define LAUNCH_OK() CK(cudaGetLastError())

__host__ __device__ static inline int code(char c) { return (c >> 1) & 3; } // A0 C1 T2 G3

/* ---- 2 bit packing: 16 bases -> one word ---- */
__global__ void pack_simple(const char *s, uint32_t *w, int nwords)
{
	int k = blockIdx.x * blockDim.x + threadIdx.x;
	if (k >= nwords) return;
	uint32_t v = 0;
	for (int j = 0; j < 16; j++) v |= (uint32_t)code(s[k * 16 + j]) << (2 * j);
	w[k] = v;
}

__device__ __forceinline__ uint32_t squeeze(uint32_t x)   // four chars -> 8 bits
{
	x = (x >> 1) & 0x03030303u;
	x |= x >> 6;
	return (x & 0xf) | ((x >> 12) & 0xf0);
}
__global__ void pack_vec(const uint4 *s, uint32_t *w, int nwords)
{
	int k = blockIdx.x * blockDim.x + threadIdx.x;
	if (k >= nwords) return;
	uint4 q = s[k];
	w[k] = squeeze(q.x) | squeeze(q.y) << 8 | squeeze(q.z) << 16 | squeeze(q.w) << 24;
}

/* ---- reverse complement on the packed form (T=2,A=0: xor with 2) ---- */
__global__ void revcomp(const uint32_t *w, uint32_t *o, int nwords)
{
	int k = blockIdx.x * blockDim.x + threadIdx.x;
	if (k >= nwords) return;
	uint32_t v = __brev(w[k] ^ 0xaaaaaaaau);
	v = ((v >> 1) & 0x55555555u) | ((v & 0x55555555u) << 1);
	o[nwords - 1 - k] = v;
}

/* ---- GC content in sliding windows ---- */
__global__ void gc_window(const char *s, float *gc, int n, int win)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i > n - win) return;
	int c = 0;
	for (int j = 0; j < win; j++) c += code(s[i + j]) & 1;
	gc[i] = (float)c / win;
}

/* ---- k-mer spectrum, k = 6 -> 4096 counters ---- */
__device__ __forceinline__ uint32_t kmer_at(const uint32_t *w, int i)
{
	int k = i >> 4;
	return __funnelshift_r(w[k], w[k + 1], 2 * (i & 15)) & 0xfff;
}
__global__ void kmer_global(const uint32_t *w, int n, uint32_t *cnt)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i + 6 <= n) atomicAdd(&cnt[kmer_at(w, i)], 1u);
}
__global__ void kmer_shared(const uint32_t *w, int n, uint32_t *cnt)
{
	__shared__ uint32_t h[4096];
	for (int i = threadIdx.x; i < 4096; i += blockDim.x) h[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i + 6 <= n; i += gridDim.x * blockDim.x)
		atomicAdd(&h[kmer_at(w, i)], 1u);
	__syncthreads();
	for (int i = threadIdx.x; i < 4096; i += blockDim.x)
		if (h[i]) atomicAdd(&cnt[i], h[i]);
}

/* ---- best hamming placement of a 32-base probe, block per probe ---- */
__global__ void hamming_best(const uint32_t *ref, int n, const uint64_t *probe, unsigned *best)
{
	uint64_t p = probe[blockIdx.x];
	unsigned b = ~0u;
	for (int i = threadIdx.x; i + 32 <= n; i += blockDim.x) {
		int k = i >> 4, s = 2 * (i & 15);
		uint32_t lo = __funnelshift_r(ref[k], ref[k + 1], s);
		uint32_t hi = __funnelshift_r(ref[k + 1], ref[k + 2], s);
		uint64_t x = p ^ ((uint64_t)hi << 32 | lo);
		x = (x | x >> 1) & 0x5555555555555555ull;
		b = min(b, (unsigned)__popcll(x) << 24 | (unsigned)i);
	}
	b = __reduce_min_sync(~0u, b);
	__shared__ unsigned sb[32];
	if ((threadIdx.x & 31) == 0) sb[threadIdx.x >> 5] = b;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (unsigned k = 1; k < blockDim.x / 32; k++) b = min(b, sb[k]);
		best[blockIdx.x] = b;
	}
}

/* ---- Smith-Waterman score, match 2 mismatch -1 gap -1 ---- */
#define QL 64
// (a) a thread per pair, row of H in local memory
__global__ void sw_thread(const char *q, const char *t, int pairs, int *score)
{
	int p = blockIdx.x * blockDim.x + threadIdx.x;
	if (p >= pairs) return;
	short H[QL + 1];
	for (int j = 0; j <= QL; j++) H[j] = 0;
	int best = 0;
	for (int i = 0; i < QL; i++) {
		int c = t[p * QL + i], diag = 0, left = 0;
		for (int j = 1; j <= QL; j++) {
			int up = H[j];
			int h = max(0, max(diag + (c == q[p * QL + j - 1] ? 2 : -1), max(up, left) - 1));
			diag = up; left = h; H[j] = (short)h;
			best = max(best, h);
		}
	}
	score[p] = best;
}
// (b) a block of 64 per pair, anti-diagonals in shared memory
__global__ void sw_block(const char *q, const char *t, int *score)
{
	__shared__ int d[3][QL + 1];
	__shared__ char ts[QL];
	__shared__ int best;
	int j = threadIdx.x, p = blockIdx.x;
	char qc = q[p * QL + j];
	ts[j] = t[p * QL + j];
	for (int k = 0; k < 3; k++) { d[k][j + 1] = 0; if (j == 0) d[k][0] = 0; }
	if (j == 0) best = 0;
	__syncthreads();
	int mx = 0;
	for (int s = 0; s < 2 * QL - 1; s++) {
		int i = s - j, cur = s % 3, p1 = (s + 2) % 3, p2 = (s + 1) % 3;
		int h = 0;
		if (i >= 0 && i < QL) {
			int dg = i > 0 ? d[p2][j] : 0, up = i > 0 ? d[p1][j + 1] : 0, lf = d[p1][j];
			h = max(0, max(dg + (qc == ts[i] ? 2 : -1), max(up, lf) - 1));
		}
		d[cur][j + 1] = h;
		mx = max(mx, h);
		__syncthreads();
	}
	atomicMax(&best, mx);
	__syncthreads();
	if (j == 0) score[p] = best;
}
// (c) a warp per pair, two columns per lane, neighbours by shuffle
__global__ void sw_warp(const char *q, const char *t, int pairs, int *score)
{
	int p = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
	if (p >= pairs) return;
	char q0 = q[p * QL + 2 * lane], q1 = q[p * QL + 2 * lane + 1];
	char t0 = t[p * QL + lane], t1 = t[p * QL + 32 + lane];
	int h0 = 0, h1 = 0, dprev = 0, mx = 0;
	for (int s = 0; s < QL + 31; s++) {
		int i = s - lane;
		int left = __shfl_up_sync(~0u, h1, 1);         // H[i][2*lane-1]
		int src = i & 31;
		char ca = __shfl_sync(~0u, t0, src), cb = __shfl_sync(~0u, t1, src);
		char c = (i & 32) ? cb : ca;
		if (lane == 0) left = 0;
		if (i >= 0 && i < QL) {
			int up0 = h0, up1 = h1;
			h0 = max(0, max(dprev + (c == q0 ? 2 : -1), max(up0, left) - 1));
			h1 = max(0, max(up0 + (c == q1 ? 2 : -1), max(up1, h0) - 1));
			dprev = left;
			mx = max(mx, max(h0, h1));
		}
	}
	mx = __reduce_max_sync(~0u, mx);
	if (lane == 0) score[p] = mx;
}

/* ---- Myers bit-parallel edit distance, 64 long pattern ---- */
__global__ void myers(const char *q, const char *t, int pairs, int *dist)
{
	int p = blockIdx.x * blockDim.x + threadIdx.x;
	if (p >= pairs) return;
	uint64_t peq[4] = {0, 0, 0, 0};
	for (int j = 0; j < QL; j++) {
		int c = code(q[p * QL + j]);
#pragma unroll
		for (int a = 0; a < 4; a++) peq[a] |= (uint64_t)(c == a) << j;
	}
	uint64_t pv = ~0ull, mv = 0;
	int d = QL;
	for (int i = 0; i < QL; i++) {
		int c = code(t[p * QL + i]);
		uint64_t eq = c == 0 ? peq[0] : c == 1 ? peq[1] : c == 2 ? peq[2] : peq[3];
		uint64_t xv = eq | mv, xh = (((eq & pv) + pv) ^ pv) | eq;
		uint64_t ph = mv | ~(xh | pv), mh = pv & xh;
		d += (int)(ph >> 63) - (int)(mh >> 63);
		ph = ph << 1 | 1; mh <<= 1;
		pv = mh | ~(xv | ph); mv = ph & xv;
	}
	dist[p] = d;
}

static int sw_ref(const char *q, const char *t)
{
	int H[QL + 1][QL + 1] = {}, b = 0;
	for (int i = 1; i <= QL; i++) for (int j = 1; j <= QL; j++)
		b = std::max(b, H[i][j] = std::max({0, H[i-1][j-1] + (t[i-1] == q[j-1] ? 2 : -1), H[i-1][j] - 1, H[i][j-1] - 1}));
	return b;
}
static int ed_ref(const char *q, const char *t)
{
	int D[QL + 1][QL + 1];
	for (int i = 0; i <= QL; i++) D[i][0] = D[0][i] = i;
	for (int i = 1; i <= QL; i++) for (int j = 1; j <= QL; j++)
		D[i][j] = std::min({D[i-1][j-1] + (t[i-1] != q[j-1]), D[i-1][j] + 1, D[i][j-1] + 1});
	return D[QL][QL];
}

int main()
{
	const int NW = 250000, N = NW * 16, PAIRS = 20000, PROBES = 500, PREF = 100000;
	std::mt19937 rng(7);
	std::string g(N, 'A'), q(PAIRS * QL, 'A'), t;
	for (auto &c : g) c = "ACTG"[rng() >> 30];
	for (auto &c : q) c = "ACTG"[rng() >> 30];
	t = q;
	for (auto &c : t) if (rng() % 6 == 0) c = "ACTG"[rng() >> 30];
	char *dg, *dq, *dt; uint32_t *dw, *dw2, *dc; float *dgc; int *ds; uint64_t *dp; unsigned *db;
	CK(cudaMalloc(&dg, N)); CK(cudaMalloc(&dq, q.size())); CK(cudaMalloc(&dt, t.size()));
	CK(cudaMalloc(&dw, 4 * (NW + 2))); CK(cudaMalloc(&dw2, 4 * (NW + 2))); CK(cudaMalloc(&dc, 4096 * 4));
	CK(cudaMalloc(&dgc, 4ull * N)); CK(cudaMalloc(&ds, 4 * PAIRS)); CK(cudaMalloc(&dp, 8 * PROBES)); CK(cudaMalloc(&db, 4 * PROBES));
	CK(cudaMemset(dw, 0, 4 * (NW + 2)));
	CK(cudaMemcpy(dg, g.data(), N, cudaMemcpyHostToDevice));
	CK(cudaMemcpy(dq, q.data(), q.size(), cudaMemcpyHostToDevice));
	CK(cudaMemcpy(dt, t.data(), t.size(), cudaMemcpyHostToDevice));
	int bad = 0;
	auto say = [&](const char *n, bool ok) { printf("%-14s %s\n", n, ok ? "ok" : "BAD"); bad += !ok; };

	std::vector<uint32_t> w1(NW), w2(NW), cref(4096, 0), c1(4096);
	pack_simple<<<(NW + 255) / 256, 256>>>(dg, dw, NW); LAUNCH_OK();
	CK(cudaMemcpy(w1.data(), dw, 4 * NW, cudaMemcpyDeviceToHost));
	pack_vec<<<(NW + 127) / 128, 128>>>((const uint4 *)dg, dw, NW); LAUNCH_OK();
	CK(cudaMemcpy(w2.data(), dw, 4 * NW, cudaMemcpyDeviceToHost));
	bool ok = w1 == w2;
	for (int i = 0; i < N; i += 101) ok &= (int)((w1[i / 16] >> (2 * (i % 16))) & 3) == code(g[i]);
	say("pack", ok);

	revcomp<<<(NW + 255) / 256, 256>>>(dw, dw2, NW); LAUNCH_OK();
	CK(cudaMemcpy(w2.data(), dw2, 4 * NW, cudaMemcpyDeviceToHost));
	ok = true;
	for (int i = 0; i < N; i += 97) ok &= (int)((w2[i / 16] >> (2 * (i % 16))) & 3) == (code(g[N - 1 - i]) ^ 2);
	say("revcomp", ok);

	std::vector<float> gc(N);
	gc_window<<<(N + 255) / 256, 256>>>(dg, dgc, N, 50); LAUNCH_OK();
	CK(cudaMemcpy(gc.data(), dgc, 4ull * N, cudaMemcpyDeviceToHost));
	ok = true;
	for (int i = 0; i + 50 <= N; i += 4999) { int c = 0; for (int j = 0; j < 50; j++) c += g[i + j] == 'G' || g[i + j] == 'C'; ok &= gc[i] == c / 50.f; }
	say("gc", ok);

	uint32_t km = 0;
	for (int i = 0; i < N; i++) { km = (km >> 2) | (uint32_t)code(g[i]) << 10; if (i >= 5) cref[km]++; }
	for (int v = 0; v < 2; v++) {
		CK(cudaMemset(dc, 0, 4096 * 4));
		if (v == 0) kmer_global<<<(N + 511) / 512, 512>>>(dw, N, dc);
		else kmer_shared<<<396, 256>>>(dw, N, dc);
		LAUNCH_OK();
		CK(cudaMemcpy(c1.data(), dc, 4096 * 4, cudaMemcpyDeviceToHost));
		say(v ? "kmer shared" : "kmer global", c1 == cref);
	}

	std::vector<uint64_t> probes(PROBES); std::vector<unsigned> best(PROBES);
	for (int k = 0; k < PROBES; k++) { int at = rng() % (PREF - 32); for (int j = 0; j < 32; j++) probes[k] |= (uint64_t)code(g[at + j]) << (2 * j); probes[k] ^= 1ull << (rng() % 64); }
	CK(cudaMemcpy(dp, probes.data(), 8 * PROBES, cudaMemcpyHostToDevice));
	hamming_best<<<PROBES, 256>>>(dw, PREF, dp, db); LAUNCH_OK();
	CK(cudaMemcpy(best.data(), db, 4 * PROBES, cudaMemcpyDeviceToHost));
	ok = true;
	for (unsigned b : best) ok &= (b >> 24) <= 1;
	say("hamming", ok);

	std::vector<int> s(PAIRS);
	for (int v = 0; v < 3; v++) {
		CK(cudaMemset(ds, 0, 4 * PAIRS));
		if (v == 0) sw_thread<<<(PAIRS + 63) / 64, 64>>>(dq, dt, PAIRS, ds);
		if (v == 1) sw_block<<<PAIRS, QL>>>(dq, dt, ds);
		if (v == 2) sw_warp<<<(PAIRS * 32 + 127) / 128, 128>>>(dq, dt, PAIRS, ds);
		LAUNCH_OK();
		CK(cudaMemcpy(s.data(), ds, 4 * PAIRS, cudaMemcpyDeviceToHost));
		ok = true;
		for (int p = 0; p < PAIRS; p += 67) ok &= s[p] == sw_ref(&q[p * QL], &t[p * QL]);
		say(v == 0 ? "sw thread" : v == 1 ? "sw block" : "sw warp", ok);
	}
	myers<<<(PAIRS + 127) / 128, 128>>>(dq, dt, PAIRS, ds); LAUNCH_OK();
	CK(cudaMemcpy(s.data(), ds, 4 * PAIRS, cudaMemcpyDeviceToHost));
	ok = true;
	for (int p = 0; p < PAIRS; p += 67) ok &= s[p] == ed_ref(&q[p * QL], &t[p * QL]);
	say("myers", ok);
	puts(bad ? "FAIL" : "PASS");
	return bad;
}
