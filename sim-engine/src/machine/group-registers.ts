/** Registers that the matrix products of warp groups add to and take operands from: ptxas keeps those below for everything else. */
import type { Block } from "../ir/kernel.ts";
import type { Work } from "../work.ts";
import { liveOut } from "./liveness.ts";
import type { MachineBlock, Register } from "./machine.ts";

/** The most words of such registers live at once; none where there is no product. */
export function groupWords(blocks: ReadonlyMap<Block, MachineBlock>, work: Work): number {
  const ofProducts = new Set<Register>();
  for (const { instructions } of blocks.values())
    for (const { product, defs, uses } of instructions)
      if (product) for (const register of [...defs, ...uses]) if (register.file === "R") ofProducts.add(register);
  if (ofProducts.size === 0) return 0;
  const out = liveOut(blocks, work);
  let most = 0;
  for (const [block, { instructions }] of blocks) {
    const live = new Set([...(out.get(block) ?? [])].filter((register) => ofProducts.has(register)));
    let words = 0;
    for (const register of live) words += register.words;
    most = Math.max(most, words);
    for (const { defs, uses } of instructions.toReversed()) {
      work.ask(1);
      for (const def of defs) if (live.delete(def)) words -= def.words;
      for (const use of uses) {
        if (!ofProducts.has(use) || live.has(use)) continue;
        live.add(use);
        words += use.words;
      }
      most = Math.max(most, words);
    }
  }
  return most;
}
