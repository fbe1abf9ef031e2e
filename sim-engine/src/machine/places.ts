/** Where operations stand in the machine code: ptxas issues loads ahead of what needs those before them. */
import type { Op } from "../ir/kernel.ts";
import type { MachineKernel, Register } from "./machine.ts";

export interface CodePlace {
  /** Of its first instruction, counted through the code. */
  readonly at: number;
  /** How often a warp waits for loads in the block of code before it: what stands between two waits is issued in one go. */
  readonly burst: number;
}

/** Opcodes whose results come at a time that is not known, which is waited for. */
const comesLater = /^(LD|ATOM|TEX|TLD|SULD|SHFL|MUFU)/;

/** By operation with an instruction of its own. */
export function placesIn({ blocks }: Pick<MachineKernel, "blocks">): ReadonlyMap<Op, CodePlace> {
  const places = new Map<Op, CodePlace>();
  let at = 0;
  for (const { instructions } of blocks.values()) {
    let burst = 0;
    /** Registers whose values are under way. */
    let coming = new Set<Register>();
    for (const { op, opcode, uses, defs } of instructions) {
      if (uses.some((use) => coming.has(use))) {
        burst++;
        coming = new Set();
      }
      if (comesLater.test(opcode)) for (const def of defs) coming.add(def);
      if (op && !places.has(op)) places.set(op, { at, burst });
      at++;
    }
  }
  return places;
}
