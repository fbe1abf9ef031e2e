/**
 * Whole programs in the idioms of today's CUDA: each says in comments at its end which launches it makes and with what.
 *
 *     //= KERNEL GRID BLOCK SHARED | ARGUMENT...
 *
 * An argument is a number, `{offset:value ...}` or `buffer[bytes]+offset=content`; a sub-folder is a program of several files,
 * of which `main.cu` is opened.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Argument, type Content, findGpu, type Launch } from "@warplens/sim-engine";
import { beforeAll, expect, test } from "vitest";
import { useParser } from "../../syntax/current-parser.ts";
import { testParser } from "../../syntax/testing/parse-text.ts";
import { analyze } from "../analyze.ts";
import type { LaunchFact } from "../facts.ts";
import type { AnalysisSettings, FileHost } from "../settings.ts";

beforeAll(async () => {
  useParser(await testParser);
});

const gpu = findGpu("h200");
const device = {
  name: "H200",
  multiProcessorCount: 132,
  major: 9,
  minor: 0,
  maxThreadsPerMultiProcessor: 2048,
  sharedMemPerBlock: 49152,
  sharedMemPerMultiprocessor: 233472,
  sharedMemPerBlockOptin: 232448,
  l2CacheSize: 62914560,
  clockRateKHz: 1980000,
  totalGlobalMem: 150108110848,
  ...(gpu === undefined ? {} : { occupancy: gpu.values }),
};
const settings: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [], device };
const folder = join(import.meta.dirname, "programs");
const alone: FileHost = { read: () => undefined };
const programs = readdirSync(folder, { withFileTypes: true }).map((entry) => {
  const file = entry.isDirectory() ? join(folder, entry.name, "main.cu") : join(folder, entry.name);
  return [entry.name, file, entry.isDirectory()] as const;
});

test.each(programs)("%s", (_name, file, together) => {
  const text = readFileSync(file, "utf8");
  const around = join(file, "..");
  const beside: FileHost = { read: (path) => sourceAt(around, path), list: () => readdirSync(around) };
  const { launches } = analyze(file, text, settings, together ? beside : alone);
  const expected = [...text.matchAll(/^\/\/= (.*)$/gm)].map(([, line]) => line);
  expect(expected.length).toBeGreaterThan(0);
  expect(launches.map(told)).toEqual(expected);
  expect(launches.flatMap(({ configuration }) => configuration)).toEqual([]);
});

test("what the occupancy calculator probably answers goes on from one answer to the next", () => {
  const { launches } = analyze(
    "/wide.cu",
    `__global__ void wide(const double *x, double *y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      double a[16];
      #pragma unroll
      for (int k = 0; k < 16; k++) a[k] = x[(i + k) % n];
      __syncthreads();
      #pragma unroll
      for (int k = 0; k < 16; k++) y[(i + k) % n] = a[15 - k];
    }
    int main() {
      double *x, *y; cudaMalloc(&x, 1 << 24); cudaMalloc(&y, 1 << 24);
      int least, chosen = 0, resident = 0;
      cudaOccupancyMaxPotentialBlockSize(&least, &chosen, wide, 0, 0);
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, wide, chosen, 0);
      wide<<<132 * resident, chosen>>>(x, y, 1 << 21);
    }`,
    settings,
    alone,
  );
  const [fact] = launches;
  // Two numbers that fill the SM together, though neither is certain.
  expect(fact?.configuration.map(({ what }) => what)).toEqual(["chosen", "resident"]);
  const [chosen, resident] = fact?.configuration.map(({ value }) => Number(value)) ?? [];
  expect((chosen ?? 0) * (resident ?? 0)).toBeGreaterThanOrEqual(1024);
  expect((chosen ?? 0) * (resident ?? 0)).toBeLessThanOrEqual(2048);
  expect([fact?.launch?.grid[0], fact?.launch?.block[0]]).toEqual([132 * (resident ?? 0), chosen]);
});

function sourceAt(around: string, path: string): string | undefined {
  return path.startsWith(around) && readdirSync(around).includes(basename(path)) ? readFileSync(path, "utf8") : undefined;
}

function told({ kernelName, templateArguments, launch, reason }: LaunchFact): string {
  const name = templateArguments.length > 0 ? `${kernelName}<${templateArguments.join(", ")}>` : kernelName;
  if (launch === undefined) return `${name}: ${reason}`;
  const { grid, block, dynamicSharedBytes } = launch;
  const shape = [name, sides(grid), sides(block), ...(dynamicSharedBytes > 0 ? [dynamicSharedBytes] : [])].join(" ");
  return `${shape} | ${launch.arguments.map((argument) => argumentText(argument, launch)).join(" ")}`;
}

function sides([x, y, z]: readonly [number, number, number]): string {
  return z > 1 ? `${x}x${y}x${z}` : y > 1 ? `${x}x${y}` : `${x}`;
}

function argumentText(argument: Argument, launch: Launch): string {
  if (argument.kind !== "pointer") return shortText(argument, launch);
  const buffer = launch.buffers[argument.buffer];
  return `${buffer?.name}[${buffer?.bytes ?? ""}]+${argument.offset}=${contentText(buffer?.content)}`;
}

function shortText(argument: Argument, launch: Launch): string {
  switch (argument.kind) {
    case "scalar":
      return typeof argument.value === "bigint" ? String(argument.value) : String(Math.round(argument.value * 1e6) / 1e6);
    case "pointer":
      return `${launch.buffers[argument.buffer]?.name}+${argument.offset}`;
    case "aggregate":
      return `{${argument.fields.map(({ offset, value }) => `${offset}:${shortText(value, launch)}`).join(" ")}}`;
    default:
      return "?";
  }
}

function contentText(content: Content | undefined): string {
  switch (content?.kind) {
    case "constant":
    case "bytes":
      return `${content.kind}(${content.value})`;
    case "linear":
      return `linear(${content.start},${content.stride})`;
    case "cyclic":
      return `(${content.start}+${content.stride}i)%${content.modulus}`;
    case "uniform":
      return `uniform(${content.lo},${content.hi})`;
    case "permutation":
      return `permutation(${content.n})`;
    case "values":
      return `values(${Array.from(content.values).slice(0, 8).join(",")})`;
    case "computed":
      return `computed(${[0, 1, 2, 3, 4, 5].map((index) => content.by.at(index)).join(",")})`;
    case "zero":
      return "zero";
    case "parts":
      return content.parts.map((part) => `[${part.from},${part.to})${contentText(part.content)}`).join(" ");
    default:
      return "?";
  }
}
