/** What the user says, what is assumed where nobody says it, and programs of several files. */
import { beforeAll, describe, expect, test } from "vitest";
import { useParser } from "../syntax/current-parser.ts";
import { installedAssets } from "../syntax/parser/installed.ts";
import { loadWasmParser } from "../syntax/parser/wasm.ts";
import { analyze } from "./analyze.ts";
import type { Program } from "./facts.ts";
import type { AnalysisSettings, FileHost } from "./settings.ts";

beforeAll(async () => {
  useParser(await loadWasmParser(installedAssets()));
});

const base: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };
let count = 0;

function program(source: string, settings: Partial<AnalysisSettings> = {}): Program {
  count += 1;
  return analyze(`/t${count}/file.cu`, source, { ...base, ...settings }, { read: () => undefined });
}

/** A project on no disk. */
function project(files: Readonly<Record<string, string>>, opened: string, settings: Partial<AnalysisSettings> = {}): Program {
  count += 1;
  const root = `/p${count}/`;
  const host: FileHost = {
    read: (path) => (path.startsWith(root) ? files[path.slice(root.length)] : undefined),
    list: (folder) => (`${folder}/` === root ? Object.keys(files) : []),
  };
  return analyze(root + opened, files[opened] ?? "", { ...base, ...settings }, host);
}

const launchesOf = ({ launches }: Program) =>
  launches.map(({ kernelName, launch, line, expression }) => ({
    kernelName,
    grid: launch?.grid,
    block: launch?.block,
    line,
    written: expression !== undefined,
  }));
const kernel =
  "__global__ void k(const int *index, float *out, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = index[i];\n}\n";

test("a toolkit's headers are not read: what they declare is known", () => {
  const files = {
    "a.cu":
      "#include <cuda_fp16.h>\n__global__ void k(__half *a) { a[threadIdx.x] = __hadd(a[0], a[1]); }\nint main() { k<<<1, 32>>>(nullptr); }",
    "cuda/cuda_fp16.h": "struct __half { short x; };\n__half __hadd(__half a, __half b);\n",
    "cuda/cuda_runtime_api.h": "",
  };
  const { reading } = project(files, "a.cu", { includeDirs: [`/p${count + 1}/cuda`] });
  expect(reading.files).toHaveLength(1);
  const { "cuda/cuda_runtime_api.h": _, ...others } = files;
  expect(project(others, "a.cu", { includeDirs: [`/p${count + 1}/cuda`] }).reading.files).toHaveLength(2);
});

