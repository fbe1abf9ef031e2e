/** The parts of a launch's report that follow from counts alone: accesses, branches, loops. */
import { type AccessCounter, isOfLanes } from "../execute/accesses.ts";
import type { CompiledBlock, Program } from "../execute/program.ts";
import type { Loop } from "../ir/graph.ts";
import type { Launch, Op, Span } from "../ir/kernel.ts";
import type { CountVector } from "../sampling/counts.ts";
import type { Sample } from "../sampling/sample.ts";
import type { AccessReport, BranchReport, LoopReport } from "./launch-report.ts";

const place = ({ file, line, start, end }: Span): Pick<Span, "file" | "line" | "start" | "end"> => ({ file, line, start, end });
const key = ({ file, line, start, end }: Span): string => `${file}:${line}:${start}:${end}`;
/** Counts are whole numbers but for estimates, which are rounded. */
const round = Math.round;

/**
 * One entry for each access in the source, summed over the copies that unrolling and inlining made of it.
 * @param waits by operation, the share of the launch's time that is waited for it
 */
export function accessReports(program: Program, { totals, counts }: Sample, waits?: ReadonlyMap<Op, number>): AccessReport[] {
  const reports = new Map<string, AccessReport>();
  for (const counters of program.counters.values()) {
    for (const counter of counters) {
      const { operation } = counter;
      if (!isOfLanes(operation)) continue;
      const { requests, lanes, transactions, ideal } = counts.access(totals, counter);
      if (requests === 0) continue;
      const { span } = counter.op;
      const name = `${key(span)} ${counter.space} ${operation} ${counter.bytes}`;
      const known = reports.get(name);
      if (known) {
        known.requests += round(requests);
        known.lanes += round(lanes);
        known.transactions += round(transactions);
        known.ideal += round(ideal);
        if (waits) known.timeShare = (known.timeShare ?? 0) + (waits.get(counter.op) ?? 0);
      } else {
        reports.set(name, {
          ...place(span),
          space: counter.space,
          operation,
          bytesPerLane: counter.bytes,
          requests: round(requests),
          lanes: round(lanes),
          transactions: round(transactions),
          ideal: round(ideal),
          ...pattern(counter, program.launch),
          ...(waits ? { timeShare: waits.get(counter.op) ?? 0 } : {}),
        });
      }
    }
  }
  return [...reports.values()];
}

function pattern(counter: AccessCounter, { block }: Launch): Partial<AccessReport> {
  const laneStride = counter.laneStride();
  const [width, height] = block;
  const strideSource = width > 1 ? "threadIdx.x" : height > 1 ? "threadIdx.y" : "threadIdx.z";
  return {
    ...(laneStride === undefined ? {} : { laneStride }),
    ...(laneStride === undefined || laneStride === 0 ? {} : { strideSource: strideSource as "threadIdx.x" }),
    ...(counter.worst > 0 ? { worst: counter.worst } : {}),
    ...(counter.example ? { example: counter.example, exampleAt: counter.exampleAt } : {}),
  };
}

export function branchReports(program: Program, { totals, counts }: Sample): BranchReport[] {
  const reports = new Map<string, BranchReport>();
  for (const compiled of program.blocks) {
    const { end } = compiled.block;
    if (end.kind !== "branch" || end.span.line === 0) continue;
    const { executions, divergent, lanes } = counts.flow(totals, compiled);
    if (executions === 0) continue;
    const known = reports.get(key(end.span));
    if (known) {
      known.executions += round(executions);
      known.divergent += round(divergent);
      known.lanes += round(lanes);
    } else
      reports.set(key(end.span), { ...place(end.span), executions: round(executions), divergent: round(divergent), lanes: round(lanes) });
  }
  return [...reports.values()];
}

/** Mean iterations of each loop that ran. */
export function loopReports(program: Program, counts: CountVector, totals: Float64Array): LoopReport[] {
  const compiled = new Map(program.blocks.map((each) => [each.block, each]));
  const reports = new Map<string, { readonly span: Span; iterations: number; entries: number }>();
  for (const loop of program.loops) {
    const header = compiled.get(loop.header);
    const span = loopSpan(loop);
    if (!header || !span) continue;
    const { executions } = counts.flow(totals, header);
    const back = loop.latches.reduce((sum, latch) => sum + taken(compiled.get(latch), header, counts, totals), 0);
    const entries = executions - back;
    if (entries <= 0) continue;
    // A loop that is tested at its end has run once more than it went back.
    const testedFirst = loop.exits.some(({ from }) => from === loop.header) && !loop.exits.some(({ from }) => loop.latches.includes(from));
    // A function inlined in several places has its loops as often.
    const report = reports.get(key(span)) ?? { span, iterations: 0, entries: 0 };
    report.iterations += testedFirst ? back : executions;
    report.entries += entries;
    reports.set(key(span), report);
  }
  return [...reports.values()].map(({ span, iterations, entries }) => ({ ...place(span), trips: iterations / entries }));
}

function taken(from: CompiledBlock | undefined, to: CompiledBlock, counts: CountVector, totals: Float64Array): number {
  if (!from) return 0;
  const flow = counts.flow(totals, from);
  if (from.end.kind !== "branch") return flow.executions;
  return (from.end.then.to === to ? flow.then : 0) + (from.end.else.to === to ? flow.else : 0);
}

/** Where a loop stands in the source: its condition, or the first thing in it that has a place. */
function loopSpan(loop: Loop): Span | undefined {
  for (const { from } of loop.exits) if (from.end.kind === "branch" && from.end.span.line > 0) return from.end.span;
  for (const block of loop.blocks) for (const op of block.ops) if (op.span.line > 0) return op.span;
  return undefined;
}
