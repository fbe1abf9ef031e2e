// Table 2.1: of eight warps of a block, two multiply and add, the others have nothing to do. Launched with as many turns, then with
// twice as many; between them are 64 multiply-adds of each lane a turn.
__global__ void two(float *out, int turns, int a, int b, float x, float y) {
  int warp = threadIdx.x / 32;
  if (warp != a && warp != b) return;
  float v0 = x, v1 = x + 1, v2 = x + 2, v3 = x + 3;
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      v0 = v0 * y + x; v1 = v1 * y + x; v2 = v2 * y + x; v3 = v3 * y + x;
    }
  }
  out[threadIdx.x] = v0 + v1 + v2 + v3;
}

int main() {
  float *out;
  cudaMalloc(&out, 1024);
  two<<<1, 256>>>(out, 64, 0, 4, 1.0f, 0.5f); two<<<1, 256>>>(out, 128, 0, 4, 1.0f, 0.5f);
  two<<<1, 256>>>(out, 64, 0, 5, 1.0f, 0.5f); two<<<1, 256>>>(out, 128, 0, 5, 1.0f, 0.5f);
  cudaDeviceSynchronize();
  return 0;
}