describe("directives and options", () => {
  test("above a kernel that nothing launches", () => {
    const { launches, problems } = program(`// warplens: block=(128) grid=(64) n=8192 index=uniform(0, n)\n${kernel}`);
    expect(launches[0]?.launch).toMatchObject({
      grid: [64, 1, 1],
      block: [128, 1, 1],
      arguments: [{ kind: "pointer" }, { kind: "pointer" }, { kind: "scalar", value: 8192 }],
    });
    const index = launches[0]?.launch?.arguments[0];
    expect(index?.kind === "pointer" && launches[0]?.launch?.buffers[index.buffer]?.content).toEqual({ kind: "uniform", lo: 0, hi: 8192 });
    expect(launches[0]?.expression).toBeUndefined();
    expect(problems).toEqual([]);
  });
  test("above a launch, for it alone", () => {
    const found = launchesOf(
      program(
        `${kernel}void f(int *i, float *o, int n) {\n  // warplens: grid=(10) block=(64)\n  k<<<n / 256, 256>>>(i, o, n);\n  k<<<5, 32>>>(i, o, n);\n}\n`,
      ),
    );
    expect(found).toMatchObject([
      { grid: [10, 1, 1], block: [64, 1, 1], line: 7 },
      { grid: [5, 1, 1], block: [32, 1, 1], line: 8 },
    ]);
  });
  test("--launch adds a launch, and replaces one in the source", () => {
    expect(launchesOf(program(kernel, { launches: ["k: grid=(7) block=(32)", "k: grid=(8) block=(64)"] }))).toMatchObject([
      { grid: [7, 1, 1] },
      { grid: [8, 1, 1], block: [64, 1, 1] },
    ]);
    const source = `${kernel}int main() { int *i; float *o; k<<<1, 32>>>(i, o, 5); }`;
    expect(launchesOf(program(source, { launches: ["k: grid=(9,2,1)"] }))).toMatchObject([
      { grid: [9, 2, 1], block: [32, 1, 1], written: true },
    ]);
  });
  test.each([
    [[], 4096],
    [["k.n=1024"], 4096],
    [["k.n=8192"], undefined],
  ])("what the host allocates is of its own sizes: with %j", (assume, bytes) => {
    const host = "int main() { int *i; float *o; cudaMalloc(&i, 4096); cudaMalloc(&o, 4096); k<<<32, 256>>>(i, o, 1024); }";
    const [fact] = program(kernel + host, { assume }).launches;
    expect(fact?.launch?.buffers.map((buffer) => buffer.bytes)).toEqual([bytes, bytes]);
    expect(fact?.assumptions.map(({ what }) => what)).toEqual(bytes === undefined ? ["size of i, o"] : []);
  });
  test("--assume gives scalars and contents, and host variables of the name", () => {
    const source = `${kernel}void f(int *i, float *o, int n) { k<<<n / 256, 256>>>(i, o, n); }`;
    const [fact] = program(source, { assume: ["n=65536", "k.index=permutation(16)"] }).launches;
    expect(fact?.launch).toMatchObject({ grid: [256, 1, 1], arguments: [{ kind: "pointer" }, { kind: "pointer" }, { value: 65536 }] });
    expect(fact?.launch?.buffers.map(({ content }) => content)).toContainEqual({ kind: "permutation", n: 16 });
  });
  describe("values in terms of the launch's own arguments", () => {
    const contentOfIndex = ({ launches: [fact], problems }: Program) => {
      const index = fact?.launch?.arguments[0];
      const content = index?.kind === "pointer" ? fact?.launch?.buffers[index.buffer]?.content : undefined;
      return { content, reason: fact?.reason, problems: problems.map(({ message }) => message) };
    };
    const host = "int main() { int *i; float *o; cudaMalloc(&i, 16384); cudaMalloc(&o, 16384); k<<<16, 256>>>(i, o, 4096); }";

    test.each([
      ["above the kernel", `// warplens: index=permutation(n)\n${kernel}${host}`, { kind: "permutation", n: 4096 }],
      [
        "above the launch",
        `${kernel}${host.replace("k<<<", "\n// warplens: index=uniform(0, 2*n)\nk<<<")}`,
        { kind: "uniform", lo: 0, hi: 8192 },
      ],
      ["of a parameter said after it", `// warplens: index=uniform(0, n) n=64\n${kernel}${host}`, { kind: "uniform", lo: 0, hi: 64 }],
      [
        "of a parameter that is assumed",
        `// warplens: grid=(2) block=(32) index=uniform(0, n)\n${kernel}`,
        { kind: "uniform", lo: 0, hi: 64 },
      ],
    ])("%s", (_, source, content) => expect(contentOfIndex(program(source))).toEqual({ content, reason: undefined, problems: [] }));

    test("--assume, and a grid", () => {
      expect(contentOfIndex(program(kernel + host, { assume: ["index=permutation(n / 4)"] })).content).toEqual({
        kind: "permutation",
        n: 1024,
      });
      expect(launchesOf(program(kernel + host, { launches: ["k: grid=(n / 128) block=(128)"] }))).toMatchObject([
        { grid: [32, 1, 1], block: [128, 1, 1] },
      ]);
    });

    test("names that are no parameters, and values that are not known, are said", () => {
      expect(contentOfIndex(program(`// warplens: index=permutation(m)\n${kernel}${host}`))).toMatchObject({
        problems: ["`index=permutation(m)`: m is no parameter of k"],
        reason: expect.stringMatching(/the value of m is not known/),
      });
      expect(contentOfIndex(program(`// warplens: grid=(n)\n${kernel}`)).reason).toMatch(/`grid=\(n\)`: the value of n is not known/);
    });
  });
  test("what cannot be read, or is for nothing, is said", () => {
    const { problems } = program(`// warplens: block=\n${kernel}// warplens: n=5\nint x;\nint y;\n`);
    expect(problems.map(({ message }) => message)).toEqual([expect.stringMatching(/^`block=`/), expect.stringMatching(/neither a kernel/)]);
  });
});

