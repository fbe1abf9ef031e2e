import type { Expression, Node } from "../syntax/ast.ts";
import { formatCapacity } from "../units.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { excerpt } from "./support/edits.ts";
import { groupBy } from "./support/group-by.ts";
import { type Loop, loopsAround } from "./support/loops.ts";
import { runtimeCalls } from "./support/runtime-calls.ts";
import { Variables } from "./support/variables.ts";

const allocating = /^cuda(Malloc|MallocManaged|MallocHost|HostAlloc|MallocPitch)$/;
const freeing = /^cudaFree(Host)?$/;

export default defineRule({
  id: "blocking-allocation-in-loop",
  group: "host",
  severity: "warning",
  priority: "medium",
  guide: { document: "best-practices", section: "9.3" },
  summary: "Memory of the device that is allocated and freed in each turn of a loop.",
  why: "`cudaMalloc` and `cudaFree` ask the driver each time, and `cudaFree` waits until the device has done everything it was given: the kernels of one turn never overlap with the host's work for the next.",
  remedy: "Allocate once before the loop; or `cudaMallocAsync` and `cudaFreeAsync`, which take from a pool in the order of a stream.",
  fix: "none",
  notes:
    "Found where the same pointer is allocated and freed in one loop. Loops over devices, and sizes that the loop goes through one after another, are left alone, as programs do that measure; those of data, `batch.size()`, are not. One finding a loop.",
  example: {
    bad: `__global__ void step(float *x) { x[threadIdx.x] = 1.0f; }
void run(int steps) {
  for (int i = 0; i < steps; i++) {
    float *scratch;
    cudaMalloc(&scratch, 4096);
    step<<<4, 256>>>(scratch);
    cudaFree(scratch);
  }
}`,
    good: `__global__ void step(float *x) { x[threadIdx.x] = 1.0f; }
void run(int steps) {
  float *scratch;
  cudaMalloc(&scratch, 4096);
  for (int i = 0; i < steps; i++) step<<<4, 256>>>(scratch);
  cudaFree(scratch);
}`,
  },
  *check(context): Generator<Finding> {
    const { program, syntax } = context;
    const calls = runtimeCalls(context);
    const text = (node: Expression | undefined): string =>
      node
        ? excerpt(program.reading, node)
            .replaceAll(/\s|\(void *\*+\)|^&/g, "")
            .replace(/^&/, "")
        : "";
    const pairs = calls.flatMap(({ call, name }) => {
      const [pointer, size] = call.arguments;
      const [loop] = allocating.test(name) ? loopsAround(syntax, call) : [];
      if (!loop || !pointer || text(pointer).includes("[") || (size && changesIn(context, size, loop) && !isOfData(context, size, loop)))
        return [];
      const inside = calls.filter((each) => isInside(each.call, loop) && loopsAround(syntax, each.call)[0] === loop);
      const free = inside.find((each) => freeing.test(each.name) && text(each.call.arguments[0]) === text(pointer));
      return !free || inside.some((each) => each.name === "cudaSetDevice") ? [] : [{ call, pointer, size, loop, free }];
    });
    for (const [first, ...others] of groupBy(pairs, ({ loop }) => loop).values()) {
      if (!first) continue;
      const bytes = first.size && program.semantics.constant(first.size);
      const changes = first.size !== undefined && changesIn(context, first.size, first.loop);
      const size = typeof bytes === "bigint" ? ` of ${formatCapacity(Number(bytes))}` : "";
      const what = `\`${text(first.pointer)}\`${size}${others.length > 0 ? ` and ${others.length} more are` : " is"}`;
      yield {
        span: first.call,
        message: `${what} allocated and freed in each turn: both ask the driver, and \`${first.free.name}\` waits for all that the device does. ${changes ? "Allocate for the largest before the loop" : "Allocate before the loop"}, or use \`cudaMallocAsync\`.`,
        related: [
          { at: first.free.call, message: "freed here" },
          ...others.slice(0, 8).map(({ call }) => ({ at: call, message: "also allocated each turn" })),
        ],
      };
    }
  },
});

const isInside = (node: Node, outer: Node): boolean => node.start >= outer.start && node.end <= outer.end;

/** A size that the loop works out anew: another allocation may be needed each turn. */
function changesIn({ program: { semantics }, syntax }: RuleContext, size: Expression, loop: Loop): boolean {
  const variables = new Variables(syntax, semantics);
  return syntax.expressions("name").some((name) => {
    const variable = isInside(name, size) ? variables.of(name) : undefined;
    if (!variable) return false;
    return isInside(variable, loop) || variables.writes(variable).some(({ at }) => isInside(at, loop));
  });
}

/** A size of what the loop goes through, as of `for (const auto &batch : batches)`: not one that it counts through to measure. */
function isOfData(context: RuleContext, size: Expression, loop: Loop): boolean {
  const { program, syntax } = context;
  const { semantics } = program;
  const variables = new Variables(syntax, semantics);
  const isSize = (node: Expression): boolean =>
    syntax
      .expressions("call")
      .some(
        ({ start, end, callee }) =>
          start >= node.start &&
          end <= node.end &&
          callee.kind === "member" &&
          callee.name.parts.at(-1)?.text === "size" &&
          changesIn(context, callee.base, loop),
      );
  const changing = syntax.expressions("name").flatMap((name) => {
    const variable = isInside(name, size) ? variables.of(name) : undefined;
    return variable && isInside(variable, loop) ? [variable] : [];
  });
  return (
    isSize(size) ||
    changing.some((variable) => {
      const initial = variables.initial(variable);
      return initial !== undefined && variables.writes(variable).length === 0 && isSize(initial);
    })
  );
}
