/**
 * The order ptxas would issue a block's instructions in: what starts the longest chains first, so loads before all else, until
 * registers run short. It decides how many registers are live at once, and how many loads a warp has under way.
 */

import { nvcc } from "../compilers/compiler.ts";
import type { Work } from "../work.ts";
import { latencyOf, type Node } from "./dependences.ts";
import { LiveWords, type Straight } from "./live-words.ts";

/** The order that hides latency, within `limit` words of registers where that can be. */
export function latencyOrder(block: Straight, limit: number, work: Work): Node[] {
  const live = new LiveWords(block);
  const waiting = new Map(block.nodes.map((node) => [node, node.previous.length]));
  const earliest = new Map<Node, number>();
  const ready = block.nodes.filter((node) => node.previous.length === 0);
  const order: Node[] = [];
  let cycle = 0;
  /** Whether to issue `a` rather than `b` now. */
  const better = (a: Node, b: Node): boolean => {
    const [soonA, soonB] = [Math.max(earliest.get(a) ?? 0, cycle), Math.max(earliest.get(b) ?? 0, cycle)];
    if (soonA !== soonB) return soonA < soonB;
    return a.height === b.height ? a.index < b.index : a.height > b.height;
  };
  while (ready.length > 0) {
    work.ask(ready.length / 4 + 1);
    // With registers to spare, what starts the longest chains; else what ends live ranges, and then on in the order of the source.
    const roomy = (node: Node): boolean => live.words + Math.max(0, live.growth(node)) <= limit - nvcc.registerHeadroom;
    let best = -1;
    for (let index = 0; index < ready.length; index++)
      if (roomy(ready[index] as Node) && (best < 0 || better(ready[index] as Node, ready[best] as Node))) best = index;
    if (best < 0) {
      let frees = false;
      for (let index = 0; index < ready.length; index++) {
        const candidate = ready[index] as Node;
        const ends = live.growth(candidate) < 0;
        if (best >= 0 && (ends === frees ? candidate.index > (ready[best] as Node).index : frees)) continue;
        best = index;
        frees = ends;
      }
    }
    const node = ready[best] as Node;
    ready[best] = ready[ready.length - 1] as Node;
    ready.pop();
    cycle = Math.max(cycle + 1, earliest.get(node) ?? 0);
    live.issue(node);
    order.push(node);
    for (const next of node.next) {
      earliest.set(next, Math.max(earliest.get(next) ?? 0, cycle + latencyOf(node.instruction)));
      const left = (waiting.get(next) ?? 1) - 1;
      waiting.set(next, left);
      if (left === 0) ready.push(next);
    }
  }
  return order;
}
