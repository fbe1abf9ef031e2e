// One allocation cut into arrays: offsets of pointers, in and out of structs and arrays of pointers.
#include <cstdlib>

struct Particles {
  float *x, *y, *z, *mass;
  int count;
};

__global__ void step(Particles p, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.count) p.x[i] += dt * p.mass[i];
}
__global__ void norm(const float *x, const float *y, const float *z, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sqrtf(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
}
__global__ void gather(float **rows, float *out, int width) { out[threadIdx.x] = rows[blockIdx.x][threadIdx.x % width]; }

int main() {
  const int n = 1 << 16;
  float *soa, *out;
  cudaMalloc(&soa, 4 * n * sizeof(float));
  cudaMalloc(&out, (n + 32) * sizeof(float));
  float *host = (float *)malloc(4 * n * sizeof(float));
  for (int i = 0; i < 4 * n; i++) host[i] = 3.0f;
  cudaMemcpy(soa, host, 4 * n * sizeof(float), cudaMemcpyHostToDevice);
  norm<<<n / 256, 256>>>(soa, soa + n, soa + 2 * n, out + 32, n);
  Particles p;
  p.x = soa; p.y = soa + n; p.z = p.y + n; p.mass = &soa[3 * n]; p.count = n;
  step<<<n / 128, 128>>>(p, 0.01f);
  float *rows[8], **deviceRows;
  for (int r = 0; r < 8; r++) rows[r] = soa + r * 64;
  cudaMalloc(&deviceRows, sizeof(rows));
  cudaMemcpy(deviceRows, rows, sizeof(rows), cudaMemcpyHostToDevice);
  gather<<<8, 64>>>(deviceRows, out, 64);
}
//= norm 256 256 | soa[1048576]+0=constant(3) soa[1048576]+262144=constant(3) soa[1048576]+524288=constant(3) out[262272]+128=? 65536
//= step 512 128 | {0:soa+0 8:soa+262144 16:soa+524288 24:soa+786432 32:65536} 0.01
//= gather 8 64 | deviceRows[64]+0=? out[262272]+0=? 64
