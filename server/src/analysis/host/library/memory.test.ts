/** What memory holds behind functions that are given it. */
import { beforeAll, expect, test } from "vitest";
import { launchesOf, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

const kindBehind = (call: string): string | undefined => {
  const [fact] = launchesOf(`#include <cstring>\n__global__ void k(const float *a) {}\nvoid other(float *p);
    int main() { float *p, *q; cudaMallocManaged(&p, 4096); cudaMallocManaged(&q, 4096); cudaPointerAttributes told; cudaMemLocation there;
    for (int i = 0; i < 1024; i++) p[i] = i * 0.5f; ${call}; k<<<1, 32>>>(p); }`);
  return fact?.launch?.buffers[0]?.content?.kind;
};

test.each([
  "cudaMemPrefetchAsync(p, 4096, 0, 0)",
  "cudaMemPrefetchAsync(p, 4096, there, 0, 0)",
  "cudaMemAdvise(p, 4096, cudaMemAdviseSetReadMostly, 0)",
  "cudaStreamAttachMemAsync(0, p)",
  "cudaPointerGetAttributes(&told, p)",
  "fwrite(p, 4, 1024, stdout)",
  "memcmp(p, q, 4096)",
  "cudaMemcpyPeerAsync(q, 1, p, 0, 4096, 0)",
])("%s leaves what it is given", (call) => expect(kindBehind(call)).toBe("linear"));

test.each(["other(p)", "cudaMemcpyPeerAsync(p, 1, q, 0, 4096, 0)"])("%s does not", (call) => expect(kindBehind(call)).not.toBe("linear"));
