import type { Expression, Statement, TypeNode } from "../syntax/ast.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { libraryName } from "./support/library-calls.ts";
import { loopsAround } from "./support/loops.ts";
import { runtimeCalls } from "./support/runtime-calls.ts";

export default defineRule({
  id: "synchronise-in-loop",
  group: "host",
  severity: "information",
  priority: "medium",
  guide: { document: "best-practices", section: "9.1.2" },
  alsoIn: [{ document: "best-practices", section: "10.5" }],
  summary: "A loop that waits for the device in each turn, though it only launches kernels.",
  why: "Kernels of one stream run one after another anyway. Waiting for each leaves the device idle between them, for as long as the host takes to come back and launch the next: some microseconds a turn.",
  remedy: "Wait once behind the loop.",
  fix: "none",
  notes:
    "Found where everything in the loop is launches, checks of errors, and exchanges of pointers; a host that reads results in the loop has to wait.",
  example: {
    bad: `__global__ void step(float *to, const float *from) { to[threadIdx.x] = from[threadIdx.x]; }
void run(float *a, float *b, int steps) {
  for (int i = 0; i < steps; i++) {
    step<<<4, 256>>>(a, b);
    cudaDeviceSynchronize();
  }
}`,
    good: `__global__ void step(float *to, const float *from) { to[threadIdx.x] = from[threadIdx.x]; }
void run(float *a, float *b, int steps) {
  for (int i = 0; i < steps; i++) step<<<4, 256>>>(a, b);
  cudaDeviceSynchronize();
}`,
  },
  *check(context): Generator<Finding> {
    const told = new Set<Statement>();
    for (const { call, name } of runtimeCalls(context)) {
      const [loop] = waiting.test(name) ? loopsAround(context.syntax, call) : [];
      if (loop?.kind !== "for" || loop.body.kind !== "block") continue;
      const kinds = loop.body.body.map((each) => kindOf(context, each));
      const launches = kinds.filter((kind) => kind === "launch").length;
      if (launches === 0 || kinds.includes("other") || !loop.body.body.some((each) => each.start <= call.start && call.end <= each.end))
        continue;
      if (told.has(loop)) continue;
      told.add(loop);
      yield {
        span: call,
        message: `The host waits in each turn and does nothing else before it launches the next kernel${launches > 1 ? "s" : ""}: the device stands idle meanwhile. Wait once, behind the loop.`,
      };
    }
  },
});

/** Calls that wait for all of the device; CUDA 13 has the first alone. */
const waiting = /^cuda(Device|Thread)Synchronize$/;

/** What a statement of the loop is, as far as the host's need to wait goes. */
function kindOf(context: RuleContext, statement: Statement): "launch" | "wait" | "exchange" | "other" {
  if (statement.kind === "expression") {
    const { expression } = statement;
    if (expression.kind === "call") {
      if (expression.launch) return "launch";
      const name = libraryName(expression) ?? "";
      if (waiting.test(name)) return "wait";
      return /^(swap|cudaGetLastError|cudaPeekAtLastError)$/.test(name) ? "exchange" : "other";
    }
    return expression.kind === "assign" && isPointerCopy(context, expression.left) && isPointerCopy(context, expression.right)
      ? "exchange"
      : "other";
  }
  if (statement.kind === "declaration")
    return statement.declarations.every((each) => each.kind === "variable" && (each.type.kind === "pointer" || isDim3(each.type)))
      ? "exchange"
      : "other";
  return "other";
}

const isDim3 = (type: TypeNode): boolean => type.kind === "named" && type.name.parts.at(-1)?.text === "dim3";

const isPointerCopy = ({ program: { semantics } }: RuleContext, node: Expression): boolean =>
  node.kind === "name" && semantics.typeOf(node)?.kind === "pointer";
