/** Texture and surface accesses from source: sectors by how the bound memory lies, instructions, values. */
import { type AccessReport, findGpu, type LaunchReport } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../../../grammar.ts";
import { simulateProgram } from "../../../simulate.ts";
import { analyseCode } from "../../../testing/rule-tables.ts";

beforeAll(loadGrammarFromDisk);

function simulated(code: string): LaunchReport {
  const gpu = findGpu("h200");
  if (!gpu) throw new Error("no h200");
  const { launches, notSimulated } = simulateProgram(analyseCode(code), gpu);
  expect(notSimulated).toEqual([]);
  const report = launches[0]?.report;
  if (!report) throw new Error("no launch");
  return report;
}

const textures = (report: LaunchReport): AccessReport[] => report.accesses.filter(({ space }) => space === "texture");

const host = (bind: string, launch: string): string => `int main() {
  float *out; cudaMalloc(&out, 64 << 20);
  cudaTextureObject_t t; cudaResourceDesc res; memset(&res, 0, sizeof(res));
  cudaTextureDesc desc; memset(&desc, 0, sizeof(desc));
  ${bind}
  cudaCreateTextureObject(&t, &res, &desc, nullptr);
  ${launch};
}`;

const array = (type: string, more = ""): string => `
  cudaArray *a; cudaChannelFormatDesc channel = cudaCreateChannelDesc<${type}>();
  cudaMallocArray(&a, &channel, 1024, 512);
  res.resType = cudaResourceTypeArray; res.res.array.array = a; ${more}`;

const linear = `
  float *in; cudaMalloc(&in, 4 << 20);
  res.resType = cudaResourceTypeLinear; res.res.linear.devPtr = in; res.res.linear.sizeInBytes = 4 << 20;
  res.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);`;

const pitched = `
  float *in; size_t pitch; cudaMallocPitch(&in, &pitch, 4096, 512);
  res.resType = cudaResourceTypePitch2D; res.res.pitch2D.devPtr = in; res.res.pitch2D.width = 1024; res.res.pitch2D.height = 512;
  res.res.pitch2D.pitchInBytes = pitch; res.res.pitch2D.desc = cudaCreateChannelDesc<float>();`;

const at = "int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;";
const blocks32 = "k<<<dim3(32, 64), dim3(32, 8)>>>(t, out)";
const blocks8 = "k<<<dim3(128, 64), dim3(8, 8)>>>(t, out)";

// `l1tex__t_sectors_pipe_tex` over the instructions, where an H200 was asked (marked): looked up by quads of four lanes.
describe("sectors of an instruction", () => {
  const table: Record<string, [bind: string, access: string, launch: string, sectors: number, bytes: number]> = {
    "linear memory lies in a row, looked up by eight lanes (measured)": [
      linear,
      "tex1Dfetch<float>(t, x)",
      "k<<<4096, 256>>>(t, out)",
      4,
      4,
    ],
    "rows of pitched memory": [pitched, "tex2D<float>(t, x + 0.5f, y + 0.5f)", blocks32, 8, 4],
    "a row of an array (measured)": [array("float"), "tex2D<float>(t, x + 0.5f, y + 0.5f)", blocks32, 8, 4],
    "a square of an array (measured)": [array("float"), "tex2D<float>(t, x + 0.5f, y + 0.5f)", blocks8, 8, 4],
    // 16 bytes by 2 rows are a sector: each texel of four floats is in one of its own.
    "wide texels (measured)": [array("float4"), "tex2D<float4>(t, x + 0.5f, y + 0.5f).x", blocks32, 32, 16],
    "bytes (measured)": [array("unsigned char"), "tex2D<unsigned char>(t, x + 0.5f, y + 0.5f)", blocks8, 8, 1],
    "lanes in a column": [array("float"), "tex2D<float>(t, y + 0.5f, x + 0.5f)", "k<<<dim3(16, 64), dim3(32, 8)>>>(t, out)", 16, 4],
    "normalized coordinates run from 0 to 1": [
      array("float", "desc.normalizedCoords = true;"),
      "tex2D<float>(t, (y + 0.5f) / 1024.0f, (x + 0.5f) / 512.0f)",
      "k<<<dim3(16, 64), dim3(32, 8)>>>(t, out)",
      16,
      4,
    ],
    "a texel read as floats is as large as it lies": [
      array("uchar4", "desc.readMode = cudaReadModeNormalizedFloat;"),
      "tex2D<float4>(t, x + 0.5f, y + 0.5f).x",
      blocks8,
      8,
      4,
    ],
    "coordinates beyond the edge stop there": [array("float"), "tex2D<float>(t, y + 5000.0f, x + 5000.0f)", blocks32, 8, 4],
  };
  test.each(Object.entries(table))("%s", (_, [bind, access, launch, sectors, bytes]) => {
    const report = simulated(
      `__global__ void k(cudaTextureObject_t t, float *out) { ${at} out[y * 1024 + x] = ${access}; }\n${host(bind, launch)}`,
    );
    const [fetch] = textures(report);
    expect(fetch?.bytesPerLane).toBe(bytes);
    expect((fetch?.transactions ?? 0) / (fetch?.requests ?? 1)).toBeCloseTo(sectors, 1);
    // A fetch is none of the global loads.
    expect(report.traffic.globalLoadRequests).toBe(0);
    expect(report.traffic.globalLoadSectors).toBe(0);
    expect(report.assumptions.map(({ what }) => what)).not.toContain("texels of t");
  });
});

