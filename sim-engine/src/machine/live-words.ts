/** How many registers are live while a block is issued in some order. */
import type { Node } from "./dependences.ts";
import type { Value } from "./values.ts";

/** A block's instructions with what is live around them, whatever their order. */
export interface Straight {
  readonly nodes: readonly Node[];
  /** How many values there are. */
  readonly values: number;
  /** Live before the first and behind the last instruction. */
  readonly into: ReadonlySet<Value>;
  readonly out: ReadonlySet<Value>;
}

/** Words of registers live as the instructions of a block are issued one by one. */
export class LiveWords {
  /** By value: whether it is live; reads to come, and one more for what is live behind the block. */
  readonly #live: Uint8Array;
  readonly #remaining: Int32Array;
  words = 0;
  /** The most so far; and where a function is called, with those it takes. */
  most: number;
  mostAtCalls = 0;

  constructor({ nodes, values, into, out }: Straight) {
    this.#live = new Uint8Array(values);
    this.#remaining = new Int32Array(values);
    for (const value of into) {
      this.#live[value.index] = 1;
      this.words += value.words;
    }
    this.most = this.words;
    for (const { reads } of nodes) for (const read of reads) this.#remaining[read.index]!++;
    for (const value of out) this.#remaining[value.index]!++;
  }

  /** What issuing the instruction adds: its results less the operands that end there. */
  growth({ reads, makes }: Node): number {
    let change = 0;
    for (const made of makes) if (this.#live[made.index] === 0) change += made.words;
    for (const read of reads) if (this.#endsAt(read, makes)) change -= read.words;
    return change;
  }

  /** Results may take the registers of operands that end here. */
  issue({ reads, makes, instruction: { callee } }: Node): void {
    let reloaded = 0;
    for (const read of reads) {
      if (this.#endsAt(read, makes)) this.#drop(read);
      reloaded += read.reloaded ?? 0;
    }
    if (callee !== undefined) this.mostAtCalls = Math.max(this.mostAtCalls, this.words + callee);
    for (const read of reads) this.#remaining[read.index]!--;
    for (const made of makes) {
      if (this.#live[made.index] === 1) continue;
      this.#live[made.index] = 1;
      this.words += made.words;
    }
    this.most = Math.max(this.most, this.words + reloaded);
    for (const made of makes) if (this.#remaining[made.index] === 0) this.#drop(made);
  }

  #endsAt(read: Value, makes: readonly Value[]): boolean {
    return this.#remaining[read.index] === 1 && this.#live[read.index] === 1 && !makes.includes(read);
  }

  #drop({ index, words }: Value): void {
    if (this.#live[index] === 0) return;
    this.#live[index] = 0;
    this.words -= words;
  }
}

/** The most words live at once when a block is issued in the order given. */
export function peakOf(block: Straight, order: readonly Node[]): { readonly words: number; readonly atCalls: number } {
  const live = new LiveWords(block);
  for (const node of order) live.issue(node);
  return { words: live.most, atCalls: live.mostAtCalls };
}
