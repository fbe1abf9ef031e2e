// Copies past the registers (cp.async) by where they come from and where they go: each warp copies rows of some bytes, a lane so many,
// from rows of global memory so far apart to rows of shared memory so far apart.
//   async-copies           cycles of a warp's copy on an SM, for each form, sources in the L2
//   async-copies profile   one launch of each form, for Nsight Compute
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Form {
  int bytes;        // of a lane: 4, 8 or 16
  int row;          // bytes of a row
  int fromPitch;    // bytes between rows of global memory
  int fromShift;    // where the first begins
  int toPitch;      // bytes between rows of shared memory
  int toShift;
  int swizzle;      // chunk of a row that a lane's goes to: its own, exclusive or with this
};

template <int Bytes, bool Bypass>
__device__ void copy(unsigned to, const char* from) {
  if constexpr (Bypass)
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Bytes));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Bytes));
}

const int slotBytes = 1568;     // most that a copy spans in shared memory
const int regionBytes = 16384;  // of global memory, that a warp goes along

// Copies under way go to places of their own: one to the place of another under way takes its place (most are never carried out).
template <int Bytes, bool Bypass>
__global__ void copies(const char* source, Form form, int turns, int* out) {
  extern __shared__ char shared[];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int perRow = form.row / Bytes, row = lane / perRow, chunk = lane % perRow;
  int step = 32 / perRow * form.fromPitch, places = regionBytes / step;
  unsigned to = (unsigned)__cvta_generic_to_shared(shared) + warp * 16 * slotBytes + form.toShift + row * form.toPitch +
                (chunk ^ form.swizzle) * Bytes;
  const char* from = source + (blockIdx.x * (blockDim.x / 32) + warp) * (size_t)regionBytes + form.fromShift + (size_t)row * form.fromPitch +
                     chunk * Bytes;
  for (int turn = 0; turn < turns; turn++) {
#pragma unroll
    for (int k = 0; k < 4; k++)
      copy<Bytes, Bypass>(to + (turn * 4 + k) % 16 * slotBytes, from + ((turn * 4 + k) & (places - 1)) * step);
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 2;");
  }
  asm volatile("cp.async.wait_group 0;");
  if (turns < 0) out[threadIdx.x] = shared[threadIdx.x];
}

// The same with loads of matrices from shared memory beside each copy, four wavefronts each.
template <int Loads>
__global__ void beside(const char* source, Form form, int turns, int* out) {
  extern __shared__ char shared[];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int perRow = form.row / 16, row = lane / perRow, chunk = lane % perRow;
  int step = 32 / perRow * form.fromPitch, places = regionBytes / step;
  unsigned own = (unsigned)__cvta_generic_to_shared(shared) + warp * 16 * slotBytes;
  unsigned to = own + form.toShift + row * form.toPitch + chunk * 16;
  const char* from = source + (blockIdx.x * (blockDim.x / 32) + warp) * (size_t)regionBytes + form.fromShift + (size_t)row * form.fromPitch +
                     chunk * 16;
  unsigned sum = 0;
  for (int turn = 0; turn < turns; turn++) {
#pragma unroll
    for (int k = 0; k < 4; k++) {
      copy<16, true>(to + (turn * 4 + k) % 16 * slotBytes, from + ((turn * 4 + k) & (places - 1)) * step);
#pragma unroll
      for (int l = 0; l < Loads; l++) {
        unsigned a, b, c, d;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(own + lane * 16 + l * 512));
        sum += a ^ b ^ c ^ d;
      }
    }
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 2;");
  }
  asm volatile("cp.async.wait_group 0;");
  if (sum == 12345) out[threadIdx.x] = sum;
}

