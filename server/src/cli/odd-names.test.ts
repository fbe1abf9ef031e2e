/** Files of whatever name have the findings of their text. */
import { expect, test } from "vitest";
import { folderWith, runIn } from "./testing/command.ts";

const text = `__global__ void k(const float *x, float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = x[i * 32]; }
int main() { float *x, *y; cudaMalloc(&x, 128 << 20); cudaMalloc(&y, 4 << 20); k<<<4096, 256>>>(x, y); }
`;
const names = ["plain.cu", "with blank.cu", "a'b\"c.cu", "%41.cu", "#1.cu", "ü🚀.cu", "-x.cu", "a;b&c.cu"];
/** Windows has no such files. */
const elsewhere = process.platform === "win32" ? [] : ["b\\c.cu", "\\.cu", "C:\\x.cu", "a:b?.cu", "a\nb.cu"];

test.each([...(process.platform === "win32" ? names.filter((name) => !name.includes('"')) : names), ...elsewhere])("%j", async (name) => {
  const folder = folderWith({ [name]: text });
  const { code, out } = await runIn(folder, ["check", ".", "--format", "json"]);
  const { files } = JSON.parse(out) as { files: { diagnostics: { ruleId: string }[] }[] };
  expect([code, files.flatMap(({ diagnostics }) => diagnostics.map(({ ruleId }) => ruleId))]).toEqual([1, ["strided-global-access"]]);
});
