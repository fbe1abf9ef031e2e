/** What one kernel stores decides the addresses and branches of the next: the counters are those of the values it stored. */
import { findGpu, type LaunchReport } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { analyze } from "../analysis/analyze.ts";
import type { AnalysisSettings, FileHost } from "../analysis/settings.ts";
import { loadGrammarFromDisk } from "../grammar.ts";
import { simulateProgram } from "../simulate.ts";

const gpu = findGpu("h200")!;
const settings: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };
const noFiles: FileHost = { read: () => undefined };

beforeAll(async () => {
  await loadGrammarFromDisk();
});

function reportsOf(source: string): Map<string, LaunchReport> {
  const { launches, notSimulated } = simulateProgram(analyze("/main.cu", source, settings, noFiles), gpu);
  expect(notSimulated).toEqual([]);
  return new Map(launches.map(({ fact, report }) => [fact.kernelName, report]));
}

const gather = `
__global__ void gather(const float *in, const int *idx, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[idx[i]];
}
`;

const allocations = `
  int *idx, *other;
  float *in, *out;
  cudaMalloc(&idx, n * sizeof(int));
  cudaMalloc(&other, n * sizeof(int));
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
`;

function program(kernels: string, launches: string, n = 1 << 14): string {
  return `${kernels}\n${gather}\nint main() {\n  const int n = ${n};\n${allocations}\n${launches}\n  gather<<<n / 256, 256>>>(in, idx, out, n);\n}\n`;
}

/** Sectors of `in[idx[i]]` for all warps of `n` threads. */
function gathered(n: number, index: (i: number) => number): number {
  let sectors = 0;
  for (let warp = 0; warp < n; warp += 32) sectors += new Set(Array.from({ length: 32 }, (_, lane) => index(warp + lane) >> 3)).size;
  return sectors;
}

/** Of the gathering load: what a launch loads less the indices. */
const gatheredIn = (report: LaunchReport | undefined, n: number): number => (report?.traffic.globalLoadSectors ?? 0) - n / 8;

const u32 = (value: number): number => value >>> 0;
const knuth = (i: number): number => u32(Math.imul(i, 2654435761));
function lcg(seed: number, steps: number): number {
  let state = u32(seed);
  for (let k = 0; k < steps; k++) state = u32(Math.imul(state, 1664525) + 1013904223);
  return state;
}

interface Case {
  readonly kernels: string;
  readonly launches: string;
  readonly index: (i: number, n: number) => number;
}

const i = "int i = blockIdx.x * blockDim.x + threadIdx.x;";

