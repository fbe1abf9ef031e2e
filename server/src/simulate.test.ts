import { findGpu, type GpuModel, type LaunchReport, Work } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { ProgramDatabase } from "./analysis/program-database.ts";
import { loadGrammarFromDisk } from "./grammar.ts";
import { simulateLaunches, simulateProgram } from "./simulate.ts";
import { analyseCode } from "./testing/rule-tables.ts";

beforeAll(loadGrammarFromDisk);

const model = (id: string): GpuModel => {
  const gpu = findGpu(id);
  if (!gpu) throw new Error(id);
  return gpu;
};
const kernel = `__global__ void scale(float *a, float f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i * 2] = a[i * 2] * f;
}`;
const host = (launch: string): string => `int main() {\n  float *a;\n  cudaMalloc(&a, 1 << 24);\n  ${launch}\n}`;
const simulated = (code: string, id = "h200") => simulateProgram(analyseCode(code), model(id));

test("every kernel is simulated once before one is simulated again, and told in the order of the source", () => {
  const other = kernel.replace("scale", "shift").replace("* f", "+ f");
  const calls = "scale<<<8, 256>>>(a, 2.0f); scale<<<16, 256>>>(a, 2.0f);\n  shift<<<8, 256>>>(a, 2.0f); scale<<<32, 256>>>(a, 2.0f);";
  const program = analyseCode(`${kernel}\n${other}\n${host(calls)}`);
  const told = [...simulateLaunches(program, model("h200"))].flatMap((outcome) => ("simulated" in outcome ? outcome.simulated.fact : []));
  const grids = (facts: typeof told) => facts.map(({ kernelName, launch }) => `${kernelName} ${launch?.grid[0]}`);
  expect(grids(told)).toEqual(["scale 8", "shift 8", "scale 16", "scale 32"]);
  const { launches } = simulateProgram(program, model("h200"));
  expect(grids(launches.map(({ fact }) => fact))).toEqual(["scale 8", "scale 16", "shift 8", "scale 32"]);
});

describe("a launch that the program passes by", () => {
  const choice = (threads: string): string =>
    `int threads = ${threads};\n  if (threads == 64) scale<<<16, 64>>>(a, 2.0f); else scale<<<8, 128>>>(a, 2.0f);`;
  const told = (code: string, onlyMade = true) => {
    const { launches, notSimulated } = simulateProgram(analyseCode(`${kernel}\n${code}`), model("h200"), { onlyMade });
    return [launches.map(({ report }) => report.block[0]), notSimulated.map(({ reason }) => reason.split(":")[0])];
  };
  const passedBy = "the program launches this kernel elsewhere, and not here";

  test("is left out where only those that are made are wanted", () => {
    expect(told(host(choice("128")))).toEqual([[128], [passedBy]]);
    expect(told(host(choice("128")), false)).toEqual([[64, 128], []]);
  });
  test("is simulated where no other of the kernel is made, where the condition is not known, and where a directive says how", () => {
    expect(told(host("if (false) scale<<<16, 64>>>(a, 2.0f);"))).toEqual([[64], []]);
    expect(told(host(choice("(int)time(nullptr)")))).toEqual([[64, 128], []]);
    expect(told(host(choice("128").replace(" scale", "\n// warplens: grid=4 block=32\n scale")))).toEqual([[32, 128], []]);
  });
  test("comes last in any case", () => {
    const program = analyseCode(
      `${kernel}\n${kernel.replace("scale", "shift")}\n${host(`if (false) shift<<<1, 32>>>(a, 2.0f); ${choice("128")}`)}`,
    );
    const outcomes = [...simulateLaunches(program, model("h200"))];
    expect(outcomes.map((outcome) => ("simulated" in outcome ? outcome.simulated.report.block[0] : undefined))).toEqual([128, 32, 64]);
  });
});

