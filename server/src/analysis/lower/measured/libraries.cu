// CUB, thrust::complex and cuda::atomic.
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <thrust/complex.h>
#define RESULT(k) out[threadIdx.x * 8 + (k)]

struct Larger { template <typename T> __device__ T operator()(const T &a, const T &b) const { return a > b ? a : b; } };

__global__ void reductions(long long *out) {
    typedef cub::BlockReduce<int, 64> Reduce;
    using Wide = cub::BlockReduce<double, 64>;
    using Warp = cub::WarpReduce<float>;
    __shared__ typename Reduce::TempStorage storage;
    __shared__ typename Wide::TempStorage wide;
    __shared__ typename Warp::TempStorage perWarp[2];
    int t = threadIdx.x;
    int sum = Reduce(storage).Sum(t);
    __syncthreads();
    int most = Reduce(storage).Reduce(t * 37 % 61, Larger());
    __syncthreads();
    int some = Reduce(storage).Sum(t, 40);
    __syncthreads();
    int pair[2] = {t, 1};
    int both = Reduce(storage).Sum(pair);
    double total = Wide(wide).Sum(0.5 * t);
    float warp = Warp(perWarp[t / 32]).Sum((float)t);
    bool first = t == 0;
    RESULT(0) = first ? sum : 0; RESULT(1) = first ? most : 0; RESULT(2) = first ? some : 0; RESULT(3) = first ? both : 0;
    RESULT(4) = first ? (long long)(total * 2) : 0; RESULT(5) = t % 32 == 0 ? (long long)warp : 0;
    RESULT(6) = sizeof(int); RESULT(7) = 0;
}

__global__ void scans(long long *out) {
    using Scan = cub::BlockScan<int, 64>;
    using Warp = cub::WarpScan<int>;
    __shared__ Scan::TempStorage storage;
    __shared__ Warp::TempStorage perWarp[2];
    int t = threadIdx.x, a, b, total, c, d, most;
    Scan(storage).ExclusiveSum(t, a);
    __syncthreads();
    Scan(storage).InclusiveSum(t * 2, b, total);
    __syncthreads();
    Scan(storage).InclusiveScan(t * 37 % 61, most, Larger());
    __syncthreads();
    int items[3] = {t, 1, 2}, sums[3];
    Scan(storage).ExclusiveSum(items, sums);
    Warp(perWarp[t / 32]).InclusiveSum(t, c);
    Warp(perWarp[t / 32]).ExclusiveSum(t, d);
    RESULT(0) = a; RESULT(1) = b; RESULT(2) = total; RESULT(3) = most; RESULT(4) = sums[0] + sums[2] * 1000; RESULT(5) = c; RESULT(6) = d; RESULT(7) = 0;
}

__global__ void exchanges(long long *out) {
    using Load = cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using Exchange = cub::BlockExchange<int, 64, 4>;
    __shared__ int data[256];
    __shared__ union { Load::TempStorage load; Exchange::TempStorage exchange; } storage;
    int t = threadIdx.x, items[4];
    for (int i = t; i < 256; i += 64) data[i] = i * 3;
    __syncthreads();
    Load(storage.load).Load(data, items);
    RESULT(0) = items[0] + items[3] * 1000;
    __syncthreads();
    Exchange(storage.exchange).BlockedToStriped(items, items);
    RESULT(1) = items[0] + items[3] * 1000;
    RESULT(2) = RESULT(3) = RESULT(4) = RESULT(5) = RESULT(6) = RESULT(7) = 0;
}

__global__ void complexNumbers(long long *out) {
    thrust::complex<float> a(threadIdx.x, 2), b(1, -1), sum = 0.0f;
    sum += a * b;
    sum -= 2.0f * conj(b);
    thrust::complex<float> q = a / thrust::complex<float>(0, 2);
    RESULT(0) = sum.real() * 1000 + sum.imag(); RESULT(1) = q.real() * 2000 + q.imag() * 2; RESULT(2) = thrust::norm(a);
    RESULT(3) = thrust::abs(thrust::complex<double>(3, 4)); RESULT(4) = (a == b); RESULT(5) = (-a + 1.0f).real();
    RESULT(6) = sizeof(a); RESULT(7) = 0;
}

__global__ void atomicReferences(long long *out) {
    __shared__ int sum, most, owner;
    int t = threadIdx.x;
    if (t == 0) { sum = 0; most = -1; owner = -1; }
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> ref(sum);
    ref.fetch_add(t, cuda::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_block>(most).fetch_max(t * 37 % 61);
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(owner);
    int expected = -1;
    bool won = t == 17 && lock.compare_exchange_strong(expected, t);
    __syncthreads();
    RESULT(0) = ref.load(); RESULT(1) = most; RESULT(2) = owner; RESULT(3) = won; RESULT(4) = expected;
    RESULT(5) = RESULT(6) = RESULT(7) = 0;
}
