/** A program that uploads a vector of its host. */
import { launchesOf } from "./launches-of.ts";

const headers = ["algorithm", "cmath", "cstdint", "cstdlib", "map", "numeric", "queue", "random", "set", "stack", "unordered_set", "vector"]
  .map((name) => `#include <${name}>\n`)
  .join("");
const upload = "int *d; cudaMalloc(&d, h.size() * 4); cudaMemcpy(d, h.data(), h.size() * 4, cudaMemcpyHostToDevice);";

/** The launch, and what is known of the vector `h` that the code leaves; beforehand `useInstalledParser`. */
export function launchOfVector(code: string, before = "") {
  const [fact] = launchesOf(
    `${headers}__global__ void k(const int *p, int n) {}\n${before}int main() { ${code} ${upload} k<<<1, 32>>>(d, (int)h.size()); }`,
  );
  const [buffer] = fact?.launch?.buffers ?? [];
  return { fact, content: buffer?.content, size: (buffer?.bytes ?? Number.NaN) / 4 };
}
