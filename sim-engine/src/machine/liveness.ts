/** Which virtual registers are wanted at the end of each block. */
import { nvcc } from "../compilers/compiler.ts";
import { successors } from "../ir/builder.ts";
import type { Block } from "../ir/kernel.ts";
import type { Work } from "../work.ts";
import type { Instruction, MachineBlock, Register } from "./machine.ts";

/** Registers live behind a block's last instruction. Predicated blocks are part of their homes. */
export function liveOut(blocks: ReadonlyMap<Block, MachineBlock>, work: Work): Map<Block, Set<Register>> {
  const own = [...blocks.values()].filter(({ home }) => home === undefined);
  const next = new Map(own.map(({ block }) => [block, machineSuccessors(block, blocks)]));
  const merged = mergedRegisters(own.map(({ instructions }) => instructions));
  const flow = new Map(
    own.map(({ block, instructions }) => {
      work.ask(instructions.length);
      return [block, readsAndWrites(instructions, merged)];
    }),
  );
  const out = new Map<Block, Set<Register>>(own.map(({ block }) => [block, new Set()]));
  const into = new Map<Block, Set<Register>>(own.map(({ block }) => [block, new Set(flow.get(block)?.reads)]));
  for (let changed = true; changed; ) {
    changed = false;
    for (const { block } of [...own].reverse()) {
      const live = out.get(block) as Set<Register>;
      const start = into.get(block) as Set<Register>;
      const writes = flow.get(block)?.writes ?? new Set();
      for (const to of next.get(block) ?? []) {
        work.ask((into.get(to)?.size ?? 0) / 8 + 1);
        for (const register of into.get(to) ?? []) {
          if (live.has(register)) continue;
          live.add(register);
          if (!writes.has(register) && !start.has(register)) {
            start.add(register);
            changed = true;
          }
        }
      }
    }
  }
  return out;
}

/** Where control goes once predicated blocks are part of the block before them. */
function machineSuccessors(block: Block, blocks: ReadonlyMap<Block, MachineBlock>): Block[] {
  const found: Block[] = [];
  const pending = successors(block);
  const seen = new Set<Block>();
  for (let to = pending.pop(); to; to = pending.pop()) {
    if (seen.has(to)) continue;
    seen.add(to);
    if (blocks.get(to)?.home) pending.push(...successors(to));
    else found.push(to);
  }
  return found;
}

/** Registers written in several places: a predicated write to one of them keeps the value of another in the lanes left out. */
export function mergedRegisters(codes: readonly (readonly Instruction[])[]): Set<Register> {
  const once = new Set<Register>();
  const merged = new Set<Register>();
  for (const instructions of codes) {
    for (const { defs } of instructions) {
      for (const def of defs) {
        if (once.has(def)) merged.add(def);
        once.add(def);
      }
    }
  }
  return merged;
}

/** Registers read before they are written, and those written whatever happens. */
function readsAndWrites(
  instructions: readonly Instruction[],
  merged: ReadonlySet<Register>,
): { readonly reads: Set<Register>; readonly writes: Set<Register> } {
  const reads = new Set<Register>();
  const writes = new Set<Register>();
  for (const { defs, uses, predicated } of instructions) {
    for (const use of uses) if (!writes.has(use)) reads.add(use);
    for (const def of defs) if (!predicated || !merged.has(def)) writes.add(def);
  }
  return { reads, writes };
}

/** Registers that one instruction loads from the constant bank or the instruction itself, whatever went before. */
export function reloadableRegisters(codes: readonly (readonly Instruction[])[], merged: ReadonlySet<Register>): Set<Register> {
  const found = new Set<Register>();
  for (const { opcode, defs, uses } of codes.flat())
    if (uses.length === 0 && /^(LDC|IMAD\.MOV|MOV|HFMA2)/.test(opcode))
      for (const def of defs) if (def.file === "R" && !merged.has(def)) found.add(def);
  return found;
}

/** What recomputing an integer takes: one instruction, of what is at hand wherever the thread is. */
const cheap = /^(SHF|LOP3|LEA|IADD3|IMAD|MOV|PRMT|S2R)\b(?!.*\.X$)/;

/**
 * Registers that a few instructions compute from thread and block indices, parameters and uniform registers, whatever went before: places
 * in tiles, above all. Where registers are short ptxas does so again behind a loop rather than keep them through it.
 */
export function recomputableRegisters(codes: readonly (readonly Instruction[])[], merged: ReadonlySet<Register>): Set<Register> {
  const steps = new Map<Register, number>();
  for (let round = 0; round < nvcc.recomputedInstructions; round++) {
    for (const { opcode, defs, uses } of codes.flat()) {
      const [def] = defs;
      if (!def || defs.length > 1 || def.file !== "R" || merged.has(def) || steps.has(def)) continue;
      if (!(uses.length === 0 ? /^(LDC|MOV|IMAD\.MOV|HFMA2|S2R)/.test(opcode) : cheap.test(opcode))) continue;
      const longest = Math.max(0, ...uses.map((use) => (use.file === "UR" ? 0 : (steps.get(use) ?? nvcc.recomputedInstructions))));
      if (longest < nvcc.recomputedInstructions) steps.set(def, longest + 1);
    }
  }
  return new Set(steps.keys());
}
