/** How many registers are live while a block is issued in some order. */
import type { Node } from "./dependences.ts";
import type { Value } from "./values.ts";

/** A block's instructions with what is live around them, whatever their order. */
export interface Straight {
  readonly nodes: readonly Node[];
  /** Live before the first and behind the last instruction. */
  readonly into: ReadonlySet<Value>;
  readonly out: ReadonlySet<Value>;
}

/** Words of registers live as the instructions of a block are issued one by one. */
export class LiveWords {
  readonly #out: ReadonlySet<Value>;
  readonly #live: Set<Value>;
  /** Reads to come. */
  readonly #remaining = new Map<Value, number>();
  words = 0;
  /** The most so far; and where a function is called, with those it takes. */
  most: number;
  mostAtCalls = 0;

  constructor({ nodes, into, out }: Straight) {
    this.#out = out;
    this.#live = new Set(into);
    for (const value of into) this.words += value.words;
    this.most = this.words;
    for (const { reads } of nodes) for (const read of reads) this.#remaining.set(read, (this.#remaining.get(read) ?? 0) + 1);
  }

  /** What issuing the instruction adds: its results less the operands that end there. */
  growth({ reads, makes }: Node): number {
    let change = 0;
    for (const made of makes) if (!this.#live.has(made)) change += made.words;
    for (const read of reads) if (this.#endsAt(read, makes)) change -= read.words;
    return change;
  }

  /** Results may take the registers of operands that end here. */
  issue({ reads, makes, instruction: { callee } }: Node): void {
    for (const read of reads) if (this.#endsAt(read, makes)) this.#drop(read);
    let reloaded = 0;
    for (const read of reads) reloaded += read.reloaded ?? 0;
    if (callee !== undefined) this.mostAtCalls = Math.max(this.mostAtCalls, this.words + callee);
    for (const read of reads) this.#remaining.set(read, (this.#remaining.get(read) ?? 1) - 1);
    for (const made of makes) {
      if (this.#live.has(made)) continue;
      this.#live.add(made);
      this.words += made.words;
    }
    this.most = Math.max(this.most, this.words + reloaded);
    for (const made of makes) if ((this.#remaining.get(made) ?? 0) === 0 && !this.#out.has(made)) this.#drop(made);
  }

  #endsAt(read: Value, makes: readonly Value[]): boolean {
    return this.#remaining.get(read) === 1 && this.#live.has(read) && !this.#out.has(read) && !makes.includes(read);
  }

  #drop(value: Value): void {
    if (this.#live.delete(value)) this.words -= value.words;
  }
}

/** The most words live at once when a block is issued in the order given. */
export function peakOf(block: Straight, order: readonly Node[]): { readonly words: number; readonly atCalls: number } {
  const live = new LiveWords(block);
  for (const node of order) live.issue(node);
  return { words: live.most, atCalls: live.mostAtCalls };
}