const cases: Record<string, Case> = {
  "each thread its own index": {
    kernels: `__global__ void fill(int *idx, int n) { ${i} if (i < n) idx[i] = i; }`,
    launches: "fill<<<n / 256, 256>>>(idx, n);",
    index: (k) => k,
  },
  "a stride, modulo": {
    kernels: `__global__ void fill(int *idx, int n) { ${i} if (i < n) idx[i] = (i * 7) % n; }`,
    launches: "fill<<<n / 256, 256>>>(idx, n);",
    index: (k, n) => (k * 7) % n,
  },
  "a hash": {
    kernels: `__global__ void fill(int *idx, int n) { ${i} if (i < n) idx[i] = (i * 2654435761u) % n; }`,
    launches: "fill<<<(n + 127) / 128, 128>>>(idx, n);",
    index: (k, n) => knuth(k) % n,
  },
  "a random number after some steps": {
    kernels: `__device__ unsigned next(unsigned &s) { s = s * 1664525u + 1013904223u; return s; }
__global__ void fill(int *idx, int n, unsigned seed) {
  ${i}
  unsigned s = seed + i;
  for (int k = 0; k < 5; ++k) next(s);
  if (i < n) idx[i] = (s >> 8) % n;
}`,
    launches: "fill<<<n / 256, 256>>>(idx, n, 12345u);",
    index: (k, n) => (lcg(12345 + k, 5) >>> 8) % n,
  },
  "a grid-stride loop": {
    kernels: `__global__ void fill(int *idx, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) idx[i] = (i * 13) % n;
}`,
    launches: "fill<<<8, 128>>>(idx, n);",
    index: (k, n) => (k * 13) % n,
  },
  "some elements a thread": {
    kernels: `__global__ void fill(int *idx, int n) {
  ${i}
  for (int k = 0; k < 8; ++k) if (i * 8 + k < n) idx[i * 8 + k] = n - 1 - (i * 8 + k) * 3 % n;
}`,
    launches: "fill<<<n / 1024, 128>>>(idx, n);",
    index: (k, n) => n - 1 - ((k * 3) % n),
  },
  "two dimensions": {
    kernels: `__global__ void fill(int *idx, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) idx[y * w + x] = x * h + y;
}`,
    launches: "fill<<<dim3(128 / 16, n / 128 / 16), dim3(16, 16)>>>(idx, 128, n / 128);",
    index: (k, n) => (k % 128) * (n / 128) + Math.floor(k / 128),
  },
  "vectors, from the end": {
    kernels: `__global__ void fill(int4 *idx, int n) {
  ${i}
  if (i < n) { int j = 4 * (n - 1 - i); idx[n - 1 - i] = make_int4(j * 5 % (4 * n), (j + 1) * 5 % (4 * n), (j + 2) * 5 % (4 * n), (j + 3) * 5 % (4 * n)); }
}`,
    launches: "fill<<<n / 1024, 256>>>((int4 *)idx, n / 4);",
    index: (k, n) => (k * 5) % n,
  },
  "blocks in another order": {
    kernels: `__global__ void fill(int *idx, int n) {
  int b = (blockIdx.x * 5 + 3) % gridDim.x, i = b * blockDim.x + (threadIdx.x ^ 1);
  if (i < n) idx[i] = i * 9 % n;
}`,
    launches: "fill<<<n / 256, 256>>>(idx, n);",
    index: (k, n) => (k * 9) % n,
  },
  "through shared memory": {
    kernels: `__global__ void fill(int *idx, int n) {
  __shared__ int tile[256];
  ${i}
  tile[threadIdx.x] = i;
  __syncthreads();
  idx[i] = tile[255 - threadIdx.x] * 3 % n;
}`,
    launches: "fill<<<n / 256, 256>>>(idx, n);",
    index: (k, n) => ((k - (k % 256) + 255 - (k % 256)) * 3) % n,
  },
  "one kernel after another": {
    kernels: `__global__ void first(int *a, int n) { ${i} if (i < n) a[i] = i * 11 % n; }
__global__ void second(const int *a, int *b, int n) { ${i} if (i < n) b[i] = a[n - 1 - i]; }`,
    launches: "first<<<n / 256, 256>>>(other, n); second<<<n / 128, 128>>>(other, idx, n);",
    index: (k, n) => ((n - 1 - k) * 11) % n,
  },
  "in place, copied, pointers swapped": {
    kernels: `__global__ void first(int *a, int n) { ${i} if (i < n) a[i] = i; }
__global__ void twice(int *a, int n) { ${i} if (i < n) a[i] = a[i] * 2 % n; }`,
    launches: `first<<<n / 256, 256>>>(idx, n); twice<<<n / 256, 256>>>(idx, n);
  cudaMemcpy(other, idx, n * sizeof(int), cudaMemcpyDeviceToDevice);
  cudaMemset(idx, 0, n * sizeof(int));
  int *t = other; other = idx; idx = t;`,
    index: (k, n) => (k * 2) % n,
  },
  "over what was there before": {
    kernels: `__global__ void even(int *a, int n) { ${i} if (2 * i < n) a[2 * i] = 2 * i; }`,
    launches: "cudaMemset(idx, 0, n * sizeof(int)); even<<<n / 256, 256>>>(idx, n);",
    index: (k) => (k % 2 === 0 ? k : 0),
  },
  "a part of what another launch stored": {
    kernels: `__global__ void fill(int *a, int n, int by) { ${i} if (i < n) a[i] = i * by % n; }`,
    launches: `fill<<<n / 256, 256>>>(idx, n, 5); fill<<<n / 256, 256>>>(other, n, 9);
  cudaMemcpy(idx + n / 2, other + n / 2, n / 2 * sizeof(int), cudaMemcpyDeviceToDevice);`,
    index: (k, n) => (k * (k < n / 2 ? 5 : 9)) % n,
  },
  "a scatter": {
    kernels: `__global__ void fill(int *a, int n) { ${i} if (i < n) a[i] = i * 5 % n; }
__global__ void invert(const int *a, int *b, int n) { ${i} if (i < n) b[a[i]] = i; }`,
    launches: "fill<<<n / 256, 256>>>(other, n); invert<<<n / 256, 256>>>(other, idx, n);",
    index: (k, n) => inverseOfFive(k, n),
  },
};