describe("a launch that was simulated before", () => {
  const path = "/project/case.cu";
  const programs = new ProgramDatabase({ read: () => undefined });
  programs.configure(path, { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] });
  /** One text after the other of one file, which remembers what it can. */
  const edited = (code: string, id = "h200") => {
    programs.setText(path, code);
    return simulateProgram(programs.program(path), model(id));
  };

  test("moves with its kernel", () => {
    const code = `${kernel}\n${host("scale<<<64, 256>>>(a, 2.0f);")}`;
    const [first] = edited(code).launches;
    const [moved] = edited(`// one\n// two 🚀\n${code}`).launches;
    expect(Object.keys(first?.report.lines ?? {})).toContain("3");
    expect(Object.keys(moved?.report.lines ?? {})).toContain("5");
    expect(Object.values(moved?.report.lines ?? {})).toEqual(Object.values(first?.report.lines ?? {}));
    const shift = "// one\n// two 🚀\n".length;
    const places = (report: typeof first) => report?.report.accesses.map(({ line, start, end }) => [line, start, end]) ?? [];
    expect(places(moved)).toEqual(places(first).map(([line = 0, start = 0, end = 0]) => [line + 2, start + shift, end + shift]));
  });

  test.each([
    ["another kernel", `${kernel.replace("i * 2]", "i * 3]")}\n${host("scale<<<64, 256>>>(a, 2.0f);")}`],
    ["another launch", `${kernel}\n${host("scale<<<32, 256>>>(a, 2.0f);")}`],
    ["another value", `${kernel.replace("i * 2] =", "i * (int)f] =")}\n${host("scale<<<64, 256>>>(a, 4.0f);")}`],
  ])("is not taken for %s", (_, code) => {
    const [first] = edited(`${kernel}\n${host("scale<<<64, 256>>>(a, 2.0f);")}`).launches;
    const [other] = edited(code).launches;
    expect(other?.report.lines).not.toEqual(first?.report.lines);
  });

  test.each([
    ["before", "add<<<64, 256>>>(a); divide<<<64, 256>>>(b, a, 3.0f);"],
    [
      "in an earlier turn of the host's loop",
      "for (int turn = 0; turn < 3; turn++) { divide<<<64, 256>>>(b, a, 3.0f); add<<<64, 256>>>(b); float *c = a; a = b; b = c; }",
    ],
  ])("nor where another launch has left what it divides: %s", (_, launches) => {
    const divided = (added: string) =>
      edited(`__global__ void add(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += ${added}; }
__global__ void divide(float *to, const float *a, float by) { int i = blockIdx.x * blockDim.x + threadIdx.x; to[i] = a[i] / by; }
int main() {
  float *a, *b;
  cudaMalloc(&a, 65536);
  cudaMalloc(&b, 65536);
  cudaMemset(a, 0, 65536);
  cudaMemset(b, 0, 65536);
  ${launches}
}`).launches.find(({ fact }) => fact.kernelName === "divide")?.report.instructions.warp;
    const [zeros, ones] = [divided("0.0f"), divided("1.0f")];
    expect(zeros).toBeGreaterThan(1.5 * (ones ?? Number.NaN));
    expect(divided("0.0f")).toBe(zeros);
  });

  test("nor for one on another GPU", () => {
    const code = `${kernel}\n${host("scale<<<64, 1024>>>(a, 2.0f);")}`;
    const warps = (id: string) => edited(code, id).launches[0]?.report.occupancy.activeWarpsPerSm;
    expect(warps("h200")).toBe(64);
    expect(warps("t4")).toBe(32);
  });
});

test("registers a directive gives are taken, and an option goes before it", () => {
  const program = analyseCode(`// warplens: registers=128\n${kernel}\n${host("scale<<<64, 256>>>(a, 2.0f);")}`);
  const registers = (known?: { readonly value: number; readonly basis: "compiled" | "annotated" }) =>
    simulateProgram(program, model("h200"), { registersOf: () => known }).launches[0]?.report.resources.registersPerThread;
  expect(registers()).toEqual({ value: 128, basis: "annotated" });
  expect(registers({ value: 20, basis: "compiled" })).toEqual({ value: 128, basis: "annotated" });
  expect(registers({ value: 40, basis: "annotated" })).toEqual({ value: 40, basis: "annotated" });
});

