import { expect, test } from "vitest";
import { folderWith, runIn } from "./testing/command.ts";

const kernel = `__global__ void k(float *out, const float *in, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}
`;
const main = (launch: string): string => `#include "k.cuh"
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  ${launch}
}
`;

interface Told {
  readonly path: string;
  readonly diagnostics: readonly {
    readonly ruleId: string;
    readonly severity: string;
    readonly gain?: object;
    readonly assumed?: readonly string[];
  }[];
}

async function told(files: Readonly<Record<string, string>>): Promise<Record<string, readonly unknown[]>> {
  const { out } = await runIn(folderWith(files), ["check", ".", "--format", "json", "--select", "strided-global-access"]);
  const report = JSON.parse(out) as { readonly files: readonly Told[] };
  return Object.fromEntries(
    report.files.map(({ path, diagnostics }) => [path, diagnostics.map(({ severity, assumed }) => [severity, assumed?.length ?? 0])]),
  );
}

test("what rests on a launch that is assumed is told where nothing launches the kernel", async () => {
  expect(await told({ "k.cuh": kernel })).toEqual({ "k.cuh": [["information", 3]] });
});

test("and not where another file of the run does", async () => {
  const files = { "k.cuh": kernel, "main.cu": main("k<<<dim3(128, 512), dim3(32, 8)>>>(out, in, 4096);") };
  expect(await told(files)).toEqual({ "k.cuh": [["warning", 0]], "main.cu": [] });
});

test("a finding carries its gain, and findings are told in the order of it", async () => {
  const cwd = folderWith({
    "a.cu": `${kernel}
__global__ void far(float *out, const float *in) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i * 8] = in[i * 8]; }
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  far<<<1024, 256>>>(out, in);
  k<<<dim3(128, 512), dim3(32, 8)>>>(out, in, 4096);
}
`,
  });
  const select = ["--select", "strided-global-access"];
  const { out } = await runIn(cwd, ["check", ".", "--format", "json", ...select]);
  const gains = (
    JSON.parse(out) as { files: readonly { diagnostics: readonly { gain: { fromNs: number; toNs: number } }[] }[] }
  ).files.flatMap(({ diagnostics }) => diagnostics.map(({ gain }) => gain));
  expect(gains).toHaveLength(2);
  for (const { fromNs, toNs } of gains) expect(toNs).toBeLessThan(0.9 * fromNs);
  const text = (await runIn(cwd, ["check", ".", ...select])).out;
  expect([...text.matchAll(/([\d.]+ \S+), [\d.]+( \S+)? without it/g)]).toHaveLength(2);
  const lines = [...text.matchAll(/a\.cu:(\d+):\d+ {2}warning/g)].map(([, line]) => Number(line));
  expect(lines).toEqual([3, 6].slice(0, 2));
  // Of less than half of the launch's time nothing is told, where the project says so.
  const few = await runIn(
    folderWith({
      "warplens.json": '{ "leastGain": 99 }',
      "a.cu": `${kernel}${main("k<<<dim3(128, 512), dim3(32, 8)>>>(out, in, 4096);").replace(/#.*\n/, "")}`,
    }),
    ["check", ".", ...select],
  );
  expect(few.out).toContain("no findings");
});
