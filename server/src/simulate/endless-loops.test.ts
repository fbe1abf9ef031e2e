/** Loops that nothing ends where blocks are run one by one: what they wait for is taken to come about, and that is told. */
import { findGpu } from "@warplens/sim-engine";
import { beforeAll, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { simulateProgram } from "../simulate.ts";
import { analyseCode } from "../testing/rule-tables.ts";

beforeAll(loadGrammarFromDisk);

const index = "int i = blockIdx.x * blockDim.x + threadIdx.x;";

/** What a kernel is assumed to do on a buffer of a value in every byte. */
function assumedOf(body: string, byte: number): ReadonlyMap<string, string | number> {
  const source = `__global__ void k(int *at, float *out) {
  ${index}
  ${body}
}
int main() {
  int *at; float *out;
  cudaMalloc(&at, 4096 * sizeof(int));
  cudaMalloc(&out, 16384 * sizeof(float));
  cudaMemset(at, ${byte}, 4096 * sizeof(int));
  k<<<4, 64>>>(at, out);
}`;
  const [launch] = simulateProgram(analyseCode(source), findGpu("h200")!).launches;
  expect(launch?.report).toBeDefined();
  return new Map(launch?.report?.assumptions.map(({ what, value }) => [what, value]));
}

test.each<readonly [string, string, number]>([
  [
    "a table that has no place left",
    `unsigned slot = (i * 2654435761u) & 127;
  while (true) {
    int found = at[slot];
    if (found == -1) found = atomicCAS(&at[slot], -1, i);
    if (found == -1 || found == i) break;
    slot = (slot + 1) & 127;
  }
  out[i] = slot;`,
    0xff,
  ],
  [
    "a lock that is taken from the beginning",
    `bool done = false;
  while (!done) {
    if (atomicCAS(at, 0, 1) == 0) {
      out[0] += 1;
      __threadfence();
      atomicExch(at, 0);
      done = true;
    }
  }`,
    1,
  ],
  [
    "blocks before this one that have not told their sums",
    `__shared__ int sum;
  if (threadIdx.x == 0) {
    sum = 0;
    int before = blockIdx.x - 1;
    while (before >= 0) {
      int told = ((volatile int *)at)[before];
      if (told == 0) continue;
      sum += told & 0xffff;
      if (told & 0x10000) break;
      before--;
    }
  }
  __syncthreads();
  out[i] = sum;`,
    0,
  ],
])("%s", (_, body, byte) => expect(assumedOf(body, byte).get("loops that did not end")).toBe("64 turns at most"), 120_000);

test("one that ends is not left, however long it takes", () => {
  const assumed = assumedOf("int x = 0; while (at[x] == 0 && x < 3000) x++; out[i] = x;", 0);
  expect(assumed.has("loops that did not end")).toBe(false);
});

test("who waits for a flag looks once, though it sleeps for longer each time", () => {
  const assumed = assumedOf(
    `if (blockIdx.x > 0) {
    unsigned pause = 8;
    while (((volatile int *)at)[blockIdx.x - 1] == 0) {
      __nanosleep(pause);
      if (pause < 256) pause *= 2;
    }
  }
  out[i] = 1;
  at[blockIdx.x] = 1;`,
    0,
  );
  expect(assumed.get("loops that wait for memory")).toBe("one look");
  expect(assumed.has("loops that did not end")).toBe(false);
});