test("a texture bound to what nobody knows is assumed, and said so", () => {
  const report = simulated(`__global__ void k(cudaTextureObject_t t, float *out) { ${at} out[x] = tex2D<float>(t, x, y); }`);
  expect(textures(report)).toHaveLength(1);
  expect(report.assumptions.map(({ what }) => what)).toEqual(expect.arrayContaining(["texels of t", "layout of textures"]));
});

test("what a texture over linear memory gives decides loops", () => {
  const trips = (count: number): number | undefined => {
    const bind = `${linear}
      float *h = (float *)malloc(4 << 20); for (int i = 0; i < 1 << 20; i++) h[i] = ${count}; cudaMemcpy(in, h, 4 << 20, cudaMemcpyHostToDevice);`;
    const kernel = `__global__ void k(cudaTextureObject_t t, float *out) {
      float n = tex1Dfetch<float>(t, threadIdx.x);
      for (int i = 0; i < n; i++) out[i * 32 + threadIdx.x] = i;
    }`;
    return simulated(`${kernel}\n${host(bind, "k<<<1, 32>>>(t, out)")}`).traffic.globalStoreRequests;
  };
  expect(trips(5)).toBe(5);
  expect(trips(9)).toBe(9);
});

describe("warp instructions, as nvcc 13.0 makes them for 9.0", () => {
  // Of `out[i] = access`, EXIT included, one warp.
  const table: Record<string, [access: string, instructions: number]> = {
    fetch: ["tex1Dfetch<float>(t, i)", 13],
    "one dimension": ["tex1D<float>(t, i + 0.5f)", 17],
    "two dimensions": ["tex2D<float>(t, i + 0.5f, blockIdx.y + 0.5f)", 19],
    layered: ["tex2DLayered<float>(t, i + 0.5f, blockIdx.y + 0.5f, blockIdx.z)", 22],
    "cube map": ["texCubemap<float>(t, i + 0.5f, blockIdx.y + 0.5f, blockIdx.z)", 27],
    gather: ["tex2Dgather<float4>(t, i + 0.5f, blockIdx.y + 0.5f, 1).x", 18],
    "surface read": ["surf2Dread<float>(t, i * 4, blockIdx.y)", 14],
  };
  test.each(Object.entries(table))("%s", (_, [access, instructions]) => {
    const code = `__global__ void k(cudaTextureObject_t t, float *o) { int i = threadIdx.x + blockIdx.x * blockDim.x; o[i] = ${access}; }`;
    const report = simulated(`${code}\nint main() { float *o; cudaMalloc(&o, 4096); cudaTextureObject_t t; k<<<1, 32>>>(t, o); }`);
    expect(report.instructions.warp).toBe(instructions);
  });
});

test("surfaces are written in bytes, and read back", () => {
  const report = simulated(`__global__ void k(cudaSurfaceObject_t s, float4 *out) {
    ${at} surf2Dwrite(out[y * 1024 + x], s, x * 16, y); float4 v; surf2Dread(&v, s, x * 16, y); out[y * 1024 + x] = v;
  }`);
  const operations = textures(report).map(({ operation, bytesPerLane }) => `${operation} ${bytesPerLane}`);
  expect(operations.sort()).toEqual(["load 16", "store 16"]);
});

test("eight lanes of a surface's row touch halves of two sectors (measured)", () => {
  const report = simulated(`__global__ void k(cudaSurfaceObject_t s, float *out) { ${at} surf2Dwrite(out[y * 1024 + x], s, x * 4, y); }`);
  const [write] = textures(report);
  expect((write?.transactions ?? 0) / (write?.requests ?? 1)).toBe(8);
});

test("references of CUDA 11", () => {
  const report = simulated(`texture<float, 2, cudaReadModeElementType> plain; texture<uchar4, 2, cudaReadModeNormalizedFloat> colour;
  __global__ void k(float *out) { ${at} float4 c = tex2D(colour, x, y); out[x] = tex2D(plain, x, y) + c.x; }`);
  expect(textures(report).map(({ bytesPerLane }) => bytesPerLane)).toEqual([4, 4]);
});
