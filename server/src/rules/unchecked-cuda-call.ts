import { defineRule, type Finding } from "./rule.ts";
import { all, excerpt, replaceWritten } from "./support/edits.ts";
import { checkerOf, runtimeCalls } from "./support/runtime-calls.ts";

/** Whose failure leaves results that nobody computed. */
const working =
  /^cuda(Malloc\w*|Memcpy\w*|Memset\w*|MemPrefetch\w*|\w*Synchronize|Launch\w*|Graph\w+|HostAlloc|HostRegister|FuncSetAttribute|StreamCreate\w*)$/;

export default defineRule({
  id: "unchecked-cuda-call",
  group: "host",
  severity: "hint",
  priority: "high",
  guide: { document: "best-practices", section: "16.2" },
  ofFile: true,
  summary: "A call of the CUDA runtime whose result is dropped, in a file that checks the others.",
  why: "Errors are told by the result alone: where it is dropped the program goes on with data that nobody computed, and the next checked call reports an error that is not its own.",
  remedy: "Check it as the others are.",
  fix: "unsafe",
  changes: "spelling",
  notes:
    "Found where at least three calls of the file, and more than are not, stand in one macro or function of the project. Only what moves, allocates, launches and waits is found: what frees, asks or records fails seldom, and harms nothing. The fix is unsafe, as the program may end where it went on.",
  example: {
    bad: `#define CHECK(x) do { if ((x) != cudaSuccess) exit(1); } while (0)
void run(float *d, float *h, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
  CHECK(cudaDeviceSynchronize());
}`,
    good: `#define CHECK(x) do { if ((x) != cudaSuccess) exit(1); } while (0)
void run(float *d, float *h, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  CHECK(cudaMemcpy(d, h, n, cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());
}`,
  },
  *check(context): Generator<Finding> {
    const { program, syntax } = context;
    const calls = runtimeCalls(context);
    const checker = checkerOf(context, calls);
    if (!checker) return;
    const dropped = calls.filter(
      ({ call, name }) =>
        syntax.parent(call)?.role === "statement" &&
        syntax.parent(call)?.node.kind === "expression" &&
        working.test(name) &&
        !program.reading.expansion(call.start, call.end),
    );
    if (dropped.length >= checker.count) return;
    const [first, ...others] = dropped;
    if (!first) return;
    const edits = all(
      ...dropped.map(({ call }) => {
        const checked = checker.around(excerpt(program.reading, call, Number.MAX_SAFE_INTEGER));
        return checked === undefined ? undefined : replaceWritten(program.reading, call, checked);
      }),
    );
    const what = others.length === 0 ? `The result of \`${first.name}\` is` : `The results of ${dropped.length} calls are`;
    yield {
      span: first.call.callee,
      message: `${what} dropped; ${checker.count} calls of this file are checked by \`${checker.name}\`.`,
      related: others.slice(0, 8).map(({ call, name }) => ({ at: call, message: `the result of \`${name}\` is dropped, too` })),
      fix: edits && {
        title: others.length === 0 ? `Check it with \`${checker.name}\`` : `Check ${dropped.length} calls with \`${checker.name}\``,
        safe: false,
        edits,
      },
    };
  },
});