test("functions are template arguments, and handed on", () => {
  const code = `__device__ void twice(float *a) { *a = 2 * *a; }
template <typename T, void (*F)(T *)> __global__ void k(T *a) { F(a + threadIdx.x); }
template <typename T, void (*F)(T *)> void start(T *a) { k<T, F><<<1, 32>>>(a); }
int main() { float *a; cudaMalloc(&a, 128); start<float, twice>(a); }`;
  const { launches, notSimulated } = simulated(code);
  expect(notSimulated).toEqual([]);
  expect(launches[0]?.report.traffic).toMatchObject({ globalLoadRequests: 1, globalStoreRequests: 1 });
});

test("who waits for what others write is taken to find it", () => {
  const code = `__global__ void spin(volatile int *flag, float *a) {
  if (threadIdx.x == 0) while (*flag == 0) __threadfence();
  __syncthreads();
  a[threadIdx.x] = 1;
}
int main() { int *flag; cudaMalloc(&flag, 4); cudaMemset(flag, 0, 4); float *a; cudaMalloc(&a, 128); spin<<<1, 32>>>(flag, a); }`;
  const { launches, notSimulated } = simulated(code);
  expect(notSimulated).toEqual([]);
  expect(launches[0]?.report.traffic).toMatchObject({ globalLoadRequests: 1, globalStoreRequests: 1 });
  expect(launches[0]?.report.assumptions.map(({ what }) => what)).toContain("loops that wait for memory");
});

test("a variable template is one variable for each argument", () => {
  const code = `template <typename T> __constant__ T mask[8];
template <typename T> __global__ void k(T *a, int n) { for (int i = 0; i < n; i++) a[threadIdx.x] += mask<T>[i] * mask<T>[0]; }
int main() { float *a; cudaMalloc(&a, 128); k<float><<<1, 32>>>(a, 3); double *b; cudaMalloc(&b, 256); k<double><<<1, 32>>>(b, 3); }`;
  const { launches, notSimulated } = simulated(code);
  expect(notSimulated).toEqual([]);
  const bytes = launches.map(
    ({ report }) => new Set(report.accesses.filter(({ space }) => space === "constant").map((each) => each.bytesPerLane)),
  );
  expect(bytes).toEqual([new Set([4]), new Set([8])]);
});

test("a template argument that a launch leaves open is assumed", () => {
  const code = `template <typename T, int N> __global__ void k(T *a) { for (int i = 0; i < N; i++) a[i * 32 + threadIdx.x] = i; }
template <int N> struct Wrapped { static int size(); enum { count = N }; };
template <typename W> void start(float *a) { k<float, unknown_trait<W>::value><<<1, 32>>>(a); }
int main() { float *a; cudaMalloc(&a, 4096); start<Wrapped<3>>(a); }`;
  const { launches, notSimulated } = simulated(code);
  expect(notSimulated).toEqual([]);
  expect(launches[0]?.report.assumptions).toContainEqual(expect.objectContaining({ what: "N", value: "4" }));
  expect(launches[0]?.report.traffic.globalStoreRequests).toBe(4);
});

test("the toolkit's headers are at hand", () => {
  const code = `#include <curand_kernel.h>
#include <cub/cub.cuh>
__global__ void sequence(curandStateSobol32 *states, float *a) { a[threadIdx.x] = curand_uniform(&states[threadIdx.x]); }
__global__ void draw(curandState *states, float *a) { a[threadIdx.x] = curand_uniform(&states[threadIdx.x]); }
__global__ void sum(float *a) {
  __shared__ typename cub::BlockReduce<float, 128>::TempStorage storage;
  float all = cub::BlockReduce<float, 128>(storage).Sum(a[threadIdx.x]);
  if (threadIdx.x == 0) a[0] = all;
}`;
  const { launches, notSimulated } = simulated(code);
  expect(notSimulated).toEqual([]);
  expect(launches.map(({ report }) => report.kernel)).toEqual(["sequence", "draw", "sum"]);
});

test("what a compiler says besides registers is in the report", () => {
  const compiled = { stackBytes: 48, spillStoreBytes: 16, spillLoadBytes: 24, staticSharedBytes: 0, constantBytes: 372 };
  const program = analyseCode(`${kernel}\n${host("scale<<<64, 256>>>(a, 2.0f);")}`);
  const [launch] = simulateProgram(program, model("h200"), { registersOf: () => ({ value: 24, basis: "compiled", compiled }) }).launches;
  expect(launch?.report.resources).toMatchObject({ registersPerThread: { value: 24, basis: "compiled" }, compiled });
  expect(simulateProgram(program, model("h200")).launches[0]?.report.resources).not.toHaveProperty("compiled");
});

