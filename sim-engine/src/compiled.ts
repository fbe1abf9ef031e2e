/** What the compiler makes of a kernel: optimised code, machine code and registers. */
import type { Assumption, Kernel } from "./ir/kernel.ts";
import { type MachineKernel, select } from "./machine/index.ts";
import { optimised } from "./passes/index.ts";
import type { Work } from "./work.ts";

export interface Compiled {
  /** Optimised. */
  readonly kernel: Kernel;
  readonly machine: MachineKernel;
  readonly assumptions: readonly Assumption[];
}

/** By the optimised kernel and compute capability: launches of one kernel, and changes of what is launched, share it. */
const known = new WeakMap<Kernel, Map<number, Compiled>>();

/**
 * @param kernel as the front end made it; it is left as it is
 * @param computeCapability such as 90
 * @param steps the most the optimiser may spend, where it is not to be what it is for all
 * @throws Cancelled, and an Error with a reason where the kernel cannot be compiled
 */
export function compiledFor(kernel: Kernel, computeCapability: number, work: Work, steps?: number): Compiled {
  const { kernel: own, inPart } = optimised(kernel, work, steps);
  const made = known.get(own) ?? new Map<number, Compiled>();
  known.set(own, made);
  const before = made.get(computeCapability);
  if (before) return before;
  const machine = select(own, computeCapability, work);
  const assumptions = [...(inPart ? [unfinished(kernel)] : []), ...spilled(machine)];
  const compiled = { kernel: own, machine, assumptions };
  made.set(computeCapability, compiled);
  return compiled;
}

function unfinished({ blocks }: Kernel): Assumption {
  const operations = blocks.reduce((sum, { ops }) => sum + ops.length, 0);
  return {
    what: "optimisation",
    value: "in part",
    why: `the kernel is very long (${operations} operations): not all that the compiler does was done, so its counts may be too high`,
  };
}

function spilled({ registers: { value, wanted } }: MachineKernel): Assumption[] {
  if (wanted === undefined) return [];
  const why = `its values take ${wanted} registers, and it may have ${value}; what the compiler then keeps in local memory is not counted`;
  return [{ what: "spilled registers", value: "0 bytes", why }];
}
