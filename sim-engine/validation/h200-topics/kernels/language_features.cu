// A tour of CUDA C++ features, each in a kernel that does a bit of real work:
// group tiles, warp votes and match, asynchronous copies in a pipeline, bit
// tricks, half2, AoS against SoA, functors and function pointers, dynamic
// shared memory carved into several types, streams and managed memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cuda/pipeline>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>
namespace cg = cooperative_groups;
static void cudaTry(cudaError_t e)
{
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}
// Managed arrays with value semantics of a unique_ptr
struct ManagedDeleter { template <typename T> void operator()(T *p) const { cudaFree(p); } };
template <typename T> using managed_ptr = std::unique_ptr<T[], ManagedDeleter>;
template <typename T> managed_ptr<T> makeManaged(size_t n)
{
    void *p = nullptr;
    cudaTry(cudaMallocManaged(&p, n * sizeof(T)));
    return managed_ptr<T>(static_cast<T *>(p));
}
template <typename T> void toGpu(const managed_ptr<T> &p, size_t n)
{   // a hint only: unsupported systems may refuse it
    cudaMemLocation where{};
    where.type = cudaMemLocationTypeDevice;
    where.id = 0;
    if (cudaMemPrefetchAsync(p.get(), n * sizeof(T), where, 0, 0) != cudaSuccess) cudaGetLastError();
}
// 1. Tiles of WIDTH threads, each reducing one short row of 24 values
constexpr int ROW = 24;
template <int WIDTH>
__global__ void rowSums(const float *__restrict__ in, float *__restrict__ out, int rows)
{
    auto tile = cg::tiled_partition<WIDTH>(cg::this_thread_block());
    int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
    float v = 0.0f;
    if (row < rows)
        for (int k = tile.thread_rank(); k < ROW; k += WIDTH) v += in[(size_t)row * ROW + k];
    v = cg::reduce(tile, v, cg::plus<float>());
    if (tile.thread_rank() == 0 && row < rows) out[row] = v;
}
// 2. Compaction: the threads that found something form a coalesced group and
//    reserve room with one atomic
template <typename Pred>
__global__ void compact(const int *__restrict__ in, int n, int *__restrict__ out, int *count, Pred keep)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        if (keep(v)) {
            cg::coalesced_group g = cg::coalesced_threads();
            int base = 0;
            if (g.thread_rank() == 0) base = atomicAdd(count, (int)g.size());
            out[g.shfl(base, 0) + g.thread_rank()] = v;
        }
    }
}
struct DivisibleBy {
    int d;
    __host__ __device__ bool operator()(int v) const { return v % d == 0; }
};
// 3. Sum per key: equal keys in a warp are found by match and combined first
constexpr int KEYS = 1000;
__global__ void sumByKey(const uint16_t *__restrict__ key, const int *__restrict__ val, int n, int *__restrict__ sums)
{
    const int lane = threadIdx.x & 31, stride = gridDim.x * blockDim.x;
    const int rounds = (n + stride - 1) / stride;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; ++r, i += stride) {
        int k = i < n ? key[i] : -1, v = i < n ? val[i] : 0;
        unsigned peers = __match_any_sync(0xffffffffu, k);
        int total = __reduce_add_sync(peers, v);
        if (lane == __ffs(peers) - 1 && k >= 0) atomicAdd(&sums[k], total);
    }
}
// 4. Two-stage pipeline of asynchronous copies, each block walks its tiles
template <int THREADS, int TILE>
__global__ __launch_bounds__(THREADS) void pipelinedSquareSum(const float4 *__restrict__ in, int tiles, double *__restrict__ perBlock)
{
    __shared__ alignas(16) float4 buf[2][TILE];
    __shared__ double part[THREADS / 32];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline();                  // one per thread
    auto stageIn = [&](int t, int s) {
        pipe.producer_acquire();
        for (int k = threadIdx.x; k < TILE; k += THREADS)
            cuda::memcpy_async(&buf[s][k], &in[(size_t)t * TILE + k], cuda::aligned_size_t<16>(sizeof(float4)), pipe);
        pipe.producer_commit();
    };
    float acc = 0.0f;
    int t = blockIdx.x, s = 0;
    if (t < tiles) stageIn(t, 0);
    for (; t < tiles; t += gridDim.x, s ^= 1) {
        int next = t + gridDim.x;
        if (next < tiles) {
            stageIn(next, s ^ 1);
            cuda::pipeline_consumer_wait_prior<1>(pipe);
        } else {
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        }
        block.sync();
        for (int k = threadIdx.x; k < TILE; k += THREADS) {
            float4 q = buf[s][(k + 32) % TILE];          // somebody else's element
            acc += q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        }
        pipe.consumer_release();
        block.sync();
    }
    auto warp = cg::tiled_partition<32>(block);
    double w = cg::reduce(warp, (double)acc, cg::plus<double>());
    if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = w;
    block.sync();
    if (threadIdx.x == 0) {
        double sum = 0;
        for (int k = 0; k < THREADS / 32; ++k) sum += part[k];
        perBlock[blockIdx.x] = sum;
    }
}

