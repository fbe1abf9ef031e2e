/** What kernels store to variables of the device is not what the host has put there. */
import { beforeAll, expect, test } from "vitest";
import { inMain, kernel, launchesOf, shapes, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

const variables = `${kernel}__device__ int blocks = 4; __device__ int kept = 3; __managed__ int threads = 64; __device__ struct { int n; } all;
__device__ void bump(int v) { threads = v; }
__global__ void set(int kept) { blocks = kept; kept = 9; bump(blocks); }
__global__ void look(int *p) { p[0] = blocks + kept; }
`;
/** The launch of `k`, and why its configuration is only assumed. */
function launchOfK(body: string, before = variables) {
  const facts = launchesOf(inMain(body, before)).filter(({ kernelName }) => kernelName === "k");
  return { shape: shapes(facts)[0], assumed: facts.flatMap(({ configuration }) => configuration.map(({ why }) => why)) };
}

test("a kernel that only reads leaves what the host knows", () => {
  const read = "int n; look<<<1, 32>>>(0); cudaMemcpyFromSymbol(&n, blocks, 4); k<<<n, threads>>>(a, 1);";
  expect(launchOfK(read)).toEqual({ shape: "k 4 64", assumed: [] });
});

test("what a kernel stores, by itself or in what it calls, is assumed", () => {
  const read = "int n; set<<<1, 32>>>(1); cudaMemcpyFromSymbol(&n, blocks, 4); k<<<n, 32>>>(a, 1);";
  expect(launchOfK(read).assumed).toEqual(["`set` stored to it"]);
  expect(launchOfK("set<<<1, 32>>>(1); k<<<1, threads>>>(a, 1);").assumed[0]).toMatch(/^`set` stored to it/);
});

test("what is named as a parameter is another's", () => {
  const read = "int n; set<<<1, 32>>>(1); cudaMemcpyFromSymbol(&n, kept, 4); k<<<n, 32>>>(a, 1);";
  expect(launchOfK(read)).toEqual({ shape: "k 3 32", assumed: [] });
});

test("what the host puts there afterwards is known again", () => {
  const put =
    "int n = 7, m; set<<<1, 32>>>(1); cudaMemcpyToSymbol(blocks, &n, 4); cudaMemcpyFromSymbol(&m, blocks, 4); k<<<m, 32>>>(a, 1);";
  expect(launchOfK(put)).toEqual({ shape: "k 7 32", assumed: [] });
});

test("a part of a variable is copied from where it is", () => {
  const table = `${kernel}__device__ int g[4] = {1, 2, 3, 4};`;
  const part =
    "int n[2], m = 9, o; cudaMemcpyFromSymbol(n, g, 8, 8); cudaMemcpyToSymbol(g, &m, 4, 4); cudaMemcpyFromSymbol(&o, g, 4, 4); k<<<n[0], dim3(n[1], o)>>>(a, 1);";
  expect(launchOfK(part, table)).toEqual({ shape: "k 3 4x9", assumed: [] });
});