describe("what is not simulated", () => {
  test("is named with its line and reason", () => {
    const { launches, notSimulated } = simulated(`${kernel}\n${host("scale<<<64, 2048>>>(a, 2.0f);")}`);
    expect(launches).toEqual([]);
    expect(notSimulated).toMatchObject([{ kernel: "scale", line: 8, reason: expect.stringContaining("1024") }]);
  });

  test("other kernels than the one asked for are left out", () => {
    const program = analyseCode(
      `${kernel}\n__global__ void other(float *a) { a[0] = 1; }\n${host("scale<<<1, 32>>>(a, 1.0f); other<<<1, 32>>>(a);")}`,
    );
    expect(simulateProgram(program, model("h200"), { kernel: "other" }).launches.map(({ report }) => report.kernel)).toEqual(["other"]);
  });

  test("nothing is, once cancelled", () => {
    const program = analyseCode(`${kernel}\n${host("scale<<<1, 32>>>(a, 9.0f);")}`);
    expect(simulateProgram(program, model("h200"), { work: new Work(1, () => true) })).toEqual({ launches: [], notSimulated: [] });
  });
});

describe("sizes that mean nothing are refused, with what the GPU allows", () => {
  const launched = (body: string, before = "", launch = "k<<<1, 32>>>(a, 3);"): string =>
    `${before}__global__ void k(float *a, long long i) { ${body} }\nint main() { float *a; cudaMalloc(&a, 4096); ${launch} }`;
  const touch = "a[i] = 1;";
  test.each([
    [
      "static shared memory",
      launched("__shared__ int s[2000000000]; s[i] = 1; a[0] = s[1];"),
      /^8,000,000,000 bytes of shared memory a block: the NVIDIA H200 allows 232,448$/,
    ],
    [
      "a local array",
      launched("int s[2000000000]; s[i] = 1; a[0] = s[i + 1];"),
      /^a local array of 8,000,000,000 bytes: a thread has up to 524,288$/,
    ],
    [
      "local arrays together",
      launched("int s[130000], t[130000]; s[i] = t[i] = 1; a[0] = s[i + 1] + t[i + 1];"),
      /bytes of local memory, more than the 524288/,
    ],
    [
      "constants",
      launched("a[i] = c[i];", "__constant__ int c[2000000000];\n"),
      /^8,000,000,000 bytes of constant memory: the NVIDIA H200 allows 65,536$/,
    ],
    [
      "device variables",
      launched("a[i] = d[i][3];", "__device__ int d[2000000000][100000];\n"),
      /bytes of device memory: the NVIDIA H200 has /,
    ],
    [
      "a template's argument",
      launched("__shared__ int s[N]; s[i] = 1; a[0] = s[1];", "template <int N> ", "k<2147483647><<<1, 32>>>(a, 3);"),
      /^8,589,934,588 bytes of shared memory/,
    ],
    ["dynamic shared memory", launched(touch, "", "k<<<1, 32, 99999999999>>>(a, 3);"), /^99,999,999,999 bytes of shared memory a block/],
    ["less than none", launched(touch, "", "k<<<1, 32, -5>>>(a, 3);"), /bytes of shared memory/],
    ["a block", launched(touch, "", "k<<<1, 1 << 30>>>(a, 3);"), /more than the 1024 a block can have/],
    ["a block's depth", launched(touch, "", "k<<<1, dim3(1, 1, 128)>>>(a, 3);"), /more than 64 in z/],
    ["a grid", launched(touch, "", "k<<<dim3(1, 70000), 32>>>(a, 3);"), /more than a grid can have/],
    [
      "a fraction for a 64-bit integer",
      launched(touch, "// warplens: grid=(1) block=(32) i=0.5\n", ""),
      /^`i` is a whole number, not 0\.5$/,
    ],
  ])("%s", (_, code, reason) => {
    expect(simulated(code)).toEqual({ launches: [], notSimulated: [expect.objectContaining({ reason: expect.stringMatching(reason) })] });
  });

  test("what does not fit by a little is told with what would fit", () => {
    const { launches } = simulated(launched(touch, "", "k<<<1, 32, 300000>>>(a, 3);"));
    expect(launches[0]?.report.occupancy).toMatchObject({
      blocksPerSm: 0,
      limiters: ["shared_mem"],
      advice: { nextStep: expect.anything() },
    });
  });
});

