/**
 * The order that keeps live ranges short: from the end of a block backwards, each value made as late as it can be. What ptxas falls back
 * on where registers run short.
 */

import type { Work } from "../work.ts";
import type { Node } from "./dependences.ts";
import type { Straight } from "./live-words.ts";

export function shortestRanges({ nodes, values, out }: Straight, work: Work): Node[] {
  // By value, and by the node's index.
  const live = new Uint8Array(values);
  for (const { index } of out) live[index] = 1;
  const waiting = Int32Array.from(nodes, ({ next }) => next.length);
  const ready = nodes.filter((node) => node.next.length === 0);
  const order: Node[] = [];
  /** Words more before the instruction than behind it. */
  const growth = ({ reads, makes }: Node): number => {
    let change = 0;
    for (const made of makes) if (live[made.index] === 1 && !reads.includes(made)) change -= made.words;
    for (const read of reads) if (live[read.index] === 0) change += read.words;
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
    for (const made of makes) live[made.index] = 0;
    for (const read of reads) live[read.index] = 1;
    for (const from of node.previous) if (--waiting[from.index]! === 0) ready.push(from);
  }
  return order.reverse();
}
