/** Barriers of the block, of some of its warps, and of a warp's lanes, at which somebody is waited for who does not come. */
import { type CompiledBlock, type Program, warpSize } from "../execute/program.ts";
import type { Runner } from "../execute/run.ts";
import { successors } from "../ir/builder.ts";
import type { Block, Dim3, Op } from "../ir/kernel.ts";
import type { BlockClocks } from "./clocks.ts";
import { GridBarriers } from "./grid-barriers.ts";
import { divergentRegions, type Invented } from "./invented.ts";
import { firstLane, placeOf, type Witnesses } from "./witnesses.ts";

interface Arrival {
  readonly barrier: Op;
  readonly lanes: number;
  readonly missing: number;
  readonly ended: number;
  /** Of a named barrier: which of them, and the threads that it waits for, where it says. */
  readonly named: { readonly id: number; readonly threads: number | undefined; readonly arrives: boolean } | undefined;
}

/** Numbers of the phases of named barriers, apart from those of objects. */
const phaseOf = (id: number): number => -1 - id;

export class BarrierCheck {
  readonly #program: Program;
  readonly #runner: Runner;
  readonly #invented: Invented;
  readonly #witnesses: Witnesses;
  readonly #clocks: BlockClocks;
  readonly #grid: GridBarriers;
  readonly #threads: number;
  readonly #arrivals = new Map<number, Arrival>();
  /** Named barriers that some warps arrive at without waiting. */
  readonly #arrivedAt = new Set<number>();
  /** Somebody was waited for in vain: what comes behind is not what the block does. */
  #broken = false;
  #goneBy = false;
  readonly #deciders = new Map<Op, CompiledBlock[]>();

  constructor(runner: Runner, invented: Invented, witnesses: Witnesses, clocks: BlockClocks) {
    this.#runner = runner;
    this.#program = runner.program;
    this.#invented = invented;
    this.#witnesses = witnesses;
    this.#clocks = clocks;
    this.#grid = new GridBarriers(this.#program.kernel, witnesses);
    const [x, y, z] = this.#program.launch.block;
    this.#threads = x * y * z;
  }

  /** A new block begins. */
  begin(): void {
    this.#arrivals.clear();
    this.#arrivedAt.clear();
    this.#broken = this.#goneBy = false;
    this.#grid.begin();
  }

  /** The block has run to its end. */
  end(): void {
    this.#grid.end((barrier) => this.#invented.of(barrier));
  }