describe("what never ends is given up, with a reason", () => {
  const code = (body: string, launch = "k<<<1024, 256>>>(a, m, 100);"): string =>
    `#include <vector>\n__device__ int lock;\n__global__ void k(int *a, int *m, int n) { ${body} }\n` +
    `int forever(int n) { while (true) n++; return n; }\nint deeper(int n) { return deeper(n + 1); }\n` +
    `int main() { int *a, *m; cudaMalloc(&a, 4096); cudaMalloc(&m, 4); cudaMemset(m, 0, 4); ${launch} }`;
  test.each([
    [
      "a spin lock in memory",
      "while (atomicCAS(m, 0, 1)); a[0] += 1; atomicExch(m, 0);",
      /^a thread waits for a lock that is never given back/,
    ],
    ["one in a variable", "while (atomicCAS(&lock, 0, 1) != 0) __threadfence(); a[0] += 1; atomicExch(&lock, 0);", /never given back/],
    ["one in a loop", "for (int i = 0; i < 1000000; i++) { while (atomicCAS(m, 0, 1)); a[i] += 1; atomicExch(m, 0); }", /never given back/],
    ["nothing, for ever", "while (true);", /never end/],
    ["stores, for ever", "for (;;) a[0]++;", /never end/],
    ["a counter that goes round", "for (unsigned i = n - 1; i >= 0; i--) a[i & 31] = i;", /never end/],
    ["a step of 0", "for (int i = 0; i < n; i += 0) a[i & 31] = i;", /never end/],
  ])("%s", (_, body, reason) => {
    const [first, again] = [simulated(code(body)), simulated(code(body))];
    expect(first.notSimulated.map((each) => each.reason)).toEqual([expect.stringMatching(reason)]);
    expect(again.notSimulated.map((each) => each.reason)).toEqual(first.notSimulated.map((each) => each.reason));
  });

  test.each([
    ["host code before the launch", "while (1) { } k<<<1, 32>>>(a, m, 1);"],
    ["launches", "for (;;) k<<<1, 32>>>(a, m, 1);"],
    ["a function", "k<<<1, 32>>>(a, m, forever(1));"],
    ["calls of calls", "k<<<1, 32>>>(a, m, deeper(1));"],
    [
      "a vector that grows",
      "std::vector<std::vector<int>> v; while (true) v.push_back(std::vector<int>(1000000)); k<<<1, 32>>>(v[0].data(), m, 1);",
    ],
    [
      "a vector of 10^12",
      "std::vector<int> v(1000000000000ull); for (size_t i = 0; i < v.size(); i++) v[i] = i; k<<<1, 32>>>(v.data(), m, v[3]);",
    ],
    ["10^18 launches", "for (int i = 0; i < 1000000000; i++) for (int j = 0; j < 1000000000; j++) k<<<i + 1, 32>>>(a, m, j);"],
  ])("on the host: %s", (_, launch) => {
    const { launches, notSimulated } = simulated(code("a[threadIdx.x] = n;", launch));
    // A site that launches with other values again and again stands for several launches, but for few.
    const { length } = [...launches, ...notSimulated];
    expect([length > 0, length < 20]).toEqual([true, true]);
  });
});

