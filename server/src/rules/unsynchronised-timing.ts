import type { Expression, Statement } from "../syntax/ast.ts";
import { walk } from "../syntax/walk.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { all, excerpt, insertBefore } from "./support/edits.ts";
import type { Call } from "./support/library-calls.ts";
import { checkerOf, isClock, runtimeCalls, saysThatItWaits, waitingOf } from "./support/runtime-calls.ts";

export default defineRule({
  id: "unsynchronised-timing",
  group: "host",
  severity: "warning",
  priority: "high",
  guide: { document: "best-practices", section: "8.1.1" },
  summary: "A clock of the host that is read behind a launch, or an asynchronous copy, which nothing has waited for.",
  why: "A launch returns before its kernel has begun: what is measured is how long launching takes, some microseconds, and not the kernel.",
  remedy: "Call `cudaDeviceSynchronize()` before each reading of the clock, or time with events.",
  fix: "unsafe",
  changes: "spelling",
  notes:
    "Found where clock, work and clock stand in one block of statements. Whatever is called between, and may wait for the device, counts as waiting. Who waits right behind the clock means to time the launch.",
  example: {
    bad: `__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
double time(float *x) {
  double start = omp_get_wtime();
  fill<<<1, 32>>>(x);
  double end = omp_get_wtime();
  return end - start;
}`,
    good: `__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
double time(float *x) {
  double start = omp_get_wtime();
  fill<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  double end = omp_get_wtime();
  return end - start;
}`,
  },
  *check(context): Generator<Finding> {
    const { syntax, program } = context;
    for (const block of syntax.statements("block")) {
      if (syntax.inDevice(block)) continue;
      let started = false;
      let work: Statement | undefined;
      for (const [index, statement] of block.body.entries()) {
        const clock = clockIn(context, statement);
        const next = block.body[index + 1];
        // Who waits right behind the clock wants to know how long launching took.
        const means = next !== undefined && !clockIn(context, next) && saysThatItWaits(context, next);
        if (clock && started && work && !means) {
          const wait = checkerOf(context, runtimeCalls(context))?.around("cudaDeviceSynchronize()") ?? "cudaDeviceSynchronize()";
          const edits = all(insertBefore(program.reading, statement, `${wait}; `));
          yield {
            span: clock,
            message: `The clock is read while \`${excerpt(program.reading, work, 40)}\` may still run: nothing waits for it. Call \`cudaDeviceSynchronize()\` before.`,
            related: [{ at: work, message: "returns at once" }],
            fix: edits && { title: "Wait for the device first", safe: false, edits },
          };
        }
        if (clock) {
          started = true;
          work = undefined;
          continue;
        }
        const waiting = started ? waitingOf(context, statement) : "nothing";
        if (waiting === "waits") work = undefined;
        else if (waiting === "begins" && !isEmptyLaunch(context, statement)) work ??= statement;
      }
    }
  },
});

/** A launch of a kernel that does nothing: who times it means to know how long launching takes. */
function isEmptyLaunch({ program: { semantics } }: RuleContext, statement: Statement): boolean {
  const call = statement.kind === "expression" && statement.expression.kind === "call" ? statement.expression : undefined;
  return call?.launch !== undefined && semantics.callee(call)?.function.body?.body.length === 0;
}

/** A reading of a clock in a statement of no statements. */
function clockIn(context: RuleContext, statement: Statement): Expression | undefined {
  if (statement.kind !== "expression" && statement.kind !== "declaration" && statement.kind !== "return") return undefined;
  let found: Call | undefined;
  walk(statement, (node) => {
    if (node.kind === "call" && "callee" in node && !found && isClock(context, node)) found = node;
    return found === undefined && node.kind !== "lambda";
  });
  return found;
}
