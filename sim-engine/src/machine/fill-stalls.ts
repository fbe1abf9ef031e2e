/**
 * Arithmetic that is ready goes before what still waits: an order that saves registers takes one chain of operations after the other, and
 * ptxas weaves as many of them as there are registers for.
 */
import type { Work } from "../work.ts";
import { latencyOf, memoryKind, type Node } from "./dependences.ts";
import { LiveWords, type Straight } from "./live-words.ts";

/** How many instructions ahead something is looked for that can be issued meanwhile: a bound on the work, not a figure of ptxas. */
const ahead = 32;

/** The order with arithmetic brought forward to where its warp would wait, as far as `limit` words of registers allow. */
export function fillStalls(block: Straight, order: readonly Node[], limit: number, work: Work): Node[] {
  const live = new LiveWords(block);
  const waiting = Int32Array.from(block.nodes, (node) => node.previous.length);
  const earliest = new Float64Array(block.nodes.length);
  const issued = new Uint8Array(block.nodes.length);
  const filled: Node[] = [];
  let cycle = 0;
  const issue = (node: Node): void => {
    cycle = Math.max(cycle + 1, earliest[node.index]!);
    live.issue(node);
    issued[node.index] = 1;
    filled.push(node);
    const done = cycle + latencyOf(node.instruction);
    for (const next of node.next) {
      earliest[next.index] = Math.max(earliest[next.index]!, done);
      waiting[next.index]!--;
    }
  };
  const isReady = (node: Node): boolean =>
    waiting[node.index] === 0 &&
    earliest[node.index]! <= cycle + 1 &&
    memoryKind(node.instruction.opcode) === undefined &&
    live.words + live.growth(node) <= limit;
  for (const [at, head] of order.entries()) {
    if (issued[head.index] === 1) continue;
    for (let looked = at + 1; earliest[head.index]! > cycle + 1 && looked < Math.min(order.length, at + ahead); looked++) {
      work.ask(1 / 4);
      const node = order[looked] as Node;
      if (issued[node.index] === 0 && isReady(node)) issue(node);
    }
    issue(head);
  }
  return filled;
}
