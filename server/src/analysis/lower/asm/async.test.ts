/** mbarriers and bulk copies in inline PTX: what they leave, and what they wait for. */
import type { Argument, ScalarType } from "@warplens/sim-engine";
import { describe, expect, test } from "vitest";
import { counting, kernelOf, leaves } from "../../../testing/run-kernel.ts";

const helpers = `
__device__ unsigned address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(unsigned long long *b, int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(b)), "r"(count)); }
__device__ void expect(unsigned long long *b, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(b)), "r"(bytes) : "memory");
}
__device__ void arrive(unsigned long long *b) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(b)) : "memory"); }
__device__ void wait(unsigned long long *b, int parity) {
  asm volatile("{\\n.reg .pred P1;\\nLAB_WAIT:\\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\\n@P1 bra.uni DONE;\\nbra.uni LAB_WAIT;\\nDONE:\\n}\\n"
    ::"r"(address(b)), "r"(parity) : "memory");
}
__device__ void load(void *to, const void *from, int bytes, unsigned long long *b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
    ::"r"(address(to)), "l"(from), "r"(bytes), "r"(address(b)) : "memory");
}
__device__ void save(void *to, const void *from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(address(from)), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.commit_group;");
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
`;
const kernel = (body: string): string => `${helpers}
__global__ void k(int *out, const int *in) {
  __shared__ alignas(128) int tile[4][32];
  __shared__ unsigned long long full[4], empty[4];
  const int t = threadIdx.x;
  ${body}
}`;
const run = (body: string, threads: number, elements: number): Promise<number[]> =>
  leaves(kernel(body), threads, elements, [counting("in", 1024)]);
const upTo = (count: number, from = 0): number[] => Array.from({ length: count }, (_, k) => from + k);

describe("copies of so many bytes, and zeros behind them", () => {
  test.each([
    [
      "inline PTX",
      `asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(address(&tile[0][4 * t])), "l"(in + 4 * t), "r"(bytes) : "memory");`,
    ],
    ["a function", "__pipeline_memcpy_async(&tile[0][4 * t], in + 4 * t, 16, 16 - bytes);"],
  ])("by %s", async (_, copy) => {
    const body = `int bytes = t < 3 ? 16 : t == 3 ? 8 : 0;
    tile[t / 8][4 * t % 32] = 7;
    ${copy}
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int k = 0; k < 4; k++) out[t + 8 * k] = tile[0][t + 8 * k];`;
    expect(await run(body, 8, 32)).toEqual([...upTo(14), ...new Array<number>(18).fill(0)]);
  });
});

describe("bulk copies", () => {
  test("bring memory to shared memory and back", async () => {
    const body = `if (t == 0) { init(&full[0], 1); expect(&full[0], 256); load(tile[0], in + 64, 256, &full[0]); }
    __syncthreads();
    wait(&full[0], 0);
    tile[t / 32][t % 32] *= 2;
    __syncthreads();
    if (t == 0) save(out + 4, tile[0], 128);`;
    expect(await run(body, 64, 40)).toEqual([-1, -1, -1, -1, ...upTo(32, 64).map((value) => 2 * value), -1, -1, -1, -1]);
  });

  test("are two that a phase waits for until the bytes of both are there", async () => {
    const body = `if (t == 0) { init(&full[0], 1); load(tile[1], in + 100, 64, &full[0]); expect(&full[0], 128); load(tile[0], in, 64, &full[0]); }
    __syncthreads();
    wait(&full[0], 0);
    out[t] = tile[t / 16][t % 16];`;
    expect(await run(body, 32, 32)).toEqual([...upTo(16), ...upTo(16, 100)]);
  });

  test("fill a ring that a warp brings tiles to while two others take them", async () => {
    const body = `if (t == 0) for (int s = 0; s < 2; s++) { init(&full[s], 1); init(&empty[s], 2); }
    __syncthreads();
    if (t / 32 == 0) {
      if (t == 0) for (int i = 0; i < 7; i++) {
        wait(&empty[i % 2], i / 2 % 2 ^ 1);
        expect(&full[i % 2], 128);
        load(tile[i % 2], in + 32 * i, 128, &full[i % 2]);
      }
    } else {
      int sum = 0;
      for (int i = 0; i < 7; i++) {
        wait(&full[i % 2], i / 2 % 2);
        sum += (i + 1) * tile[i % 2][t % 32];
        __syncwarp();
        if (t % 32 == 0) arrive(&empty[i % 2]);
      }
      out[t - 32] = sum;
    }`;
    // Tile i holds 32 i and more: 32 times the sum of (i + 1) i, and 28 times the lane.
    expect(await run(body, 96, 64)).toEqual(upTo(64).map((k) => 32 * 112 + 28 * (k % 32)));
  });
});

