/** The order of a kernel's code, and how many registers it keeps live at once, for the registers it may have. */
import { nvcc } from "../compilers/compiler.ts";
import type { Block, Kernel } from "../ir/kernel.ts";
import type { Work } from "../work.ts";
import { dependences, type Node } from "./dependences.ts";
import { fillStalls } from "./fill-stalls.ts";
import { peakOf, type Straight } from "./live-words.ts";
import { liveOut, mergedRegisters, recomputableRegisters, reloadableRegisters } from "./liveness.ts";
import type { Instruction, MachineBlock, Register } from "./machine.ts";
import { latencyOrder, type Room } from "./schedule.ts";
import { shortestRanges } from "./shortest.ts";
import { blockValues } from "./values.ts";

/** The most words of registers live at once, and where a function is called, with those it takes. */
interface Peak {
  readonly words: number;
  readonly atCalls: number;
}

interface Ordered extends Peak {
  readonly order: readonly Node[];
  /** What is cheap to come by is computed by the block, wherever else it is. */
  readonly isRecomputed?: true;
}

export interface Scheduled extends Peak {
  /** Registers below which ptxas would rather take more, for fewer wide loads are under way at once than it has; 0 where enough are. */
  readonly starvedBelow: number;
  readonly code: ReadonlyMap<Block, readonly Instruction[]>;
}

export class Pressure {
  readonly #work: Work;
  readonly #isGiven: boolean;
  readonly #readsShared: boolean;
  #blocks: ReadonlyMap<Block, Straight>;
  readonly #free = new Map<Straight, Ordered>();
  readonly #shortest = new Map<Straight, Ordered>();
  /** The same where what is cheap to come by is loaded or computed anew instead of kept, but for what the block computes with. */
  readonly #reloading = new Map<Straight, () => Straight>();
  /** The same where that is computed anew, too. */
  readonly #recomputing = new Map<Straight, () => Straight>();

  /** What is cheap to come by, and what computes it. */
  readonly #cheap = new Map<Register, Instruction>();