int main(int argc, char** argv) {
  bool profile = argc > 1 && !strcmp(argv[1], "profile");
  const Form forms[] = {
    {16, 512, 512, 0, 512, 0, 0},    {16, 512, 512, 0, 512, 16, 0},   {16, 512, 512, 16, 512, 0, 0},  {16, 512, 512, 16, 512, 16, 0},
    {16, 128, 256, 0, 128, 0, 0},   {16, 128, 256, 0, 144, 0, 0},   {16, 128, 256, 0, 128, 16, 0}, {16, 128, 256, 0, 160, 0, 0},
    {16, 128, 256, 0, 128, 0, 1},   {16, 128, 256, 0, 128, 0, 3},   {16, 128, 256, 0, 128, 0, 7},  {16, 128, 256, 16, 128, 0, 0},
    {16, 64, 256, 0, 64, 0, 0},     {16, 64, 256, 0, 80, 0, 0},     {16, 64, 256, 0, 96, 0, 0},    {16, 64, 256, 0, 64, 16, 0},
    {16, 64, 256, 0, 112, 0, 0},    {16, 64, 256, 0, 64, 0, 1},     {16, 64, 256, 0, 64, 0, 2},    {16, 64, 256, 16, 64, 0, 0},
    {16, 64, 256, 16, 80, 0, 0},    {16, 32, 256, 0, 32, 0, 0},     {16, 32, 256, 0, 48, 0, 0},    {16, 32, 256, 0, 32, 16, 0},
    {16, 16, 256, 0, 16, 0, 0},     {16, 16, 256, 0, 32, 0, 0},     {16, 16, 256, 0, 48, 0, 0},    {16, 16, 256, 0, 16, 16, 0},
    {8, 256, 256, 0, 256, 0, 0},     {8, 256, 256, 0, 256, 8, 0},     {8, 256, 256, 0, 256, 16, 0},   {8, 64, 256, 0, 72, 0, 0},
    {8, 128, 256, 0, 136, 0, 0},    {4, 128, 128, 0, 128, 0, 0},     {4, 128, 128, 0, 128, 4, 0},    {4, 128, 128, 0, 128, 16, 0},
    {4, 64, 256, 0, 68, 0, 0},      {4, 64, 256, 0, 64, 0, 0},      {4, 32, 256, 0, 36, 0, 0},     {4, 128, 256, 4, 128, 0, 0},
    {4, 128, 256, 4, 128, 4, 0},    {4, 4, 256, 0, 4, 0, 0},
  };
  const int blocks = 132, threads = 256;
  char* source;
  int* out;
  size_t all = (size_t)regionBytes * (blocks * threads / 32) + 4096;
  if (cudaMalloc(&source, all) || cudaMalloc(&out, 4096)) return 1;
  cudaMemset(source, 0, all);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (int bypass = 1; bypass >= 0; bypass--)
    for (const Form& form : forms) {
      if (bypass && form.bytes != 16) continue;
      auto kernel = form.bytes == 16 ? (bypass ? copies<16, true> : copies<16, false>) : form.bytes == 8 ? copies<8, false> : copies<4, false>;
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 8 * 16 * slotBytes);
      if (profile) {
        kernel<<<blocks, threads, 8 * 16 * slotBytes>>>(source, form, 64, out);
        if (cudaDeviceSynchronize()) { printf("failed %s\n", cudaGetErrorString(cudaGetLastError())); return 1; }
        continue;
      }
      for (int grid : {1, blocks}) {
        float least = 1e9;
        const int turns = 4096;
        for (int k = 0; k < 4; k++) {
          cudaEventRecord(begin);
          kernel<<<grid, threads, 8 * 16 * slotBytes>>>(source, form, turns, out);
          cudaEventRecord(end);
          if (cudaEventSynchronize(end)) { printf("failed %s\n", cudaGetErrorString(cudaGetLastError())); return 1; }
          float ms;
          cudaEventElapsedTime(&ms, begin, end);
          if (ms < least) least = ms;
        }
        printf("copies %s %2d bytes, rows of %3d, from %4d apart + %2d, to %3d apart + %2d, swizzle %d, %3d SMs: %.2f ns a warp's copy of an SM\n",
               bypass ? "cg" : "ca", form.bytes, form.row, form.fromPitch, form.fromShift, form.toPitch, form.toShift, form.swizzle, grid,
               least * 1e6 / (turns * 4.0 * threads / 32));
      }
    }
  if (profile) return 0;
  const Form three[] = {{16, 512, 512, 0, 512, 0, 0}, {16, 64, 256, 0, 64, 0, 0}, {16, 64, 256, 0, 80, 0, 0}};
  for (const Form& form : three)
    for (int loads : {0, 1, 2, 4})
      for (int grid : {1, blocks}) {
        auto kernel = loads == 0 ? beside<0> : loads == 1 ? beside<1> : loads == 2 ? beside<2> : beside<4>;
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 8 * 16 * slotBytes);
        float least = 1e9;
        for (int k = 0; k < 4; k++) {
          cudaEventRecord(begin);
          kernel<<<grid, threads, 8 * 16 * slotBytes>>>(source, form, 4096, out);
          cudaEventRecord(end);
          if (cudaEventSynchronize(end)) { printf("failed %s\n", cudaGetErrorString(cudaGetLastError())); return 1; }
          float ms;
          cudaEventElapsedTime(&ms, begin, end);
          if (ms < least) least = ms;
        }
        printf("copies of rows of %3d to %3d apart, %d loads of matrices beside each, %3d SMs: %.2f ns a warp's copy of an SM\n", form.row,
               form.toPitch, loads, grid, least * 1e6 / (4096 * 4.0 * threads / 32));
      }
}
