/* Old C: typedefs, goto, unions, two-dimensional host arrays, helpers with output parameters, usage and exit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned int uint;
typedef struct { uint x, y; float *data; } Image;

#define N 64
#define M (N * 2)
#define CEIL(a, b) (((a) / (b)) + (((a) % (b)) ? 1 : 0))
#ifndef ITERATIONS
#define ITERATIONS 3
#endif

__global__ void transpose(const float *in, float *out, uint w, uint h) { uint x = blockIdx.x * blockDim.x + threadIdx.x; if (x < w) out[x * h] = in[x]; }
__global__ void table(const float *t, int pitch) { float v = t[threadIdx.x * pitch]; }

static void size(int argc, char **argv, uint *w, uint *h) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s WIDTH HEIGHT, using 300 200\n", argv[0]);
    *w = 300;
    *h = 200;
    return;
  }
  *w = strtoul(argv[1], NULL, 10);
  *h = strtoul(argv[2], NULL, 10);
}

int main(int argc, char *argv[]) {
  Image image, *other;
  float matrix[N][M];
  float *device = NULL, *rows = NULL;
  int i, j, status = 1;
  size(argc, argv, &image.x, &image.y);
  if (cudaMalloc((void **)&image.data, image.x * image.y * sizeof(float)) != cudaSuccess) goto done;
  other = (Image *)malloc(sizeof(Image));
  memcpy(other, &image, sizeof(Image));
  if (cudaMalloc((void **)&device, other->x * other->y * sizeof(float)) != cudaSuccess) goto done;
  for (i = 0; i < ITERATIONS; i++) transpose<<<CEIL(other->x, 128), 128>>>(image.data, device, other->x, other->y);
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) matrix[i][j] = 1.0f;
  cudaMalloc((void **)&rows, sizeof(matrix));
  cudaMemcpy(rows, matrix, sizeof matrix, cudaMemcpyHostToDevice);
  table<<<1, N>>>(rows, M);
  status = 0;
done:
  cudaFree(device);
  return status;
}
//= transpose 3 128 | data[240000]+0=? device[240000]+0=? 300 200
//= table 1 64 | rows[32768]+0=constant(1) 128
