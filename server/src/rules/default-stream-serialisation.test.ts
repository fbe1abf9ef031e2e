import { testRule } from "../testing/rule-tables.ts";
import rule from "./default-stream-serialisation.ts";

testRule(rule, {
  clean: {
    "one stream": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  while (n--) { k<<<1, 32>>>(d); cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost); }
}`,
    "all in streams": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaStream_t s;
  while (n--) { k<<<1, 32, 0, s>>>(d); cudaMemcpyAsync(h, d, 4, cudaMemcpyDeviceToHost, s); }
}`,
    "not in the loop": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaStream_t s;
  cudaMemcpy(d, h, 4, cudaMemcpyHostToDevice);
  while (n--) k<<<1, 32, 0, s>>>(d);
}`,
    "a launch between work of one stream": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, cudaStream_t a) {
  k<<<1, 32, 0, a>>>(d);
  k<<<1, 32>>>(d);
  k<<<1, 32, 0, a>>>(d);
}`,
    "a launch behind what is waited for": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, cudaStream_t a, cudaStream_t b) {
  k<<<1, 32, 0, a>>>(d);
  cudaStreamSynchronize(a);
  k<<<1, 32>>>(d);
  k<<<1, 32, 0, b>>>(d);
}`,
    "a step of a loop's one stream": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
cudaStream_t streams[2];
void run(float *h, float *d, int n) {
  while (n--) {
    cudaMemcpyAsync(d, h, 4, cudaMemcpyDeviceToDevice, streams[0]);
    k<<<1, 32>>>(d);
    cudaMemcpyAsync(h, d, 4, cudaMemcpyDeviceToDevice, streams[0]);
  }
}`,
    "streams that do not wait": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  while (n--) { k<<<1, 32, 0, s>>>(d); k<<<1, 32>>>(h); }
}`,
  },
  found: {
    "a launch between two streams": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, cudaStream_t a, cudaStream_t b) {
  k<<<1, 32, 0, a>>>(d);
  k<<<1, 32>>>(d);
//^ which waits for all streams
  cudaMemcpyAsync(d, h, 128, cudaMemcpyHostToDevice, b);
}`,
    },
    "a copy between": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, cudaStream_t *streams, int n) {
  while (n--) {
    cudaStream_t s = streams[n % 2];
    k<<<1, 32, 0, s>>>(d);
    cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ default stream
  }
}`,
    },
  },
});
