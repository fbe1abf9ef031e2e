import { defineRule } from "./rule.ts";
import { allocations, type FaultOf, faultsOf, nameOf } from "./support/host-faults.ts";

export default defineRule({
  id: "use-after-free",
  group: "correctness",
  severity: "error",
  priority: "correctness",
  summary: "Memory is used, or freed again, after it was freed.",
  why: "It belongs to nobody, or to whoever allocated it since: a copy or a launch fails, or goes on with what others store there.",
  remedy: "Free memory after its last use, once.",
  notes:
    "What the host code does on its way from `main` is followed: `cudaFree` and its kin, `free`, `delete[]`, then copies, `cudaMemset`, launches of kernels that go through the pointer, accesses by the host, and a second free. Where it is not certain that the memory was freed, nothing is said.",
  fix: "none",
  simulated: true,
  specificity: 4,
  example: {
    bad: `__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
int main() {
  float *x;
  cudaMalloc(&x, 256 * sizeof(float));
  cudaFree(x);
  fill<<<1, 256>>>(x);
}`,
    good: `__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
int main() {
  float *x;
  cudaMalloc(&x, 256 * sizeof(float));
  fill<<<1, 256>>>(x);
  cudaFree(x);
}`,
  },
  *check(context) {
    for (const fault of faultsOf(context, "freed")) {
      const { at, object, freed, kernel } = fault;
      yield {
        span: at,
        message: `${sentenceOf(fault)}.`,
        related: [{ at: freed, message: `${nameOf(object)} is freed here` }, ...allocations(object)],
        ...(kernel === undefined ? {} : { kernel }),
      };
    }
  },
});

function sentenceOf({ use, object, kernel }: FaultOf<"freed">): string {
  const name = nameOf(object);
  if (use === "freed") return `${name} was freed already`;
  return use === "given to a kernel" ? `${name} was freed, and \`${kernel}\` goes through it` : `${name} is ${use} after it was freed`;
}
