import { hostCosts } from "../host-costs.ts";
import type { Expression, Statement, TypeNode } from "../syntax/ast.ts";
import { walk } from "../syntax/walk.ts";
import { formatTime } from "../units.ts";
import { defineRule, type Finding, type Gain, type RuleContext } from "./rule.ts";
import { type Call, libraryName } from "./support/library-calls.ts";
import { loopsAround } from "./support/loops.ts";
import { runtimeCalls } from "./support/runtime-calls.ts";
import { sameSpan } from "./support/syntax-index.ts";
import { gainOptions } from "./worth.ts";

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
    "Found where everything in the loop is launches, checks of errors, and exchanges of pointers; a host that reads results in the loop has to wait. Told where the time of each launch is known and a turn takes a tenth more for the wait: a launch, beginning and returning cost what was measured on one host.",
  simulated: true,
  tellsGain: true,
  // Behind kernels that take long the wait is little.
  options: { minGain: { ...gainOptions.minGain, default: 10 } },
  example: {
    bad: `__global__ void step(float *to, const float *from) { to[threadIdx.x] = from[threadIdx.x]; }
int main() {
  float *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  cudaMemset(b, 0, 4096);
  for (int i = 0; i < 100; i++) {
    step<<<4, 256>>>(a, b);
    cudaDeviceSynchronize();
  }
}`,
    good: `__global__ void step(float *to, const float *from) { to[threadIdx.x] = from[threadIdx.x]; }
int main() {
  float *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  cudaMemset(b, 0, 4096);
  for (int i = 0; i < 100; i++) step<<<4, 256>>>(a, b);
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
      const gain = gainOf(context, loop, kinds.filter((kind) => kind === "wait").length);
      if (!gain) continue;
      const times = `A turn takes ${formatTime(gain.ns)}, ${formatTime(gain.without)} without it.`;
      yield {
        span: call,
        message: `The host waits in each turn and does nothing else before it launches the next kernel${launches > 1 ? "s" : ""}: the device stands idle meanwhile. Wait once, behind the loop. ${times}`,
        gain,
      };
    }
  },
});

/** Nanoseconds of a turn, and of one that waits for nothing; undefined where the time of a launch is not known, or rests on made-up values. */
function gainOf({ launches }: RuleContext, loop: Statement, waits: number): Gain | undefined {
  const calls: Call[] = [];
  walk(loop, (node) => {
    if (node.kind === "call" && "callee" in node && node.launch) calls.push(node);
    return true;
  });
  const times = calls.map((call) => {
    const own = launches.filter(({ fact }) => sameSpan(call, fact.expression));
    const known = own.flatMap(({ fact, report }) =>
      report.time && fact.configuration.length === 0 && (report.assumed?.length ?? 0) === 0 ? [report.time.ns] : [],
    );
    return own.length > 0 && known.length === own.length ? known.reduce((sum, ns) => sum + ns, 0) / known.length : undefined;
  });
  if (times.some((ns) => ns === undefined)) return undefined;
  const busy = times.reduce<number>((sum, ns) => sum + (ns ?? 0), 0);
  const { launch, begins, returns } = hostCosts;
  // Launches are asked for while the device is busy with those before, but for the first one behind each wait.
  const beside = Math.max(0, calls.length - waits);
  return { ns: waits * (launch + begins + returns) + Math.max(busy, beside * launch), without: Math.max(busy, calls.length * launch) };
}

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
