import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { allocations, bytesOf, type FaultOf, faultsOf, nameOf } from "./support/host-faults.ts";
import { overlappedCopies } from "./support/overlap.ts";

export default defineRule({
  id: "pageable-async-copy",
  group: "host",
  severity: "information",
  priority: "high",
  guide: { document: "best-practices", section: "9.1.1" },
  alsoIn: [{ document: "best-practices", section: "9.1.2" }],
  summary: "An asynchronous copy from or to memory of the host that is not page-locked.",
  why: "The device reaches page-locked memory alone: the driver copies the bytes through a buffer of its own, a part at a time, at a fraction of the link's bandwidth, and the call may not return before that is done, so nothing overlaps.",
  remedy: "Allocate with `cudaMallocHost`, or lock what there is with `cudaHostRegister`.",
  fix: "none",
  notes:
    "Where the memory was allocated, and what is asked of the device in which order, is known of what the host code does on its way from `main`: nothing is told where it does not lead there. All copies of a file are one finding. Left alone are those of 64 KB and less, and those that nothing was to overlap with: made once in the default stream, or waited for at once.",
  simulated: true,
  example: {
    bad: `__global__ void twice(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
int main() {
  float *staged = (float *)malloc(1 << 20), *x;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&x, 1 << 20);
  for (int i = 0; i < 1 << 18; i++) staged[i] = i;
  cudaMemcpyAsync(x, staged, 1 << 20, cudaMemcpyHostToDevice, stream);
  twice<<<1024, 256, 0, stream>>>(x);
}`,
    good: `__global__ void twice(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
int main() {
  float *staged, *x;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocHost(&staged, 1 << 20);
  cudaMalloc(&x, 1 << 20);
  for (int i = 0; i < 1 << 18; i++) staged[i] = i;
  cudaMemcpyAsync(x, staged, 1 << 20, cudaMemcpyHostToDevice, stream);
  twice<<<1024, 256, 0, stream>>>(x);
}`,
  },
  *check(context): Generator<Finding> {
    const overlapped = overlappedCopies(context.program.device);
    const copies = faultsOf(context, "pageable-copy").filter(({ bytes, at }) => (bytes === undefined || bytes > few) && overlapped.has(at));
    const [first] = copies;
    if (!first) return;
    const objects = [...new Map(copies.map(({ object }) => [object.allocated ?? object.name, object])).values()];
    const named = [...new Set(copies.map((copy) => spokenOf(context, copy)))];
    const names = named.slice(0, 3).join(", ");
    const more = named.length > 3 ? ` and ${named.length - 3} more` : "";
    const { bytes } = first;
    const what = copies.length > 1 ? `${copies.length} copies go` : bytes === undefined ? "the copy goes" : `the ${bytesOf(bytes)} go`;
    yield {
      span: first.at,
      message: `${names}${more} ${named.length > 1 ? "are" : "is"} pageable: ${what} through a buffer of the driver, and nothing overlaps with that. Allocate with \`cudaMallocHost\`.`,
      related: [
        ...allocations(...objects),
        ...copies.slice(1).map((copy) => ({ at: copy.at, message: `${spokenOf(context, copy)} is copied here, too` })),
      ].slice(0, 8),
    };
  },
});

/** What a copy to the device takes with the call itself (CUDA Driver API, "API synchronization behavior"), and the other way waits little for. */
const few = 64 * 1024;

/** As the copy calls it: who allocated it for several may have called it otherwise. */
function spokenOf({ syntax }: RuleContext, { at, object, toDevice }: FaultOf<"pageable-copy">): string {
  const given = at.kind === "call" ? at.arguments[toDevice ? 1 : 0] : undefined;
  const names = given ? syntax.expressions("name").filter(({ start, end }) => given.start <= start && end <= given.end) : [];
  const own = names.find(({ name }) => name.parts.at(-1)?.text === object.name) ?? (given?.kind === "name" ? given : undefined);
  const text = own?.name.parts.at(-1)?.text;
  return text === undefined ? nameOf(object) : `\`${text}\``;
}
