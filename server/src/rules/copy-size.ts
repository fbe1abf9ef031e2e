import { defineRule, type Finding, type Fix } from "./rule.ts";
import { excerpt } from "./support/edits.ts";
import { allocations, bytesOf, type FaultOf, faultsOf, nameOf } from "./support/host-faults.ts";

export default defineRule({
  id: "copy-size",
  group: "correctness",
  severity: "error",
  priority: "correctness",
  guide: { document: "best-practices", section: "9.1" },
  summary: "A copy or `cudaMemset` takes more bytes than an allocation has, or a number of elements for a number of bytes.",
  why: "What is too large fails, or spoils what lies behind the array on the host. Where elements stand for bytes, or `sizeof` of a pointer for that of its array, most of the array is left as it was.",
  remedy: "Sizes are in bytes: the number of elements times `sizeof` of one, as the allocation has it.",
  notes:
    "Sizes are known of what the host code allocates with numbers that the source says, on its way from `main`: `cudaMalloc` and its kin, `malloc`, `new`, arrays, `std::vector`, `__device__` and `__constant__` arrays. That elements stand for bytes, or the size of a pointer for that of an element, is told where the allocation multiplies the very same expression by the size of an element. A copy of a part is left alone.",
  fix: "unsafe",
  changes: "faults",
  simulated: true,
  specificity: 3,
  example: {
    bad: `#include <vector>
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
int main() {
  const int n = 256;
  std::vector<float> h(n, 1.0f);
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemcpy(x, h.data(), n, cudaMemcpyHostToDevice);
  twice<<<1, n / 4>>>(x);
}`,
    good: `#include <vector>
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
int main() {
  const int n = 256;
  std::vector<float> h(n, 1.0f);
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  twice<<<1, n / 4>>>(x);
}`,
  },
  *check(context) {
    const { reading } = context.program;
    for (const fault of faultsOf(context, "too-large")) yield tooLarge(fault);
    for (const { size, bytes, object, elementBytes, unit, ofRow } of faultsOf(context, "elements-for-bytes")) {
      const [written, sizeOfOne] = [size, unit].map((each) => each && excerpt(reading, each));
      const fix: Fix | undefined =
        sizeOfOne === undefined || written === undefined
          ? undefined
          : {
              title: `Multiply by \`${sizeOfOne}\``,
              safe: false,
              edits: [{ span: size, newText: `${size.kind === "binary" ? `(${written})` : written} * ${sizeOfOne}` }],
            };
      yield {
        span: size,
        message: ofRow
          ? `The size is in bytes: ${bytesOf(bytes)} of a row that has as many elements of ${elementBytes} bytes.`
          : `The size is in bytes: ${bytesOf(bytes)} of the ${bytesOf(object.bytes)} of ${nameOf(object)}, which has as many elements of ${elementBytes} bytes.`,
        related: allocations(object),
        fix,
      };
    }
    for (const { at, pitch, bytes } of faultsOf(context, "short-pitch"))
      yield {
        span: at,
        message: `The pitch is in bytes: ${bytesOf(pitch)} from row to row, each of which has ${bytesOf(bytes)}. The call fails.`,
      };
    for (const { at, sizeof, bytes, object, elementBytes, unit } of faultsOf(context, "sizeof-pointer-type")) {
      const [measured, meant] = [sizeof, unit].map((each) => each && excerpt(reading, each));
      yield {
        span: at,
        message: `\`${measured}\` is the size of a pointer: this is ${bytesOf(bytes)} of the ${bytesOf(object.bytes)} of ${nameOf(object)}, which has as many elements of ${elementBytes} bytes.`,
        related: allocations(object),
        fix: meant === undefined ? undefined : { title: `Use \`${meant}\``, safe: false, edits: [{ span: sizeof, newText: meant }] },
      };
    }
    for (const { at, pointer, bytes, object } of faultsOf(context, "sizeof-pointer")) {
      const name = excerpt(reading, pointer);
      yield {
        span: at,
        message: `\`${name}\` is a pointer: its \`sizeof\` is ${bytesOf(bytes)}, and ${nameOf(object)} has ${bytesOf(object.bytes)}.`,
        related: allocations(object),
      };
    }
  },
});

const verbs = { "copied to": "writes", "copied from": "reads", set: "sets" } as const;

function tooLarge({ at, side, object, offset, bytes }: FaultOf<"too-large">): Finding {
  const from = offset === 0 ? "" : ` from byte ${offset.toLocaleString("en-US")} on`;
  return {
    span: at,
    message: `This ${verbs[side]} ${bytesOf(bytes)} of ${nameOf(object)}${from}, which has ${bytesOf(object.bytes)}.`,
    related: allocations(object),
  };
}