describe("an mbarrier", () => {
  test("tells the phase that a thread arrived in, and whether it is over", async () => {
    const body = `if (t == 0) init(&full[0], 33);
    __syncthreads();
    unsigned long long state; int before, after;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(address(&full[0])) : "memory");
    if (t == 0) {
      asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(before) : "r"(address(&full[0])), "l"(state));
      arrive(&full[0]);
      asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(after) : "r"(address(&full[0])), "l"(state));
      out[0] = before; out[1] = after; out[2] = (int)state;
    }`;
    // All of its warp, and then one more.
    expect(await run(body, 32, 3)).toEqual([0, 1, 0]);
  });

  test("waits in later phases for those alone that have not dropped out", async () => {
    const body = `if (t == 0) init(&full[0], 64);
    __syncthreads();
    if (t < 32) asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(address(&full[0])) : "memory");
    else {
      arrive(&full[0]); wait(&full[0], 0);
      arrive(&full[0]); wait(&full[0], 1);
      out[t - 32] = t;
    }`;
    expect(await run(body, 64, 32)).toEqual(upTo(32, 32));
  });

  test.each([
    ["an arrival that does not come", "init(&full[0], 2); arrive(&full[0]);", "1 of 2 arrivals"],
    ["bytes that do not come", "init(&full[0], 1); expect(&full[0], 256); load(tile[0], in, 128, &full[0]);", "128 bytes"],
    [
      "word of bytes that come",
      "init(&full[0], 2); load(tile[0], in, 128, &full[0]); expect(&full[0], 64);",
      "1 of 2 arrivals and word of 64 bytes",
    ],
  ])("is waited at in vain for %s", async (_, before, missing) => {
    const body = `if (t == 0) { ${before} }\n__syncthreads();\nwait(&full[0], 0);`;
    await expect(run(body, 64, 1)).rejects.toThrow(`threads wait at an mbarrier for ever: for ${missing}`);
  });

  test("that nobody has made is told of", async () => {
    await expect(run("arrive(&full[0]);", 32, 1)).rejects.toThrow("an mbarrier is used that was never initialised");
  });
});

