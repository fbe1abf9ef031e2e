import type { Semantics } from "../analysis/sema/index.ts";
import { lastName } from "../analysis/sema/scope.ts";
import type { Expression } from "../syntax/ast.ts";
import { withoutParentheses } from "../syntax/terms.ts";
import { defineRule } from "./rule.ts";
import { isStrided } from "./strided-global-access.ts";
import { costsOf, findingOf, laneStrideOf, sectorsPerRequest } from "./support/costs.ts";
import { expressionAt } from "./support/expression-at.ts";

/** Bytes that a lane can load at once. */
const vectors: readonly number[] = [8, 16];

export default defineRule({
  id: "array-of-structures-access",
  group: "memory",
  severity: "warning",
  priority: "high",
  guide: { document: "best-practices", section: "9.2.1.4" },
  summary: "Neighbouring threads access a field of neighbouring structures, which lie apart by the structure's size.",
  why: "Memory is moved in sectors of 32 bytes. Of structures that lie one behind the other each access takes a part of every sector, and the fields that it leaves are moved for nothing, or again with the next access.",
  remedy:
    "Store each field in an array of its own (a structure of arrays); where all fields are used and make up 8 or 16 bytes, load the structure as a whole, aligned by its size.",
  notes: "All accesses to the fields of one array are one finding.",
  fix: "none",
  simulated: true,
  tellsGain: true,
  specificity: 5,
  example: {
    bad: `struct Particle { float x, y, z, speed, mass, charge; };
__global__ void move(Particle *p, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i].x += p[i].speed * dt;
}
int main() {
  Particle *p;
  cudaMalloc(&p, (4 << 20) * sizeof(Particle));
  cudaMemset(p, 0, (4 << 20) * sizeof(Particle));
  move<<<(4 << 20) / 256, 256>>>(p, 0.1f);
}`,
    good: `__global__ void move(float *x, const float *speed, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] += speed[i] * dt;
}
int main() {
  float *x, *speed;
  cudaMalloc(&x, (4 << 20) * sizeof(float));
  cudaMalloc(&speed, (4 << 20) * sizeof(float));
  cudaMemset(x, 0, (4 << 20) * sizeof(float));
  cudaMemset(speed, 0, (4 << 20) * sizeof(float));
  move<<<(4 << 20) / 256, 256>>>(x, speed, 0.1f);
}`,
  },
  *check(context) {
    const { program, syntax } = context;
    for (const cost of costsOf(context, "sectors")) {
      const { access, place, launch, report } = cost;
      const node = isStrided(cost) ? expressionAt(syntax, program.reading, place) : undefined;
      if (!access || node?.kind !== "member") continue;
      const bytes = Math.abs(laneStrideOf(access, launch)?.bytes ?? 0);
      // Where lanes are farther apart than their structures it is for another reason.
      const sizes = sizesAround(program.semantics, node);
      if (sizes.length > 0 && !sizes.includes(bytes)) continue;
      const array = report.object === undefined ? "an array of structures" : `the structures of \`${report.object}\``;
      const whole = vectors.includes(bytes) ? `, or load the structure as one vector of ${bytes} bytes` : "";
      yield findingOf(
        cost,
        `\`${lastName(node.name)}\` is a field of ${array}: neighbouring lanes are ${bytes} bytes apart; ${sectorsPerRequest(access)}. Store each field in an array of its own${whole}.`,
      );
    }
  },
});

/** Bytes of the structures that a field is one of, from the inside, as far as they are known. */
function sizesAround(semantics: Semantics, field: Expression): number[] {
  const sizes: number[] = [];
  for (let node = withoutParentheses(field); node.kind === "member"; node = withoutParentheses(node.base)) {
    const type = semantics.typeOf(node.base);
    const size = type && semantics.sizeOf(type.kind === "pointer" ? type.to : type);
    if (size === undefined) return [];
    sizes.push(size);
    if (node.arrow) break;
  }
  return sizes;
}
