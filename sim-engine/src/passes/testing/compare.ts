/** Holds a kernel as optimised against the kernel as it was, both run by the reference interpreter. */

import { sharedBase } from "../../execute/memory.ts";
import { Reference } from "../../execute/testing/reference.ts";
import { cloneKernel } from "../../ir/builder.ts";
import { type Kernel, type Launch, type ScalarType, scalarBytes } from "../../ir/kernel.ts";
import { printKernel } from "../../ir/text.ts";
import { verifyKernel } from "../../ir/verify.ts";
import { optimise } from "../index.ts";

/** Passes that may leave out writes, or join them; the others write the same bytes in the same order. So with reads, in any order. */
const dropsStores: ReadonlySet<string> = new Set(["removeDeadStores", "sinkStores", "vectorizeAccesses"]);
const dropsLoads: ReadonlySet<string> = new Set([
  ...["forwardLoads", "removeDeadCode", "promote", "convertBranches", "narrowLoads", "sinkIntoBranches", "sinkToUse"],
  ...dropsStores,
]);

interface Behaviour {
  /** What the buffers hold in the end, eight bytes each. */
  readonly memory: readonly string[];
  /** `thread: address+bytes`, by thread, in order. Local memory is nobody else's matter. */
  readonly writes: readonly string[];
  /** The same, sorted. */
  readonly reads: readonly string[];
}

function behaviour(kernel: Kernel, launch: Launch): Behaviour {
  const reference = new Reference(kernel, launch);
  for (let x = 0; x < launch.grid[0]; x++) reference.runBlock([x, 0, 0]);
  const { environment, accesses } = reference.result();
  const memory = launch.buffers.flatMap(({ bytes = 0 }, buffer) =>
    Array.from({ length: bytes / 8 }, (_, k) => {
      const address = (environment.bufferStarts[buffer] ?? 0) + 8 * k;
      return `${buffer}[${8 * k}] ${environment.read(address, "i64", 0)}`;
    }),
  );
  const reads: string[] = [];
  const writes = new Map<string, string[]>();
  for (const { op, address, warp, lane, when } of accesses) {
    if (address < sharedBase) continue;
    const { action } = op;
    const type = (action.kind === "load" ? op.type : op.args[1]?.type) as ScalarType;
    const bytes = scalarBytes[type] * (action.kind === "load" || action.kind === "store" ? action.components : 1);
    const thread = `${when.slice(when.indexOf("@"))} ${warp} ${lane}`;
    const told = `${thread}: ${address - sharedBase}+${bytes}`;
    if (action.kind === "load") reads.push(told);
    else writes.set(thread, [...(writes.get(thread) ?? []), told]);
  }
  return { memory, writes: [...writes].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, each]) => each), reads: reads.sort() };
}

const same = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((each, k) => each === b[k]);

/** Passes that optimising this kernel runs. */
function countPasses(kernel: Kernel): number {
  let count = 0;
  optimise(cloneKernel(kernel), { contract: false, afterPass: () => count++ });
  return count;
}

/**
 * The first pass after which something is wrong, what that is, and the kernel before and after it. Looks at the end result, at
 * one pass (`chosen`, any number), and only where the end is wrong at all of them.
 */
export function faultOf(kernel: Kernel, launch: Launch, chosen: number): string | undefined {
  const optimised = cloneKernel(kernel);
  optimise(optimised, { contract: false });
  const wrong = verifyKernel(optimised).length > 0 || !same(behaviour(optimised, launch).memory, behaviour(kernel, launch).memory);
  if (wrong) return firstFault(kernel, launch, 1, Number.POSITIVE_INFINITY) ?? "only the end is wrong";
  const pass = 1 + (chosen % countPasses(kernel));
  return firstFault(kernel, launch, pass, pass);
}

function firstFault(kernel: Kernel, launch: Launch, first: number, last: number): string | undefined {
  const optimised = cloneKernel(kernel);
  let before = cloneKernel(kernel);
  let count = 0;
  let fault: string | undefined;
  optimise(optimised, {
    contract: false,
    afterPass: (name) => {
      count++;
      if (!fault && count >= first && count <= last) {
        const problem = changed(before, optimised, launch, name);
        if (problem) fault = `${name}: ${problem}\n${printKernel(before)}\nbecame\n${printKernel(optimised)}`;
      }
      before = cloneKernel(optimised);
    },
  });
  return fault;
}

/** What a pass changed that it should not have. */
function changed(before: Kernel, after: Kernel, launch: Launch, pass: string): string | undefined {
  const [problem] = verifyKernel(after);
  if (problem) return problem;
  const [was, is] = [behaviour(before, launch), behaviour(after, launch)];
  const which = is.memory.findIndex((each, k) => each !== was.memory[k]);
  if (which >= 0) return `memory ${is.memory[which]} where ${was.memory[which]} was`;
  if (!dropsStores.has(pass) && !same(is.writes, was.writes)) return "other writes";
  if (!dropsLoads.has(pass) && !same(is.reads, was.reads)) return "other reads";
  return undefined;
}
