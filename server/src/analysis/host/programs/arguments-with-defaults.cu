// Sizes in argv, each with a default; a struct of parameters; a ternary for the block.
#include <cstdlib>
#include <cstring>

struct Params {
  int width = 1920;
  int height = 1080;
  float sigma = 1.5f;
  bool fast;
};

static Params parse(int argc, char **argv) {
  Params p{};
  p.fast = false;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-w") && i + 1 < argc) p.width = atoi(argv[++i]);
    else if (!strcmp(argv[i], "-h") && i + 1 < argc) p.height = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--fast")) p.fast = true;
  }
  return p;
}

__global__ void blur(const unsigned char *in, unsigned char *out, int width, int height, float sigma) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = in[y * width + x] * sigma;
}

int main(int argc, char **argv) {
  Params p = parse(argc, argv);
  size_t bytes = (size_t)p.width * p.height;
  unsigned char *in, *out;
  cudaMalloc((void **)&in, bytes);
  cudaMalloc((void **)&out, bytes);
  cudaMemset(in, 7, bytes);
  dim3 block = p.fast ? dim3(64, 16) : dim3(32, 8);
  dim3 grid((p.width + block.x - 1) / block.x, (p.height + block.y - 1) / block.y);
  blur<<<grid, block>>>(in, out, p.width, p.height, p.sigma);
}
//= blur 60x135 32x8 | in[2073600]+0=bytes(7) out[2073600]+0=? 1920 1080 1.5
