import { defineRule } from "./rule.ts";
import { type Cost, costsOf, findingOf, laneStrideOf, sectorsPerRequest } from "./support/costs.ts";
import { isCallAt, isLibraryRecordAt } from "./support/expression-at.ts";
import { LaneIndex } from "./support/lane-index.ts";

export default defineRule({
  id: "strided-global-access",
  group: "memory",
  severity: "warning",
  priority: "high",
  guide: { document: "best-practices", section: "9.2.1.4" },
  summary: "Neighbouring threads of a warp access global memory a constant stride apart.",
  why: "Memory is moved in sectors of 32 bytes. With a stride of two elements half of every sector is wasted; from 32 bytes on each lane needs a sector of its own.",
  remedy:
    "Let neighbouring threads access neighbouring elements: exchange the roles of the indices, store structures as arrays, or move a tile through shared memory.",
  notes: `Looked at from 1.5 times the ideal number of sectors, and reported where the launch would take less time without them (see [docs/settings.md](../settings.md) for how much). What a library does within a call, and a structure of a library that is copied as a whole, is left alone. Accesses of one array with one stride, those of one line, and those of several arrays side by side, are one finding. Places that arithmetic in floating point picks, as where an image is bent, are left alone: what lies between them nobody takes. Not those of a row or a stride that is only worked out in floats. Without a launch that can be simulated nothing is reported: give one with a \`// warplens:\` comment or \`--launch\`. What rests on sizes that nobody says is information, and not reported where other sizes would make it none.`,
  fix: "none",
  simulated: true,
  tellsGain: true,
  specificity: 2,
  givesWayTo: ["row-per-thread"],
  example: {
    bad: `__global__ void stride(float *out, const float *in, int stride) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  out[i] = in[i];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 8 << 20);
  cudaMalloc(&out, 8 << 20);
  stride<<<1024, 256>>>(out, in, 8);
}`,
    good: `__global__ void copy(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1 << 20);
  cudaMalloc(&out, 1 << 20);
  copy<<<1024, 256>>>(out, in);
}`,
  },
  *check(context) {
    const lanes = new LaneIndex(context);
    for (const cost of costsOf(context, "sectors"))
      if (isStrided(cost) && !isCallAt(context, cost.place) && !isLibraryRecordAt(context, cost.place, cost.launch.fact))
        yield findingOf(cost, messageOf(cost, lanes));
  },
});

/** A constant distance between neighbouring lanes, other than side by side. */
export const isStrided = ({ access, launch }: Cost): boolean =>
  access !== undefined && Math.abs(laneStrideOf(access, launch)?.bytes ?? 0) > access.bytesPerLane;

function messageOf({ access, place, launch, report }: Cost, lanes: LaneIndex): string {
  if (!access) return "";
  const { bytes = 0, source } = laneStrideOf(access, launch) ?? {};
  const stride = Math.abs(bytes);
  const whole = stride % access.bytesPerLane === 0;
  const apart = whole ? `${stride / access.bytesPerLane} elements (${stride} bytes)` : `${stride} bytes`;
  const terms = source ? lanes.terms(place, source.slice(-1)) : [];
  const cause = source ? ` because of \`${source}\`${terms.length > 0 ? ` in ${terms.join(", ")}` : ""}` : "";
  const sideBySide = "let neighbouring threads access neighbouring elements, or go through a tile in shared memory";
  // What a thread loads besides does no harm; what it stores would overwrite.
  const taken = report.perLane ?? 0;
  const vectors = access.bytesPerLane < widest && (access.operation === "load" || taken >= stride) ? vectorsOf(stride, taken) : undefined;
  const advice =
    vectors === undefined
      ? `L${sideBySide.slice(1)}`
      : `Let each thread ${access.operation} its ${stride} bytes as ${vectors}, where they begin at a multiple of that; or ${sideBySide}`;
  return `Strided ${access.operation}: neighbouring lanes are ${apart} apart${cause}; ${sectorsPerRequest(access)}. ${advice}.`;
}

/**
 * In words, how a thread could take what lies between its place and its neighbour's at once: undefined where it takes half of that or less,
 * or no vectors make it up.
 */
function vectorsOf(stride: number, perLane: number): string | undefined {
  if (2 * perLane <= stride) return undefined;
  if (vectorBytes.includes(stride)) return `one vector of ${stride}`;
  return stride % widest === 0 && stride <= mostVectors * widest ? `${stride / widest} vectors of ${widest}` : undefined;
}

/** Bytes that one instruction moves for a thread, besides single ones. */
const vectorBytes: readonly number[] = [2, 4, 8, 16];
const widest = 16;
/** Of more of them each is a stride again: 4 leave every lane two sectors. */
const mostVectors = 4;