describe("assumptions", () => {
  test("a kernel that nothing launches fills the GPU; each assumption says why", () => {
    const [fact] = program(kernel).launches;
    const { grid, block, arguments: args } = fact?.launch ?? {};
    expect(block).toEqual([256, 1, 1]);
    expect(grid?.[0]).toBeGreaterThan(1000);
    expect(args?.[2]).toEqual({ kind: "scalar", value: (grid?.[0] ?? 0) * 256, assumed: true });
    expect(fact?.assumptions.map(({ what }) => what)).toEqual(["block", "grid", "index", "out", "n"]);
    expect(fact?.assumptions.every(({ why }) => why.length > 10)).toBe(true);
  });
  test("launch bounds give the block, indices its dimensions", () => {
    expect(launchesOf(program("__global__ void __launch_bounds__(64) k(int *p) { p[threadIdx.x] = 1; }"))).toMatchObject([
      { block: [64, 1, 1] },
    ]);
    const [fact] = program(
      "__global__ void k(int *p, int w) { p[(blockIdx.y * blockDim.y + threadIdx.y) * w + blockIdx.x * blockDim.x + threadIdx.x] = 1; }",
    ).launches;
    expect(fact?.launch?.block).toEqual([32, 8, 1]);
    expect(fact?.launch?.grid[1]).toBeGreaterThan(1);
  });
  test("a size nobody knows is assumed once, and everything follows from it", () => {
    const source = `${kernel}void run(int n, int threads) { int *i; float *o; cudaMalloc(&i, n * sizeof(int)); cudaMalloc(&o, n * sizeof(float)); k<<<(n + threads - 1) / threads, threads>>>(i, o, n); }`;
    const [fact] = program(source).launches;
    expect(fact?.launch).toMatchObject({
      grid: [4096, 1, 1],
      block: [256, 1, 1],
      arguments: [{}, {}, { value: 1 << 20 }],
      buffers: [
        { name: "i", bytes: 4 << 20 },
        { name: "o", bytes: 4 << 20 },
      ],
    });
    expect(fact?.assumptions).toMatchObject([
      { what: "n", value: 1 << 20 },
      { what: "threads", value: 256 },
    ]);
  });
  test("sides of a matrix are smaller", () => {
    const [fact] = program(
      "__global__ void m(float *a, int w, int h) {}\nvoid run(float *a, int w, int h) { dim3 b(16, 16), g((w + 15) / 16, (h + 15) / 16); m<<<g, b>>>(a, w, h); }",
    ).launches;
    expect(fact?.launch).toMatchObject({ grid: [64, 64, 1], block: [16, 16, 1] });
  });
  test("a program that ends for want of arguments is followed on", () => {
    const source = `${kernel}int main(int argc, char **argv) {\n  if (argc != 2) { printf("usage"); exit(1); }\n  int n = atoi(argv[1]);\n  int *i; float *o;\n  k<<<n / 256, 256>>>(i, o, n);\n}`;
    const [assumed] = program(source).launches;
    expect(assumed?.launch?.grid).toEqual([4096, 1, 1]);
    expect(assumed?.assumptions.map(({ what }) => what)).toContain("n");
    const [given] = program(source, { argv: ["2048"] }).launches;
    expect(given?.launch?.grid).toEqual([8, 1, 1]);
    expect(given?.executions).toBe(1);
  });
  test("impossible launches are refused with the reason", () => {
    const reasons = (configuration: string) =>
      program(`${kernel}int main() { int *i; float *o; k<<<${configuration}>>>(i, o, 5); }`).launches.map(({ reason }) => reason);
    expect(reasons("1, 2048")).toEqual([expect.stringContaining("2048 threads")]);
    expect(reasons("0, 32")).toEqual([expect.stringContaining("empty grid")]);
    expect(reasons("dim3(1, 100000), 32")).toEqual([expect.stringContaining("more than a grid can have")]);
  });
  test("clusters, of the kernel and of the launch", () => {
    const of = (source: string) => program(source).launches.map(({ launch }) => launch?.cluster);
    expect(of("__global__ void __cluster_dims__(2, 1, 1) c(int *p) {}\nint main() { int *p; c<<<8, 32>>>(p); }")).toEqual([[2, 1, 1]]);
    const body =
      "cudaLaunchConfig_t c = {}; c.gridDim = dim3(8); c.blockDim = dim3(32); cudaLaunchAttribute a[1]; a[0].id = cudaLaunchAttributeClusterDimension; a[0].val.clusterDim.x = 4; a[0].val.clusterDim.y = 1; a[0].val.clusterDim.z = 1; c.attrs = a; c.numAttrs = 1; cudaLaunchKernelEx(&c, k, p);";
    expect(of(`__global__ void k(int *p) {}\nint main() { int *p; ${body} }`)).toEqual([[4, 1, 1]]);
  });
  test("a template that nothing instantiates", () => {
    const [fact] = program("template <typename T, int BLOCK_SIZE> __global__ void k(T *p) { p[threadIdx.x] = BLOCK_SIZE; }").launches;
    expect(fact?.templateArguments).toEqual(["float", "256"]);
    expect(fact?.assumptions.slice(0, 2)).toMatchObject([
      { what: "T", value: "float" },
      { what: "BLOCK_SIZE", value: "256" },
    ]);
  });
});

