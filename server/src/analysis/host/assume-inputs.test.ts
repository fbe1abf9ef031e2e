/** What is assumed of launches that depend on what nobody knows: plausible, consistent, and said. */
import { beforeAll, expect, test } from "vitest";
import { useParser } from "../../syntax/current-parser.ts";
import { testParser } from "../../syntax/testing/parse-text.ts";
import { analyze } from "../analyze.ts";
import type { LaunchFact } from "../facts.ts";
import type { AnalysisSettings } from "../settings.ts";

beforeAll(async () => {
  useParser(await testParser);
});

const settings: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };

function only(source: string): LaunchFact {
  const [fact] = analyze("/assumed.cu", source, settings, { read: () => undefined }).launches;
  if (fact === undefined) throw new Error("no launch");
  return fact;
}

const values = ({ configuration }: LaunchFact) => configuration.map(({ what, value }) => [what, value]);

test("a tensor's extents and strides go together", () => {
  const fact = only(`
    struct tensor { long ne[4]; unsigned long nb[4]; float *data; };
    __global__ void k(const char *p, long ne00, unsigned long nb01, unsigned long nb02) {}
    void op(const tensor *src) {
      const long ne00 = src->ne[0], ne01 = src->ne[1], ne02 = src->ne[2];
      const unsigned long nb01 = src->nb[1], nb02 = src->nb[2];
      k<<<dim3(ne01, ne02), ne00 < 1024 ? ne00 : 1024>>>((const char *)src->data, ne00, nb01, nb02);
    }`);
  expect(fact.launch?.grid).toEqual([32, 8, 1]);
  expect(fact.launch?.block).toEqual([1024, 1, 1]);
  expect(fact.launch?.arguments.slice(1)).toEqual([4096n, 16384n, 524288n].map((value) => ({ kind: "scalar", value })));
  expect(values(fact)).toContainEqual(["nb02", 524288]);
});

test("a size whose square would not fit memory, or would bound a long loop, is smaller", () => {
  const square = only(`
    __global__ void k(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i * n] = 0; }
    void run(int n) { float *p; cudaMalloc(&p, (size_t)n * n * sizeof(float)); k<<<(n + 255) / 256, 256>>>(p, n); }`);
  expect(values(square)).toEqual([["n", 1 << 14]]);
  const loop = only(`
    __global__ void k(float *p, int n) { float s = 0; for (int j = 0; j < n; j++) s += p[j]; p[threadIdx.x] = s; }
    void run(float *p, int n) { k<<<n / 256, 256>>>(p, n); }`);
  expect(values(loop)).toEqual([["n", 1 << 14]]);
});

test("an empty grid of a launch the program may not make so is not known", () => {
  const fact = only(`
    #include <cstdio>
    __global__ void k(float *p) {}
    int main() {
      int n = 0;
      FILE *f = fopen("in", "r");
      if (f == NULL) return 1;
      float *p; cudaMalloc(&p, 4096);
      if (fgetc(f) == 'x') k<<<n, 128>>>(p);
    }`);
  expect(fact.launch?.block).toEqual([128, 1, 1]);
  expect(fact.launch?.grid[0]).toBeGreaterThan(1);
  expect(fact.configuration[0]?.why).toContain("it would be 0");
});

test("what is random takes the middle of its range", () => {
  const fact = only(`
    #include <cstdlib>
    __global__ void k(float *p, int n) {}
    int main() { srand(time(0)); float *p; cudaMalloc(&p, 4096); int n = 1000 + rand() % 1001; k<<<(n + 99) / 100, 100>>>(p, n); }`);
  expect(fact.launch?.grid).toEqual([15, 1, 1]);
  expect(fact.launch?.arguments[1]).toEqual({ kind: "scalar", value: 1500, assumed: true });
  expect(fact.configuration).toMatchObject([{ what: "grid", why: "a random value; the middle of those it may have" }]);
});

test("that a library nobody found succeeds is said of every launch that host code makes with it", () => {
  const fact = only(`
    __global__ void k(float *p) {}
    int main() {
      float *p; cudaMalloc(&p, 4096);
      cublasHandle_t handle;
      if (cublasCreate(&handle) != 0 || cublasSetStream(handle, 0) != 0) return 1;
      k<<<4, 128>>>(p);
    }`);
  expect(fact.launch?.grid).toEqual([4, 1, 1]);
  expect(fact.assumptions).toContainEqual({
    what: "`cublasCreate` and 1 more of its kind",
    value: "success",
    why: "the library is not among the files that were found",
  });
});

test("a launch in a later turn, of a size that is read back from the device, is made of one that its buffers allow", () => {
  const { launches } = analyze(
    "/counted.cu",
    `
    #include <utility>
    __global__ void step(const int *from, int count, int *to, int *next) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < count) to[atomicAdd(next, 1)] = from[i];
    }
    int main() {
      int *from, *to, *next;
      cudaMalloc(&from, 400000000); cudaMalloc(&to, 400000000); cudaMalloc(&next, 4);
      int count = 1;
      for (int turn = 0; turn < 5 && count > 0; ++turn) {
        cudaMemset(next, 0, 4);
        step<<<(count + 127) / 128, 128>>>(from, count, to, next);
        cudaMemcpy(&count, next, 4, cudaMemcpyDeviceToHost);
        std::swap(from, to);
      }
    }`,
    settings,
    { read: () => undefined },
  );
  expect(launches.map(({ launch }) => launch?.grid[0])).toEqual([1, 8]);
  expect(launches.map(values)).toEqual([[], [["count", 1 << 10]]]);
});
