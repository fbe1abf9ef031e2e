/** The order of a kernel's code, and how many registers it keeps live at once, for the registers it may have. */
import type { Block, Kernel } from "../kernel.ts";
import { dependences, type Node } from "./dependences.ts";
import { peakOf, type Straight } from "./live-words.ts";
import { liveOut, mergedRegisters } from "./liveness.ts";
import type { Instruction, MachineBlock } from "./machine.ts";
import { latencyOrder } from "./schedule.ts";
import { shortestRanges } from "./shortest.ts";
import { blockValues } from "./values.ts";

/** The most words of registers live at once, and where a function is called, with those it takes. */
interface Peak {
  readonly words: number;
  readonly atCalls: number;
}

interface Ordered extends Peak {
  readonly order: readonly Node[];
}

export interface Scheduled extends Peak {
  /** Fewer wide loads are under way at once than ptxas would have. */
  readonly starved: boolean;
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
    let peak: Peak = { words: 0, atCalls: 0 };
    let starved = false;
    for (const [block, straight] of this.#blocks) {
      const { order, words, atCalls } = this.#blockWithin(straight, limit);
      peak = { words: Math.max(peak.words, words), atCalls: Math.max(peak.atCalls, atCalls) };
      starved ||= isStarved(order);
      code.set(
        block,
        order.map(({ instruction }) => instruction),
      );
    }
    return { ...peak, starved, code };
  }

  #blockWithin(block: Straight, limit: number): Ordered {
    const hiding = ordered(block, latencyOrder(block, limit));
    if (most(hiding) <= limit) return hiding;
    const shortest = this.#shortestOf(block);
    return most(shortest) < most(hiding) ? shortest : hiding;
  }

  #shortestOf(block: Straight): Ordered {
    const known = this.#shortest.get(block);
    if (known) return known;
    const asWritten = ordered(block, block.nodes);
    const backwards = ordered(block, shortestRanges(block));
    const shortest = most(asWritten) <= most(backwards) ? asWritten : backwards;
    this.#shortest.set(block, shortest);
    return shortest;
  }
}

export const most = ({ words, atCalls }: Peak): number => Math.max(words, atCalls);

const ordered = (block: Straight, order: readonly Node[]): Ordered => ({ order, ...peakOf(block, order) });

/** Loads of 16 bytes a thread that ptxas issues ahead even where that costs resident warps. Fitted to two kernels. */
const wideAhead = 5;

function isStarved(order: readonly Node[]): boolean {
  const wide = order.filter(({ instruction }) => /^LDG.*\.128/.test(instruction.opcode));
  if (wide.length < wideAhead) return false;
  const waiting = new Set<unknown>();
  for (const { instruction, reads, makes } of order) {
    for (const read of reads) waiting.delete(read);
    if (/^LDG.*\.128/.test(instruction.opcode)) waiting.add(makes[0]);
    if (waiting.size >= wideAhead) return false;
  }
  return true;
}