/** i with 5 i = k (mod n), n a power of two. */
function inverseOfFive(k: number, n: number): number {
  let inverse = 1;
  for (let step = 0; step < 5; step++) inverse = Math.imul(inverse, 2 - Math.imul(5, inverse));
  return u32(Math.imul(k, inverse)) % n;
}

describe("a gather by indices that an earlier launch stored", () => {
  test.each(Object.entries(cases))("%s", (_name, { kernels, launches, index }) => {
    const n = 1 << 14;
    const report = reportsOf(program(kernels, launches, n)).get("gather");
    expect(gatheredIn(report, n)).toBeCloseTo(
      gathered(n, (k) => index(k, n)),
      3,
    );
  });

  test("loops of threads whose launch is too large to be run as a whole", () => {
    const n = 1 << 22;
    const kernels = `__global__ void fill(int *idx, int n, int each) {
  ${i}
  unsigned h = i;
  for (int k = 0; k < each; ++k) { h = h * 1664525u + 1013904223u; idx[i * each + k] = (i * each + k) / 16 * 64 % n; }
}`;
    const report = reportsOf(program(kernels, "fill<<<n / 16 / 256, 256>>>(idx, n, 16);", n)).get("gather");
    expect(gatheredIn(report, n) / (n / 16)).toBeCloseTo(1, 2);
    expect(report?.assumptions.map(({ value }) => value)).toContain("as `fill` of line 22 stored it");
  });

  test("a launch of which only a part can be run", () => {
    const n = 1 << 20;
    const kernels = `__global__ void fill(int *idx, int n) {
  ${i}
  unsigned h = i;
  for (int k = 0; k < 20000; ++k) h = (h ^ (h >> 7)) * 1664525u + 1013904223u;
  idx[i] = h % n;
}`;
    const report = reportsOf(program(kernels, "fill<<<n / 256, 256>>>(idx, n);", n)).get("gather");
    expect(gatheredIn(report, n) / n).toBeGreaterThan(0.9);
    expect(report?.assumptions.map(({ why }) => why)).toContain("to run more of its blocks takes too long");
  });

  test("a table of hashes of which only a part can be filled: so many of its places are taken as all launches fill", () => {
    const n = 1 << 20;
    const report = reportsOf(`__device__ unsigned mixed(unsigned h) {
  for (int k = 0; k < 20; ++k) h = (h ^ (h >> 7)) * 1664525u + 1013904223u;
  return h;
}
__global__ void put(int *table, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned at = mixed(i) & mask;; at = (at + 1) & mask) {
    int before = atomicCAS(&table[at], -1, i);
    if (before == -1 || before == i) return;
  }
}
__global__ void find(const int *table, int *out, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned at = mixed(i) & mask; at <= mask; at = (at + 1) & mask) {
    int entry = table[at];
    if (entry == i || entry == -1) { out[i] = entry; return; }
  }
}
int main() {
  const int n = ${n};
  int *table, *out;
  cudaMalloc(&table, 4 * n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemset(table, 0xff, 4 * n * sizeof(int));
  put<<<n / 256, 256>>>(table, 4 * n - 1);
  find<<<n / 256, 256>>>(table, out, 4 * n - 1);
}`).get("find")!;
    // A fourth of the places is taken: a search looks at 1.2 or so.
    const looked = (report.traffic.globalLoadSectors - report.traffic.globalStoreSectors) / n;
    expect(looked).toBeGreaterThan(0.8);
    expect(looked).toBeLessThan(1.4);
    expect(report.assumptions.map(({ value }) => value)).toContainEqual(expect.stringMatching(/ in (1\d|2\d) % of the elements$/));
  });

  /** Of a launch that takes too long and one that exchanges what lies in the two halves of 512 numbers: the share of stores that are made, and what is assumed. */
  const exchanged = (store: string, at = "0") => {
    const n = 1 << 20;
    const report = reportsOf(`__global__ void sort(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned h = i;
  for (int k = 0; k < 300; ++k) h = (h ^ (h >> 7)) * 1664525u + 1013904223u;
  int at = threadIdx.x * 16 + h % 16;
  ${store}
}
__global__ void exchange(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = i ^ 256;
  if (j > i && x[i] > x[j]) x[i] = x[j];
}
int main() {
  const int n = ${n};
  int *x;
  cudaMalloc(&x, 2 * n * sizeof(int));
  sort<<<n / 256, 256>>>(x + ${at});
  exchange<<<n / 256, 256>>>(x + ${at});
}`).get("exchange")!;
    return { stored: report.traffic.globalStoreSectors / (n / 2 / 8), assumed: report.assumptions.map(({ value }) => value) };
  };
  const like = expect.stringMatching(/^as blocks like the others did that were run/);

  test.each([
    ["in place", "0"],
    ["behind others", "n"],
    ["a sector further on than their numbers say", "8"],
  ])("blocks that cannot be run stored what those did that were, and lie as they do, sorted up and down in turn: %s", (_, at) => {
    const { stored, assumed } = exchanged("x[i] = blockIdx.x % 2 ? 4096 - at : at;", at);
    // Of the even blocks the upper half is larger than what lies opposite: all lanes of its warps, and none of the others.
    expect(stored).toBeCloseTo(0.5, 1);
    expect(assumed).toContainEqual(like);
  });

  test.each([
    ["columns", "x[threadIdx.x * gridDim.x + blockIdx.x] = at;"],
    ["turns that go on behind those of all blocks", "for (int k = i; k < 1 << 20; k += gridDim.x * 128) x[k] = at;"],
    ["a second array behind the first", "x[i] = at, x[i + (1 << 19)] = h & 1;"],
  ])("what is stored elsewhere than to a stretch of each block is nobody else's: %s", (_, store) =>
    expect(exchanged(store).assumed).not.toContainEqual(like),
  );

  test("a grid too large to be run as a whole", () => {
    const n = 1 << 24;
    const report = reportsOf(program(cases["a hash"]!.kernels, "fill<<<n / 256, 256>>>(idx, n);", n)).get("gather");
    expect(gatheredIn(report, n) / n).toBeGreaterThan(0.99);
    expect(report?.assumptions.find(({ what }) => what === "contents of idx")?.value).toBe("as `fill` of line 18 stored it");
  });
});

