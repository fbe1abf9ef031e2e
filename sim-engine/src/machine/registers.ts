/**
 * The order blocks are issued in and the registers a thread takes: the most that are live at once in that order, and what
 * allocation adds. An estimate: the compiler's own trade between registers and loads in flight is only known from the outside.
 */
import type { Block, Kernel } from "../kernel.ts";
import type { MachineBlock, RegisterEstimate } from "./machine.ts";
import { most, Pressure, type Scheduled } from "./pressure.ts";
import type { Target } from "./target.ts";

/** No kernel is reported to use fewer (from 7.0). */
const fewest = 16;
const largest = 255;
/** R1, the stack pointer, and two that every kernel is given. */
const overhead = 3;
/**
 * What allocation takes beyond what is live: pairs and quads are aligned, and while no warp is lost by it results do not reuse the
 * registers of operands still in flight. Fitted to kernels compiled by nvcc 13.0 for sm_90.
 */
const looseness = 1.25;

/** The blocks with their instructions in the order ptxas would give them, and the registers that takes. */
export function allocate(
  kernel: Kernel,
  blocks: ReadonlyMap<Block, MachineBlock>,
  target: Target,
): { readonly blocks: Map<Block, MachineBlock>; readonly registers: RegisterEstimate } {
  const bound = registerBound(kernel);
  const { limit, words, atCalls, code } = fewestThatFit(new Pressure(kernel, blocks), target.registerSteps, bound);
  const loose = Math.min(Math.round(words * looseness) + overhead, Math.max(limit, words + overhead));
  const value = clamp(Math.max(loose, atCalls + overhead), bound);
  const ordered = new Map(blocks);
  for (const [block, instructions] of code) ordered.set(block, { block, instructions });
  return {
    blocks: ordered,
    registers: { value, low: clamp(Math.floor(value * 0.85), bound), high: clamp(Math.ceil(value * 1.2) + 2, bound) },
  };
}

/** ptxas spends registers up to where another would cost a resident warp: the first such step that the code can be scheduled into. */
function fewestThatFit(pressure: Pressure, steps: readonly number[], bound: number): Scheduled & { readonly limit: number } {
  for (const step of steps) {
    const limit = Math.min(step, bound);
    const scheduled = pressure.within(limit - overhead);
    if ((most(scheduled) + overhead <= limit && !scheduled.starved) || limit === bound) return { ...scheduled, limit };
  }
  return { ...pressure.within(bound - overhead), limit: bound };
}

const clamp = (registers: number, bound: number): number => Math.max(fewest, Math.min(bound, registers));

/** The most the source allows: `__launch_bounds__` divides the SM's registers, in steps of eight. */
function registerBound(kernel: Kernel): number {
  const { launchBounds, maxRegisters } = kernel;
  let bound = maxRegisters ?? largest;
  if (launchBounds) {
    const threads = Math.ceil(launchBounds.maxThreads / 32) * 32 * (launchBounds.minBlocks ?? 1);
    bound = Math.min(bound, Math.floor(65536 / threads / 8) * 8);
  }
  return Math.max(fewest, Math.min(largest, bound));
}
