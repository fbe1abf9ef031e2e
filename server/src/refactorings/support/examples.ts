/** Programs that several refactorings show what they do on. */
import contendedAtomic from "../../rules/contended-atomic.ts";
import sharedBankConflict from "../../rules/shared-bank-conflict.ts";

/** A transpose through a tile of a kind: `[32][32]`. */
export const transpose = (dimensions: string): string => sharedBankConflict.example.bad.replace("[32][32]", () => dimensions);

/** A kernel of a thread an element, and its launch for 2^22 elements. */
export const mapping = (
  body: string,
  launch = "map<<<(n + 255) / 256, 256>>>(out, in, n);",
): string => `__global__ void map(float *out, const float *in, int n) {
${body}
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  ${launch}
}`;

/** A sum of 2^22 elements, with what stands in the kernel behind its index. */
export const total = (body: string): string => contendedAtomic.example.bad.replace("  if (i < n) atomicAdd(sum, in[i]);", () => body);
