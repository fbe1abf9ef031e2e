import { defineRule } from "./rule.ts";
import { alsoAt, andMore, byCause, causeOfRace, showsMore } from "./support/causes.ts";
import { textAt } from "./support/edits.ts";
import { about, allShown, assuming, elementAt, placeIn, threadOf, tuple, unordered, verbOf } from "./support/violations.ts";

export default defineRule({
  id: "global-memory-race",
  group: "correctness",
  severity: "error",
  priority: "correctness",
  summary: "Two threads access the same element of global memory, one of them writes, and nothing orders them.",
  why: "The blocks of a launch, and the warps of a block between two barriers, run in any order, many at once: which value is read, or stays, is a matter of luck.",
  remedy:
    "Use an atomic where all add to one place; write to another buffer than the one that is read; or make two launches of it, the second of which finds what the first one wrote. Within a block `__syncthreads()` orders accesses to global memory, too.",
  notes:
    "Some neighbouring blocks and the corners of the grid are run, and up to 128 others where what is read decides where, or whether, threads store. Atomics among themselves and stores of one value by all, or of what two threads compute alike, are no race, but a plain read of what others update by atomics is: the compiler may keep what it found, or read it twice; where blocks hand on what they have written, by a fence and then an atomic or a volatile store that another one looks at, that is followed: the fence must be as wide as the reader is far, and behind an atomic that takes a lock there must be one, too. Where each block counts itself once by an atomic whose value decides where it goes, the last one that is run finds all others counted. Loops that wait until others have written let these go on meanwhile, and blocks are run in the order of their indices; of a block that did not get what it waited for, nothing is said but what no order could mend. Looks at volatile memory that decide where a thread goes are no race, and kernels whose grid or clusters synchronise are left alone.",
  fix: "none",
  simulated: true,
  specificity: 3,
  example: {
    bad: `__global__ void smooth(float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) data[i] = 0.5f * (data[i - 1] + data[i + 1]);
}
int main() {
  float *data;
  cudaMalloc(&data, (1 << 20) * sizeof(float));
  smooth<<<4096, 256>>>(data, 1 << 20);
}`,
    good: `__global__ void smooth(float *out, const float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = 0.5f * (data[i - 1] + data[i + 1]);
}
int main() {
  float *data, *out;
  cudaMalloc(&data, (1 << 20) * sizeof(float));
  cudaMalloc(&out, (1 << 20) * sizeof(float));
  smooth<<<4096, 256>>>(out, data, 1 << 20);
}`,
  },
  *check(context) {
    const { reading } = context.program;
    for (const { first: each, others } of byCause(allShown(context, "global-race"), causeOfRace, showsMore)) {
      const { by, other, object, sameWarp, unfenced, values } = each.violation;
      const first = placeIn(each.launch, other.at, reading.files);
      const same = first && first.file === each.place.file && first.start === each.place.start;
      const within = tuple(by.block) === tuple(other.block);
      const lock = unfenced
        ? `, though both hold a lock: no \`__threadfence${within ? "_block" : ""}()\` stands behind the atomic that takes it`
        : "";
      const what = first && !same ? `\`${textAt(reading, first)}\`` : "the same";
      yield {
        span: each.place,
        message: within
          ? `Race in global memory: ${threadOf(by)} ${verbOf(by)} \`${each.text}\` and thread ${tuple(other.thread)} of it ${verbOf(other)} ${what}, ${elementAt(each.violation)} of \`${object.name}\`, ${unfenced ? lock.slice(2) : unordered(sameWarp, values)}.${andMore(each, others)}${assuming(each)}`
          : `Race between blocks: ${threadOf(by)} ${verbOf(by)} \`${each.text}\` and ${threadOf(other)} ${verbOf(other)} ${what}, ${elementAt(each.violation)} of \`${object.name}\`${lock}.${andMore(each, others)}${assuming(each)}`,
        ...about(each, [
          ...(first && !same ? [{ at: first, message: `${threadOf(other)} ${verbOf(other)} it here` }] : []),
          ...alsoAt(others, (more) => `${threadOf(more.by)} ${verbOf(more.by)} it here, too`),
        ]),
      };
    }
  },
});
