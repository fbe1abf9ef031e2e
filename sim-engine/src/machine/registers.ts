/**
 * The order blocks are issued in and the registers a thread takes: the most that are live at once in that order, and what
 * allocation adds. An estimate: the compiler's own trade between registers and loads in flight is only known from the outside.
 */
import type { Block, Kernel } from "../kernel.ts";
import { liveOut, mergedRegisters } from "./liveness.ts";
import type { MachineBlock, RegisterEstimate } from "./machine.ts";
import { schedule } from "./schedule.ts";
import type { Target } from "./target.ts";

/** No kernel is reported to use fewer (from 7.0). */
const fewest = 16;
const most = 255;
/** R1, the stack pointer, and two that every kernel is given. */
const overhead = 3;
/**
 * What allocation takes beyond what is live: pairs and quads are aligned, and while nothing is lost by it results do not reuse
 * the registers of operands still in flight. Fitted to 104 kernels compiled by nvcc 13.0 for sm_90.
 */
const looseness = 1.25;
const tightness = 1.1;

/** The blocks with their instructions in the order ptxas would give them, and the registers that takes. */
export function allocate(
  kernel: Kernel,
  blocks: ReadonlyMap<Block, MachineBlock>,
  { comfortableRegisters: comfortable }: Target,
): { readonly blocks: Map<Block, MachineBlock>; readonly registers: RegisterEstimate } {
  const out = liveOut(blocks);
  const merged = mergedRegisters([...blocks.values()].map(({ instructions }) => instructions));
  const bound = registerBound(kernel);
  const limit = Math.min(bound, comfortable) - overhead;
  let needed = 0;
  const ordered = new Map(blocks);
  for (const { block, instructions, home } of blocks.values()) {
    if (home) continue;
    const { order, pressure } = schedule(kernel, instructions, out.get(block) ?? new Set(), merged, limit);
    ordered.set(block, { block, instructions: order });
    needed = Math.max(needed, pressure);
  }
  const spread = Math.round(needed * looseness) + overhead;
  const value = clamp(needed + overhead <= comfortable ? Math.min(spread, comfortable) : Math.round(needed * tightness) + overhead, bound);
  return {
    blocks: ordered,
    registers: { value, low: clamp(Math.floor(value * 0.85), bound), high: clamp(Math.ceil(value * 1.2) + 2, bound) },
  };
}

const clamp = (registers: number, bound: number): number => Math.max(fewest, Math.min(bound, registers));

/** The most the source allows: `__launch_bounds__` divides the SM's registers, in steps of eight. */
function registerBound(kernel: Kernel): number {
  const { launchBounds, maxRegisters } = kernel;
  let bound = maxRegisters ?? most;
  if (launchBounds) {
    const threads = Math.ceil(launchBounds.maxThreads / 32) * 32 * (launchBounds.minBlocks ?? 1);
    bound = Math.min(bound, Math.floor(65536 / threads / 8) * 8);
  }
  return Math.max(fewest, Math.min(most, bound));
}
