/** A store's address taken the other way round: every place that a thread stores to leads back to its warp. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { launchConstants } from "../execute/constants.ts";
import { Environment } from "../execute/environment.ts";
import type { Dim3, Launch } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { Forms, linearIn } from "./forms.ts";
import { StoreOrigin } from "./origin.ts";

const elements = 1 << 16;

/** `out[x * (blockIdx.x * blockDim.x + threadIdx.x) + y * blockIdx.y] = ...` */
function kernelOf(x: number, y: number) {
  return parseKernel(`kernel @k(%out: ptr i32) {
b0:
  %0: ptr = param 0
  %1: i32 = special ctaid.x
  %2: i32 = special ntid.x
  %3: i32 = special tid.x
  %4: i32 = special ctaid.y
  %5: i32 = const ${x}
  %6: i32 = const ${y}
  %7: i32 = mul %1, %2
  %8: i32 = add %7, %3
  %9: i32 = mul %8, %5
  %10: i32 = mul %4, %6
  %11: i32 = add %9, %10
  %12: ptr = gep %0, %11, scale 4
  store.global %12, %8, align 4
  return
}`);
}

const launchOf = (grid: Dim3, threads: number): Launch => ({
  grid,
  block: [threads, 1, 1],
  dynamicSharedBytes: 0,
  arguments: [{ kind: "pointer", buffer: 0, offset: 0 }],
  buffers: [{ name: "out", bytes: elements * 4, element: "i32", content: { kind: "unknown" } }],
});

function formsOf(x: number, y: number, grid: Dim3, threads: number) {
  const kernel = kernelOf(x, y);
  const environment = new Environment(kernel, launchOf(grid, threads));
  const forms = new Forms(kernel, environment, launchConstants(environment));
  const store = kernel.blocks[0]?.ops.find(({ action }) => action.kind === "store");
  const [address, value] = (store?.args ?? []).map((arg) => forms.of(arg));
  if (!address || !value) throw new Error("no form");
  return { environment, address, value };
}

function warpsAt(origin: StoreOrigin, address: number): string[] {
  const found: string[] = [];
  origin.search(address, (block, warp) => {
    found.push(`${block} ${warp}`);
    return false;
  });
  return found;
}

test("leads to the warp of each thread", () => {
  const grids = fc.constantFrom<Dim3>([5, 1, 1], [4, 3, 1], [1, 7, 1]);
  fc.assert(
    fc.property(
      fc.integer({ min: -3, max: 5 }),
      fc.integer({ min: -900, max: 900 }),
      grids,
      fc.constantFrom(1, 32, 96),
      (x, y, grid, threads) => {
        fc.pre(x !== 0 && y !== 0);
        const { environment, address } = formsOf(x, y, grid, threads);
        const origin = StoreOrigin.of(address, 4, environment, elements * 4);
        const start = environment.bufferStarts[0] ?? 0;
        for (let row = 0; row < grid[1]; row++) {
          for (const block of [0, grid[0] - 1]) {
            const thread = threads - 1;
            const place = start + 4 * (x * (block * threads + thread) + y * row);
            const found = origin && warpsAt(origin, place + 2);
            expect(found).toContain(`${block},${row},0 ${Math.floor(thread / 32)}`);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("nobody stores between what threads store", () => {
  const { environment, address } = formsOf(3, 3 * 4 * 64, [4, 2, 1], 64);
  const origin = StoreOrigin.of(address, 4, environment, elements * 4);
  const start = environment.bufferStarts[0] ?? 0;
  expect(origin && warpsAt(origin, start + 12)).toEqual(["0,0,0 0"]);
  expect(origin && warpsAt(origin, start + 16)).toEqual([]);
});

test("a value that grows with the index is told from one that does not", () => {
  const linear = formsOf(2, 2 * 4 * 64, [4, 1, 1], 64);
  expect(linearIn(linear.value, { ...linear.address, constant: 0 })).toEqual({ slope: 1 / 8, start: 0 });
  const other = formsOf(2, 100, [4, 2, 1], 64);
  expect(linearIn(other.value, other.address)).toBeUndefined();
});
