import { expect, test } from "vitest";
import { findGpu, type GpuModel } from "./gpus/model.ts";
import { parseKernel } from "./ir/text.ts";
import { simulate } from "./simulate.ts";

/** A kernel in which each thread does some operations on a number of its own. */
const kernel = (type: string, bytes: number, body: string) =>
  parseKernel(`kernel @k(%out: ptr ${type}) {
entry:
  %out: ptr = param 0
  %tx: i32 = special tid.x
  %p: ptr = gep %out, %tx, scale ${bytes}
  %a: ${type} = load.global %p, align ${bytes}
  ${body}
  store.global %p, %r, align ${bytes}
  return
}`);

const of = (text: ReturnType<typeof kernel>, gpu = "h200") =>
  simulate(
    text,
    {
      grid: [10, 1, 1],
      block: [64, 1, 1],
      dynamicSharedBytes: 0,
      arguments: [{ kind: "pointer", buffer: 0, offset: 0 }],
      buffers: [{ name: "out", content: { kind: "unknown" }, residence: "device" }],
    },
    findGpu(gpu) as GpuModel,
  ).arithmetic;

test("operations of all threads, a multiply-add two of them", () => {
  expect(of(kernel("f32", 4, "%s: f32 = fadd %a, %a\n  %r: f32 = fma %s, %a, %a"))).toMatchObject([{ kind: "fp32", operations: 640 * 3 }]);
  expect(of(kernel("f64", 8, "%r: f64 = fma %a, %a, %a"))).toMatchObject([{ kind: "fp64", operations: 640 * 2 }]);
});

test("none, where nothing is computed", () => expect(of(kernel("i32", 4, "%r: i32 = add %a, %a"))).toBeUndefined());

// The vendor's own peaks: H200 67 and 34 TFLOP/s (data sheet), T4 8.1 and 0.25 (white paper).
test.each([
  ["h200", "f32", 4, 66_900],
  ["h200", "f64", 8, 33_450],
  ["t4", "f32", 4, 8_141],
])("the peak of the %s in %s", (gpu, type, bytes, gflops) => {
  const [found] = of(kernel(type, bytes, `%r: ${type} = fma %a, %a, %a`), gpu) ?? [];
  expect((found?.peakGflops ?? 0) / gflops).toBeCloseTo(1, 1);
});