  /** Predicated blocks are part of their homes. */
  constructor(kernel: Kernel, blocks: ReadonlyMap<Block, MachineBlock>, work: Work) {
    this.#work = work;
    this.#isGiven = kernel.launchBounds?.minBlocks !== undefined;
    const out = liveOut(blocks, work);
    const own = [...blocks.values()].filter(({ home }) => home === undefined);
    const merged = mergedRegisters(own.map(({ instructions }) => instructions));
    const codes = own.map(({ instructions }) => instructions);
    this.#readsShared = codes.some((code) => code.some(({ opcode }) => opcode.startsWith("LDS")));
    const reloadable = reloadableRegisters(codes, merged);
    const recomputable = recomputableRegisters(codes, merged);
    const cheap = new Set([...reloadable, ...recomputable]);
    for (const instruction of codes.flat()) for (const def of instruction.defs) if (cheap.has(def)) this.#cheap.set(def, instruction);
    this.#blocks = new Map(
      own.map(({ block, instructions }) => {
        const wanted = out.get(block) ?? new Set();
        work.ask(4 * instructions.length);
        const straight = (loaded: ReadonlySet<Register>, computed: ReadonlySet<Register>): Straight => {
          const values = blockValues(instructions, wanted, merged, loaded, computed);
          return { nodes: dependences(kernel, instructions, values.of, work), values: values.count, into: values.into, out: values.out };
        };
        const kept = straight(new Set(), new Set());
        this.#reloading.set(kept, () => straight(reloadable, recomputable));
        this.#recomputing.set(kept, () => straight(cheap, recomputable));
        return [block, kept];
      }),
    );
  }

  /** Words that the code takes at least, of the orders that are known. */
  fewest(): number {
    return Math.max(...[...this.#blocks.values()].map((block) => most(this.#shortestOf(block))));
  }

  /** The code that hides latency as far as `limit` words of registers allow. */
  within(limit: number): Scheduled {
    return this.#schedule(this.#room(limit, true), false) as Scheduled;
  }

  /**
   * The same; undefined where it does not fit. Whether that many registers do is asked with all loads ahead that have room; in the code that comes
   * of it, where not all have room, those of shared memory go ahead by a step or two of a product (seen in 120 tiled products: validation/DEVIATIONS.md).
   */
  fitting(limit: number): Scheduled | undefined {
    return this.#schedule(this.#room(limit, this.#isGiven), true);
  }

  /** The code of what fits; undefined where it is known to be no other. */
  stepwise(limit: number): Scheduled | undefined {
    return this.#isGiven || !this.#readsShared ? undefined : this.#schedule(this.#room(limit, true), true);
  }

  #schedule(room: Room, mustFit: boolean): Scheduled | undefined {
    const code = new Map<Block, readonly Instruction[]>();
    let peak: Peak = { words: 0, atCalls: 0 };
    let starvedBelow = 0;
    for (const [block, straight] of this.#blocks) {
      this.#work.ask(straight.nodes.length);
      const { order, words, atCalls, isRecomputed } = this.#blockWithin(straight, room);
      if (mustFit && Math.max(words, atCalls) > room.limit) {
        this.#tryFirst(block, straight);
        return undefined;
      }
      peak = { words: Math.max(peak.words, words), atCalls: Math.max(peak.atCalls, atCalls) };
      starvedBelow = Math.max(starvedBelow, this.#starvedBelow(straight, order));
      code.set(block, isRecomputed ? this.#withRecomputed(order) : order.map(({ instruction }) => instruction));
    }
    return { ...peak, starvedBelow, code };
  }

  /** The code with what is computed anew, each once, before it is first read. */
  #withRecomputed(order: readonly Node[]): Instruction[] {
    const code: Instruction[] = [];
    const there = new Set<Register>();
    const compute = (register: Register): void => {
      const from = there.has(register) ? undefined : this.#cheap.get(register);
      there.add(register);
      if (!from) return;
      for (const use of from.uses) compute(use);
      code.push(from);
    };
    for (const { instruction } of order) {
      for (const use of instruction.uses) compute(use);
      code.push(instruction);
      for (const def of instruction.defs) there.add(def);
    }
    return code;
  }

  /** What did not fit is the likeliest not to fit the next time. */
  #tryFirst(block: Block, straight: Straight): void {
    this.#blocks = new Map([[block, straight], ...this.#blocks]);
  }

  #blockWithin(block: Straight, room: Room): Ordered {
    const { limit } = room;
    const free = this.#freeOf(block);
    if (most(free) <= limit - nvcc.registerHeadroom) return free;
    const kept = this.#keptWithin(block, room);
    // Rather than wait for one far load after the other ptxas computes places anew.
    if (most(kept) > limit || 2 * farAhead(kept.order) > farAhead(free.order)) return kept;
    const anew = madeOnce(this.#recomputing, block);
    if (!anew) return kept;
    const anewFree = this.#freeOf(anew);
    if (most(anewFree) <= limit - nvcc.registerHeadroom) return { ...anewFree, isRecomputed: true };
    const recomputed = this.#keptWithin(anew, room);
    return most(recomputed) <= limit && farAhead(recomputed.order) > farAhead(kept.order) ? { ...recomputed, isRecomputed: true } : kept;
  }

  /** The same, of what does not fit as if there were registers without end. */
  #keptWithin(block: Straight, room: Room): Ordered {
    const { limit } = room;
    const thrifty = this.#inThriftyOrder(block, room);
    const reloading = most(thrifty) > limit ? madeOnce(this.#reloading, block) : undefined;
    const again = reloading && this.#blockWithin(reloading, room);
    if (again && most(again) <= most(thrifty)) return again;
    // What is brought forward stays live for longer: what comes later may then not fit any more.
    for (const fewer of [0, ...fewerAhead]) {
      const woven = ordered(block, fillStalls(block, thrifty.order, limit - fewer, this.#work));
      if (most(woven) <= Math.max(limit, most(thrifty))) return woven;
    }
    return thrifty;
  }

  /** An order that fits, with as many loads ahead as it can have; where there is none, the one that takes the fewest registers. */
  #inThriftyOrder(block: Straight, room: Room): Ordered {
    const { limit } = room;
    const shortest = this.#shortestOf(block);
    // Far from fitting, no other order will do.
    const hiding =
      most(shortest) > limit + farFromFitting ? shortest : ordered(block, latencyOrder(block, room, shortest.order, this.#work));
    if (most(hiding) <= limit) return hiding;
    if (most(shortest) <= limit) {
      // What is under way may need more to finish: with fewer loads ahead it may fit.
      for (const fewer of fewerAhead) {
        const careful = ordered(block, latencyOrder(block, { ...room, limit: limit - fewer }, shortest.order, this.#work));
        if (most(careful) <= limit) return careful;
      }
      return shortest;
    }
    return most(hiding) < most(shortest) ? hiding : shortest;
  }

  /** See `Scheduled.starvedBelow`. */
  #starvedBelow(block: Straight, order: readonly Node[]): number {
    const isStarved = (kind: RegExp, fewest: number, enough: number): boolean =>
      order.filter(({ instruction }) => kind.test(instruction.opcode)).length >= fewest && aheadOf(order, kind, enough) < enough;
    const { wideSharedLoads, wideSharedLoadsAhead, wideLoadsAhead, wideLoadsUpTo, loadsAheadWanted, loadsAheadLeft } = nvcc;
    const shared = /^LDS(.*\.128|M.*\.[24]$)/;
    const global = /^LDG.*\.128/;
    // Where something else keeps them from being issued ahead, as stores that they may meet do, no registers will help.
    const mayGoAhead = (kind: RegExp, enough: number): boolean => aheadOf(this.#freeOf(block).order, kind, enough) >= enough;
    if (isStarved(shared, wideSharedLoads, wideSharedLoadsAhead) && mayGoAhead(shared, wideSharedLoadsAhead))
      return Number.POSITIVE_INFINITY;
    const ahead = farAhead(order);
    const mostAhead = farAhead(this.#freeOf(block).order);
    if (fillsShared(order) && 2 * ahead < mostAhead) return wideLoadsUpTo;
    if (ahead <= loadsAheadLeft && mostAhead >= loadsAheadWanted) return wideLoadsUpTo;
    return isStarved(global, wideLoadsAhead, wideLoadsAhead) && mayGoAhead(global, wideLoadsAhead) ? wideLoadsUpTo : 0;
  }

  /** Issued as if there were registers without end: so it is wherever there are enough. */
  #freeOf(block: Straight): Ordered {
    const known = this.#free.get(block);
    if (known) return known;
    const free = ordered(block, latencyOrder(block, this.#room(Number.POSITIVE_INFINITY, this.#isGiven), block.nodes, this.#work));
    this.#free.set(block, free);
    return free;
  }

  #room(limit: number, isStepwise: boolean): Room {
    return { limit, isGiven: this.#isGiven, isStepwise };
  }

  #shortestOf(block: Straight): Ordered {
    const known = this.#shortest.get(block);
    if (known) return known;
    const asWritten = ordered(block, block.nodes);
    const backwards = ordered(block, shortestRanges(block, this.#work));
    const shortest = most(asWritten) <= most(backwards) ? asWritten : backwards;
    this.#shortest.set(block, shortest);
    return shortest;
  }
}

function madeOnce(from: Map<Straight, () => Straight>, block: Straight): Straight | undefined {
  const made = from.get(block)?.();
  if (made) from.set(block, () => made);
  return made;
}

const most = ({ words, atCalls }: Peak): number => Math.max(words, atCalls);

const ordered = (block: Straight, order: readonly Node[]): Ordered => ({ order, ...peakOf(block, order) });

/** Words of registers that short live ranges exceed a limit by, for other orders not to be tried. */
const farFromFitting = 8;

/** Words of registers to schedule for less than there are, where the first attempt takes too many. */
const fewerAhead = [2, 4, 8];

/** Whether most of the far loads are what shared memory is filled with. */
function fillsShared(order: readonly Node[]): boolean {
  const loads = order.filter(({ instruction }) => /^LDG/.test(instruction.opcode));
  const stored = loads.filter(({ next }) => next.some(({ instruction }) => /^STS/.test(instruction.opcode)));
  return 2 * stored.length > loads.length;
}

/** The most loads of global memory under way at once, as far as they are counted. */
const farAhead = (order: readonly Node[]): number => aheadOf(order, /^LDG/, mostFarLoads);
const mostFarLoads = 16;

/** The most loads of some kind under way at once, up to `enough`: issued, and nothing has read what they load. */
function aheadOf(order: readonly Node[], kind: RegExp, enough: number): number {
  const waiting = new Set<unknown>();
  let most = 0;
  for (const { instruction, reads, makes } of order) {
    for (const read of reads) waiting.delete(read);
    if (kind.test(instruction.opcode)) waiting.add(makes[0]);
    most = Math.max(most, waiting.size);
    if (most >= enough) break;
  }
  return most;
}
