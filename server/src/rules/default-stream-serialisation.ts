import type { Expression, Statement } from "../syntax/ast.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { excerpt } from "./support/edits.ts";
import { groupBy } from "./support/group-by.ts";
import { type Call, libraryName } from "./support/library-calls.ts";
import { loopsAround } from "./support/loops.ts";
import { waitingOf } from "./support/runtime-calls.ts";
import { Variables } from "./support/variables.ts";

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
  summary:
    "Work in the default stream, or a blocking copy, in a loop that gives other work to streams, or a launch between work of two streams.",
  why: "The default stream waits for all other streams, and they for it: what stands in it parts the work that the streams were to overlap.",
  remedy:
    "Give it a stream as well; or create the streams with `cudaStreamNonBlocking`, or compile with `--default-stream per-thread`, where nothing has to wait.",
  fix: "none",
  notes:
    "Left alone are files that create streams with `cudaStreamCreateWithFlags` or ask for a default stream a thread, and loops that give work to one stream alone. One finding a loop.",
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
    yield* between(context, () => (avoids ??= says(avoiding)));
    const blocking = groupBy(
      work.filter(({ stream }) => stream === "default"),
      ({ loop }) => loop,
    );
    for (const [loop, [first, ...others]] of blocking) {
      const streams = work.filter((each) => each.stream === "other" && each.loop === loop).map(({ call }) => call);
      const [streamed] = streams;
      if (!first || !streamed || isOneStream(context, loop, streams)) continue;
      avoids ??= says(avoiding);
      if (avoids) return;
      yield {
        span: first.call.launch ? first.call.callee : first.call,
        message,
        related: [
          { at: streamed, message: "in a stream of its own" },
          ...others.slice(0, 8).map(({ call }) => ({ at: call, message: "also in the default stream" })),
        ],
      };
    }
  },
});

const message =
  "This runs in the default stream, which waits for all streams and they for it: nothing overlaps across it. Give it a stream.";
const avoiding = /cudaStreamNonBlocking|CUDA_API_PER_THREAD_DEFAULT_STREAM|cudaStreamPerThread|cudaStreamBeginCapture/;

/**
 * Whether all that a loop gives to streams goes to the same one in each turn. What stands in the default stream besides is a step of one
 * chain, as far as anybody can tell, and parts nothing that would overlap.
 */
function isOneStream({ program: { reading, semantics }, syntax }: RuleContext, loop: Statement, streams: readonly Call[]): boolean {
  const variables = new Variables(syntax, semantics);
  const isInside = ({ start }: { readonly start: number }): boolean => start >= loop.start && start <= loop.end;
  const given = streams.flatMap((call) => givenTo(call) ?? []);
  const isFixedName = (node: Expression): boolean => {
    const variable = variables.of(node);
    return variable !== undefined && !isInside(variable) && !variables.writes(variable).some(({ at }) => isInside(at));
  };
  const isFixed = (node: Expression): boolean =>
    (node.kind === "name" && isFixedName(node)) ||
    (node.kind === "member" && isFixed(node.base)) ||
    (node.kind === "subscript" && isFixed(node.base) && node.indices.every((index) => semantics.constant(index) !== undefined));
  return given.every(isFixed) && new Set(given.map((node) => excerpt(reading, node))).size === 1;
}

/** Launches that stand by themselves in a block, between work of one stream and of another, for which nobody waits in between. */
function* between(context: RuleContext, avoids: () => boolean): Generator<Finding> {
  const { program, syntax } = context;
  for (const block of syntax.statements("block")) {
    if (syntax.inDevice(block)) continue;
    let before: Work | undefined;
    let launch: Call | undefined;
    for (const statement of block.body) {
      const call = callOf(statement);
      const stream = call && streamOf(context, call);
      if (!call || stream === undefined) {
        // What is not known may wait, and then what comes later is of another part.
        if (waitingOf(context, statement) === "waits") before = launch = undefined;
        continue;
      }
      if (stream === "default") {
        launch = call.launch && before ? (launch ?? call) : undefined;
        if (!call.launch) before = undefined;
        continue;
      }
      const name = excerpt(program.reading, givenTo(call) ?? call);
      if (launch && before && before.name !== name) {
        if (avoids()) return;
        const related = [
          { at: before.call, message: `in \`${before.name}\`` },
          { at: call, message: `in \`${name}\`, which waits for it` },
        ];
        yield { span: launch.callee, message, related };
      }
      before = { call, name };
      launch = undefined;
    }
  }
}

interface Work {
  readonly call: Call;
  /** Of its stream. */
  readonly name: string;
}

/** The call that a statement is, whatever checks what it returns. */
function callOf(statement: Statement): Call | undefined {
  const call = statement.kind === "expression" && statement.expression.kind === "call" ? statement.expression : undefined;
  const [inner] = call && !call.launch ? call.arguments : [];
  return inner?.kind === "call" && !Object.hasOwn(streamAt, libraryName(call as Call) ?? "") ? inner : call;
}

const givenTo = (call: Call): Expression | undefined =>
  call.launch ? call.launch.stream : call.arguments[streamAt[libraryName(call) ?? ""] ?? 0];

/** Which stream work is given to; undefined for what is no work. */
function streamOf({ program: { semantics } }: RuleContext, call: Expression & { readonly kind: "call" }): "default" | "other" | undefined {
  const name = libraryName(call) ?? "";
  if (!call.launch && /^cudaMemcpy(2D)?$|^cudaMemset$/.test(name)) return "default";
  const at = Object.hasOwn(streamAt, name) ? streamAt[name] : undefined;
  if (!call.launch && at === undefined) return undefined;
  const stream = givenTo(call);
  const value = stream && semantics.constant(stream);
  return stream === undefined || value === 0n || stream.kind === "null" ? "default" : "other";
}
