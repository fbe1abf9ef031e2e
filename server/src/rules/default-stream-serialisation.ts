import type { Expression } from "../syntax/ast.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { groupBy } from "./support/group-by.ts";
import { libraryName } from "./support/library-calls.ts";
import { loopsAround } from "./support/loops.ts";

/** Where each of the functions takes its stream. */
const streamAt: Readonly<Record<string, number>> = {
  cudaMemcpyAsync: 4,
  cudaMemsetAsync: 3,
  cudaMemcpy2DAsync: 7,
  cudaMemPrefetchAsync: 3,
};

export default defineRule({
  id: "default-stream-serialisation",
  group: "host",
  severity: "warning",
  priority: "medium",
  guide: { document: "best-practices", section: "9.1.2" },
  alsoIn: [{ document: "best-practices", section: "10.5" }],
  summary: "Work in the default stream, or a blocking copy, in a loop that gives other work to streams.",
  why: "The default stream waits for all other streams, and they for it: what stands in it parts the work that the streams were to overlap.",
  remedy:
    "Give it a stream as well; or create the streams with `cudaStreamNonBlocking`, or compile with `--default-stream per-thread`, where nothing has to wait.",
  fix: "none",
  notes:
    "Left alone are files that create streams with `cudaStreamCreateWithFlags` or ask for a default stream a thread. One finding a loop.",
  example: {
    bad: `__global__ void step(float *x) { x[threadIdx.x] = 1.0f; }
void run(float *a, float *b, cudaStream_t *streams, int n) {
  for (int i = 0; i < n; i++) {
    step<<<4, 256, 0, streams[i]>>>(a);
    step<<<4, 256>>>(b);
  }
}`,
    good: `__global__ void step(float *x) { x[threadIdx.x] = 1.0f; }
void run(float *a, float *b, cudaStream_t *streams, int n) {
  for (int i = 0; i < n; i++) {
    step<<<4, 256, 0, streams[i]>>>(a);
    step<<<4, 256, 0, streams[i]>>>(b);
  }
}`,
  },
  *check(context): Generator<Finding> {
    const { program, syntax } = context;
    const says = (text: RegExp): boolean => program.reading.sources.some((source) => text.test(source));
    let avoids: boolean | undefined;
    const work = syntax.expressions("call").flatMap((call) => {
      const stream = syntax.inDevice(call) ? undefined : streamOf(context, call);
      const [loop] = stream === undefined ? [] : loopsAround(syntax, call);
      return stream === undefined || !loop ? [] : [{ call, stream, loop }];
    });
    const blocking = groupBy(
      work.filter(({ stream }) => stream === "default"),
      ({ loop }) => loop,
    );
    for (const [loop, [first, ...others]] of blocking) {
      const streamed = work.find((each) => each.stream === "other" && each.loop === loop);
      if (!first || !streamed) continue;
      avoids ??= says(/cudaStreamNonBlocking|CUDA_API_PER_THREAD_DEFAULT_STREAM|cudaStreamPerThread|cudaStreamBeginCapture/);
      if (avoids) return;
      yield {
        span: first.call.launch ? first.call.callee : first.call,
        message:
          "This runs in the default stream, which waits for all streams and they for it: nothing overlaps across it. Give it a stream.",
        related: [
          { at: streamed.call, message: "in a stream of its own" },
          ...others.slice(0, 8).map(({ call }) => ({ at: call, message: "also in the default stream" })),
        ],
      };
    }
  },
});

/** Which stream work is given to; undefined for what is no work. */
function streamOf({ program: { semantics } }: RuleContext, call: Expression & { readonly kind: "call" }): "default" | "other" | undefined {
  const name = libraryName(call) ?? "";
  if (!call.launch && /^cudaMemcpy(2D)?$|^cudaMemset$/.test(name)) return "default";
  const at = Object.hasOwn(streamAt, name) ? streamAt[name] : undefined;
  if (!call.launch && at === undefined) return undefined;
  const stream = call.launch ? call.launch.stream : call.arguments[at ?? 0];
  const value = stream && semantics.constant(stream);
  return stream === undefined || value === 0n || stream.kind === "null" ? "default" : "other";
}