describe("programs of several files", () => {
  const kernels = `${kernel}void launch(int *i, float *o, int n) { k<<<n / 128, 128>>>(i, o, n); }\n`;
  const main =
    "void launch(int *, float *, int);\nint main() { int *i; float *o; cudaMalloc(&i, 4096 * 4); cudaMalloc(&o, 4096 * 4); launch(i, o, 4096); }\n";
  test("main stands in another file", () => {
    const { launches } = project({ "kernels.cu": kernels, "main.cpp": main }, "kernels.cu");
    expect(launches[0]).toMatchObject({
      launch: { grid: [32, 1, 1], block: [128, 1, 1], buffers: [{ bytes: 16384 }, { bytes: 16384 }] },
      assumptions: [],
      executions: 1,
    });
  });
  describe("the last launch is the last that is run, not that of the last statement", () => {
    const two =
      "__global__ void a(int n) {}\n__global__ void b(int n) {}\nint first(int n) { a<<<n, 32>>>(n); return n + 1; }\nint second(int n) { b<<<n, 64>>>(n); return n; }\n";
    const declared = "int first(int);\nint second(int);\n";
    test.each([
      ["", "second(first(2));"],
      ["", "int n = 4; if (n > 3) second(first(2));"],
      ["", "if (first(2) == 3) second(3); else second(1);"],
      ["", "if (int n = first(2); n > 2) second(n);"],
      ["", "switch (int n = first(2); n) { case 3: second(n); }"],
      ["", "for (int n = first(2), k = second(n); k < 3; k++) {}"],
      ["int both() { if (true) return first(2) + second(3); return 0; }\n", "both();"],
      ["int both() { if (true) return second(first(2)); return 0; }\n", "both();"],
      ["", "int r; if (true) r = second(first(2));"],
      ["", "int n = second(first(2));"],
      ["", "for (int n : {first(2), second(3)}) {}"],
      ["", "try { throw first(2); } catch (int n) { second(n); }"],
      ["void stop(int n) { first(n); throw 3; }\n", "try { stop(2); } catch (int n) { second(n); }"],
      ["struct Three { int n; Three(int k) : n(first(k)) {} };\nvoid run(Three three) { second(three.n); }\n", "run(2);"],
      ["void run(int n = first(2)) { second(n); }\n", "run();"],
      ["void run(int n = second(3)) {}\n", "first(2); run();"],
      ["struct Arg { Arg(int n) { second(n); } };\n", "first(2); Arg a = 3;"],
      ["struct Arg { Arg(int n) { second(n); } };\n", "first(2); Arg{3};"],
      ["struct Arg { Arg(int n) { second(n); } };\n", "first(2); Arg a[1] = {3};"],
      ["struct End { int n; End() : n(second(3)) {} };\n", "first(2); End end;"],
      ["struct End { ~End() { second(3); } };\n", "End end; first(2);"],
      ["struct N { int n; };\nN operator+(N x, N y) { return {second(x.n + y.n)}; }\n", "N x{1}, y{2}; first(2); x + y;"],
      ["struct N { int n; operator int() const { return second(n); } };\n", "N x{3}; first(2); int n = x;"],
      ["struct Run { Run(int n) { first(n); } int go() { return second(3); } };\n", "Run(2).go();"],
      ["struct Both { int n = first(2), m = second(3); };\n", "Both();"],
      [
        "#include <vector>\n#include <algorithm>\n",
        "std::vector<int> v{2, 3}; std::for_each(v.begin(), v.end(), [](int n) { n == 2 ? first(n) : second(n); });",
      ],
    ])("%s%s", (before, body) => {
      const { launches } = project({ "kernels.cu": two, "main.cpp": `${declared}${before}int main() { ${body} }\n` }, "kernels.cu");
      expect(launches.map(({ kernelName, launch, assumptions }) => [kernelName, launch?.grid[0], assumptions])).toEqual([
        ["a", 2, []],
        ["b", 3, []],
      ]);
    });
  });
  test("what a launch is made of launches before it", () => {
    const files = {
      "kernels.cu":
        "__global__ void a(int n) {}\n__global__ void b(int n) {}\nint first(int n) { a<<<n, 32>>>(n); return n + 1; }\nvoid run() { b<<<first(2), 64>>>(3); }\n",
      "main.cpp": "void run();\nint main() { run(); }\n",
    };
    expect(launchesOf(project(files, "kernels.cu"))).toMatchObject([{ grid: [2, 1, 1] }, { grid: [3, 1, 1] }]);
  });
  test("a helper stands in another file", () => {
    const { launches } = project(
      {
        "main.cu": `${kernel}int blocks(int n);\nint main() { int *i; float *o; k<<<blocks(640), 64>>>(i, o, 640); }\n`,
        "helper.cpp": "static int per() { return 64; }\nint blocks(int n) { return n / per(); }\n",
      },
      "main.cu",
    );
    expect(launches[0]?.launch?.grid).toEqual([10, 1, 1]);
  });
  test("a kernel is defined in another file", () => {
    const { launches } = project(
      {
        "main.cu": "__global__ void k(const int *, float *, int);\nint main() { int *i; float *o; k<<<3, 32>>>(i, o, 96); }\n",
        "kernels.cu": kernel,
      },
      "main.cu",
    );
    expect(launches[0]).toMatchObject({ launch: { grid: [3, 1, 1] }, line: 2 });
    expect(launches[0]?.lower().parameters.map(({ name }) => name)).toEqual(["index", "out", "n"]);
  });
  test("a kernel is launched in another file", () => {
    const { launches } = project(
      { "kernels.cuh": kernel, "main.cu": '#include "kernels.cuh"\nint main() { int *i; float *o; k<<<6, 64>>>(i, o, 384); }\n' },
      "kernels.cuh",
    );
    expect(launches[0]).toMatchObject({ launch: { grid: [6, 1, 1], block: [64, 1, 1] } });
    expect(launches[0]?.assumptions[0]).toMatchObject({ what: "the launch", value: "main.cu:2" });
    expect(launches[0]?.lower().blocks.length).toBeGreaterThan(1);
  });
  test("the file is included by the one with main", () => {
    const { launches } = project(
      { "kernels.cu": kernels.replace("(int *i", "(int *i /* in */"), "main.cu": `#include "kernels.cu"\n${main}` },
      "kernels.cu",
    );
    expect(launches[0]).toMatchObject({
      kernel: { name: "k" },
      launch: { grid: [32, 1, 1], buffers: [{ bytes: 16384 }, {}] },
      assumptions: [],
      executions: 1,
    });
    expect(launches[0]?.lower().blocks.length).toBeGreaterThan(1);
  });
  test("without a listing of folders each file stands alone", () => {
    const { launches } = analyze("/alone/kernels.cu", kernels, base, { read: () => undefined });
    expect(launches[0]?.assumptions.length).toBeGreaterThan(0);
  });
});

