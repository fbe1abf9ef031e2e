// Constants met for the first time: cycles that a warp takes to add up so many words, the first time and once more: of a table in constant
// memory and of parameters, each word named by its instruction, or by a loop (one line of 64 bytes after another, or word after word).
#include <cuda_runtime.h>
#include <cstdio>

__constant__ int table[8000];

template <int words>
struct Words {
  int word[words];
};

template <int words>
__global__ void ofTable(int* out, int2* cycles) {
  int took[2], sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < 2; turn++) {
    const long long begin = clock64();
#pragma unroll
    for (int k = 0; k < words; k++) sum = (sum ^ table[k]) + turn;
    asm volatile("" : "+r"(sum));
    took[turn] = int(clock64() - begin);
  }
  *out = sum;
  *cycles = make_int2(took[0], took[1]);
}

template <int words>
__global__ void ofParameters(int* out, int2* cycles, const __grid_constant__ Words<words> given) {
  int took[2], sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < 2; turn++) {
    const long long begin = clock64();
#pragma unroll
    for (int k = 0; k < words; k++) sum = (sum ^ given.word[k]) + turn;
    asm volatile("" : "+r"(sum));
    took[turn] = int(clock64() - begin);
  }
  *out = sum;
  *cycles = make_int2(took[0], took[1]);
}

template <int apart>
__global__ void inLoop(int* out, int2* cycles, int words) {
  int took[2], sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < 2; turn++) {
    const long long begin = clock64();
#pragma unroll 1
    for (int k = 0; k < words; k += apart) sum = (sum ^ table[k]) + turn;
    asm volatile("" : "+r"(sum));
    took[turn] = int(clock64() - begin);
  }
  *out = sum;
  *cycles = make_int2(took[0], took[1]);
}

int* out;
int2* cycles;
void show(const char* what, int words) {
  cudaDeviceSynchronize();
  int2 took;
  cudaMemcpy(&took, cycles, sizeof took, cudaMemcpyDeviceToHost);
  printf("%-28s %5d words: first %7d cycles, again %7d\n", what, words, took.x, took.y);
}

template <int words>
void measure() {
  for (int k = 0; k < 2; k++) {
    ofTable<words><<<1, 32>>>(out, cycles);
    show("a table, by instructions", words);
    ofParameters<words><<<1, 32>>>(out, cycles, Words<words>{});
    show("parameters, by instructions", words);
    inLoop<1><<<1, 32>>>(out, cycles, words);
    show("a table, word after word", words);
    inLoop<16><<<1, 32>>>(out, cycles, words);
    show("a table, line after line", words);
  }
}

int main() {
  cudaMalloc(&out, 4);
  cudaMalloc(&cycles, sizeof(int2));
  measure<64>();
  measure<256>();
  measure<1000>();
  measure<4000>();
  measure<8000>();
  return cudaGetLastError() != cudaSuccess;
}
