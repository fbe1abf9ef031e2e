/** What is assumed of buffers whose contents nothing tells, where they decide addresses and loops. */
import { findGpu } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { simulateProgram } from "../simulate.ts";
import { analyseCode } from "../testing/rule-tables.ts";

beforeAll(loadGrammarFromDisk);

const reportOf = (source: string) => simulateProgram(analyseCode(source), findGpu("h200")!).launches[0]?.report;
const assumedOf = (source: string) => new Map(reportOf(source)?.assumptions.map(({ what, value }) => [what, value]));

const allocated = (...buffers: readonly string[]) =>
  buffers
    .map((buffer) => buffer.split(" "))
    .map(([type, name, count]) => `${type} *${name}; cudaMalloc(&${name}, (${count}) * sizeof(${type}));`)
    .join("\n  ");

test("rows of a sparse matrix share out its elements", () => {
  const source = `__global__ void spmv(const int *start, const int *column, const float *value, const float *x, float *y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int j = start[row]; j < start[row + 1]; ++j) sum += value[j] * x[column[j]];
  y[row] = sum;
}
int main() {
  const int n = 1 << 16;
  ${allocated("int start n+1", "int column n*6", "float value n*6", "float x n", "float y n")}
  spmv<<<n / 256, 256>>>(start, column, value, x, y, n);
}`;
  const assumed = assumedOf(source);
  expect(assumed.get("contents of start")).toBe("6 * index");
  expect(assumed.get("contents of column")).toBe(`uniform(0, ${1 << 16})`);
  expect(reportOf(source)?.loops[0]?.trips).toBeCloseTo(6);
});

test("a count that bounds a loop is small, whatever else it is used for", () => {
  const source = `__global__ void sum(const int *count, const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < count[i]; ++k) s += a[count[i] + k];
  b[i] = s;
}
int main() {
  const int n = 1 << 16;
  ${allocated("int count n", "float a n*100", "float b n")}
  sum<<<n / 256, 256>>>(count, a, b);
}`;
  expect(assumedOf(source).get("contents of count")).toBe("uniform(0, 64)");
});

test("a key that is taken modulo a size may be any number", () => {
  const source = `__global__ void look(const unsigned *key, const float *table, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[key[i] % n];
}
int main() {
  const int n = 1 << 20;
  ${allocated("unsigned key n", "float table n", "float out n")}
  look<<<n / 256, 256>>>(key, table, out, n);
}`;
  expect((reportOf(source)?.traffic.globalLoadSectors ?? 0) / (1 << 20)).toBeGreaterThan(1);
});

test("one range holds for all members of a structure: what indexes little, or bounds a loop, says how far it goes", () => {
  const source = `struct Pair { int at, from, to; };
__global__ void sum(const Pair *pairs, const float *a, const float *shift, float *b) {
  Pair p = pairs[blockIdx.x];
  float s = shift[p.at % 7];
  for (int k = p.from; k < p.to; ++k) s += a[k * 8 + threadIdx.x % 8];
  b[p.at * 32 + threadIdx.x] = s;
}
int main() {
  const int n = 1 << 16;
  ${allocated("Pair pairs n", "float a n*8", "float shift 7", "float b n*32")}
  sum<<<n, 32>>>(pairs, a, shift, b);
}`;
  expect(assumedOf(source).get("contents of pairs")).toBe("uniform(0, 64)");
});

test.each([
  ["multiplied by a constant", "b[at[i] * 32 + threadIdx.x % 32]", 1 << 16],
  ["multiplied by a parameter", "b[at[i] * m + threadIdx.x % 32]", 1 << 17],
  ["shifted", "b[(at[i] << 3) + threadIdx.x % 8]", 1 << 18],
  ["divided", "b[at[i] / 4]", 1 << 23],
])("an index that is %s goes as far as what it indexes", (_, place, count) => {
  const source = `__global__ void put(const unsigned *at, float *b, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ${place} = 1;
}
int main() {
  ${allocated("unsigned at 1<<16", "float b 1<<21")}
  put<<<256, 256>>>(at, b, 16);
}`;
  expect(assumedOf(source).get("contents of at")).toBe(`uniform(0, ${count})`);
});