describe("boxes of a tensor", () => {
  interface Described {
    readonly buffer: number;
    readonly size: readonly number[];
    readonly box: readonly number[];
    readonly swizzle?: number;
    readonly fill?: number;
  }
  /** Of 32-bit numbers that lie row by row, as `cuTensorMapEncodeTiled` of the bundled header fills it in. */
  const mapOf = ({ buffer, size, box, swizzle = 0, fill = 0 }: Described): Argument => {
    const scalar = (offset: number, type: ScalarType, value: number) => ({
      offset,
      type,
      value: { kind: "scalar" as const, value: type === "i64" ? BigInt(value) : value },
    });
    const strides = size.map((_, k) => size.slice(0, k).reduce((product, side) => product * side, 4));
    return {
      kind: "aggregate",
      fields: [
        { offset: 0, type: "ptr", value: { kind: "pointer", buffer, offset: 0 } },
        ...size.map((side, k) => scalar(8 + 8 * k, "i64", side)),
        ...strides.slice(1).map((stride, k) => scalar(48 + 8 * k, "i64", stride)),
        ...box.map((side, k) => scalar(80 + 2 * k, "i16", side)),
        ...box.map((_, k) => scalar(90 + k, "i8", 1)),
        scalar(95, "i8", size.length),
        scalar(96, "i8", 7),
        scalar(97, "i8", swizzle),
        scalar(99, "i8", fill),
      ],
    };
  };
  const boxes = (body: string): string => `#include <cuda.h>\n${helpers}
__device__ void box(void *to, const CUtensorMap *map, int x, int y, unsigned long long *b) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
    ::"r"(address(to)), "l"(map), "r"(address(b)), "r"(x), "r"(y) : "memory");
}
__global__ void k(int *out, const int *in, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(1024) int tile[256];
  __shared__ unsigned long long full;
  const int t = threadIdx.x;
  if (t == 0) init(&full, 1);
  __syncthreads();
  ${body}
}`;
  const brought = (x: number, y: number, map: Described): Promise<number[]> => {
    const bytes = map.box.reduce((product, side) => product * side, 4);
    const body = `if (t == 0) { expect(&full, ${bytes}); box(tile, &map, ${x}, ${y}, &full); }
    wait(&full, 0);
    out[t] = tile[t];`;
    return leaves(boxes(body), bytes / 4, bytes / 4, [counting("in", 4096)], [mapOf(map)]);
  };

  test("are brought row by row, 16 bytes at a time in other places where they are to be", async () => {
    const row = (first: number): number[] => upTo(32, first);
    expect(await brought(32, 3, { buffer: 1, size: [64, 16], box: [32, 2] })).toEqual([...row(3 * 64 + 32), ...row(4 * 64 + 32)]);
    const second = (await brought(32, 3, { buffer: 1, size: [64, 16], box: [32, 2], swizzle: 3 })).slice(32);
    const fours = Array.from({ length: 8 }, (_, k) => row(4 * 64 + 32).slice(4 * k, 4 * k + 4));
    expect(second).toEqual([1, 0, 3, 2, 5, 4, 7, 6].flatMap((k) => fours[k] ?? []));
  });

  test("are filled where they lie beyond it, and count in full", async () => {
    const outside = { buffer: 1, size: [6, 3], box: [8, 4] };
    const found = await brought(2, 1, outside);
    expect(found).toEqual([8, 9, 10, 11, 0, 0, 0, 0, 14, 15, 16, 17, 0, 0, 0, 0, ...Array.from({ length: 16 }, () => 0)]);
    expect((await brought(-1, 0, { ...outside, fill: 1 })).slice(0, 8)).toEqual([0x7fffffff, 0, 1, 2, 3, 4, 5, 0x7fffffff]);
  });

  test("are stored as far as they lie in it", async () => {
    const body = `tile[t] = 100 + t;
    __syncthreads();
    if (t == 0) {
      asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];"
        ::"l"(&map), "r"(address(tile)), "r"(4), "r"(1) : "memory");
      asm volatile("cp.async.bulk.commit_group;\\ncp.async.bulk.wait_group 0;" ::: "memory");
    }`;
    const map = mapOf({ buffer: 0, size: [6, 3], box: [4, 4] });
    const left = await leaves(boxes(body), 32, 18, [counting("in", 1)], [map]);
    expect(left).toEqual(upTo(18).map((k) => (k === 10 ? 100 : k === 11 ? 101 : k === 16 ? 104 : k === 17 ? 105 : -1)));
  });

  test("of another rank than the map's, or of no map, are told of", async () => {
    const three = boxes("if (t == 0) { expect(&full, 64); box(tile, &map, 0, 0, &full); }");
    const map = mapOf({ buffer: 1, size: [4, 4, 4], box: [4, 4, 1] });
    await expect(leaves(three, 32, 1, [counting("in", 64)], [map])).rejects.toThrow("a copy of 2 dimensions by a tensor map of 3");
    await expect(leaves(three, 32, 1, [counting("in", 64)], [{ kind: "aggregate", fields: [] }])).rejects.toThrow("is not known");
  });
});

test("one lane is elected", async () => {
  const body = `int elected;
  asm volatile("{\\n.reg .pred p;\\nelect.sync _|p, %1;\\n@p mov.s32 %0, 1;\\n@!p mov.s32 %0, 0;\\n}" : "=r"(elected) : "r"(0xfffffff0));
  out[t] = elected;`;
  expect(await run(body, 32, 32)).toEqual(upTo(32).map((lane) => (lane === 4 ? 1 : 0)));
});

test("bulk copies are Hopper's", async () => {
  const text = kernel("load(tile[0], in, 128, &full[0]);");
  await expect(kernelOf(text, 80)).rejects.toThrow("needs compute capability 9.0");
});
