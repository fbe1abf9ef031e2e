import { formatCount } from "../units.ts";
import { defineRule } from "./rule.ts";
import { costsOf, findingOf } from "./support/costs.ts";
import { gainOptions } from "./worth.ts";

const example = (blocks: string): string => `const int size = 12288;
__global__ void match(float *out, const float *in, int tiles) {
  __shared__ float tile[size];
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    for (int k = threadIdx.x; k < size; k += blockDim.x) tile[k] = in[t * size + k];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < size / 2; ++k) sum += tile[k] * tile[k + size / 2 - threadIdx.x];
    out[t * blockDim.x + threadIdx.x] = sum;
    __syncthreads();
  }
}
int main() {
  const int tiles = 5280;
  float *in, *out;
  cudaMalloc(&in, tiles * size * sizeof(float));
  cudaMalloc(&out, tiles * 256 * sizeof(float));
  cudaMemset(in, 0, tiles * size * sizeof(float));
  match<<<${blocks}, 256>>>(out, in, tiles);
}`;

export default defineRule({
  id: "tail-effect",
  group: "execution",
  severity: "information",
  priority: "medium",
  guide: { document: "best-practices", section: "10.3" },
  summary: "When the SMs have run their full waves of blocks, few blocks are left, and most SMs wait for them.",
  why: "The SMs hold a certain number of blocks at once. One block more than a multiple of that takes the launch as long as if there were another whole wave, or nearly so.",
  remedy:
    "Launch as many blocks as the SMs hold at once, or a multiple, where each goes on by the grid's size; else give blocks more or less to do, or use fewer registers and less shared memory, so that the last wave is full or there is none.",
  notes: `Told where the last wave fills 30 % of the SMs' room at most and costs 10 % of the launch's time. That time is simulated: blocks that wait make good use of SMs that hold few of them, and blocks that come to an end at different times leave no wave at all. Launches bound by the L2 or the memory are left out: the last blocks have those for themselves.`,
  fix: "none",
  simulated: true,
  tellsGain: true,
  options: { minGain: { ...gainOptions.minGain, default: 10 } },
  specificity: 2,
  example: { bad: example("540"), good: example("528") },
  *check(context) {
    for (const cost of costsOf(context, "last wave")) {
      const { blocksAtOnce } = cost.report;
      if (blocksAtOnce === undefined) continue;
      const { kernel, grid } = cost.launch.report;
      const [x, y, z] = grid;
      const blocks = x * y * z;
      const left = blocks % blocksAtOnce;
      yield findingOf(
        cost,
        `The SMs hold ${formatCount(blocksAtOnce)} blocks of \`${kernel}\` at once: of ${formatCount(blocks)} the last ${formatCount(left)} run by themselves. Let the blocks be a multiple of that, or do more or less each.`,
      );
    }
  },
});