describe("thread block clusters", () => {
  const reads = (attribute: string, body: string, launch = "k<<<64, 32>>>(a);") =>
    simulated(
      `#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n__global__ void ${attribute} k(float *a) {\n${body}\n}\n${host(launch)}`,
    );
  const requests = (report: LaunchReport | undefined) => report?.traffic.globalLoadRequests;

  test("know their blocks, and each its rank", () => {
    const body = `cg::cluster_group c = cg::this_cluster();
  for (unsigned i = 0; i < c.num_blocks() + 10 * c.block_rank(); i++) a[threadIdx.x] += a[threadIdx.x + 32 * i + 32];`;
    const [first] = reads("__cluster_dims__(4, 1, 1)", body).launches;
    const [alone] = reads("", body).launches;
    // 4 turns of rank 0 to 34 of rank 3, 19 on average; a block by itself has 1. Each loads once more what it adds to.
    expect(requests(first?.report)).toBe(64 * 20);
    expect(requests(alone?.report)).toBe(64 * 2);
  });

  test("take the shared memory of other blocks for their own, and say so", () => {
    const body = `__shared__ float s[32];
  cg::cluster_group c = cg::this_cluster();
  s[threadIdx.x] = a[threadIdx.x];
  c.sync();
  a[threadIdx.x] = c.map_shared_rank(s, c.block_rank() ^ 1)[31 - threadIdx.x];
  c.sync();`;
    const { launches, notSimulated } = reads("__cluster_dims__(2, 1, 1)", body);
    expect(notSimulated).toEqual([]);
    expect(launches[0]?.report.shared.loadInstructions).toBe(64);
    expect(launches[0]?.report.assumptions.map(({ what }) => what)).toEqual(
      expect.arrayContaining(["shared memory of other blocks", "synchronising the cluster"]),
    );
  });

  test("are the same in inline PTX", () => {
    const body = `__shared__ float s[32];
  unsigned rank, there;
  asm volatile("mov.u32 %0, %cluster_ctarank;" : "=r"(rank));
  s[threadIdx.x] = a[threadIdx.x];
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(s)), "r"(rank ^ 1));
  float v;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(there));
  a[threadIdx.x] = v + rank;`;
    const { launches, notSimulated } = reads("__cluster_dims__(2, 1, 1)", body);
    expect(notSimulated).toEqual([]);
    expect(launches[0]?.report.shared.loadInstructions).toBe(64);
  });
});