test("a constant that a kernel stores", () => {
  const kernels = `__global__ void fill(int *a, int n, int value) { ${i} if (i < n) a[i] = value; }`;
  const report = reportsOf(program(kernels, "fill<<<n / 256, 256>>>(idx, n, 3);")).get("gather");
  expect(gatheredIn(report, 1 << 14)).toBe(1 << 9);
  expect(report?.simulated.exact).toBe(true);
});

test("a branch on what a kernel stored", () => {
  const source = program(
    `__global__ void mark(int *a, int n) { ${i} if (i < n) a[i] = (i / 32) % 4 == 0; }
__global__ void pick(const int *flag, const float *in, float *out, int n) { ${i} if (i < n && flag[i]) out[i] = in[i]; }`,
    "mark<<<n / 256, 256>>>(idx, n); pick<<<n / 256, 256>>>(idx, in, out, n);",
  );
  expect(reportsOf(source).get("pick")?.traffic.globalStoreSectors).toBe((1 << 14) / 8 / 4);
});

test("counters that a kernel adds to leave the rest of the buffer as it was", () => {
  const kernels = `__global__ void count(int *a, int n) { ${i} if (i < n) atomicAdd(a + 5, 1); }`;
  const source = program(kernels, "cudaMemset(idx, 0, n * sizeof(int)); count<<<n / 256, 256>>>(idx, n);");
  const sectors = gatheredIn(reportsOf(source).get("gather"), 1 << 14);
  expect(sectors).toBeGreaterThanOrEqual(1 << 9);
  expect(sectors).toBeLessThanOrEqual((1 << 9) + 1);
});

test("a launch that stores nothing leaves what was there", () => {
  const kernels = `__global__ void fill(int *a, int n) { ${i} if (i < n) a[i] = i * 3 % n; }
__global__ void keep(int *a, int *count, int n) { ${i} if (i < n && a[i] < 0) a[atomicAdd(count, 1)] = i; }`;
  const source = program(kernels, "fill<<<n / 256, 256>>>(idx, n); cudaMemset(other, 0, 4); keep<<<n / 256, 256>>>(idx, other, n);");
  expect(gatheredIn(reportsOf(source).get("gather"), 1 << 14)).toBeCloseTo(
    gathered(1 << 14, (k) => (k * 3) % (1 << 14)),
    3,
  );
});

