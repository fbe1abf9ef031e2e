/** CUB's block and warp primitives, by the algorithms it chooses when nothing else is asked for. */
export const cub = `#pragma once
namespace cub {

struct Sum { template <class T> __device__ T operator()(const T &a, const T &b) const { return a + b; } };
struct Max { template <class T> __device__ T operator()(const T &a, const T &b) const { return a > b ? a : b; } };
struct Min { template <class T> __device__ T operator()(const T &a, const T &b) const { return a < b ? a : b; } };
struct Equality { template <class T> __device__ bool operator()(const T &a, const T &b) const { return a == b; } };

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE };

__device__ unsigned LinearThread() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__device__ unsigned LaneId() { return LinearThread() % 32; }

template <class T, int LogicalThreads = 32> class WarpReduce {
public:
struct TempStorage {};
__device__ WarpReduce(TempStorage &) {}
template <class Op> __device__ T Reduce(T input, Op op) {
int lane = LaneId() % LogicalThreads;
#pragma unroll
for (int offset = 1; offset < LogicalThreads; offset *= 2) {
T other = __shfl_down_sync(0xffffffff, input, offset, LogicalThreads);
if (lane + offset < LogicalThreads) input = op(input, other);
}
return input;
}
template <class Op> __device__ T Reduce(T input, Op op, int valid) {
int lane = LaneId() % LogicalThreads;
#pragma unroll
for (int offset = 1; offset < LogicalThreads; offset *= 2) {
T other = __shfl_down_sync(0xffffffff, input, offset, LogicalThreads);
if (lane + offset < valid) input = op(input, other);
}
return input;
}
__device__ T Sum(T input) { return Reduce(input, cub::Sum()); }
__device__ T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
};

template <class T, int LogicalThreads = 32> class WarpScan {
public:
struct TempStorage {};
__device__ WarpScan(TempStorage &) {}
template <class Op> __device__ void InclusiveScan(T input, T &output, Op op) {
int lane = LaneId() % LogicalThreads;
#pragma unroll
for (int offset = 1; offset < LogicalThreads; offset *= 2) {
T other = __shfl_up_sync(0xffffffff, input, offset, LogicalThreads);
if (lane >= offset) input = op(other, input);
}
output = input;
}
template <class Op> __device__ void InclusiveScan(T input, T &output, Op op, T &aggregate) {
InclusiveScan(input, output, op);
aggregate = __shfl_sync(0xffffffff, output, LogicalThreads - 1, LogicalThreads);
}
template <class Op> __device__ void ExclusiveScan(T input, T &output, T initial, Op op) {
T inclusive;
InclusiveScan(input, inclusive, op);
T before = __shfl_up_sync(0xffffffff, inclusive, 1, LogicalThreads);
output = LaneId() % LogicalThreads == 0 ? initial : op(initial, before);
}
__device__ void InclusiveSum(T input, T &output) { InclusiveScan(input, output, cub::Sum()); }
__device__ void InclusiveSum(T input, T &output, T &aggregate) { InclusiveScan(input, output, cub::Sum(), aggregate); }
__device__ void ExclusiveSum(T input, T &output) { T sum; InclusiveScan(input, sum, cub::Sum()); output = sum - input; }
__device__ void ExclusiveSum(T input, T &output, T &aggregate) { T sum; InclusiveScan(input, sum, cub::Sum(), aggregate); output = sum - input; }
};

template <class T, int BlockX, BlockReduceAlgorithm Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int BlockY = 1, int BlockZ = 1, int = 0> class BlockReduce {
static constexpr int threads = BlockX * BlockY * BlockZ;
static constexpr int warps = (threads + 31) / 32;
public:
struct TempStorage { T aggregates[warps]; };
private:
TempStorage &temp;
public:
__device__ BlockReduce(TempStorage &storage) : temp(storage) {}
template <class Op> __device__ T Reduce(T input, Op op, int valid) {
int warp = LinearThread() / 32, lane = LaneId();
int inWarp = valid - warp * 32;
#pragma unroll
for (int offset = 1; offset < 32; offset *= 2) {
T other = __shfl_down_sync(0xffffffff, input, offset);
if (lane + offset < inWarp) input = op(input, other);
}
if (lane == 0) temp.aggregates[warp] = input;
__syncthreads();
if (LinearThread() == 0) {
#pragma unroll
for (int next = 1; next < warps; ++next)
if (next * 32 < valid) input = op(input, temp.aggregates[next]);
}
return input;
}
template <class Op> __device__ T Reduce(T input, Op op) { return Reduce(input, op, threads); }
template <int Items, class Op> __device__ T Reduce(T (&inputs)[Items], Op op) {
T partial = inputs[0];
#pragma unroll
for (int item = 1; item < Items; ++item) partial = op(partial, inputs[item]);
return Reduce(partial, op, threads);
}
__device__ T Sum(T input) { return Reduce(input, cub::Sum(), threads); }
__device__ T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
template <int Items> __device__ T Sum(T (&inputs)[Items]) { return Reduce(inputs, cub::Sum()); }
};

template <class T, int BlockX, BlockScanAlgorithm Algorithm = BLOCK_SCAN_RAKING, int BlockY = 1, int BlockZ = 1, int = 0> class BlockScan {
static constexpr int threads = BlockX * BlockY * BlockZ;
static constexpr int segment = (threads + 31) / 32;
static constexpr bool padded = segment % 2 == 0 && segment > 2;
public:
struct TempStorage { T grid[padded ? threads + 32 : threads]; T aggregate; };
private:
TempStorage &temp;
static __device__ int slot(int thread) { return padded ? thread + thread / segment : thread; }
public:
__device__ BlockScan(TempStorage &storage) : temp(storage) {}
/** The first warp rakes over segments, scans their sums, and hands each thread what lies before it. */
template <class Op> __device__ void rake(T input, T &before, T &aggregate, Op op) {
int thread = LinearThread();
temp.grid[slot(thread)] = input;
__syncthreads();
if (thread < 32) {
T *own = &temp.grid[slot(thread * segment)];
T partial = own[0];
#pragma unroll
for (int i = 1; i < segment; ++i) if (thread * segment + i < threads) partial = op(partial, own[i]);
T inclusive = partial;
#pragma unroll
for (int offset = 1; offset < 32; offset *= 2) {
T other = __shfl_up_sync(0xffffffff, inclusive, offset);
if (thread >= offset) inclusive = op(other, inclusive);
}
T running = __shfl_up_sync(0xffffffff, inclusive, 1);
#pragma unroll
for (int i = 0; i < segment; ++i) {
if (thread * segment + i >= threads) break;
T value = own[i];
if (thread > 0 || i > 0) { own[i] = running; running = op(running, value); }
else running = value;
}
if (thread == (threads - 1) / segment) temp.aggregate = inclusive;
}
__syncthreads();
before = temp.grid[slot(thread)];
aggregate = temp.aggregate;
}
template <class Op> __device__ void ExclusiveScan(T input, T &output, T initial, Op op, T &aggregate) {
T before;
rake(input, before, aggregate, op);
output = LinearThread() == 0 ? initial : op(initial, before);
}
template <class Op> __device__ void ExclusiveScan(T input, T &output, T initial, Op op) { T aggregate; ExclusiveScan(input, output, initial, op, aggregate); }
template <class Op> __device__ void InclusiveScan(T input, T &output, Op op, T &aggregate) {
T before;
rake(input, before, aggregate, op);
output = LinearThread() == 0 ? input : op(before, input);
}
template <class Op> __device__ void InclusiveScan(T input, T &output, Op op) { T aggregate; InclusiveScan(input, output, op, aggregate); }
__device__ void ExclusiveSum(T input, T &output) { ExclusiveScan(input, output, T(0), cub::Sum()); }
__device__ void ExclusiveSum(T input, T &output, T &aggregate) { ExclusiveScan(input, output, T(0), cub::Sum(), aggregate); }
__device__ void InclusiveSum(T input, T &output) { InclusiveScan(input, output, cub::Sum()); }
__device__ void InclusiveSum(T input, T &output, T &aggregate) { InclusiveScan(input, output, cub::Sum(), aggregate); }
template <int Items> __device__ void ExclusiveSum(T (&inputs)[Items], T (&outputs)[Items]) { T aggregate; ExclusiveSum(inputs, outputs, aggregate); }
template <int Items> __device__ void ExclusiveSum(T (&inputs)[Items], T (&outputs)[Items], T &aggregate) {
T partial = inputs[0], prefix;
#pragma unroll
for (int i = 1; i < Items; ++i) partial = partial + inputs[i];
ExclusiveScan(partial, prefix, T(0), cub::Sum(), aggregate);
#pragma unroll
for (int i = 0; i < Items; ++i) { T value = inputs[i]; outputs[i] = prefix; prefix = prefix + value; }
}
template <int Items> __device__ void InclusiveSum(T (&inputs)[Items], T (&outputs)[Items]) {
T partial = inputs[0], prefix, aggregate;
#pragma unroll
for (int i = 1; i < Items; ++i) partial = partial + inputs[i];
ExclusiveScan(partial, prefix, T(0), cub::Sum(), aggregate);
#pragma unroll
for (int i = 0; i < Items; ++i) { prefix = prefix + inputs[i]; outputs[i] = prefix; }
}
};

template <class T, int BlockX, int Items, bool WarpTimeSlicing = false, int BlockY = 1, int BlockZ = 1, int = 0> class BlockExchange {
static constexpr int threads = BlockX * BlockY * BlockZ;
static constexpr bool padded = Items > 4 && (Items & (Items - 1)) == 0;
public:
struct TempStorage { T buffer[threads * Items + (padded ? threads * Items / 32 : 0)]; };
private:
TempStorage &temp;
static __device__ int slot(int at) { return padded ? at + at / 32 : at; }
public:
__device__ BlockExchange(TempStorage &storage) : temp(storage) {}
__device__ void StripedToBlocked(const T (&inputs)[Items], T (&outputs)[Items]) {
int thread = LinearThread();
#pragma unroll
for (int i = 0; i < Items; ++i) temp.buffer[slot(i * threads + thread)] = inputs[i];
__syncthreads();
#pragma unroll
for (int i = 0; i < Items; ++i) outputs[i] = temp.buffer[slot(thread * Items + i)];
}
__device__ void BlockedToStriped(const T (&inputs)[Items], T (&outputs)[Items]) {
int thread = LinearThread();
#pragma unroll
for (int i = 0; i < Items; ++i) temp.buffer[slot(thread * Items + i)] = inputs[i];
__syncthreads();
#pragma unroll
for (int i = 0; i < Items; ++i) outputs[i] = temp.buffer[slot(i * threads + thread)];
}
__device__ void StripedToBlocked(T (&items)[Items]) { StripedToBlocked(items, items); }
__device__ void BlockedToStriped(T (&items)[Items]) { BlockedToStriped(items, items); }
};

template <class T, int BlockX, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int BlockY = 1, int BlockZ = 1, int = 0> class BlockLoad {
static constexpr int threads = BlockX * BlockY * BlockZ;
static constexpr bool transposes = Algorithm == BLOCK_LOAD_TRANSPOSE || Algorithm == BLOCK_LOAD_WARP_TRANSPOSE;
static constexpr bool striped = transposes || Algorithm == BLOCK_LOAD_STRIPED;
public:
struct TempStorage { typename BlockExchange<T, BlockX, Items, false, BlockY, BlockZ>::TempStorage exchange[transposes ? 1 : 0]; };
private:
TempStorage &temp;
public:
__device__ BlockLoad(TempStorage &storage) : temp(storage) {}
template <class Input> __device__ void Load(Input from, T (&items)[Items]) {
int thread = LinearThread();
#pragma unroll
for (int i = 0; i < Items; ++i) items[i] = from[striped ? i * threads + thread : thread * Items + i];
if constexpr (transposes) BlockExchange<T, BlockX, Items, false, BlockY, BlockZ>(temp.exchange[0]).StripedToBlocked(items);
}
template <class Input> __device__ void Load(Input from, T (&items)[Items], int valid) {
int thread = LinearThread();
#pragma unroll
for (int i = 0; i < Items; ++i) {
int at = striped ? i * threads + thread : thread * Items + i;
if (at < valid) items[i] = from[at];
}
if constexpr (transposes) BlockExchange<T, BlockX, Items, false, BlockY, BlockZ>(temp.exchange[0]).StripedToBlocked(items);
}
template <class Input, class Default> __device__ void Load(Input from, T (&items)[Items], int valid, Default otherwise) {
#pragma unroll
for (int i = 0; i < Items; ++i) items[i] = otherwise;
Load(from, items, valid);
}
};

template <class T, int BlockX, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int BlockY = 1, int BlockZ = 1, int = 0> class BlockStore {
static constexpr int threads = BlockX * BlockY * BlockZ;
static constexpr bool transposes = Algorithm == BLOCK_STORE_TRANSPOSE || Algorithm == BLOCK_STORE_WARP_TRANSPOSE;
static constexpr bool striped = transposes || Algorithm == BLOCK_STORE_STRIPED;
public:
struct TempStorage { typename BlockExchange<T, BlockX, Items, false, BlockY, BlockZ>::TempStorage exchange[transposes ? 1 : 0]; };
private:
TempStorage &temp;
public:
__device__ BlockStore(TempStorage &storage) : temp(storage) {}
template <class Output> __device__ void Store(Output to, T (&items)[Items], int valid) {
int thread = LinearThread();
if constexpr (transposes) BlockExchange<T, BlockX, Items, false, BlockY, BlockZ>(temp.exchange[0]).BlockedToStriped(items);
#pragma unroll
for (int i = 0; i < Items; ++i) {
int at = striped ? i * threads + thread : thread * Items + i;
if (at < valid) to[at] = items[i];
}
}
template <class Output> __device__ void Store(Output to, T (&items)[Items]) {
int thread = LinearThread();
if constexpr (transposes) BlockExchange<T, BlockX, Items, false, BlockY, BlockZ>(temp.exchange[0]).BlockedToStriped(items);
#pragma unroll
for (int i = 0; i < Items; ++i) to[striped ? i * threads + thread : thread * Items + i] = items[i];
}
};

}
`;
