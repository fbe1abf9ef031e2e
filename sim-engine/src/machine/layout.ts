/** The order of blocks in the code: loops in one piece, and after each block one it goes to. */
import { successors } from "../ir/builder.ts";
import type { Block } from "../ir/kernel.ts";
import type { Shape } from "./shape.ts";

export function layout(shape: Shape, isShown: (block: Block) => boolean): Block[] {
  const placed = new Set<Block>();
  const order: Block[] = [];
  const waiting = [...shape.kernel.blocks].reverse();
  const depth = (block: Block): number => shape.loopOf(block)?.depth ?? 0;
  for (let start = waiting.pop(); start; start = waiting.pop()) {
    for (let block: Block | undefined = start; block && !placed.has(block); ) {
      placed.add(block);
      if (isShown(block)) order.push(block);
      const next: Block[] = successors(block).filter((to) => !placed.has(to));
      // What is left of a loop comes before what follows it; ways out wait.
      next.sort((a, b) => depth(b) - depth(a) || Number(a.end.kind === "return") - Number(b.end.kind === "return"));
      const [first, ...others] = next;
      waiting.push(...others.reverse());
      block = first;
    }
  }
  return order;
}
