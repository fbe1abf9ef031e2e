import { defineRule, type Finding } from "./rule.ts";
import { assumptionsOf, laneStrideOf, launchesOf, type PoorAccess, poorAccesses, sectorsPerRequest } from "./support/accesses.ts";
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
  notes: `Reported from 1.5 times the ideal number of sectors, for the launch in which most are wasted; the launches are listed with the finding. Accesses of which a launch makes few, and that move less than 1 % of its sectors, are left alone. Without a launch that can be simulated nothing is reported: give one with a \`// warplens:\` comment or \`--launch\`.`,
  fix: "none",
  simulated: true,
  specificity: 2,
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
    for (const poor of poorAccesses(context)) if (isStrided(poor)) yield finding(poor, lanes);
  },
});

/** A constant distance between neighbouring lanes, other than side by side. */
export const isStrided = (poor: PoorAccess): boolean => Math.abs(laneStrideOf(poor)?.bytes ?? 0) > poor.access.bytesPerLane;

function finding(poor: PoorAccess, lanes: LaneIndex): Finding {
  const { access, place, launch } = poor;
  const { bytes = 0, source } = laneStrideOf(poor) ?? {};
  const stride = Math.abs(bytes);
  const whole = stride % access.bytesPerLane === 0;
  const apart = whole ? `${stride / access.bytesPerLane} elements (${stride} bytes)` : `${stride} bytes`;
  const terms = source ? lanes.terms(place, source.slice(-1)) : [];
  const cause = source ? ` because of \`${source}\`${terms.length > 0 ? ` in ${terms.join(", ")}` : ""}` : "";
  return {
    span: place,
    message: `Strided ${access.operation}: neighbouring lanes are ${apart} apart${cause}; ${sectorsPerRequest(access)}. Let neighbouring threads access neighbouring elements, or go through a tile in shared memory.${assumptionsOf(poor, terms.join(" "), "named")}`,
    kernel: launch.report.kernel,
    related: launchesOf(poor),
  };
}
