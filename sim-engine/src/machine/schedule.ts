/**
 * The order ptxas would issue a block's instructions in: what starts the longest chains first, so loads before all else, until
 * registers run short. It decides how many registers are live at once, and how many loads a warp has under way.
 */

import { nvcc } from "../compilers/compiler.ts";
import type { Work } from "../work.ts";
import { latencyOf, type Node } from "./dependences.ts";
import { LiveWords, type Straight } from "./live-words.ts";

/**
 * The order that hides latency, within `limit` words of registers where that can be.
 * @param thrifty an order that takes few registers, which is gone on with where they are short
 */
export function latencyOrder(block: Straight, limit: number, thrifty: readonly Node[], work: Work): Node[] {
  const live = new LiveWords(block);
  // By index.
  const waiting = Int32Array.from(block.nodes, (node) => node.previous.length);
  const earliest = new Float64Array(block.nodes.length);
  const ready = block.nodes.filter((node) => node.previous.length === 0);
  const order: Node[] = [];
  const rank = new Int32Array(block.nodes.length);
  for (const [at, { index }] of thrifty.entries()) rank[index] = at;
  let cycle = 0;
  /** Whether to issue `a` rather than `b` now. */
  const better = (a: Node, b: Node): boolean => {
    const [soonA, soonB] = [Math.max(earliest[a.index]!, cycle), Math.max(earliest[b.index]!, cycle)];
    if (soonA !== soonB) return soonA < soonB;
    return a.height === b.height ? a.index < b.index : a.height > b.height;
  };
  while (ready.length > 0) {
    work.ask(ready.length / 4 + 1);
    // With registers to spare, what starts the longest chains; else what ends live ranges, and then on in the thrifty order.
    const room = limit - nvcc.registerHeadroom - live.words;
    const fits = (node: Node): boolean => room === Number.POSITIVE_INFINITY || live.growth(node) <= room;
    let best = -1;
    for (let index = 0; room >= 0 && index < ready.length; index++) {
      const candidate = ready[index] as Node;
      if ((best < 0 || better(candidate, ready[best] as Node)) && fits(candidate)) best = index;
    }
    if (best < 0) {
      let frees = false;
      for (let index = 0; index < ready.length; index++) {
        const candidate = ready[index] as Node;
        const ends = live.growth(candidate) < 0;
        if (best >= 0 && (ends === frees ? rank[candidate.index]! > rank[(ready[best] as Node).index]! : frees)) continue;
        best = index;
        frees = ends;
      }
    }
    const node = ready[best] as Node;
    ready[best] = ready[ready.length - 1] as Node;
    ready.pop();
    cycle = Math.max(cycle + 1, earliest[node.index]!);
    live.issue(node);
    order.push(node);
    const done = cycle + latencyOf(node.instruction);
    for (const next of node.next) {
      earliest[next.index] = Math.max(earliest[next.index]!, done);
      waiting[next.index]!--;
      if (waiting[next.index] === 0) ready.push(next);
    }
  }
  return order;
}