test("an edit to the first kernel changes the report of the second", () => {
  const source = (stride: number) =>
    program(`__global__ void fill(int *a, int n) { ${i} if (i < n) a[i] = i * ${stride} % n; }`, "fill<<<n / 256, 256>>>(idx, n);");
  for (const stride of [1, 2, 3]) {
    expect(gatheredIn(reportsOf(source(stride)).get("gather"), 1 << 14)).toBeCloseTo(
      gathered(1 << 14, (k) => (k * stride) % (1 << 14)),
      3,
    );
  }
});

test("a table that is filled by hashes is the one that is searched", () => {
  const keys = 240_000;
  const size = 1 << 19;
  const reports = reportsOf(`
__global__ void put(int *table, unsigned mask, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = i * 2654435761u & mask;
  while (atomicCAS(&table[h], -1, i) != -1) h = (h + 1) & mask;
}
__global__ void find(const int *table, int *out, unsigned mask, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int turns = 0;
  for (unsigned h = i * 2654435761u & mask; table[h] != -1 && table[h] != i; h = (h + 1) & mask) turns++;
  out[i] = turns;
}
int main() {
  int *table, *out;
  cudaMalloc(&table, ${size} * 4);
  cudaMemset(table, 0xff, ${size} * 4);
  cudaMalloc(&out, ${2 * keys} * 4);
  put<<<(${keys} + 127) / 128, 128>>>(table, ${size - 1}, ${keys});
  find<<<(${2 * keys} + 127) / 128, 128>>>(table, out, ${size - 1}, ${2 * keys});
}`);
  expect(reports.get("find")?.assumptions.map(({ what, value }) => `${what}: ${value}`)).toEqual([
    "contents of table: as `put` of line 20 stored it",
  ]);
});

test("what is sorted by counting is where three launches before have put it", () => {
  const n = 1 << 18;
  const cells = 1 << 10;
  // So many steps that those of one launch leave none for the others.
  const cellOf = (i: number): number => {
    let hash = i;
    for (let round = 0; round < 8; round++) hash = u32(Math.imul(hash ^ (hash >>> 15), 2654435761));
    return hash >>> 22;
  };
  const reports = reportsOf(`
__device__ int cellOf(unsigned h) {
  for (int round = 0; round < 8; round++) h = (h ^ h >> 15) * 2654435761u;
  return h >> 22;
}
__global__ void count(int *counts, int2 *slots, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) slots[i] = make_int2(cellOf(i), atomicAdd(&counts[cellOf(i)], 1));
}
__global__ void scan(const int *counts, int *starts) {
  __shared__ int sums[${cells}];
  sums[threadIdx.x] = counts[threadIdx.x];
  for (int d = 1; d < ${cells}; d *= 2) {
    __syncthreads();
    int below = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
    __syncthreads();
    sums[threadIdx.x] += below;
  }
  starts[threadIdx.x] = sums[threadIdx.x] - counts[threadIdx.x];
}
__global__ void scatter(const int2 *slots, const int *starts, int *idx, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) idx[starts[slots[i].x] + slots[i].y] = i;
}
__global__ void weigh(const float *in, const int *idx, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[cellOf(idx[i])];
}
int main() {
  const int n = ${n};
${allocations}
  int *counts, *starts; int2 *slots;
  cudaMalloc(&counts, ${cells} * 4); cudaMalloc(&starts, ${cells} * 4); cudaMalloc(&slots, n * 8);
  cudaMemset(counts, 0, ${cells} * 4);
  count<<<n / 256, 256>>>(counts, slots, n);
  scan<<<1, ${cells}>>>(counts, starts);
  scatter<<<n / 256, 256>>>(slots, starts, idx, n);
  weigh<<<n / 256, 256>>>(in, idx, out, n);
}`);
  const sorted = Array.from({ length: n }, (_, i) => i).sort((a, b) => cellOf(a) - cellOf(b) || a - b);
  expect(gatheredIn(reports.get("weigh"), n) / gathered(n, (i) => cellOf(sorted[i]!))).toBeCloseTo(1, 1);
});
