/**
 * Writes CUDA programs as people do: different kernels with shared tiles, structs, templates and macros, each with its host code and
 * its reference on the CPU, comments, and a header of the project's own. The same number of lines gives the same program anywhere.
 */
import { families } from "./kernel-families.mjs";

/** What every generated program includes; it stands beside it under this name. */
export const headerName = "bench-common.cuh";

export const header = `// What the programs of this folder have in common.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                                          \\
  do {                                                                                            \\
    cudaError_t status = (call);                                                                  \\
    if (status != cudaSuccess) {                                                                  \\
      fprintf(stderr, "%s:%d: %s\\n", __FILE__, __LINE__, cudaGetErrorString(status));            \\
      exit(EXIT_FAILURE);                                                                         \\
    }                                                                                             \\
  } while (0)

#define CEIL_DIV(m, n) (((m) + (n) - 1) / (n))
#define WARP_SIZE 32
#define FULL_MASK 0xffffffffu

struct Shape {
  int rows;
  int columns;
  __host__ __device__ int count() const { return rows * columns; }
};

template <typename T>
__device__ __forceinline__ T warpSum(T value) {
  for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) value += __shfl_down_sync(FULL_MASK, value, offset);
  return value;
}

template <typename T>
__device__ __forceinline__ T warpMax(T value) {
  for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) {
    T other = __shfl_down_sync(FULL_MASK, value, offset);
    value = value > other ? value : other;
  }
  return value;
}

template <typename T>
T *allocate(size_t count) {
  T *pointer = nullptr;
  CUDA_CHECK(cudaMalloc(&pointer, count * sizeof(T)));
  CUDA_CHECK(cudaMemset(pointer, 0, count * sizeof(T)));
  return pointer;
}
`;

/** Numbers that look random and are the same every time (mulberry32). */
function randomly(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * A program of about so many lines.
 * @param {number} lines
 */
export function generate(lines) {
  const random = randomly(lines);
  const pick = (choices) => choices[Math.floor(random() * choices.length)];
  const parts = [
    `// A generated program of about ${lines} lines: its kernels are launched one after another by main.`,
    `#include "${headerName}"\n#include <cmath>\n#include <vector>\n`,
    "#define DEFAULT_ELEMENTS (1 << 20)\n#define REPEATS 4\n",
  ];
  const calls = [];
  let length = parts.join("\n").split("\n").length + 20;
  for (let index = 0; length < lines; index++) {
    const { text, call } = families[index % families.length](index, pick);
    parts.push(text);
    calls.push(call);
    length += text.split("\n").length + 2;
  }
  parts.push(`int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : DEFAULT_ELEMENTS;
  for (int repeat = 0; repeat < REPEATS; repeat++) {
${calls.map((call) => `    ${call}`).join("\n")}
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  printf("done with %d elements\\n", n);
  return 0;
}
`);
  return parts.join("\n");
}