describe("any text", () => {
  test.each([
    "",
    "\0\u0001\uFFFF",
    "}}}}{{{{",
    "__global__",
    "__global__ void k(",
    "int main() { k<<<",
    "<<<>>>()",
    "template<",
    "int main() { for (;;) {} }",
    "int f(int n) { return f(n) + f(n - 1); } int main() { f(3); g<<<1, f(9)>>>(); }",
    "int main() { int a[1000000000]; a[999999999] = 1; k<<<a[0], 1>>>(a); }",
  ])("%j", (text) => {
    const { launches, kernels, problems } = program(text);
    expect([launches, kernels, problems].every(Array.isArray)).toBe(true);
  });
});

test("an edit above a template changes what its instances are, whose own text is the same", () => {
  const source = (underlying: string) => `
    typedef ${underlying} Width;
    enum Mode : Width { Fast };
    struct Pair { Width a, b; };
    template <typename T> __global__ void k(T value, char *p) {}
    template <typename T> void run(T value, char *p) { k<<<sizeof(T), 32>>>(value, p); }
    int main() { char *p; cudaMalloc(&p, 8); Pair pair; Mode mode = Fast; run(mode, p); run(pair, p); }`;
  const grids = ["char ", "short", "int  ", "char "].map((underlying) => {
    const { launches } = analyze("/edited/again.cu", source(underlying), base, { read: () => undefined });
    return launches.map((fact) => fact.launch?.grid[0]);
  });
  expect(grids).toEqual([
    [1, 2],
    [2, 4],
    [4, 8],
    [1, 2],
  ]);
});

