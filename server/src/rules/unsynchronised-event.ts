import { defineRule, type Finding } from "./rule.ts";
import { all, excerpt, insertBefore } from "./support/edits.ts";
import { runtimeCalls, statementOf, waitingOf } from "./support/runtime-calls.ts";

export default defineRule({
  id: "unsynchronised-event",
  group: "host",
  severity: "warning",
  priority: "high",
  guide: { document: "best-practices", section: "8.1.2" },
  summary: "`cudaEventElapsedTime` of an event that nothing has waited for.",
  why: "Until the device comes to the second event the call fails with `cudaErrorNotReady`, and the time is what it was before.",
  remedy: "`cudaEventSynchronize(stop)` before it.",
  fix: "unsafe",
  changes: "faults",
  example: {
    bad: `__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
void time(float *x, cudaEvent_t start, cudaEvent_t stop, float *ms) {
  cudaEventRecord(start);
  fill<<<1, 32>>>(x);
  cudaEventRecord(stop);
  cudaEventElapsedTime(ms, start, stop);
}`,
    good: `__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
void time(float *x, cudaEvent_t start, cudaEvent_t stop, float *ms) {
  cudaEventRecord(start);
  fill<<<1, 32>>>(x);
  cudaEventRecord(stop);
  cudaEventSynchronize(stop);
  cudaEventElapsedTime(ms, start, stop);
}`,
  },
  *check(context): Generator<Finding> {
    const { reading } = context.program;
    const calls = runtimeCalls(context);
    for (const { call, name } of calls) {
      const stop = call.arguments[2];
      const found = name === "cudaEventElapsedTime" && stop ? statementOf(context, call) : undefined;
      if (!stop || !found) continue;
      const event = excerpt(reading, stop);
      const index = found.block.indexOf(found.statement);
      const records = calls.filter(
        (each) =>
          each.name === "cudaEventRecord" && each.call.arguments[0] !== undefined && excerpt(reading, each.call.arguments[0]) === event,
      );
      const recorded = found.block.findLastIndex(
        (each, at) => at < index && records.some((record) => record.call.start >= each.start && record.call.end <= each.end),
      );
      if (
        recorded < 0 ||
        found.block.slice(recorded, index + 1).some((each) => waitingOf(context, each) === "waits" && !isElapsed(each.start, each.end))
      )
        continue;
      const edits = all(insertBefore(reading, found.statement, `cudaEventSynchronize(${event}); `));
      yield {
        span: call,
        message: `Nothing has waited for \`${event}\`: the device has not come to it, and the call fails with \`cudaErrorNotReady\`.`,
        fix: edits && { title: `Wait for \`${event}\` first`, safe: false, edits },
      };
      function isElapsed(start: number, end: number): boolean {
        return call.start >= start && call.end <= end;
      }
    }
  },
});
