/** Arithmetic moves behind the branches inside a block, to where it is wanted: what rare operands are left to need not be stepped over. */
import type { Instruction, Register } from "./machine.ts";

const staysPut =
  /^(U?BRA|BSSY|BSYNC|BAR|EXIT|CALL|RET|WARPSYNC|BPT|LD|ST|RED|ATOM|TEX|TLD|SU|SHFL|VOTE|MATCH|MEMBAR|CCTL|ERRBAR|DEPBAR|CS2R|S2)/;

/**
 * The instructions of a block by the stretches between its branches: each as written, but what computes from registers alone, or loads a
 * constant, stands in the stretch of its first reader, in the last one when only later blocks read it; but no operand is kept for it.
 */
export function sinkPastBranches(instructions: readonly Instruction[]): readonly Instruction[] {
  let last = 0;
  const stretches = instructions.map(({ opcode }, index) => (opcode === "BRA" && index < instructions.length - 1 ? last++ : last));
  if (last === 0) return instructions;
  /** By register, the first stretch behind that reads or writes it. */
  const read = new Map<Register, number>();
  const lastRead = new Map<Register, number>();
  const written = new Map<Register, number>();
  const latest = (stretch: number | undefined): number => stretch ?? last;
  for (let index = instructions.length - 1; index >= 0; index--) {
    const { opcode, defs, uses, predicated } = instructions[index] as Instruction;
    const own = stretches[index] as number;
    const sinks = !predicated && defs.length > 0 && (!staysPut.test(opcode) || /^LDC/.test(opcode));
    const limits = [
      ...defs.flatMap((def) => [latest(read.get(def)), latest(written.get(def))]),
      ...uses.map((use) => (use.file === "R" ? (lastRead.get(use) ?? own) : last)),
      ...uses.map((use) => latest(written.get(use))),
    ];
    const stretch = sinks ? Math.max(own, Math.min(last, ...limits)) : own;
    stretches[index] = stretch;
    for (const def of defs) {
      if (!predicated) {
        read.delete(def);
        lastRead.delete(def);
      }
      written.set(def, stretch);
    }
    for (const use of uses) {
      read.set(use, Math.min(latest(read.get(use)), stretch));
      lastRead.set(use, Math.max(lastRead.get(use) ?? 0, stretch));
    }
  }
  return instructions
    .map((_, index) => index)
    .sort((a, b) => (stretches[a] as number) - (stretches[b] as number) || a - b)
    .map((index) => instructions[index] as Instruction);
}
