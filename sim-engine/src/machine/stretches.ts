/**
 * Stretches of code: a block with the arms that run under predicates behind it, what they meet in, the arms behind that, and so on. It is
 * code without a branch between, whose loads are issued together.
 */
import { successors } from "../ir/builder.ts";
import type { Block } from "../ir/kernel.ts";
import type { Selection } from "./selection.ts";

/** Blocks that follow each other, each with its arms. */
export type Stretch = readonly { readonly block: Block; readonly arms: readonly Block[] }[];

/**
 * Of a kernel whose control flow is selected.
 * @param predicated for each block whose instructions are predicated, the block that issues them
 */
export function stretchesOf(selection: Selection, predicated: ReadonlyMap<Block, Block>): Stretch[] {
  const { blocks } = selection.shape.kernel;
  const guests = new Map<Block, Block[]>();
  for (const block of blocks) {
    const home = predicated.get(block);
    if (home) guests.set(home, [...(guests.get(home) ?? []), block]);
  }
  const armsOf = (block: Block): readonly Block[] => guests.get(block) ?? [];
  const next = (block: Block): Block | undefined => joinOf(block, armsOf(block), selection.codeOf(block).end.length === 0);
  const joined = new Set(blocks.flatMap((block) => next(block) ?? []));
  return blocks
    .filter((block) => !joined.has(block) && !predicated.has(block))
    .map((first) => {
      const stretch: { readonly block: Block; readonly arms: readonly Block[] }[] = [];
      for (let block: Block | undefined = first; block; block = next(block)) stretch.push({ block, arms: armsOf(block) });
      return stretch;
    });
}

/** Where the arms of a block meet, and nothing else comes to. */
function joinOf(block: Block, arms: readonly Block[], isOpen: boolean): Block | undefined {
  if (arms.length === 0 || !isOpen) return undefined;
  const from = new Set([block, ...arms]);
  const join = [...from].flatMap(successors).find((next) => !from.has(next));
  return join?.predecessors.every((each) => from.has(each)) ? join : undefined;
}
