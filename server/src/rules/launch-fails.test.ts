import { testRule } from "../testing/rule-tables.ts";
import rule from "./launch-fails.ts";

const program = (host: string, kernel = "out[threadIdx.x] = 1;"): string => `
__global__ void k(float *out) { ${kernel} }
int main() {
  float *out;
  cudaMalloc(&out, 65536 * sizeof(float));
${host}
}`;
const dynamic = "extern __shared__ float s[]; s[threadIdx.x] = 1; out[threadIdx.x] = s[threadIdx.x];";

testRule(rule, {
  clean: {
    "as many threads as there may be": program("  k<<<1, 1024>>>(out);"),
    "a long grid": program("  k<<<100000, 32>>>(out);"),
    "a grid that may be empty for another reason": program(
      "  int n = 0;\n  for (int i = 0; i < lines(out); ++i) n += 32;\n  k<<<n / 32, 32>>>(out);",
    ),
    "as many as lines that a file has, or as the longest is long": `#include <fstream>
#include <string>
#include <vector>
__global__ void k(float *out) { out[threadIdx.x] = 1; }
int main(int argc, char **argv) {
  std::vector<std::string> lines;
  std::string line;
  std::ifstream file(argv[1]);
  while (getline(file, line)) lines.push_back(line);
  unsigned longest = 0;
  for (auto each : lines) if (longest < each.length()) longest = each.length();
  float *out;
  cudaMalloc(&out, 65536 * sizeof(float));
  k<<<1, longest>>>(out);
  k<<<lines.size() - 1, 32>>>(out);
}`,
    "48 KB": program("  k<<<1, 32, 48 * 1024>>>(out);", dynamic),
    "more, and allowed by a call that cannot be read": program(
      "  auto f = k;\n  cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);\n  k<<<1, 32, 100 << 10>>>(out);",
      dynamic,
    ),
    "more, and allowed": program(
      "  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);\n  k<<<1, 32, 100 << 10>>>(out);",
      dynamic,
    ),
  },
  found: {
    "too many threads": {
      code: program(
        "  k<<<1, 2048>>>(out);\n//^^^^^^^^^^^^^^^^^^^ The launch of `k` fails: a block of 2048 threads, more than the 1024 a block can have",
      ),
    },
    "no blocks": {
      code: program(
        "  const int n = 200;\n  int blocks = n / 256;\n  k<<<blocks, 256>>>(out);\n//^^^^^^^^^^^^^^^^^^^^^^^ The launch of `k` fails: an empty grid",
      ),
    },
    "too many in a corner": { code: program("  k<<<1, dim3(64, 32)>>>(out);\n//^^^^^^^^^^^^^^^^^^^^^^^^^^^ a block of 2048 threads") },
    "a high grid": { code: program("  k<<<dim3(1, 70000), 32>>>(out);\n//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a grid of (1, 70000, 1) blocks") },
    "more than there is": {
      code: program("  k<<<1, 32, 300 * 1024>>>(out);\n//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ needs 300 KB of shared memory", dynamic),
    },
    "more than is allowed without a word": {
      code: program(
        "  k<<<1, 32, 64 * 1024>>>(out);\n//^^^^^^^^^^^^^^^^^^^^^^^^^^^^ has to be allowed by `cudaFuncSetAttribute` first",
        dynamic,
      ),
      unsafe: program(
        "  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024);\n  k<<<1, 32, 64 * 1024>>>(out);",
        dynamic,
      ),
    },
    "more than the attribute allows": {
      code: program(
        "  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 50 << 10);\n  k<<<1, 32, 64 * 1024>>>(out);\n//^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `cudaFuncSetAttribute` allows it 50 KB",
        dynamic,
      ),
    },
  },
});
