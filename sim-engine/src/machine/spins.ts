/**
 * Loops of compare-and-swap that stand for one operation (`memory/spin-turns.ts`): selected once, and written out here as often as a warp
 * goes round them, by how its lanes were seen to meet. The lanes that are through leave one turn after the other, each time to where all meet.
 */
import type { Block, Op } from "../ir/kernel.ts";
import type { Instruction, MachineBlock, MachineKernel } from "./machine.ts";

/** The code with each such loop as many times as its operation takes turns on average; of those not seen, once. */
export function withSpins(machine: MachineKernel, turns: ReadonlyMap<Op, number>): MachineKernel {
  const more = new Map([...turns].map(([op, count]) => [op, Math.round(count) - 1] as const).filter(([, count]) => count > 0));
  if (more.size === 0) return machine;
  const blocks = new Map<Block, MachineBlock>();
  for (const [block, code] of machine.blocks) blocks.set(block, { ...code, instructions: goneRound(code.instructions, more) });
  return { ...machine, blocks, turns };
}

function goneRound(instructions: readonly Instruction[], more: ReadonlyMap<Op, number>): readonly Instruction[] {
  if (!instructions.some(({ spin }) => spin && more.has(spin))) return instructions;
  return instructions.flatMap((instruction, index) => {
    const { spin } = instruction;
    const again = spin && more.get(spin);
    if (!again || instructions.findLastIndex((other) => other.spin === spin) !== index) return [instruction];
    // The first turn makes the access, for all.
    const turn = instructions.filter((other) => other.spin === spin).map(({ op: _, ...rest }) => rest);
    return [instruction, ...Array.from({ length: again }, () => turn).flat()];
  });
}