describe("a search in what nobody knows ends", () => {
  const search = (kernel: string, launch: string) => `${kernel}
int main() {
  const int n = 1 << 16;
  ${allocated("unsigned long long table n", "int keys n", "int next n", "int head n", "int out n")}
  ${launch}
}`;
  const index = "int i = blockIdx.x * blockDim.x + threadIdx.x;";
  test.each<readonly [string, string, string, ReadonlyMap<string, string | number>]>([
    [
      "at an empty place",
      `__global__ void find(const unsigned long long *table, const int *keys, int *out, unsigned mask) {
  ${index}
  unsigned key = keys[i], h = key * 2654435769u & mask;
  for (;;) {
    unsigned long long e = table[h];
    if ((unsigned)(e >> 32) == key) { out[i] = (int)e; break; }
    if ((unsigned)(e >> 32) == 0xffffffffu) break;
    h = (h + 1) & mask;
  }
}`,
      "find<<<n / 256, 256>>>(table, keys, out, n - 1);",
      new Map([["contents of table", "-1 in every other place, else uniform(0, 2147483648)"]]),
    ],
    [
      "at a bucket with an empty place, which a warp looks at together",
      `__global__ void find(const int *next, const int *keys, int *out, unsigned mask) {
  ${index}
  unsigned key = keys[i / 32], at = key * 2654435769u & mask;
  int found = -1;
  for (unsigned tried = 0; tried <= mask; tried++) {
    int entry = next[at * 32 + threadIdx.x % 32];
    unsigned same = __ballot_sync(~0u, entry == key);
    if (same) { found = __ffs(same); break; }
    if (__any_sync(~0u, entry == -1)) break;
    at = (at + 1) & mask;
  }
  out[i] = found;
}`,
      "find<<<n / 256, 256>>>(next, keys, out, n / 32 - 1);",
      new Map([["contents of next", "-1 in every other place, else uniform(0, 256)"]]),
    ],
    [
      "in an empty table",
      `__global__ void put(int *next, const int *keys, unsigned mask) {
  ${index}
  int key = keys[i];
  for (unsigned h = key * 2654435769u & mask;; h = (h + 1) & mask) {
    int before = atomicCAS(&next[h], -1, key);
    if (before == -1 || before == key) return;
  }
}`,
      "put<<<n / 256, 256>>>(next, keys, n - 1);",
      new Map([["contents of next", "-1"]]),
    ],
    [
      "at the end of a list",
      `__global__ void walk(const int *head, const int *next, const int *keys, int *out) {
  ${index}
  int sum = 0;
  for (int k = head[i]; k != -1; k = next[k]) sum += keys[k];
  out[i] = sum;
}`,
      "walk<<<n / 256, 256>>>(head, next, keys, out);",
      new Map([
        ["contents of head", "uniform(0, 65536)"],
        ["contents of next", "-1 in every other place, else uniform(0, 65536)"],
      ]),
    ],
    [
      "at a root",
      `__global__ void root(const int *next, int *out) {
  ${index}
  int x = i;
  while (next[x] != x) x = next[x];
  out[i] = x;
}`,
      "root<<<n / 256, 256>>>(next, out);",
      new Map([["contents of next", "its index in every other place, else an index before"]]),
    ],
    [
      "after some turns, where nothing says what ends it",
      `__global__ void settle(const int *next, int *out) {
  ${index}
  int x = i;
  while (next[x] % 7 > 0) x = next[x] * 7 + 1;
  out[i] = x;
}`,
      "settle<<<n / 256, 256>>>(next, out);",
      new Map([["loops that data ends", "64 turns at most"]]),
    ],
  ])("%s", (_, kernel, launch, told) => {
    const assumed = assumedOf(search(kernel, launch));
    for (const [what, value] of told) expect(assumed.get(what)).toBe(value);
  });
});
