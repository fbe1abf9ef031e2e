/**
 * Arithmetic and loads move behind the branches inside a block, to where they are wanted: what rare operands are left to need not be
 * stepped over, and NVPTX puts a load in front of what first reads it, from where ptxas moves it back to the branch before at most. In a
 * kernel of a single block loads stay where they are written (nvcc 13.0, 9.0: the same divisions in front of and behind the kernel's guard).
 */
import type { Op } from "../ir/kernel.ts";
import { isBranch } from "./dependences.ts";
import type { Instruction, Register } from "./machine.ts";

const staysPut =
  /^(U?BRA|BSSY|BSYNC|BAR|EXIT|CALL|RET|WARPSYNC|BPT|LD|ST|RED|ATOM|TEX|TLD|SU|SHFL|VOTE|MATCH|MEMBAR|CCTL|ERRBAR|DEPBAR|CS2R|S2)/;

const loads = /^(LDG\.|LDS|LD\.|LDL)/;
/** What no load passes. */
const orders = /^(ST|RED|ATOM|SU|BAR|MEMBAR|ERRBAR|FENCE|LDGSTS|DEPBAR|ARRIVES|SYNCS|WARPSYNC|WARPGROUP|HGMMA|UBLKCP|UTMA|CCTL|EXIT|CALL)/;

/**
 * The instructions of a block by the stretches between its branches: each as written, but what computes from registers alone, or loads,
 * stands in the stretch of its first reader, in the last one when only later blocks read it; but no operand is kept for it.
 *
 * @param loadsSink whether the kernel has other blocks
 */
export function sinkPastBranches(instructions: readonly Instruction[], loadsSink: boolean): readonly Instruction[] {
  let last = 0;
  const stretches = instructions.map(({ opcode }, index) => (isBranch(opcode) && index < instructions.length - 1 ? last++ : last));
  if (last === 0) return instructions;
  /** By register, the first stretch behind that reads or writes it. */
  const read = new Map<Register, number>();
  const lastRead = new Map<Register, number>();
  const written = new Map<Register, number>();
  const latest = (stretch: number | undefined): number => stretch ?? last;
  /** The first stretch behind that has what no load passes. */
  let ordered = last;
  for (let index = instructions.length - 1; index >= 0; index--) {
    const { opcode, op, defs, uses, predicated } = instructions[index] as Instruction;
    const own = stretches[index] as number;
    const isLoad = loadsSink && loads.test(opcode) && !isVolatile(op);
    const sinks = !predicated && defs.length > 0 && (!staysPut.test(opcode) || isLoad || /^LDC/.test(opcode));
    const limits = [
      ...defs.flatMap((def) => [latest(read.get(def)), latest(written.get(def))]),
      // The address of a load is made with it.
      ...(isLoad ? [ordered] : uses.map((use) => (use.file === "R" ? (lastRead.get(use) ?? own) : last))),
      ...uses.map((use) => latest(written.get(use))),
    ];
    const stretch = sinks ? Math.max(own, Math.min(last, ...limits)) : own;
    stretches[index] = stretch;
    if (orders.test(opcode)) ordered = own;
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

const isVolatile = (op: Op | undefined): boolean => op?.action.kind === "load" && op.action.volatile === true;
