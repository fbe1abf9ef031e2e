/**
 * The order ptxas would issue a block's instructions in: what starts the longest chains first, so loads before all else, until
 * registers run short. It decides how many registers are live at once, and how many loads a warp has under way.
 */

import { nvcc } from "../compilers/compiler.ts";
import type { Work } from "../work.ts";
import { latencyOf, memoryKind, type Node } from "./dependences.ts";
import { LiveWords, type Straight } from "./live-words.ts";
import { FarLoads, isForLater, isNear, NearLoads, ofNearLoads } from "./load-order.ts";

/** Constants are put into registers when what reads them has all else: before, they would only take registers that loads could have. */
class Constants {
  /** By what reads them. */
  readonly #before = new Map<Node, Node[]>();
  readonly #waiting = new Set<Node>();

  constructor({ nodes }: Straight) {
    for (const node of nodes) {
      const { opcode, op, uses } = node.instruction;
      const isMoved = /^(IMAD\.MOV|MOV|CS2R)/.test(opcode) && op?.action.kind !== "special";
      if (node.previous.length > 0 || uses.length > 0 || !isMoved) continue;
      // What a load under a predicate writes over takes a register that is the load's own; and something else is to come before a reader.
      const isDue = ({ instruction, previous }: Node): boolean => memoryKind(instruction.opcode) === "load" || previous.every(isConstant);
      if (node.next.length === 0 || node.next.some(isDue)) continue;
      this.#waiting.add(node);
      for (const reader of node.next) this.#before.set(reader, [...(this.#before.get(reader) ?? []), node]);
    }
  }

  waits(node: Node): boolean {
    return this.#waiting.has(node);
  }

  /** Those that a reader still waits for, now that it waits for so many. */
  dueFor(reader: Node, waiting: number): Node[] {
    const due = (this.#before.get(reader) ?? []).filter((node) => this.#waiting.has(node));
    if (due.length < waiting) return [];
    for (const node of due) this.#waiting.delete(node);
    return due;
  }
}

const isConstant = ({ previous, instruction: { uses } }: Node): boolean => previous.length === 0 && uses.length === 0;

export interface Room {
  /** Words of registers. */
  readonly limit: number;
  /** The source says how many blocks an SM is to hold, so that nothing below that is worth a load later. */
  readonly isGiven: boolean;
  /** Loads of shared memory go ahead by a step or two of a product, however many had room. */
  readonly isStepwise: boolean;
}

/**
 * The order that hides latency, within `limit` words of registers where that can be.
 * @param thrifty an order that takes few registers, which is gone on with where they are short
 */
export function latencyOrder(block: Straight, { limit, isGiven, isStepwise }: Room, thrifty: readonly Node[], work: Work): Node[] {
  const live = new LiveWords(block);
  // By index.
  const waiting = Int32Array.from(block.nodes, (node) => node.previous.length);
  const earliest = new Float64Array(block.nodes.length);
  const constants = new Constants(block);
  const farLoads = limit === Number.POSITIVE_INFINITY ? undefined : new FarLoads(block);
  const ready = block.nodes.filter((node) => node.previous.length === 0 && !constants.waits(node));
  // What is loaded for later stays behind what is made of this tile, where registers count.
  const isLater = block.nodes.map((node) => !isGiven && isForLater(node));
  const urgency = Float64Array.from(block.nodes, (node) => node.height - (isLater[node.index] ? latencyOf(node.instruction) : 0));
  const isProduct = ofNearLoads(block);
  const nearLoads = isStepwise ? new NearLoads(block) : undefined;
  const order: Node[] = [];
  const rank = new Int32Array(block.nodes.length);
  for (const [at, { index }] of thrifty.entries()) rank[index] = at;
  let cycle = 0;
  /** Whether to issue `a` rather than `b` now. */
  const better = (a: Node, b: Node): boolean => {
    if (nearLoads && isNear(a) && isNear(b)) return a.index < b.index;
    if (nearLoads?.areAhead && isNear(a) !== isNear(b)) return isNear(b);
    const [urgencyA, urgencyB] = [urgency[a.index]!, urgency[b.index]!];
    if (urgencyA !== urgencyB && ((isLater[a.index] && isProduct[b.index]) || (isLater[b.index] && isProduct[a.index])))
      return urgencyA > urgencyB;
    const [soonA, soonB] = [Math.max(earliest[a.index]!, cycle), Math.max(earliest[b.index]!, cycle)];
    if (soonA !== soonB) return soonA < soonB;
    return urgencyA === urgencyB ? a.index < b.index : urgencyA > urgencyB;
  };
  while (ready.length > 0) {
    work.ask(ready.length / 4 + 1);
    // With registers to spare, what starts the longest chains; else what ends live ranges, and then on in the thrifty order.
    const room = limit - nvcc.registerHeadroom - live.words;
    const fits = (node: Node): boolean => room === Number.POSITIVE_INFINITY || live.growth(node) <= room;
    let best = -1;
    for (let index = 0; room >= 0 && index < ready.length; index++) {
      const candidate = ready[index] as Node;
      if ((best < 0 || better(candidate, ready[best] as Node)) && fits(candidate) && !farLoads?.waits(candidate)) best = index;
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
    farLoads?.issue(node);
    nearLoads?.issue(node);
    order.push(node);
    const done = cycle + latencyOf(node.instruction);
    for (const next of node.next) {
      earliest[next.index] = Math.max(earliest[next.index]!, done);
      waiting[next.index]!--;
      if (waiting[next.index] === 0) ready.push(next);
      else ready.push(...constants.dueFor(next, waiting[next.index]!));
    }
  }
  return order;
}