describe("bulk copies", () => {
  const code = (bytes: string, kernel = "") => `__device__ unsigned address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__global__ void k(float *a) {
  __shared__ alignas(128) float tile[1024];
  __shared__ unsigned long long full;
  unsigned done = 0;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&full)));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&full)), "r"(4096));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
      ::"r"(address(tile)), "l"(a + blockIdx.x * 1024), "r"(${bytes}), "r"(address(&full)) : "memory");
  }
  __syncthreads();
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
      : "=r"(done) : "r"(address(&full)) : "memory");
  a[threadIdx.x] = tile[threadIdx.x];${kernel}
}
${host("k<<<1024, 128>>>(a);")}`;

  test("are read from memory, past the L1, and waited for", () => {
    const { launches, notSimulated } = simulated(code("4096"));
    expect(notSimulated).toEqual([]);
    const report = launches[0]?.report;
    expect(report?.traffic).toMatchObject({ globalLoadSectors: 0, globalStoreSectors: 1024 * 16, dramReadBytes: 1 << 22 });
    // The profiler tells of them at the memory, not at their line.
    expect(report?.lines["10"]?.globalSectors).toBe(0);
    // No less than what they take at the memory's best.
    expect(report?.time?.ns).toBeGreaterThan((1 << 22) / 4917);
  });

  test("that do not fill a phase are a wait for ever, told with its line", () => {
    const { launches, notSimulated } = simulated(code("2048"));
    expect(launches).toEqual([]);
    expect(notSimulated[0]?.reason).toMatch(/^threads wait at an mbarrier for ever: for 2048 bytes \(line 15: `address/);
  });
});

describe("tensor maps", () => {
  const code = (encoder: string, attributes = "", multicast = ["", "", ""]) => `#include <cuda.h>
__device__ unsigned address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__global__ void ${attributes} k(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[32][64];
  __shared__ unsigned long long full;
  unsigned done = 0;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&full)));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&full)), "r"(8192));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes${multicast[0]} [%0], [%1, {%3, %4}], [%2]${multicast[1]};"
      ::"r"(address(tile)), "l"(&map), "r"(address(&full)), "r"(blockIdx.x * 64), "r"(blockIdx.y * 32)${multicast[2]} : "memory");
  }
  __syncthreads();
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
      : "=r"(done) : "r"(address(&full)) : "memory");
}
${encoder}
int main() {
  float *a;
  unsigned long long size[2] = {1000, 500}, stride[1] = {4000};
  unsigned box[2] = {64, 32}, step[2] = {1, 1};
  CUtensorMap map{};
  cudaMalloc(&a, 1000 * 500 * 4);
  if (encode()(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, a, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) return 1;
  k<<<dim3(16, 16), 32>>>(map);
}`;

  test.each([
    ["linked", "PFN_cuTensorMapEncodeTiled_v12000 encode() { return cuTensorMapEncodeTiled; }"],
    [
      "asked of the runtime",
      `PFN_cuTensorMapEncodeTiled_v12000 encode() {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult result;
  cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &result);
  return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found);
}`,
    ],
  ])("are what the host fills in, by the driver's function that is %s", (_, encoder) => {
    const { launches, notSimulated } = simulated(code(encoder));
    expect(notSimulated).toEqual([]);
    // What lies beyond the tensor is not read.
    expect(launches[0]?.report.traffic).toMatchObject({ globalLoadSectors: 0, dramReadBytes: 1000 * 500 * 4 });
  });

  test("of which a block brings a part for all of its cluster", () => {
    const encoder = "PFN_cuTensorMapEncodeTiled_v12000 encode() { return cuTensorMapEncodeTiled; }";
    const each = code(encoder, "__cluster_dims__(2, 1, 1)", [".multicast::cluster", ", %5", `, "h"((unsigned short)3)`]);
    const { launches, notSimulated } = simulated(each.replace('"r"(8192)', '"r"(16384)'));
    expect(notSimulated).toEqual([]);
    expect(launches[0]?.report.assumptions.map(({ what }) => what)).toContain("shared memory of other blocks");
  });
});

test.each([
  ["float", false],
  ["volatile float", true],
])("%s that a warp reads over and over comes from the L1 but for what may change meanwhile", (type, isPast) => {
  const add = `__global__ void add(${type} *a, int rounds) { ${type} *own = a + threadIdx.x; for (int k = 0; k < rounds; k++) { *own = *own + 1.0f; __syncwarp(); } }`;
  const [launch] = simulated(`${add}\n${host("add<<<1, 32>>>(a, 500);")}`).launches;
  // Four sectors a turn.
  expect((launch?.report.traffic.l2ReadSectors ?? 0) >= 2000).toBe(isPast);
});

test("a thread's own volatile array is served by the L1: nobody else writes it", () => {
  const code = `__global__ void own(float *o, int n) { volatile float a[8]; for (int i = 0; i < 8; i++) a[i] = i; float s = 0; for (int i = 0; i < n; i++) s += a[i & 7]; o[threadIdx.x] = s; }`;
  const [launch] = simulated(`${code}\n${host("own<<<1, 256>>>(a, 512);")}`).launches;
  expect(launch?.report.traffic.l2ReadSectors ?? 0).toBeLessThan(1000);
});

test.each([3, 5, 6, 9])(
  "lanes that leave a loop of shuffles two turns before others exchange what they do on the GPU (%i turns)",
  (turns) => {
    const sum = (variable: string, pragma: string): string => `int ${variable} = lane;
${pragma}
  for (int i = 0; i < trips; i++) { unsigned m = i < n ? ~0u : 0xffffu; ${variable} += __shfl_xor_sync(m, ${variable}, 1) * 3 + __shfl_sync(m, ${variable}, 5) + __popc(__ballot_sync(m, ${variable} & 1)) + i; }`;
    const code = `__global__ void meet(float *o, int n) { int lane = threadIdx.x; int trips = lane < 16 ? n + 2 : n;
  ${sum("v", "")}
  ${sum("w", "#pragma unroll 1")}
  if (v != w) o[lane] = v; }`;
    const [launch] = simulated(`${code}\n${host(`meet<<<1, 32>>>(a, ${turns});`)}`).launches;
    expect(launch?.report.traffic.globalStoreRequests).toBe(0);
  },
);