// 5. Bits: Morton code of (x, y), its reversal, population and leading zeros
__host__ __device__ inline uint32_t spread(uint32_t v)
{
    v &= 0xffffu;
    v = (v | v << 8) & 0x00ff00ffu;
    v = (v | v << 4) & 0x0f0f0f0fu;
    v = (v | v << 2) & 0x33333333u;
    return (v | v << 1) & 0x55555555u;
}
__global__ void bitTricks(const uint32_t *__restrict__ xy, uint4 *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t m = spread(xy[i]) | spread(xy[i] >> 16) << 1;
    out[i] = make_uint4(m, __brev(m), __popc(m) | __clz(m) << 8 | __ffs(m) << 16, __byte_perm(m, 0, 0x0123));
}
// 6. half2: polynomial 1 + x(1/2 + x(1/4 + x/8)) with fused operations
__global__ void halfPoly(const __half2 *__restrict__ x, __half2 *__restrict__ y, int n2)
{
    const __half2 c0 = __float2half2_rn(1.0f), c1 = __float2half2_rn(0.5f), c2 = __float2half2_rn(0.25f), c3 = __float2half2_rn(0.125f);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n2; i += gridDim.x * blockDim.x) {
        __half2 v = x[i];
        y[i] = __hfma2(v, __hfma2(v, __hfma2(v, c3, c2), c1), c0);
    }
}
// 7. The same update on an array of structures and on a structure of arrays
struct Particle { float x, y, z, vx, vy, vz, mass; };
struct Particles { float *x, *y, *z, *vx, *vy, *vz, *mass; };
__global__ void moveAoS(Particle *p, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle q = p[i];
    q.vy -= 9.81f * dt;
    q.x += q.vx * dt; q.y += q.vy * dt; q.z += q.vz * dt;
    p[i] = q;
}
__global__ void moveSoA(Particles p, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float vy = p.vy[i] - 9.81f * dt;
    p.vy[i] = vy;
    p.x[i] += p.vx[i] * dt; p.y[i] += vy * dt; p.z[i] += p.vz[i] * dt;
}
// 8. Function pointers in a device table, chosen per warp-sized segment
typedef int (*BinaryOp)(int, int);
__host__ __device__ int opAdd(int a, int b) { return a + b; }
__host__ __device__ int opXor(int a, int b) { return a ^ b; }
__host__ __device__ int opMax(int a, int b) { return a > b ? a : b; }
__host__ __device__ int opMix(int a, int b) { return a * 31 + (b >> 1); }
__device__ BinaryOp deviceOps[4] = {opAdd, opXor, opMax, opMix};
static BinaryOp hostOps[4] = {opAdd, opXor, opMax, opMix};
__global__ void dispatch(const int *__restrict__ a, int *__restrict__ b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = deviceOps[i / 32 % 4](a[i], i);
}
// 9. One dynamic shared allocation for doubles, ints and bytes: mean, number
//    above the mean and a bitmap-like flag count per row
__global__ void rowStatistics(const int *__restrict__ in, int cols, double *mean, int *above, int *odd)
{
    extern __shared__ __align__(16) unsigned char raw[];
    double *sums = reinterpret_cast<double *>(raw);
    int *row = reinterpret_cast<int *>(sums + blockDim.x);
    unsigned char *flag = reinterpret_cast<unsigned char *>(row + cols);
    double s = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        int v = in[(size_t)blockIdx.x * cols + c];
        row[c] = v;
        flag[c] = v & 1;
        s += v;
    }
    sums[threadIdx.x] = s;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) sums[threadIdx.x] += sums[threadIdx.x + d];
        __syncthreads();
    }
    const double m = sums[0] / cols;
    int hi = 0, od = 0;
    for (int base = 0; base < cols; base += blockDim.x) {          // uniform trip count
        int c = base + threadIdx.x, mirror = cols - 1 - c;
        hi += __syncthreads_count(c < cols && row[c] > m);
        od += __syncthreads_count(c < cols && flag[mirror]);
    }
    if (threadIdx.x == 0) { mean[blockIdx.x] = m; above[blockIdx.x] = hi; odd[blockIdx.x] = od; }
}
static int errors = 0;
static void test(const char *name, bool good)
{
    printf("  %-24s%s\n", name, good ? "ok" : "WRONG");
    if (!good) ++errors;
}
static void done() { cudaTry(cudaGetLastError()); cudaTry(cudaDeviceSynchronize()); }
static void run()
{
    const int n = 2'400'000;                              // common size, divisible by ROW
    auto ints = makeManaged<int>(n), outI = makeManaged<int>(n);
    auto fl = makeManaged<float>(n), outF = makeManaged<float>(n); uint32_t s = 5;
    for (int i = 0; i < n; ++i) { s = s * 1664525u + 1013904223u; ints[i] = int(s >> 12); fl[i] = (s >> 20) / 4096.0f; outI[i] = 0; }
    toGpu(ints, n); toGpu(outI, n); toGpu(fl, n); toGpu(outF, n);
    {
        const int rows = n / ROW;
        rowSums<8><<<(rows + 31) / 32, 256>>>(fl.get(), outF.get(), rows);
        done(); bool good = true;
        for (int r = 0; r < rows; r += 7) {
            float sum = 0;
            for (int k = 0; k < ROW; ++k) sum += fl[r * ROW + k];
            good = good && std::fabs(sum - outF[r]) < 1e-4f;
        }
        test("tiles", good); toGpu(fl, n);
    }
    { // the counter lives in mapped host memory on the CPU side
        int *count, *mapped;
        cudaTry(cudaHostAlloc(&count, sizeof(int), cudaHostAllocMapped));
        cudaTry(cudaHostGetDevicePointer((void **)&mapped, count, 0)); auto devCount = makeManaged<int>(1);
        devCount[0] = 0;
        compact<<<528, 256>>>(ints.get(), n, outI.get(), devCount.get(), DivisibleBy{3});
        cudaTry(cudaGetLastError()); cudaTry(cudaMemcpy(mapped, devCount.get(), sizeof(int), cudaMemcpyDefault));
        done(); std::vector<int> ref, got(outI.get(), outI.get() + std::min(n, *count));
        std::copy_if(ints.get(), ints.get() + n, std::back_inserter(ref), DivisibleBy{3});
        long long a = 0, b = 0;
        for (int v : ref) a += (long long)v * v % 1000003;
        for (int v : got) b += (long long)v * v % 1000003;
        test("compaction", ref.size() == got.size() && a == b); cudaTry(cudaFreeHost(count));
    }
    {
        auto key = makeManaged<uint16_t>(n); auto sums = makeManaged<int>(KEYS); std::vector<int> ref(KEYS, 0);
        for (int i = 0; i < n; ++i) { key[i] = (i / 5) % 7 ? i / 9 % KEYS : 3; ref[key[i]] += ints[i] & 255; outI[i] = ints[i] & 255; }
        std::fill(sums.get(), sums.get() + KEYS, 0);
        toGpu(key, n); toGpu(outI, n);
        sumByKey<<<264, 512>>>(key.get(), outI.get(), n, sums.get());
        done(); test("match and reduce", std::equal(ref.begin(), ref.end(), sums.get()));
    }
    {
        constexpr int TILE = 512; const int tiles = n / 4 / TILE, blocks = 264;
        auto per = makeManaged<double>(blocks);
        pipelinedSquareSum<256, TILE><<<blocks, 256>>>(reinterpret_cast<const float4 *>(fl.get()), tiles, per.get());
        done(); double ref = 0, got = 0;
        for (int i = 0; i < tiles * TILE * 4; ++i) ref += (double)fl[i] * fl[i];
        for (int b = 0; b < blocks; ++b) got += per[b];
        test("async pipeline", std::fabs(ref - got) < 1e-5 * ref);
    }
    {
        const int m = 900'001; auto in = makeManaged<uint32_t>(m); auto out = makeManaged<uint4>(m);
        for (int i = 0; i < m; ++i) in[i] = i * 2654435761u;
        toGpu(in, m); toGpu(out, m);
        bitTricks<<<(m + 191) / 192, 192>>>(in.get(), out.get(), m);
        done(); bool good = true;
        for (int i = 0; i < m; i += 3) {
            uint32_t z = spread(in[i]) | spread(in[i] >> 16) << 1, rev = 0;
            for (int b = 0; b < 32; ++b) rev |= (z >> b & 1) << (31 - b);
            uint32_t mix = __builtin_popcount(z) | (z ? __builtin_clz(z) : 32) << 8 | __builtin_ffs(z) << 16;
            good = good && out[i].x == z && out[i].y == rev && out[i].z == mix && out[i].w == __builtin_bswap32(z);
        }
        test("bits", good);
    }
    { // half2 in two streams, each with its own copies from pinned memory
        const int half = 1'500'000;
        __half *host, *x, *y; cudaTry(cudaMallocHost(&host, 2 * half * sizeof(__half)));
        cudaTry(cudaMalloc(&x, 2 * half * sizeof(__half))); cudaTry(cudaMalloc(&y, 2 * half * sizeof(__half)));
        for (int i = 0; i < 2 * half; ++i) host[i] = __float2half(float(i % 2048) / 2048.0f);
        cudaStream_t st[2];
        for (auto &q : st) cudaTry(cudaStreamCreate(&q));
        for (int k = 0; k < 2; ++k) {
            const size_t off = (size_t)k * half, bytes = half * sizeof(__half);
            cudaTry(cudaMemcpyAsync(x + off, host + off, bytes, cudaMemcpyHostToDevice, st[k]));
            halfPoly<<<396, 256, 0, st[k]>>>((const __half2 *)(x + off), (__half2 *)(y + off), half / 2);
            cudaTry(cudaGetLastError());
            cudaTry(cudaMemcpyAsync(host + off, y + off, bytes, cudaMemcpyDeviceToHost, st[k]));
        }
        for (auto &q : st) { cudaTry(cudaStreamSynchronize(q)); cudaTry(cudaStreamDestroy(q)); }
        bool good = true;
        for (int i = 0; i < 2 * half; i += 11) {
            float v = float(i % 2048) / 2048.0f, r = 1 + v * (0.5f + v * (0.25f + v * 0.125f));
            good = good && std::fabs(__half2float(host[i]) - r) < 4e-3f;
        }
        test("half2, two streams", good); cudaFreeHost(host); cudaFree(x); cudaFree(y);
    }
    {
        const int m = 1'000'003; const float dt = 0.01f; auto aos = makeManaged<Particle>(m);
        auto soa = makeManaged<float>(7 * (size_t)m); float *b = soa.get();
        for (int i = 0; i < m; ++i) {
            aos[i] = Particle{i * 0.5f, 10.0f, 1.0f * (i % 9), 1.0f, 0.5f * (i % 3), -1.0f, 2.0f};
            const float *f = &aos[i].x; b[i] = f[0];
            const float rest[6] = {aos[i].y, aos[i].z, aos[i].vx, aos[i].vy, aos[i].vz, aos[i].mass};
            for (int k = 0; k < 6; ++k) b[(k + 1) * (size_t)m + i] = rest[k];
        }
        toGpu(aos, m); toGpu(soa, 7 * (size_t)m); size_t M = m;
        moveAoS<<<(m + 255) / 256, 256>>>(aos.get(), m, dt);
        moveSoA<<<(m + 255) / 256, 256>>>(Particles{b, b + M, b + 2 * M, b + 3 * M, b + 4 * M, b + 5 * M, b + 6 * M}, m, dt);
        done(); bool good = true;
        for (int i = 0; i < m; i += 5) {
            float y = 10.0f + (0.5f * (i % 3) - 9.81f * dt) * dt;
            good = good && std::fabs(aos[i].x - b[i]) < 0.1f && std::fabs(aos[i].y - y) < 1e-5f && std::fabs(aos[i].y - b[M + i]) < 1e-5f;
        }
        test("AoS and SoA", good);
    }
    {
        toGpu(ints, n); toGpu(outI, n);
        dispatch<<<(n + 255) / 256, 256>>>(ints.get(), outI.get(), n);
        done(); bool good = true;
        for (int i = 0; i < n; ++i) good = good && outI[i] == hostOps[i / 32 % 4](ints[i] , i);
        test("function pointers", good);
    }
    {
        const int cols = 1500, rows = n / cols, threads = 256; auto mean = makeManaged<double>(rows);
        auto above = makeManaged<int>(rows), odd = makeManaged<int>(rows); toGpu(ints, n);
        rowStatistics<<<rows, threads, threads * sizeof(double) + cols * (sizeof(int) + 1)>>>(ints.get(), cols, mean.get(), above.get(), odd.get());
        done(); bool good = true;
        for (int r = 0; r < rows; ++r) {
            double m = 0; int hi = 0, od = 0;
            for (int c = 0; c < cols; ++c) { m += ints[r * cols + c]; od += ints[r * cols + c] & 1; }
            m /= cols;
            for (int c = 0; c < cols; ++c) hi += ints[r * cols + c] > m;
            good = good && mean[r] == m && above[r] == hi && odd[r] == od;
        }
        test("dynamic shared arrays", good);
    }
}
int main()
{
    try {
        run();
    } catch (const std::exception &e) {
        printf("exception: %s\n", e.what()); errors = 1;
    }
    printf("%s\n", errors ? "FAIL" : "PASS");
    return errors ? 1 : 0;
}
