import { defineRule } from "./rule.ts";
import { alsoAt, byCause } from "./support/causes.ts";
import { hoistedBarrier } from "./support/hoisted-barrier.ts";
import { about, assuming, type Of, placeIn, shown, threadOf, tuple } from "./support/violations.ts";

export default defineRule({
  id: "divergent-barrier",
  group: "correctness",
  severity: "error",
  priority: "correctness",
  guide: { document: "volta", section: "1.4.1.2" },
  alsoIn: [{ document: "turing", section: "1.4.1.2" }],
  summary:
    "Some threads of a block come to a `__syncthreads()`, or lanes of a warp to a `_sync` intrinsic whose mask names them, and others do not.",
  why: "A barrier in a branch is allowed only where all threads of the block take the branch: otherwise those that wait hang, or go on too early. So it is with the lanes that a mask names.",
  remedy:
    "Move the barrier out of the branch, and guard the work on either side of it instead. A mask names the lanes that come: `__ballot_sync` before the branch tells which.",
  notes:
    "Where the other threads have returned from the kernel, the hardware does not wait for them, though the guide forbids it: then the finding is information. Of a barrier of the grid, the first and the last block are compared: each has to come to as many. The fix takes a `__syncthreads()`, or a group's `sync()`, out of an `if` of the kernel's own body, and guards what stands before it and behind it each for itself.",
  fix: "unsafe",
  changes: "faults",
  simulated: true,
  specificity: 3,
  example: {
    bad: `__global__ void sum(float *out, const float *in) {
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 128) {
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
  }
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1024);
  cudaMalloc(&out, 512);
  sum<<<1, 256>>>(out, in);
}`,
    good: `__global__ void sum(float *out, const float *in) {
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 128) out[threadIdx.x] = s[threadIdx.x];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1024);
  cudaMalloc(&out, 512);
  sum<<<1, 256>>>(out, in);
}`,
  },
  *check(context) {
    // Who has returned is missed at every barrier that comes behind.
    const causeOf = ({ ended, by }: Of<"divergent-barrier">): string => (ended ? "ended" : `${by.at.file}:${by.at.start}`);
    for (const { first: each, others } of byCause(shown(context, "divergent-barrier"), causeOf)) {
      const { by, missing, missingBlock, instead, ended } = each.violation;
      const elsewhere = instead && placeIn(each.launch, instead, context.program.reading.files);
      const does = ended ? "has returned" : elsewhere ? "waits at another one" : "goes by it";
      const who = missingBlock
        ? `of the grid, ${threadOf(by)} waits here and block ${tuple(missingBlock)}`
        : `of block ${tuple(by.block)} thread ${tuple(by.thread)} waits here and thread ${tuple(missing)}`;
      yield {
        span: each.place,
        message: `Divergent barrier: ${who} ${does}.${others.length === 0 ? "" : ` So it is at ${others.length === 1 ? "one more barrier" : `${others.length} more barriers`}.`}${assuming(each)}`,
        ...about(each, [
          ...(elsewhere ? [{ at: elsewhere, message: `thread ${tuple(missing)} waits here` }] : []),
          ...alsoAt(others, (more) => `thread ${tuple(more.missing)} is missed here, too`),
        ]),
        ...(ended || instead || missingBlock ? {} : { fix: hoistedBarrier(context, each.place) }),
        ...(ended ? { atMost: "information" as const } : {}),
      };
    }
  },
});
