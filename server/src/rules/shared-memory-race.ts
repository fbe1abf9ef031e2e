import { defineRule } from "./rule.ts";
import { barriersFor } from "./support/barriers-for-races.ts";
import { alsoAt, andMore, byCause, causeOfRace, showsMore } from "./support/causes.ts";
import { textAt } from "./support/edits.ts";
import { about, allShown, assuming, elementAt, placeIn, tuple, unordered, verbOf } from "./support/violations.ts";

export default defineRule({
  id: "shared-memory-race",
  group: "correctness",
  severity: "error",
  priority: "correctness",
  guide: { document: "volta", section: "1.4.1.2" },
  alsoIn: [
    { document: "turing", section: "1.4.1.2" },
    { document: "best-practices", section: "9.2.3.2" },
  ],
  summary: "Two threads of a block access the same bytes of shared memory, one of them writes, and no barrier stands between.",
  why: "Warps run in any order, and since Volta the lanes of one warp do, too: which value is read, or stays, is a matter of luck.",
  remedy:
    "Put `__syncthreads()` between the two accesses, where all threads of the block come by; a loop that reads and then writes the same array needs one on either side. Within a warp `__syncwarp()` is enough.",
  notes:
    "A block is run from barrier to barrier, and who touched each byte since the last one is kept. Stores of a value that is the same for all threads, and atomics among themselves, are no race; lanes of a warp that store different values at once are one where these are known. Flags and locks are followed, too: a fence and then an atomic or a volatile store, which another thread finds (also as `cuda::atomic` and `cuda::atomic_ref` have it). Named barriers (`bar.sync id, threads`), mbarriers, pipelines, and waits for asynchronous copies (`cp.async`, and into shared memory `cp.async.bulk`) are followed; kernels that use `wgmma` or copies to several blocks are left alone, and what producers and consumers of one pipeline do apart. Races of a kernel for one array between the same barriers are one finding, with the other places beside it. The fix puts a barrier between the two statements of each, where these are of one block that all threads come by; a race around a loop's back edge, or within a statement, has none.",
  fix: "unsafe",
  changes: "faults",
  simulated: true,
  specificity: 3,
  givesWayTo: ["missing-syncwarp"],
  example: {
    bad: `__global__ void reverse(float *out, const float *in) {
  __shared__ float s[256];
  s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1 << 20);
  cudaMalloc(&out, 1 << 20);
  reverse<<<1024, 256>>>(out, in);
}`,
    good: `__global__ void reverse(float *out, const float *in) {
  __shared__ float s[256];
  s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1 << 20);
  cudaMalloc(&out, 1 << 20);
  reverse<<<1024, 256>>>(out, in);
}`,
  },
  *check(context) {
    const { reading } = context.program;
    for (const { first: each, others, all } of byCause(allShown(context, "shared-race"), causeOfRace, showsMore)) {
      const { by, other, object, sameWarp, underWay, values } = each.violation;
      const first = placeIn(each.launch, other.at, reading.files);
      const same = first && first.file === each.place.file && first.start === each.place.start;
      const how = underWay ? "before the copy has been waited for" : unordered(sameWarp, values);
      const before = first && !same ? `\`${textAt(reading, first)}\`` : "the same";
      yield {
        span: each.place,
        message: `Race in shared memory: thread ${tuple(by.thread)} ${verbOf(by)} \`${each.text}\` and thread ${tuple(other.thread)} ${verbOf(other)} ${before}, ${elementAt(each.violation)} of \`${object.name}\`, ${how}.${andMore(each, others)}${assuming(each)}`,
        ...about(each, [
          ...(first && !same ? [{ at: first, message: `thread ${tuple(other.thread)} ${verbOf(other)} it here` }] : []),
          ...alsoAt(others, (more) => `thread ${tuple(more.by.thread)} ${verbOf(more.by)} it here, too`),
        ]),
        fix: barriersFor(context, all),
        // Steps of a warp are no matter of warps that do not wait for each other.
        stands: all.some(({ violation }) => !violation.sameWarp),
      };
    }
  },
});
