import { describe, expect, test } from "vitest";
import { folderWith, run, runIn } from "../testing/command.ts";

/** 4 sectors a request, 16 where the stride is 4; 256 threads a block. */
const source = `__global__ void copy(float *out, const float *in, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * stride];
}
__global__ void spin(int *a) { while (true) a[threadIdx.x]++; }
template <typename T, int N> __global__ void fill(T *a) { __shared__ T tile[N]; tile[threadIdx.x] = 1; a[threadIdx.x] = tile[threadIdx.x]; }
int main() {
  float *in, *out;
  cudaMalloc(&in, 1 << 26);
  cudaMalloc(&out, 1 << 26);
  copy<<<4096, 256>>>(out, in, 1 << 20, 1);
  copy<<<4096, 256>>>(out, in, 1 << 20, 4);
  fill<float, 256><<<1, 256>>>(out);
  spin<<<1, 32>>>((int *)in);
}
`;
const project = (gates: readonly string[], rest: object = {}) => ({
  "warplens.json": JSON.stringify({ gates, ...rest }, null, 1),
  "src/a.cu": source,
});

interface Judged {
  readonly verdict: string;
  readonly gpu: string;
  readonly value?: number;
  readonly limit?: number;
  readonly launchLine?: number;
  readonly reason?: string;
  readonly notJudged?: number;
  readonly assumptions?: readonly string[];
  readonly findings?: readonly object[];
}

async function judged(
  gates: readonly string[],
  rest: object = {},
  argv: readonly string[] = [],
): Promise<{ code: number; gates: readonly Judged[] }> {
  const { code, out } = await run(project(gates, rest), ["gate", ...argv, "--format", "json"]);
  return { code, gates: JSON.parse(out).gates };
}

describe("a gate about figures", () => {
  test("is judged by the launch that is nearest to breaking it", async () => {
    const { code, gates } = await judged([
      "copy: load sectors per request <= 16",
      "copy: load sectors per request < 16",
      "copy: load sectors per request >= 4",
      "copy: occupancy = 100 %",
      "copy in src/*: sectors/request < 10.1",
      "fill<float,256>: static shared <= 1 KB",
    ]);
    expect(gates).toMatchObject([
      { verdict: "holds", value: 16, limit: 16, launchLine: 12 },
      { verdict: "broken", value: 16, launchLine: 12 },
      { verdict: "holds", value: 4, launchLine: 11 },
      { verdict: "holds", value: 100 },
      { verdict: "holds", value: 10 },
      { verdict: "holds", value: 1024, limit: 1024 },
    ]);
    expect(code).toBe(1);
  });

  test("of a pattern is judged by what can be, and says what cannot; of a name by all", async () => {
    const { code, gates } = await judged(["*: time < 1 s", "spin: time < 1 s", "sp*: time < 1 s", "*: bank conflicts = 0"]);
    expect(gates).toMatchObject([
      { verdict: "holds", notJudged: 1 },
      { verdict: "unknown", reason: expect.stringMatching(/^spin at src\/a\.cu:14 is not simulated: ./) },
      { verdict: "unknown", reason: expect.stringMatching(/^spin at src\/a\.cu:14 is not simulated: ./) },
      { verdict: "holds", value: 0 },
    ]);
    expect(code).toBe(2);
  });

  test.each([
    ["kopy: time < 1 s", "there is no kernel `kopy`; did you mean `copy`?"],
    ["transpose: time < 1 s", "there is no kernel `transpose`; there are `copy`, `fill`, `fill<float, 256>`, `spin`"],
    ["copy in lib/*: time < 1 s", "there is no kernel `copy` in lib/*"],
    ["copy: time < 100 % of base", "there is nothing to compare with: say --base REVISION"],
    ["copy: no new finding", "what is known is not said: `baseline` in warplens.json, --baseline FILE or --base REVISION"],
  ])("that cannot be judged: %s", async (gate, reason) => {
    const { code, gates } = await judged([gate]);
    expect(gates).toEqual([expect.objectContaining({ verdict: "unknown", reason })]);
    expect(code).toBe(2);
  });

  test("is about the GPU that it names, else about the project's or the option's", async () => {
    const gates = ["copy on t4: occupancy = 100", "copy: occupancy = 100"];
    expect((await judged(gates, { gpu: "v100" })).gates.map(({ gpu }) => gpu)).toEqual(["t4", "v100-sxm2"]);
    expect((await judged(gates, { gpu: "v100" }, ["--gpu", "h200"])).gates.map(({ gpu }) => gpu)).toEqual(["t4", "h200"]);
  });

  test("says what it rests on that is not known", async () => {
    const files = {
      "warplens.json": '{ "gates": ["k: time < 1 s", "k: registers < 64", "k: DRAM bytes < 1 GB"] }',
      "a.cu":
        '__global__ void k(float *a, int n) { for (int i = threadIdx.x; i < n; i += 32) a[i] = 1; }\nint main() { float *a; cudaMalloc(&a, 4096); int n; scanf("%d", &n); k<<<1, 32>>>(a, n); }\n',
    };
    const gates: readonly Judged[] = JSON.parse((await run(files, ["gate", "--format", "json"])).out).gates;
    expect(gates[0]?.assumptions).toEqual([expect.stringMatching(/^n = \d+ is assumed: /)]);
    expect(gates[1]?.assumptions).toEqual([expect.stringMatching(/^\d+ registers are an estimate, \d+ to \d+$/)]);
    expect(gates[2]?.assumptions).toEqual(gates[0]?.assumptions);
  });
});

