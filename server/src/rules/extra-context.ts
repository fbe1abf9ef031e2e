import { defineRule, type Finding } from "./rule.ts";
import { libraryName } from "./support/library-calls.ts";

export default defineRule({
  id: "extra-context",
  group: "host",
  severity: "warning",
  priority: "medium",
  guide: { document: "best-practices", section: "10.6" },
  summary: "`cuCtxCreate` in a program that calls the CUDA runtime.",
  why: "The runtime works in the primary context of the device; another one takes turns with it, so that the kernels of the two do not run at once, and each switch costs time. Memory of one is not the other's.",
  remedy: "`cuDevicePrimaryCtxRetain(&context, device)`, which gives the runtime's own context.",
  fix: "none",
  ofFile: true,
  example: {
    bad: `__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
void run(float *x, CUdevice device) {
  CUcontext context;
  cuCtxCreate(&context, 0, device);
  fill<<<1, 32>>>(x);
}`,
    good: `__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
void run(float *x, CUdevice device) {
  CUcontext context;
  cuDevicePrimaryCtxRetain(&context, device);
  fill<<<1, 32>>>(x);
}`,
  },
  *check({ syntax }): Generator<Finding> {
    const created = syntax.expressions("call", /cuCtxCreate/).filter((call) => /^cuCtxCreate(_v[2-4])?$/.test(libraryName(call) ?? ""));
    if (created.length === 0) return;
    const runtime = syntax
      .expressions("call", /<<<|cuda(Malloc|Memcpy|Launch)/)
      .find((call) => call.launch ?? /^cuda(Malloc|Memcpy|Launch)/.test(libraryName(call) ?? ""));
    if (!runtime) return;
    for (const call of created) {
      yield {
        span: call.callee,
        message: "A second context beside the primary one, in which the runtime works: use `cuDevicePrimaryCtxRetain`.",
        related: [{ at: runtime, message: "the runtime is called here" }],
      };
    }
  },
});