  /** The lanes that an operation of the running warp names wait for each other: those that go by it are waited for in vain. */
  warpSync(op: Op, warp: number, mask: number): void {
    const named = namedLanes(op, firstLane(mask));
    if (named === undefined || this.#invented.of(op)) return;
    const { missing, ended } = this.#runner.others(mask);
    const wanted = named & ~mask;
    if ((wanted & missing) !== 0) this.#diverges(op, warp, mask, this.#witnesses.thread(warp, firstLane(wanted & missing)), false);
    else if ((wanted & ended) !== 0) this.#diverges(op, warp, mask, this.#witnesses.thread(warp, firstLane(wanted & ended)), true);
  }

  /** See `BarrierListener`. */
  arrive(warp: number, barrier: Op, lanes: number, missing: number, ended: number): void {
    this.#grid.arrive(barrier, warp, lanes);
    this.#arrivals.set(warp, { barrier, lanes, missing, ended, named: this.#named(barrier, warp) });
  }

  /** Those go on that came to named barriers, or else all: then it is true. */
  release(): boolean {
    const named = [...this.#arrivals].filter(([, arrival]) => arrival.named);
    if (named.length === 0 && [...this.#arrivals.values()].some(({ barrier }) => isOfObject(barrier))) {
      this.#releaseStage();
      return true;
    }
    if (named.length === 0) {
      this.#tellDivergence();
      this.#clocks.blockSync();
      this.#arrivals.clear();
      return true;
    }
    const groups = new Map<number, [number, Arrival][]>();
    for (const each of named) {
      const id = each[1].named?.id ?? 0;
      groups.set(id, [...(groups.get(id) ?? []), each]);
      this.#arrivals.delete(each[0]);
    }
    for (const [id, group] of groups) {
      const arriving = group.filter(([, arrival]) => arrival.named?.arrives).map(([warp]) => warp);
      const waiting = group.filter(([, arrival]) => !arrival.named?.arrives).map(([warp]) => warp);
      if (arriving.length > 0) this.#arrivedAt.add(id);
      if (!this.#arrivedAt.has(id)) this.#tellMissing(group);
      for (const warp of arriving) this.#clocks.arrive(phaseOf(id), warp);
      for (const warp of waiting) this.#clocks.wait(phaseOf(id), warp);
      this.#clocks.meet(waiting);
    }
    return false;
  }

  /** At a pipeline's barrier, for which all warps are taken to wait: what they copied is there, where they are all at the same one. */
  #releaseStage(): void {
    const [first] = this.#arrivals.values();
    const warps = [...this.#arrivals.keys()];
    if (![...this.#arrivals.values()].every(({ barrier, missing }) => barrier === first?.barrier && missing === 0)) this.#clocks.lose();
    for (const warp of warps) this.#clocks.waitForCopies(warp, 0);
    this.#clocks.blockSync();
    this.#arrivals.clear();
  }

  /** The operands of a named barrier, as a warp finds them. */
  #named({ action, args: [id, threads] }: Op, warp: number): Arrival["named"] {
    if (action.kind !== "barrier" || !action.named || !id) return undefined;
    const { registers } = this.#program;
    const at = warp * warpSize;
    return { id: registers.ints(id)[at] ?? 0, threads: threads && registers.ints(threads)[at], arrives: action.arrives === true };
  }

  /** A named barrier that says for how many threads it waits, whole warps of them, and has fewer when nobody else can come. */
  #tellMissing(group: readonly (readonly [number, Arrival])[]): void {
    const [first] = group;
    if (!first) return;
    const [warp, { barrier, lanes, named }] = first;
    if (named?.threads === undefined || group.length * warpSize >= named.threads || this.#invented.of(barrier)) return;
    const here = new Set(group.map(([each]) => each));
    for (let other = 0; other * warpSize < this.#threads; other++)
      if (!here.has(other)) {
        this.#diverges(barrier, warp, lanes, this.#witnesses.thread(other, 0), false);
        return;
      }
  }

  #tellDivergence(): void {
    const [first] = this.#arrivals;
    if (!first || this.#broken) return;
    const [waiting, { barrier: firstBarrier, lanes: firstLanes }] = first;
    for (const [warp, { barrier, lanes, missing, ended }] of this.#arrivals) {
      if (this.#invented.of(barrier)) return;
      if (missing !== 0) this.#diverges(barrier, warp, lanes, this.#witnesses.thread(warp, firstLane(missing)), false);
      else if (ended !== 0) this.#diverges(barrier, warp, lanes, this.#witnesses.thread(warp, firstLane(ended)), true);
      else if (firstBarrier !== barrier && !this.#invented.of(firstBarrier)) {
        const [here, there] = [this.#witnesses.thread(warp, firstLane(lanes)), this.#witnesses.thread(waiting, firstLane(firstLanes))];
        if (this.#depth(barrier) < this.#depth(firstBarrier)) this.#diverges(firstBarrier, waiting, firstLanes, here, false, barrier);
        else this.#diverges(barrier, warp, lanes, there, false, firstBarrier);
      }
    }
    for (let warp = 0; warp * warpSize < this.#threads; warp++) {
      if (this.#arrivals.has(warp)) continue;
      this.#diverges(firstBarrier, waiting, firstLanes, this.#witnesses.thread(warp, 0), !this.#passedBy(warp, firstBarrier));
    }
    this.#broken ||= this.#goneBy;
  }

  /** Whether a warp went by a barrier rather than return before it: it was where the ways around it meet again. */
  #passedBy(warp: number, barrier: Op): boolean {
    const ran = new Set(this.#runner.records?.[warp]?.blocks);
    const { blocks } = this.#program;
    const home = blocks.find(({ block }) => block.ops.includes(barrier))?.block;
    return blocks.some(
      ({ block, index, join }) => home && join && ran.has(index) && ran.has(join.index) && isBetween(home, block, join.block),
    );
  }

  /** How many branches decide whether a barrier is come to: one at which all are to meet is in none. */
  #depth(barrier: Op): number {
    return this.#decidersOf(barrier).length;
  }

  /** The blocks whose branches decide whether a barrier is come to. */
  #decidersOf(barrier: Op): CompiledBlock[] {
    const known = this.#deciders.get(barrier);
    if (known) return known;
    const { blocks } = this.#program;
    const home = blocks.find(({ block }) => block.ops.includes(barrier));
    const regionOf = divergentRegions(this.#program);
    const found = home ? blocks.filter(({ block }) => regionOf(block).has(home.block)) : [];
    this.#deciders.set(barrier, found);
    return found;
  }

  #diverges(barrier: Op, warp: number, lanes: number, missing: Dim3, ended: boolean, instead?: Op): void {
    const { span } = barrier;
    this.#goneBy ||= !ended;
    // One that goes by is worse than one that has ended.
    const key = `barrier ${span.file}:${span.start}${ended ? " ended" : ""}`;
    this.#witnesses.keep(key, () => ({
      kind: "divergent-barrier",
      by: this.#witnesses.actor(barrier, "barrier", warp, firstLane(lanes)),
      missing,
      ended,
      ...(instead ? { instead: placeOf(instead.span) } : {}),
    }));
  }
}

const isOfObject = ({ action }: Op): boolean => action.kind === "barrier" && action.object === true;

/** Whether a block is come to from another one before the place where its ways meet again. */
function isBetween(block: Block, from: Block, join: Block): boolean {
  const seen = new Set<Block>([join]);
  const pending = [...successors(from)];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (seen.has(next)) continue;
    if (next === block) return true;
    seen.add(next);
    pending.push(...successors(next));
  }
  return false;
}

/** The lanes that an operation names, for one that comes to it; undefined where that is not plain. */
function namedLanes({ action, args: [mask] }: Op, lane: number): number | undefined {
  return action.kind === "syncwarp" ? action.mask : mask && plainValue(mask, lane, 0);
}

/** Operations that a mask is made of at most. */
const deepestMask = 8;

/** Of numbers and the lane's own alone: the segment of a tile. */
function plainValue({ action, args }: Op, lane: number, depth: number): number | undefined {
  if (action.kind === "const") return Number(action.value) | 0;
  if (action.kind === "special") return action.register === "laneid" ? lane : undefined;
  if (action.kind !== "int" || depth >= deepestMask) return undefined;
  const [a, b] = args.map((arg) => plainValue(arg, lane, depth + 1));
  if (a === undefined || b === undefined) return undefined;
  switch (action.op) {
    case "and":
      return a & b;
    case "or":
      return a | b;
    case "shl":
      return a << b;
    case "lshr":
      return a >>> b;
    default:
      return undefined;
  }
}
