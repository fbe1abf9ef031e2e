import { testRule } from "../testing/rule-tables.ts";
import rule from "./pageable-async-copy.ts";

testRule(rule, {
  clean: {
    "page-locked": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *p, *d;
  cudaMallocHost(&p, n);
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMemcpyAsync(d, p, n, cudaMemcpyHostToDevice, s);
  k<<<1, 32, 0, s>>>(d);
}`,
    "locked later": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *p, *d;
  cudaMallocHost(&p, n);
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaHostRegister(h, n, 0);
  cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, s);
  k<<<1, 32, 0, s>>>(d);
}`,
    blocking: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *p, *d;
  cudaMallocHost(&p, n);
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
  k<<<1, 32, 0, s>>>(d);
}`,
    "a few bytes": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *p, *d;
  cudaMallocHost(&p, n);
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMemcpyAsync(d, h, 4096, cudaMemcpyHostToDevice, s);
  k<<<1, 32, 0, s>>>(d);
}`,
    "a few bytes back": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  float *h = (float *)malloc(4096), *d;
  cudaMalloc(&d, 4096);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMemcpyAsync(h, d, 4096, cudaMemcpyDeviceToHost, s);
  cudaStreamSynchronize(s);
}`,
    "once, in the default stream": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *d;
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, 0);
  k<<<1, 32>>>(d);
  cudaMemcpyAsync(h, d, n, cudaMemcpyDeviceToHost);
}`,
    "waited for at once": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *d;
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  k<<<1, 32, 0, s>>>(d);
  cudaMemcpyAsync(h, d, n, cudaMemcpyDeviceToHost, s);
  cudaStreamSynchronize(s);
}`,
    "waited for at once, each call checked": `#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) puts(cudaGetErrorString(e)); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *d;
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  k<<<1, 32, 0, s>>>(d);
  CHECK(cudaMemcpyAsync(h, d, n, cudaMemcpyDeviceToHost, s));
  CHECK(cudaStreamSynchronize(s));
}`,
    "on the device": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *p, *d;
  cudaMallocHost(&p, n);
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  float *e;
  cudaMalloc(&e, n);
  cudaMemcpyAsync(e, d, n, cudaMemcpyDeviceToDevice, s);
  k<<<1, 32, 0, s>>>(d);
}`,
    "waited for at once by a function": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void wait(cudaStream_t s) { cudaStreamSynchronize(s); }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *d;
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  k<<<1, 32, 0, s>>>(d);
  cudaMemcpyAsync(h, d, n, cudaMemcpyDeviceToHost, s);
  wait(s);
  k<<<1, 32, 0, s>>>(d);
  wait(s);
}`,
    "waited for at once, behind what stands below": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void fetch(float *h, float *d, int n, cudaStream_t s) {
  cudaMemcpyAsync(h, d, n, cudaMemcpyDeviceToHost, s);
}
void step(float *d, cudaStream_t s) { k<<<1, 32, 0, s>>>(d); }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *d;
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  step(d, s);
  fetch(h, d, n, s);
  cudaStreamSynchronize(s);
}`,
    "waited for by an event behind it": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *d;
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaEvent_t done;
  cudaEventCreate(&done);
  k<<<1, 32, 0, s>>>(d);
  cudaMemcpyAsync(h, d, n, cudaMemcpyDeviceToHost, s);
  cudaEventRecord(done, s);
  cudaEventSynchronize(done);
  k<<<1, 32, 0, s>>>(d);
}`,
    "each turn of a loop waits for its own": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *d;
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  for (int i = 0; i < 9; i++) {
    k<<<1, 32, 0, s>>>(d);
    cudaMemcpyAsync(h, d, n, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
  }
}`,
    "what nobody calls": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void fetch(float *d, int n, cudaStream_t s) {
  float *h = (float *)malloc(n);
  cudaMemcpyAsync(h, d, 1 << 20, cudaMemcpyDeviceToHost, s);
  k<<<1, 32, 0, s>>>(d);
}`,
  },
  found: {
    "beside work of the host": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *d;
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  float *sums = (float *)malloc(n);
  k<<<1, 32, 0, s>>>(d);
  cudaMemcpyAsync(h, d, n, cudaMemcpyDeviceToHost, s);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`h\` is pageable
  for (int i = 1; i < n / 4; i++) sums[i] = sums[i - 1] * 0.5f + i;
  cudaStreamSynchronize(s);
}`,
    },
    "in a function, before what stands above it": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void step(float *d, cudaStream_t s) { k<<<1, 32, 0, s>>>(d); }
void send(float *d, const float *h, int n, cudaStream_t s) {
  cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, s);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`h\` is pageable
}
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *d;
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  send(d, h, n, s);
  step(d, s);
  cudaStreamSynchronize(s);
}`,
    },
    "beside another stream, each turn": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *d, *e;
  cudaMalloc(&d, n);
  cudaMalloc(&e, n);
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  for (int i = 0; i < 9; i++) {
    k<<<1, 32, 0, t>>>(e);
    cudaStreamSynchronize(s);
    cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, s);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`h\` is pageable
  }
}`,
    },
    "to the device": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *p, *d;
  cudaMallocHost(&p, n);
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, s);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`h\` is pageable
  k<<<1, 32, 0, s>>>(d);
}`,
    },
    "from the device": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *p, *d;
  cudaMallocHost(&p, n);
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMemcpyAsync(h, d, 1 << 20, cudaMemcpyDeviceToHost, s);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 1,048,576 bytes
  k<<<1, 32, 0, s>>>(d);
}`,
    },
    "again and again, in the default stream": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *d;
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  for (int i = 0; i < 9; i++) {
    cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, 0);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`h\` is pageable
    k<<<1, 32>>>(d);
  }
}`,
    },
    "by the name that it has where it is copied": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
float *checked(size_t bytes) {
  float *got = (float *)malloc(bytes);
  if (!got) abort();
  return got;
}
int main() {
  const int n = 1 << 20;
  float *image = checked(n), *d;
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMemcpyAsync(d, image, n, cudaMemcpyHostToDevice, s);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`image\` is pageable
  k<<<1, 32, 0, s>>>(d);
}`,
    },
    "all of a file, once": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n), *g = (float *)malloc(n), *d;
  cudaMalloc(&d, n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, s);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`h\`, \`g\` are pageable: 3 copies go
  k<<<1, 32, 0, s>>>(d);
  cudaMemcpyAsync(h, d, n, cudaMemcpyDeviceToHost, s);
  cudaMemcpyAsync(d, g, n, cudaMemcpyHostToDevice, s);
  k<<<1, 32, 0, s>>>(d);
}`,
    },
  },
});
