// Threads that fetch little and then compute for long, in loops of known length.
#include <cstdio>
__global__ void orbit(const float2 *start, int *out, int n, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 c = start[i];
  float x = 0, y = 0;
  int inside = 0;
  for (int k = 0; k < turns; k++) {
    float t = x * x - y * y + c.x;
    y = 2 * x * y + c.y;
    x = t;
    inside += x * x + y * y < 4.0f;
  }
  out[i] = inside;
}
__global__ void walk(const int *next, const float *value, float *out, int hops, int turns, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = i % n;
  float s = 0;
  for (int h = 0; h < hops; h++) {
    at = next[at];
    float v = value[at];
    for (int k = 0; k < turns; k++) v = v * 0.5f + 1.0f;
    s += v;
  }
  out[i] = s;
}
__global__ void ticket(unsigned *next, float *out, int turns) {
  __shared__ unsigned mine;
  if (threadIdx.x == 0) mine = atomicAdd(next, 1u);
  __syncthreads();
  float v = mine;
  for (int k = 0; k < turns; k++) v = sqrtf(v + 1.0f);
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void nbody(const float4 *body, float3 *force, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = body[i];
  float fx = 0, fy = 0, fz = 0;
  for (int j = 0; j < n; j++) {
    float4 b = body[j];
    float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
    float f = b.w * inverse * inverse * inverse;
    fx += dx * f;
    fy += dy * f;
    fz += dz * f;
  }
  force[i] = make_float3(fx, fy, fz);
}
int main() {
  const int n = 1 << 22;
  float *a, *b;
  int *next;
  cudaMalloc(&a, n * 16);
  cudaMalloc(&b, n * 16);
  cudaMalloc(&next, n * sizeof(int));
  cudaMemset(a, 0, n * 16);
  int *host = new int[n];
  for (int i = 0; i < n; i++) host[i] = (int)((i * 2654435761u) % n);
  cudaMemcpy(next, host, n * sizeof(int), cudaMemcpyHostToDevice);
  orbit<<<n / 256, 256>>>((float2 *)a, (int *)b, n, 500);
  orbit<<<132, 128>>>((float2 *)a, (int *)b, n, 20000);
  walk<<<1056, 256>>>(next, a, b, 16, 300, n);
  walk<<<1056, 256>>>(next, a, b, 16, 3000, n);
  walk<<<264, 64>>>(next, a, b, 16, 300, n);
  cudaMemset(next, 0, 4);
  ticket<<<4096, 128>>>((unsigned *)next, b, 1000);
  ticket<<<132, 128>>>((unsigned *)next, b, 1000);
  nbody<<<16384 / 256, 256>>>((float4 *)a, (float3 *)b, 16384);
  cudaDeviceSynchronize();
  return 0;
}
