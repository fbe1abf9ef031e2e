import { defineRule } from "./rule.ts";
import { about, shown, threadOf } from "./support/violations.ts";

export default defineRule({
  id: "unchecked-arithmetic",
  group: "correctness",
  severity: "error",
  priority: "correctness",
  summary: "An index does not fit the 32 bits that it is worked out in, or an integer is divided by zero.",
  why: "The index wraps around: often it is negative, passes the guard, and leads before the start of the array. What a division by zero gives is not defined; the GPU goes on with some value.",
  remedy:
    "Work large indices out in 64 bits from the first operand on: `size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x`. Of a divisor, see that it is at least 1 for the sizes at hand.",
  notes:
    "The blocks at the corners of the grid are run as the source has them, with the sizes that it says. Sums, differences and products that become part of an address are worked out exactly beside them; hashes and random numbers, which wrap on purpose, go through other operations first and are left alone.",
  fix: "none",
  simulated: true,
  specificity: 3,
  example: {
    bad: `__global__ void part(int *owner, int n, int parts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int size = n / parts;
  if (i < n) owner[i] = i / size;
}
int main() {
  int *owner;
  cudaMalloc(&owner, 100 * sizeof(int));
  part<<<1, 128>>>(owner, 100, 256);
}`,
    good: `__global__ void part(int *owner, int n, int parts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int size = (n + parts - 1) / parts;
  if (i < n) owner[i] = i / size;
}
int main() {
  int *owner;
  cudaMalloc(&owner, 100 * sizeof(int));
  part<<<1, 128>>>(owner, 100, 256);
}`,
  },
  *check(context) {
    for (const each of shown(context, "overflow")) {
      const { by, exact, value, signed } = each.violation;
      const type = signed ? "a signed integer of 32 bits" : "32 bits";
      yield {
        span: each.place,
        message: `For ${threadOf(by)} \`${each.text}\` is ${count(exact)}, more than ${type} holds: the index becomes ${count(value)}.`,
        ...about(each),
      };
    }
    for (const each of shown(context, "division-by-zero")) {
      const { by, remainder } = each.violation;
      yield {
        span: each.place,
        message: `${sentence(threadOf(by))} ${remainder ? "takes a remainder by" : "divides by"} zero in \`${each.text}\`.`,
        ...about(each),
      };
    }
  },
});

const count = (value: number): string => value.toLocaleString("en-US");
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
