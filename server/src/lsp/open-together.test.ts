/** Several open files that rest on each other: what is shown of one is about the texts of the others as they stand in the editor. */
import { afterEach, expect, test } from "vitest";
import { startClient } from "../testing/client.ts";

let client: Awaited<ReturnType<typeof startClient>>;
afterEach(() => client.stop());

/** Asks until the lens over the kernel is so, which comes once the user has paused. */
async function shows(uri: string, what: RegExp): Promise<void> {
  for (;;) {
    const lenses = (await client.request("textDocument/codeLens", { textDocument: { uri } })) as { command: { title: string } }[];
    if (lenses.some(({ command }) => what.test(command.title))) return;
    await client.settle();
  }
}

/** Asks until the figures of a file are complete, so many times over. */
async function simulated(name: string, times: number): Promise<void> {
  while (simulations(name) < times) await client.settle();
}

const simulations = (name: string): number =>
  client.log.filter((line) => line.includes(`/${name}: `) && line.includes("simulated on")).length;

const edit = (uri: string, version: number, text: string): void =>
  client.notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ text }] });

const header = (stride: number): string => `#pragma once\n#define STRIDE ${stride}\n`;
const includer = `#include "a.cuh"
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i * STRIDE] *= 0.5f;
}
int main() { float *x; cudaMalloc(&x, 4096 * 1024 * 4); k<<<16384, 256>>>(x, 4096 * 32); }
`;
/** What the lens says of the memory's bandwidth: tens of GB/s where neighbouring lanes take neighbouring words, hundreds where they lie apart. */
const [few, many] = [/· \d\d(\.\d)? GB\/s/, /· \d{3} GB\/s/];
const [main, included] = ["file:///w/a.cu", "file:///w/a.cuh"];

test("a header is edited, and closed without being saved", async () => {
  client = await startClient({ "/w/a.cuh": header(1) });
  client.open(main, includer);
  client.open(included, header(1));
  await shows(main, few);
  edit(included, 2, header(32));
  await shows(main, many);
  client.notify("textDocument/didClose", { textDocument: { uri: included } });
  await shows(main, few);
});

test("more files than stay in memory rest on a header", async () => {
  client = await startClient({ "/w/a.cuh": header(1) });
  const all = Array.from({ length: 7 }, (_, k) => `file:///w/a${k}.cu`);
  for (const uri of all) client.open(uri, includer);
  client.open(included, header(1));
  for (const uri of all) await shows(uri, few);
  edit(included, 2, header(32));
  for (const uri of all) await shows(uri, many);
});

test("a launch stands in another file than its kernel", async () => {
  const kernel = "__global__ void k(float *x, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] *= 0.5f;\n}\n";
  const launch = (block: number): string =>
    `__global__ void k(float *x, int n);\nint main() { float *x; cudaMalloc(&x, 1 << 24); k<<<4096, ${block}>>>(x, 1 << 22); }\n`;
  const [own, other] = ["file:///w/k.cu", "file:///w/main.cu"];
  client = await startClient({ "/w/k.cu": kernel, "/w/main.cu": launch(256) });
  client.open(own, kernel);
  client.open(other, launch(256));
  await shows(own, /occupancy 100 %/);
  edit(other, 2, launch(32));
  await shows(own, /occupancy 50 %/);
});

test("what does not rest on the file that was edited stays as it is, and is not asked for again", async () => {
  client = await startClient({ "/w/a.cuh": header(1) });
  const apart = "file:///w/apart.cu";
  client.open(apart, includer.replace('#include "a.cuh"', "#define STRIDE 2"));
  client.open(main, includer);
  client.open(included, header(1));
  await simulated("apart.cu", 1);
  await simulated("a.cu", 1);
  edit(included, 2, header(32));
  await simulated("a.cu", 2);
  expect(simulations("apart.cu")).toBe(1);
});
