import { expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { parseKernel } from "../ir/text.ts";
import { simulate } from "../simulate.ts";

/** Each thread stores at `out[far * (same ? 1 : threadIdx.x) + threadIdx.x]`. */
const kernel = (same: boolean) =>
  parseKernel(`kernel @wild(%out: ptr i32, %far: i64) {
entry:
  %out: ptr = param 0
  %far: i64 = param 1
  %tx: i32 = special tid.x
  %long: i64 = sext %tx
  %times: i64 = mul %far, %long
  %p: ptr = gep %out, ${same ? "%far" : "%times"}, scale 4
  %q: ptr = gep %p, %tx, scale 4
  store.global %q, %tx, align 4 !3
  return
}`);

test.each([
  ["the same for all lanes", true, 2n ** 60n + 3n],
  ["each lane's own", false, 2n ** 60n + 12_345_678_901n],
  ["below the buffer", false, -(2n ** 60n)],
])("an index that is only data ends somewhere: %s", (_, same, far) => {
  const report = simulate(
    kernel(same),
    {
      grid: [1, 1, 1],
      block: [32, 1, 1],
      dynamicSharedBytes: 0,
      arguments: [
        { kind: "pointer", buffer: 0, offset: 0 },
        { kind: "scalar", value: far },
      ],
      buffers: [{ name: "out", residence: "device", content: { kind: "unknown" } }],
    },
    findGpu("h200")!,
  );
  expect(report.traffic.globalStoreRequests).toBe(1);
  expect(report.traffic.globalStoreSectors).toBeGreaterThan(0);
  expect(report.traffic.globalStoreSectors).toBeLessThanOrEqual(32);
});
