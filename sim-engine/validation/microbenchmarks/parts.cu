// Stores that fill no sector, each place once: so many bytes a thread, so many bytes apart, of what memory holds; some read it first.
#include <cstdio>
#include <cuda_runtime.h>
template <typename T, int APART>
__global__ void stored(char* data) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  *(T*)(data + i * APART) = T{};
}
template <typename T, int APART>
__global__ void changed(char* data) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  T* p = (T*)(data + i * APART);
  T v = *p;
  v.x += 1;
  *p = v;
}
template <typename T, int APART>
__global__ void copied(char* data, const T* from) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  *(T*)(data + i * APART) = from[i];
}
// A row a warp of 32 threads, from row to row: `WARPS` warps of a block fill sectors together.
template <int WARPS, int TURNS>
__global__ void columns(float* out, int side) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * (WARPS * TURNS) + threadIdx.y;
  for (int j = 0; j < TURNS; j++) out[(size_t)x * side + y + j * WARPS] = 1.f;
}
int main() {
  const size_t bytes = (size_t)512 << 20;
  char* data;
  float4* from;
  cudaMalloc(&data, bytes);
  cudaMalloc(&from, bytes);
  cudaMemset(data, 0, bytes);
  cudaMemset(from, 0, bytes);
  stored<float1, 4><<<bytes / 4 / 256, 256>>>(data);
  stored<float1, 8><<<bytes / 8 / 256, 256>>>(data);
  stored<float1, 16><<<bytes / 16 / 256, 256>>>(data);
  stored<float1, 32><<<bytes / 32 / 256, 256>>>(data);
  stored<float1, 64><<<bytes / 64 / 256, 256>>>(data);
  stored<float1, 128><<<bytes / 128 / 256, 256>>>(data);
  stored<float1, 256><<<bytes / 256 / 256, 256>>>(data);
  stored<float2, 16><<<bytes / 16 / 256, 256>>>(data);
  stored<float2, 32><<<bytes / 32 / 256, 256>>>(data);
  stored<float4, 32><<<bytes / 32 / 256, 256>>>(data);
  stored<float4, 48><<<bytes / 48 / 256, 256>>>(data);
  stored<float4, 64><<<bytes / 64 / 256, 256>>>(data);
  stored<float4, 128><<<bytes / 128 / 256, 256>>>(data);
  changed<float1, 8><<<bytes / 8 / 256, 256>>>(data);
  changed<float1, 16><<<bytes / 16 / 256, 256>>>(data);
  changed<float1, 32><<<bytes / 32 / 256, 256>>>(data);
  changed<float1, 64><<<bytes / 64 / 256, 256>>>(data);
  changed<float1, 128><<<bytes / 128 / 256, 256>>>(data);
  changed<float4, 32><<<bytes / 32 / 256, 256>>>(data);
  changed<float4, 64><<<bytes / 64 / 256, 256>>>(data);
  copied<float1, 8><<<bytes / 8 / 256, 256>>>(data, (float1*)from);
  copied<float1, 16><<<bytes / 16 / 256, 256>>>(data, (float1*)from);
  copied<float1, 32><<<bytes / 32 / 256, 256>>>(data, (float1*)from);
  copied<float1, 64><<<bytes / 64 / 256, 256>>>(data, (float1*)from);
  copied<float1, 128><<<bytes / 128 / 256, 256>>>(data, (float1*)from);
  copied<float4, 32><<<bytes / 32 / 256, 256>>>(data, from);
  copied<float4, 64><<<bytes / 64 / 256, 256>>>(data, from);
  for (int side : {2048, 4096, 8192}) {
    columns<1, 8><<<dim3(side / 32, side / 8), dim3(32, 1)>>>((float*)data, side);
    columns<4, 1><<<dim3(side / 32, side / 4), dim3(32, 4)>>>((float*)data, side);
    columns<8, 1><<<dim3(side / 32, side / 8), dim3(32, 8)>>>((float*)data, side);
    columns<8, 4><<<dim3(side / 32, side / 32), dim3(32, 8)>>>((float*)data, side);
    columns<32, 1><<<dim3(side / 32, side / 32), dim3(32, 32)>>>((float*)data, side);
  }
  cudaDeviceSynchronize();
  puts(cudaGetErrorString(cudaGetLastError()));
}