test("an edit of a template's definition is seen by launches it makes", () => {
  const source = (blocks: string) => `
    template <typename T, int N> struct Shape { static const int blocks = N * ${blocks}; T *data; };
    template <typename S> __global__ void k(S s) {}
    template <typename S> void run(S s) { k<<<S::blocks, 32>>>(s); }
    int main() { Shape<float, 3> s; run(s); }`;
  const grids = ["1", "2", "7", "2"].map((blocks) => {
    const { launches } = analyze("/edited/shape.cu", source(blocks), base, { read: () => undefined });
    return launches.map((fact) => fact.launch?.grid[0]);
  });
  expect(grids).toEqual([[3], [6], [21], [6]]);
});

describe("neighbours that are made to be slow to look through", () => {
  const opened = `extern int blocks;\nint threads(int n);\n${kernel}void start(int *i, float *o) { k<<<blocks, threads(4)>>>(i, o, 1 << 20); }\n`;
  const other = "int blocks = 40;\nint threads(int n) { return 32 * n; }\nvoid start(int *i, float *o);\nint main() { start(0, 0); }\n";
  test.each([
    "blocks[",
    "int blocks[",
    "blocks []",
    "threads(",
    "int threads(int n) ",
    "start<",
    "a::threads ",
    "extern int blocks ",
    "main ",
    "k<",
    "f() {",
  ])("%j, 99,000 times", (piece) => {
    const attack = piece.repeat(Math.ceil(290_000 / piece.length)).slice(0, 290_000);
    const files = { "a.cu": opened, "attack.cu": attack, "attack2.cpp": attack, "other.cu": other };
    expect(launchesOf(project(files, "a.cu"))).toMatchObject([{ kernelName: "k", grid: [40, 1, 1], block: [128, 1, 1] }]);
  });
});
