import { defineRule, type Finding } from "./rule.ts";
import { libraryName } from "./support/library-calls.ts";
import { checkerOf, runtimeCalls, statementOf } from "./support/runtime-calls.ts";

export default defineRule({
  id: "unchecked-launch",
  group: "host",
  severity: "hint",
  priority: "high",
  guide: { document: "best-practices", section: "16.2" },
  ofFile: true,
  summary: "Launches after which nothing asks for an error, in a file that checks its calls of the CUDA runtime.",
  why: "A launch has no result: that its configuration was refused only `cudaGetLastError()` tells. Without it the kernel has not run, and the program goes on with what was there before.",
  remedy: "Ask for `cudaGetLastError()` behind each launch.",
  fix: "unsafe",
  changes: "spelling",
  notes: "One finding a file, at the first launch. The fix is unsafe, as the program may end where it went on.",
  example: {
    bad: `#define CHECK(x) do { if ((x) != cudaSuccess) exit(1); } while (0)
__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
void run(float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  fill<<<1, 32>>>(d);
  CHECK(cudaDeviceSynchronize());
}`,
    good: `#define CHECK(x) do { if ((x) != cudaSuccess) exit(1); } while (0)
__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
void run(float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  fill<<<1, 32>>>(d);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}`,
  },
  *check(context): Generator<Finding> {
    const { program, syntax } = context;
    const asks = syntax.expressions("call", /LastError/i).some((call) => /LastError/i.test(libraryName(call) ?? ""));
    const checker = asks ? undefined : checkerOf(context, runtimeCalls(context));
    const launches = syntax
      .expressions("call", /<<</)
      .filter(({ launch }) => launch !== undefined)
      .filter((call) => !program.reading.expansion(call.start, call.end));
    const [first] = launches;
    if (!checker || !first) return;
    const found = statementOf(context, first);
    const place = found && program.reading.spelled(found.statement.end - 1, found.statement.end);
    const indent = place
      ? (/[ \t]*$/.exec((program.reading.sources[0] ?? "").slice(0, lineStart(program.reading.sources[0] ?? "", place.start)))?.[0] ?? "")
      : "";
    const check = checker.around("cudaGetLastError()");
    yield {
      span: first.callee,
      message: `Whether ${launches.length === 1 ? "this launch" : `the ${launches.length} launches of this file`} failed nobody asks: \`${checker.name}(cudaGetLastError())\` behind it would tell.`,
      fix:
        check !== undefined && place?.file === 0 && place.macro === undefined && found?.statement.kind === "expression"
          ? {
              title: `Check the launch with \`${checker.name}\``,
              safe: false,
              edits: [{ span: place, newText: `;\n${indent}${check};` }],
            }
          : undefined,
    };
  },
});

/** Where the text of the line begins that an offset is in. */
function lineStart(source: string, offset: number): number {
  const start = source.lastIndexOf("\n", offset - 1) + 1;
  return start + (/^[ \t]*/.exec(source.slice(start))?.[0].length ?? 0);
}
