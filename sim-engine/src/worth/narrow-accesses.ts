/** Kernels that do one thing to each element of their arrays, a few bytes a thread: as vectors, threads would ask for more at once. */
import { isOfLanes } from "../execute/accesses.ts";
import type { Program } from "../execute/program.ts";
import type { Op } from "../ir/kernel.ts";
import { isConvergent, meetsOthers } from "../ir/operations.ts";
import type { Sample } from "../sampling/sample.ts";

/** Bytes that one instruction moves for a thread at most, and elements that a thread would take then. */
const [widest, mostElements] = [16, 4];
/** Transactions over those needed up to which accesses begin where vectors may. */
const aligned = 1.01;

export interface NarrowAccesses {
  /** The loads and stores of neighbouring elements by neighbouring threads. */
  readonly ops: readonly Op[];
  /** Elements that fill a vector. */
  readonly elements: number;
}

/** Undefined where threads do anything besides: meet each other, go round loops, or access memory in another order. */
export function narrowAccesses(program: Program, { totals, counts }: Sample): NarrowAccesses | undefined {
  const { launch, kernel, loops } = program;
  const [, ...furtherBlocks] = launch.grid;
  const [, ...furtherThreads] = launch.block;
  if ([...furtherBlocks, ...furtherThreads].some((side) => side > 1) || launch.cluster || loops.length > 0 || kernel.shared.length > 0)
    return undefined;
  if (kernel.blocks.some(({ ops }) => ops.some((op) => isConvergent(op) || meetsOthers(op) || op.action.kind === "unknown")))
    return undefined;
  const found: { readonly op: Op; readonly bytes: number; readonly sectors: number }[] = [];
  for (const counter of counts.counters) {
    const { requests, transactions, ideal } = counts.access(totals, counter);
    if (requests === 0 || counter.space === "constant") continue;
    if (counter.space !== "global" || !isOfLanes(counter.operation) || counter.operation === "atomic") return undefined;
    const stride = counter.laneStride();
    if (stride === 0 && counter.operation === "load") continue;
    if (stride !== counter.bytes || !isPlain(counter.op) || transactions > aligned * ideal) return undefined;
    found.push({ op: counter.op, bytes: counter.bytes, sectors: transactions });
  }
  const elements = Math.min(mostElements, ...found.map(({ bytes }) => Math.floor(widest / bytes)));
  if (found.length === 0 || elements < 2) return undefined;
  const ops = found.sort((a, b) => b.sectors - a.sectors || a.op.span.start - b.op.span.start).map(({ op }) => op);
  return { ops, elements };
}

const isPlain = ({ action }: Op): boolean =>
  (action.kind === "load" || action.kind === "store") && action.components === 1 && action.volatile !== true;
