/** The order of a kernel's code, and how many registers it keeps live at once, for the registers it may have. */
import type { Block, Kernel } from "../kernel.ts";
import { dependences, type Node } from "./dependences.ts";
import { peakOf, type Straight } from "./live-words.ts";
import { liveOut, mergedRegisters } from "./liveness.ts";
import type { Instruction, MachineBlock } from "./machine.ts";
import { latencyOrder } from "./schedule.ts";
import { shortestRanges } from "./shortest.ts";
import { blockValues } from "./values.ts";

/** Instructions in the order of issue, and the most words of registers live at once. */
interface Ordered {
  readonly order: readonly Node[];
  readonly words: number;
}

export interface Scheduled {
  readonly words: number;
  readonly code: ReadonlyMap<Block, readonly Instruction[]>;
}

export class Pressure {
  readonly #blocks: ReadonlyMap<Block, Straight>;
  readonly #shortest = new Map<Straight, Ordered>();

  /** Predicated blocks are part of their homes. */
  constructor(kernel: Kernel, blocks: ReadonlyMap<Block, MachineBlock>) {
    const out = liveOut(blocks);
    const own = [...blocks.values()].filter(({ home }) => home === undefined);
    const merged = mergedRegisters(own.map(({ instructions }) => instructions));
    this.#blocks = new Map(
      own.map(({ block, instructions }) => {
        const { of, into, out: behind } = blockValues(instructions, out.get(block) ?? new Set(), merged);
        return [block, { nodes: dependences(kernel, instructions, of), into, out: behind }];
      }),
    );
  }

  /** The code that hides latency as far as `limit` words of registers allow. */
  within(limit: number): Scheduled {
    const code = new Map<Block, readonly Instruction[]>();
    let most = 0;
    for (const [block, straight] of this.#blocks) {
      const { order, words } = this.#blockWithin(straight, limit);
      most = Math.max(most, words);
      code.set(
        block,
        order.map(({ instruction }) => instruction),
      );
    }
    return { words: most, code };
  }

  #blockWithin(block: Straight, limit: number): Ordered {
    const order = latencyOrder(block, limit);
    const hiding = { order, words: peakOf(block, order) };
    if (hiding.words <= limit) return hiding;
    const shortest = this.#shortestOf(block);
    return shortest.words < hiding.words ? shortest : hiding;
  }

  #shortestOf(block: Straight): Ordered {
    const known = this.#shortest.get(block);
    if (known) return known;
    const [asWritten, backwards] = [block.nodes, shortestRanges(block)].map((order) => ({ order, words: peakOf(block, order) }));
    const shortest = (asWritten as Ordered).words <= (backwards as Ordered).words ? (asWritten as Ordered) : (backwards as Ordered);
    this.#shortest.set(block, shortest);
    return shortest;
  }
}