describe("a gate about findings", () => {
  const bad = "__global__ void k(float *a) {\n  a[0] *= 0.1;\n  a[1] = __any(a[1]);\n}\n";

  test("counts them by severity and worse, by rule, by kernel and file", async () => {
    const gates = [
      "*: no finding of error",
      "*: findings of warning <= 1",
      "*: findings <= 1",
      "k: findings of instructions <= 1",
      "k in b/*: no finding",
      "j: no finding of error",
      "*: no finding of strided-global-access",
    ];
    const files = { "warplens.json": JSON.stringify({ gates }), "a.cu": bad, "b/c.cu": bad.replace("k(", "j(") };
    const { code, out } = await run(files, ["gate", "--format", "json"]);
    expect(code).toBe(2);
    expect(JSON.parse(out).gates).toMatchObject([
      { verdict: "broken", value: 2, findings: [{ path: "a.cu", ruleId: "legacy-warp-intrinsic", severity: "error" }, { path: "b/c.cu" }] },
      { verdict: "broken", value: 2 },
      { verdict: "broken", value: 4 },
      { verdict: "holds", value: 1 },
      { verdict: "unknown", reason: "there is no kernel `k` in b/*; did you mean `j`?" },
      { verdict: "broken", value: 1 },
      { verdict: "holds", value: 0 },
    ]);
  });

  test.each([
    ["an option", {}, ["--baseline", "known.json"]],
    ["the project's file", { baseline: "known.json" }, []],
  ])("new ones, against a baseline by %s", async (_, rest, argv) => {
    const cwd = folderWith({
      "a.cu": bad,
      "b.cu": "",
      "warplens.json": JSON.stringify({ gates: ["*: no new finding", "*: no finding"], ...rest }),
    });
    await runIn(cwd, ["check", ".", "--baseline", "known.json"]);
    const before = await runIn(cwd, ["gate", ...argv, "--format", "json"]);
    expect(JSON.parse(before.out).gates).toMatchObject([
      { verdict: "holds", value: 0 },
      { verdict: "broken", value: 2 },
    ]);
    const after = await runIn(
      folderWith({
        "a.cu": `// moved\n${bad}`,
        "b.cu": bad,
        "known.json": before.read("known.json"),
        "warplens.json": before.read("warplens.json"),
      }),
      ["gate", ...argv, "--format", "json"],
    );
    expect(JSON.parse(after.out).gates).toMatchObject([
      { verdict: "broken", value: 2, findings: [{ path: "b.cu" }, { path: "b.cu" }] },
      { verdict: "broken", value: 4 },
    ]);
  });
});

describe("what is printed", () => {
  const gates = [
    "copy: load sectors per request < 16",
    "copy: registers < 255",
    "kopy: time < 1 s",
    "*: no finding of error",
    "copy: time < 1 ns",
  ];
  const print = (format: string) => run(project(gates), ["gate", "--format", format]);

  test("for people: each gate, its figure, by how much, where", async () => {
    const { out } = await print("text");
    expect(out).toContain("broken   copy: load sectors per request < 16  h200\n         16, at the bound\n         copy at src/a.cu:12\n");
    expect(out).toMatch(/holds {4}copy: registers < 255 {2}h200\n {9}\d+, \d+ \([\d.]+ %\) to spare\n/);
    expect(out).toContain("unknown  kopy: time < 1 s  h200\n         there is no kernel `kopy`; did you mean `copy`?\n");
    expect(out).toMatch(/broken {3}copy: time < 1 ns {2}h200\n {9}[\d.]+ µs, [\d.]+ µs \([\d]+ %\) too much\n/);
    expect(out).toMatch(/\n\n2 gates hold, 2 are broken, 1 cannot be judged\n$/);
  });

  test("for a pull request: a table", async () => {
    const { out } = await print("markdown");
    expect(out).toMatch(/^### WarpLens gates: 2 gates hold, 2 are broken, 1 cannot be judged\n\n\| {2}\| gate \| GPU \| figure \| {2}\|\n/);
    expect(out.split("\n").filter((line) => line.startsWith("|"))).toHaveLength(2 + gates.length);
  });

  test("for GitHub: an annotation where a gate is broken, or where it stands", async () => {
    const { out } = await print("github");
    const places = out
      .trim()
      .split("\n")
      .map((line) => /^::error file=([^,]*),line=(\d+),title=([^:]*)::/.exec(line)?.slice(1));
    expect(places).toEqual([
      ["src/a.cu", "12", "WarpLens%3A a gate is broken"],
      ["warplens.json", "5", "WarpLens%3A a gate cannot be judged"],
      ["src/a.cu", expect.stringMatching(/^1[12]$/), "WarpLens%3A a gate is broken"],
    ]);
  });
});

test.each([
  ["no gates", "{}", "there are no gates: "],
  ["a bad gate", '{\n "gates": [\n  "k: time < 3"] }', "warplens.json:3:3: `3` needs a unit; there are ns, us, µs, ms, s, % of base"],
  ["a baseline that is not there", '{ "gates": ["*: no new finding"], "baseline": "x.json" }', "there is no baseline "],
])("%s: a usage error", async (_, settings, message) => {
  const ran = await run({ "warplens.json": settings, "a.cu": "" }, ["gate"]);
  expect(ran.code).toBe(2);
  expect(ran.err).toContain(`warplens: ${message}`);
});
