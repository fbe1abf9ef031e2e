/**
 * The order that keeps live ranges short: from the end of a block backwards, each value made as late as it can be. What ptxas falls back
 * on where registers run short.
 */

import type { Work } from "../work.ts";
import type { Node } from "./dependences.ts";
import type { Straight } from "./live-words.ts";
import type { Value } from "./values.ts";

export function shortestRanges({ nodes, out }: Straight, work: Work): Node[] {
  const live = new Set<Value>(out);
  const waiting = new Map(nodes.map((node) => [node, node.next.length]));
  const ready = nodes.filter((node) => node.next.length === 0);
  const order: Node[] = [];
  /** Words more before the instruction than behind it. */
  const growth = ({ reads, makes }: Node): number => {
    let change = 0;
    for (const made of makes) if (live.has(made) && !reads.includes(made)) change -= made.words;
    for (const read of reads) if (!live.has(read)) change += read.words;
    return change;
  };
  while (ready.length > 0) {
    work.ask(ready.length / 4 + 1);
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let index = 0; index < ready.length; index++) {
      const node = ready[index] as Node;
      const grown = growth(node);
      if (grown < least || (grown === least && node.index > (ready[best] as Node).index)) {
        best = index;
        least = grown;
      }
    }
    const node = ready[best] as Node;
    ready[best] = ready[ready.length - 1] as Node;
    ready.pop();
    order.push(node);
    const { reads, makes } = node;
    // A write under a predicate leaves the rest of the value alive: it is among what is live before, too.
    for (const made of makes) live.delete(made);
    for (const read of reads) live.add(read);
    for (const from of node.previous) {
      const left = (waiting.get(from) ?? 1) - 1;
      waiting.set(from, left);
      if (left === 0) ready.push(from);
    }
  }
  return order.reverse();
}
