import { testRule } from "../testing/rule-tables.ts";
import rule from "./shared-bank-conflict.ts";

const transpose = (tile: string, uses = "tile[threadIdx.x][threadIdx.y + j]", more = ""): string => `
__global__ void turn(float *out, const float *in, int n) {
  __shared__ float ${tile};
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();${more}
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = ${uses};
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  turn<<<dim3(128, 128), dim3(32, 8)>>>(out, in, 4096);
}`;
const marked = (code: string, words: string): string =>
  code.replace(
    /^(.*)(tile\[threadIdx\.x\]\[threadIdx\.y \+ j\]);$/m,
    (line, before: string, access: string) => `${line}\n//${" ".repeat(before.length - 2)}${"^".repeat(access.length)} ${words}`,
  );

/** Two rows in a warp. */
const halves = (length: string, mark: string): string => `
__global__ void k(float *out, const float *in) {
  __shared__ float row[4][${length}];
  int i = blockIdx.x * 64 + threadIdx.y * 16 + threadIdx.x;
  for (int j = 0; j < 10; ++j)
    row[threadIdx.y][threadIdx.x + j * 16] = in[i + j * 65536];${mark}
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 100; ++j) sum += row[threadIdx.y][threadIdx.x + j];
  out[i] = sum;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  k<<<4096, dim3(16, 4)>>>(out, in);
}`;

testRule(rule, {
  clean: {
    padded: transpose("tile[32][33]"),
    "along the rows": transpose("tile[32][32]", "tile[threadIdx.y + j][threadIdx.x]"),
    "one word for all": transpose("tile[32][32]", "tile[threadIdx.y][j]"),
    "seldom, so that nothing is gained": `__global__ void k(float *out, const float *in) {
  __shared__ float t[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < 256; ++k) s += in[i + k * 65536];
  t[threadIdx.x * 2] = s;
  __syncthreads();
  out[i] = t[threadIdx.x];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 256 << 20);
  cudaMalloc(&out, 64 << 20);
  k<<<256, 256>>>(out, in);
}`,
  },
  found: {
    "rows half as long as a warp": {
      code: halves(
        "160",
        `
//  ${"^".repeat(38)} or pad the rows by 16 elements`,
      ),
      fixed: halves("176", ""),
    },
    "down a column": {
      code: marked(transpose("tile[32][32]"), "32-way bank conflict: this load of `tile` takes 32 wavefronts/request, ideal 1."),
      fixed: transpose("tile[32][33]"),
    },
    "with a size that has a name": {
      code: `constexpr int side = 32;${marked(transpose("tile[side][side]"), "81.1 µs, 32.2 without it.")}`,
      fixed: `constexpr int side = 32;${transpose("tile[side][side + 1]")}`,
    },
    "of an array whose address is taken": {
      code: marked(transpose("tile[32][32]", undefined, "\n  if (n < 0) out[0] = *&tile[0][1];"), "bank conflict"),
    },
    "of an array that is passed on": {
      code: marked(transpose("tile[32][32]", undefined, "\n  float *flat = &tile[0][0];\n  if (n < 0) out[0] = flat[1];"), "bank conflict"),
    },
  },
});
