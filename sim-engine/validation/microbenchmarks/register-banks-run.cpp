// Runs register-banks.cubin and what register-banks.py made of it, and prints cycles a multiply-add of a scheduler with 1, 2, 4 and 8 warps each.
// nvcc -O2 -o register-banks-run register-banks-run.cpp -lcuda; ./register-banks-run register-banks.cubin register-banks.*.cubin
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <string>
#define C(x) do { CUresult r = (x); if (r) { const char* s; cuGetErrorString(r, &s); printf("error %s %s\n", #x, s); exit(1); } } while (0)
int main(int argc, char** argv) {
  C(cuInit(0)); CUdevice d; C(cuDeviceGet(&d, 0)); CUcontext c;
  C(cuDevicePrimaryCtxRetain(&c, d)); C(cuCtxSetCurrent(c));
  CUdeviceptr in, out, t; C(cuMemAlloc(&in, 64 * 1024 * 4)); C(cuMemAlloc(&out, 4096 * 4)); C(cuMemAlloc(&t, 4096)); C(cuMemsetD32(in, 0, 64 * 1024));
  for (int i = 1; i < argc; i++) {
    CUmodule m; C(cuModuleLoad(&m, argv[i])); CUfunction f; C(cuModuleGetFunction(&f, m, "k"));
    printf("%s", argv[i]);
    for (int threads : {128, 256, 512, 1024}) {
      int reps = 256; void* args[] = {&in, &out, &t, &reps};
      double best = 1e9;
      for (int r = 0; r < 5; r++) {
        C(cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 4096, 0, args, 0)); C(cuCtxSynchronize());
        std::vector<long long> h(threads / 32); C(cuMemcpyDtoH(h.data(), t, h.size() * 8));
        long long mx = 0; for (auto x : h) mx = x > mx ? x : mx;
        double per = (double)mx / (reps * 256.0 * (threads / 128)); if (per < best) best = per;
      }
      printf("\t%.3f", best);
    }
    printf("\n");
  }
}
