/** `cuda::barrier` of the bundled header, run. */
import { describe, expect, test } from "vitest";
import { counting, leaves } from "../../testing/run-kernel.ts";

const kernel = (body: string): string => `#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void k(int *out, const int *in) {
  __shared__ alignas(128) int tile[128];
  __shared__ barrier bar;
  const int t = threadIdx.x;
  if (t == 0) init(&bar, blockDim.x);
  __syncthreads();
  ${body}
  out[t] = tile[t];
}`;
const run = (body: string): Promise<number[]> => leaves(kernel(body), 64, 64, [counting("in", 1024)]);
const brought = Array.from({ length: 64 }, (_, k) => 100 + k);

describe("a barrier", () => {
  test.each([
    [
      "that a copy's bytes are announced at",
      `barrier::arrival_token token;
  if (t == 0) {
    cuda::device::memcpy_async_tx(tile, in + 100, cuda::aligned_size_t<16>(256), bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, 256);
  } else token = bar.arrive();
  bar.wait(token);`,
    ],
    [
      "that a copy by one thread announces itself at",
      "if (t == 0) cuda::memcpy_async(tile, in + 100, cuda::aligned_size_t<16>(256), bar);\n  bar.wait(bar.arrive());",
    ],
    ["that each thread's copy comes before", "cuda::memcpy_async(tile + t, in + 100 + t, 4, bar);\n  bar.arrive_and_wait();"],
    [
      "that is asked by parity",
      `if (t == 0) cuda::device::experimental::cp_async_bulk_global_to_shared(tile, in + 100, 256, bar);
  if (t == 0) cuda::device::barrier_expect_tx(bar, 256);
  bar.arrive();
  bar.wait_parity(false);`,
    ],
    [
      "in whose later phases fewer arrive",
      "tile[t] = 100 + t;\n  if (t >= 32) bar.arrive_and_drop(); else { bar.arrive_and_wait(); bar.arrive_and_wait(); }",
    ],
  ])("%s", async (_, body) => {
    expect(await run(body)).toEqual(brought);
  });

  test("at which one thread never arrives is waited at for ever", async () => {
    await expect(run("if (t != 3) bar.arrive_and_wait();")).rejects.toThrow("for ever: for 1 of 64 arrivals");
  });
});

test("copies back are groups of the copy engine", async () => {
  const text = `#include <cuda/barrier>
namespace cde = cuda::device::experimental;
__global__ void k(int *out) {
  __shared__ alignas(128) int tile[64];
  tile[threadIdx.x] = 100 + threadIdx.x;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_shared_to_global(out, tile, 256);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}`;
  expect(await leaves(text, 64, 64)).toEqual(brought);
});
