/** Where operations stand in the machine code: ptxas issues loads ahead of what needs those before them. */
import type { Op } from "../ir/kernel.ts";
import type { MachineKernel, Register } from "./machine.ts";

interface CodePlace {
  /** Of its first instruction, counted through the code. */
  readonly at: number;
  /** How often a warp waits for what comes later in the block of code before it: what stands between two waits is issued in one go. */
  readonly burst: number;
}

/** What comes from memory, after a time that others use; and what else is waited for, which is there sooner. */
const fromMemory = /^(LD|ATOM|TEX|TLD|SULD)(?![SC])/;
const comesLater = /^(LDS|LDC|SHFL|MUFU|[FI]2[FI]|POPC|FLO|S2R)/;

/** By operation with an instruction of its own. */
export function placesIn({ blocks }: Pick<MachineKernel, "blocks">): ReadonlyMap<Op, CodePlace> {
  const places = new Map<Op, CodePlace>();
  let at = 0;
  for (const { instructions } of blocks.values()) {
    let burst = 0;
    /** Registers whose values are under way: who waits for one from memory has the others, too. */
    const [fetched, coming] = [new Set<Register>(), new Set<Register>()];
    for (const { op, opcode, uses, defs } of instructions) {
      const waits = uses.some((use) => fetched.has(use));
      if (waits || uses.some((use) => coming.has(use))) {
        burst++;
        coming.clear();
        if (waits) fetched.clear();
      }
      const set = fromMemory.test(opcode) ? fetched : comesLater.test(opcode) ? coming : undefined;
      if (set) for (const def of defs) set.add(def);
      if (op && !places.has(op)) places.set(op, { at, burst });
      at++;
    }
  }
  return places;
}
