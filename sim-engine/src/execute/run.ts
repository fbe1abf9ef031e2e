/**
 * Runs a program, block after block: the warps of a block in turn, each to its end or to where it has to wait for others. Lanes of a warp
 * that part at a branch run one way after the other and meet again at the branch's immediate post-dominator.
 */

import type { Op } from "../ir/kernel.ts";
import { isNamedBarrier } from "../ir/operations.ts";
import { popcount } from "../memory/distinct.ts";
import type { Work } from "../work.ts";
import type { Gate } from "./async.ts";
import { BudgetExceeded, mostTurns } from "./budget.ts";
import { FlowCounters } from "./flow.ts";
import { WrapsAround } from "./patterns.ts";
import { type CompiledBlock, type Edge, type LoopSkip, type OpenWindow, type Program, warpSize } from "./program.ts";
import { WarpRecord } from "./record.ts";
import { advanceValues, firstWindow, leastWindows, readValues } from "./skip.ts";
import { mostTries, neverReleased } from "./spins.ts";
import { comparisonMark, follows, sameLanes, skipMark, type Trial } from "./trial.ts";

/** Steps of one block that are run without a question whether they are still wanted. */
const longSegment = 64;
/** A question's worth of them: each may do several operations for all lanes. */
const operationsOfStep = 8;

/** Hears what happens at barriers of the block. */
export interface BarrierListener {
  /**
   * Lanes of a warp come to a barrier.
   * @param missing lanes that go on with these behind the barrier, and have not come
   * @param ended lanes that returned before
   */
  arrive(warp: number, barrier: Op, lanes: number, missing: number, ended: number): void;
  /** All that are not done wait: those at named barriers go on, or else all that are at a barrier. */
  release(): void;
}

/** Hears of loops that wait for what others write; without one, each is left after one look. */
export interface WaitListener {
  /** Lanes of a warp leave such a loop although what they wait for is not there: nobody is left in the block who would write it. */
  leaves(warp: number, lanes: number): void;
}

interface StackEntry {
  block: CompiledBlock;
  /** Reaching this block, the lanes wait for those of the entry below. */
  readonly join: CompiledBlock | undefined;
  mask: number;
}

class Warp {
  readonly o: number;
  /** The lanes that it began with. */
  readonly all: number;
  readonly stack: StackEntry[];
  /** Segment of the top entry's block to go on with. */
  segment = 0;
  /** What it waits for, if not for the others at a barrier. */
  gate: Gate | undefined;
  /** It looks at what others write, in vain so far. */
  looks = false;
  /** It looks no more: nobody else goes on. */
  isTired = false;
  /** It stands at a barrier, and others are not there yet; `named` at one that is not for all of the block. */
  atBarrier: false | "block" | "named" = false;

  constructor(o: number, mask: number, entry: CompiledBlock) {
    this.o = o;
    this.all = mask;
    this.stack = [{ block: entry, join: undefined, mask }];
  }

  get done(): boolean {
    return this.stack.length === 0;
  }

  /** The lanes that wait. */
  get mask(): number {
    return this.stack[this.stack.length - 1]?.mask ?? 0;
  }

  get mayGoOn(): boolean {
    return this.gate ? this.gate.isOpen(this.o, this.mask) : !this.atBarrier;
  }
}

/** Hears of each branch that lanes of a warp come to. @param taken those that go on at its first edge */
type BranchListener = (block: CompiledBlock, lanes: number, taken: number) => void;

export class Runner {
  readonly program: Program;
  readonly flow: FlowCounters;
  /** What is spent by what runs: about a step for each warp instruction. */
  work: Work;
  /** A barrier was reached by part of a warp's lanes. */
  divergentBarriers = 0;
  barrierListener: BarrierListener | undefined;
  waitListener: WaitListener | undefined;
  branchListener: BranchListener | undefined;
  #warp: Warp | undefined;
  /** What the warps of the block that runs did, when it is to be kept. */
  records: WarpRecord[] | undefined;
  /** The record of the warp that runs. */
  record: WarpRecord | undefined;
  /** Blocks and masks since the outermost open window began. */
  #path: number[] | undefined;
  /** Loops with an open window, outermost first. */
  #open: LoopSkip[] = [];
  /** A window run to see whether it goes the same way as one before. */
  #trial: Trial | undefined;
  /** Lanes that try to take a lock, and how often they did in vain. */
  #trying = 0;
  #vain = 0;
  /** How much of the launch a request of the running block stands for, in loops whose turns are all run. */
  #weight = 1;

  constructor(program: Program, work: Work) {
    this.program = program;
    this.flow = new FlowCounters(
      program.blocks.length,
      program.blocks.reduce((sum, { outcomes }) => sum + outcomes.length, 0),
    );
    this.work = work;
  }

  /**
   * Runs the block at `at` of the grid, or, where its warps do not wait for each other, only one of them, each request counting
   * `weight`. Throws `BudgetExceeded` or `Cancelled`.
   */
  runBlock(at: readonly [number, number, number], weight = 1, only?: number): void {
    const { program } = this;
    const [width, height, depth] = program.launch.block;
    const threads = width * height * depth;
    const [entry] = program.blocks;
    if (!entry) return;
    this.#weight = weight;
    if (program.actsOnMemory) program.environment.clearShared();
    const warpCount = Math.ceil(threads / warpSize);
    const lanesOf = (warp: number): number => {
      const lanes = Math.min(warpSize, threads - warp * warpSize);
      return lanes === warpSize ? -1 : (1 << lanes) - 1;
    };
    if (!program.waits) {
      for (let index = only ?? 0; index < (only === undefined ? warpCount : only + 1); index++) {
        program.startWarp(0, index, at);
        const warp = new Warp(0, lanesOf(index), entry);
        this.#begin(index);
        while (!warp.done) {
          this.#run(warp);
          warp.isTired = warp.looks;
        }
      }
      return;
    }
    program.environment.mbarriers.clear();
    let waiting: Warp[] = [];
    for (let index = 0; index < warpCount; index++) {
      program.startWarp(index * warpSize, index, at);
      waiting.push(new Warp(index * warpSize, lanesOf(index), entry));
    }
    let looks = 0;
    while (waiting.length > 0) {
      let moved = false;
      for (const warp of waiting) {
        if (!warp.mayGoOn) continue;
        this.#begin(warp.o / warpSize);
        this.#run(warp);
        if (!warp.looks) moved = true;
      }
      waiting = waiting.filter((warp) => !warp.done);
      const looking = waiting.find((warp) => warp.looks);
      if (moved) looks = 0;
      else if (looking) looking.isTired = true;
      else if (!this.#release(waiting)) {
        if (++looks > mostTries || !(this.#letLook(waiting) || opened(waiting))) throw stuck(waiting);
      }
    }
  }

  /**
   * Lets those go on that wait at a barrier, once no other can come there: before all, those at named ones, for whom the others may wait
   * at the block's. False where none does.
   */
  #release(waiting: readonly Warp[]): boolean {
    let released = false;
    const kind = waiting.some(({ atBarrier }) => atBarrier === "named") ? "named" : "block";
    for (const warp of waiting) {
      if (warp.atBarrier !== kind) continue;
      released = true;
      warp.atBarrier = false;
    }
    if (released) {
      for (const reduction of this.program.reductions) reduction.release();
      this.barrierListener?.release();
    }
    return released;
  }

  /** Lets those look who need not wait for what they look at. False where all have to. */
  #letLook(waiting: readonly Warp[]): boolean {
    let looked = false;
    for (const warp of waiting) {
      if (warp.done || !warp.gate || warp.gate.suspends) continue;
      looked = true;
      this.#begin(warp.o / warpSize);
      this.#run(warp);
    }
    return looked;
  }

  /** Keeps the record of this warp, if any is kept. */
  #begin(warp: number): void {
    if (!this.records) this.record = undefined;
    else this.record = this.records[warp] ??= new WarpRecord(warp);
  }

  /** To the warp's end, its next barrier, or a gate that is closed. */
  #run(warp: Warp): void {
    warp.gate = undefined;
    warp.looks = false;
    this.#warp = warp;
    const { flow, program } = this;
    const { o, stack } = warp;
    const { running } = program;
    for (let top = stack.at(-1); top; top = stack[stack.length - 1]) {
      const { block, mask } = top;
      if (block === top.join) {
        stack.pop();
        continue;
      }
      if (warp.segment === 0) {
        const { search } = block;
        if (search && search.turns[o / warpSize]! >= search.most) {
          search.isLeft = true;
          this.#take(top, search.exit, o, mask);
          continue;
        }
        if (block.skip && this.#atHeader(block.skip, top, o)) return;
        if (this.#trial && !follows(this.#trial, block.index, mask)) return;
        block.estimate?.arrive(o, mask, this.record);
        this.#spend(block.cost);
        const turns = turnsOf(block, o);
        running.weight = this.#weight * turns;
        flow.executions[block.index]! += running.weight;
        flow.lanes[block.index]! += running.weight * (mask === -1 ? warpSize : popcount(mask));
        this.#path?.push(block.index, mask);
        if (this.record && !this.#trial) this.record.enter(block.index, turns);
      } else running.weight = this.#weight * turnsOf(block, o);
      const steps = block.segments[warp.segment];
      if (steps) {
        for (let k = 0; k < steps.length; k++) {
          steps[k]!(o, mask);
          if (k % longSegment === longSegment - 1) this.work.goOn(longSegment * operationsOfStep);
        }
      }
      for (const { index, isBelow } of block.outcomes) flow.below[index]! += running.weight * popcount(isBelow(o, mask));
      if (block.watches.length > 0 && (this.#path || this.#trial) && !this.#watch(block, o, mask)) return;
      if (warp.segment + 1 < block.segments.length) {
        const barrier = block.barriers[warp.segment];
        const gate = block.gates[warp.segment++];
        if (gate) {
          // Where others are let go on, they are at every wait: who is ahead may be in their way.
          if (gate.isOpen(o, mask) && !this.waitListener) continue;
          warp.gate = gate;
          return;
        }
        warp.atBarrier = barrier && isNamedBarrier(barrier) ? "named" : "block";
        if (stack.length > 1 && stack[stack.length - 2]!.mask !== mask) this.divergentBarriers++;
        if (barrier && this.barrierListener) this.#tell(this.barrierListener, warp, barrier, mask);
        return;
      }
      warp.segment = 0;
      const { end } = block;
      if (end.kind === "jump") this.#take(top, end.edge, o, mask);
      else if (end.kind === "return") leave(stack, mask);
      else {
        const taken =
          end.wait && this.waitListener && !this.#trial ? this.#look(warp, end.wait(o, mask), end.taken(o, mask)) : end.taken(o, mask);
        this.branchListener?.(block, mask, taken);
        if (taken !== 0) flow.then[block.index]! += running.weight;
        if (taken !== mask) flow.else[block.index]! += running.weight;
        if (taken === mask) this.#take(top, end.then, o, mask);
        else if (taken === 0) this.#take(top, end.else, o, mask);
        else {
          flow.divergent[block.index]! += running.weight;
          this.#part(stack, top, end.then, end.else, o, taken);
        }
        if (warp.looks) return;
      }
    }
  }

  /** Whether lanes leave a loop that waits. @param now those for whom the way out is open; @param out those that would be let out */
  #look(warp: Warp, now: number, out: number): number {
    if (now === out || !warp.isTired) {
      warp.isTired = false;
      warp.looks = now !== out;
      return now;
    }
    warp.isTired = false;
    this.waitListener?.leaves(warp.o / warpSize, now ^ out);
    return out;
  }

  #tell(listener: BarrierListener, warp: Warp, barrier: Op, mask: number): void {
    const { missing, ended } = othersOf(warp, mask);
    listener.arrive(warp.o / warpSize, barrier, mask, missing, ended);
  }

  /** What runs is only tried: it need not happen. */
  get isTrying(): boolean {
    return this.#trial !== undefined;
  }

  /** Of the warp that runs: the lanes that wait for these behind the branches that they are in, and those that have returned. */
  others(mask: number): { readonly missing: number; readonly ended: number } {
    return this.#warp ? othersOf(this.#warp, mask) : { missing: 0, ended: 0 };
  }

  #take(top: StackEntry, edge: Edge, o: number, mask: number): void {
    const { moves } = edge;
    for (let k = 0; k < moves.length; k++) moves[k]!(o, mask);
    top.block = edge.to;
    if (edge.to.isLock) this.#try(mask, edge.back);
    if (edge.to.skip || edge.to.estimate || edge.to.search) this.#arrive(edge, o);
  }

  /** The lanes of `taken` go one way and the others the other; the entry they leave waits where they meet. */
  #part(stack: StackEntry[], top: StackEntry, then: Edge, otherwise: Edge, o: number, taken: number): void {
    const rest = top.mask & ~taken;
    const join = top.block.join ?? top.join;
    for (const move of then.moves) move(o, taken);
    for (const move of otherwise.moves) move(o, rest);
    this.#arrive(then, o);
    this.#arrive(otherwise, o);
    if (top.block.join) top.block = top.block.join;
    else stack.pop();
    if (otherwise.to !== join) stack.push({ block: otherwise.to, join, mask: rest });
    if (then.to !== join) stack.push({ block: then.to, join, mask: taken });
  }

  /** A turn of a loop that tries to take a lock. Whoever holds it runs when this warp is done, or never. */
  #try(mask: number, again: boolean): void {
    if (mask !== this.#trying || !again) this.#vain = 0;
    this.#trying = mask;
    if (++this.#vain > mostTries) throw neverReleased();
  }

  /** At the header of a loop whose iterations may be skipped. True to leave the run: a trial has seen what it was to see. */
  #atHeader(skip: LoopSkip, top: StackEntry, o: number): boolean {
    const { state } = skip;
    const trial = this.#trial;
    if (trial?.skip === skip) {
      if (--trial.arrivals > 0) return false;
      trial.same = trial.at === trial.path.length;
      return true;
    }
    if (state.window && state.iterations === state.window.end) this.#closeWindow(skip, top, o);
    if (!state.window && state.iterations >= state.next) this.#openWindow(skip, top, o);
    return false;
  }

  #openWindow(skip: LoopSkip, top: StackEntry, o: number): void {
    const { state } = skip;
    // Windows of loops that were left meanwhile are void.
    this.#open = this.#open.filter((outer) => outer !== skip && outer.blocks.has(top.block) && outer.state.window);
    if (this.#open.length === 0) this.#path = [];
    this.#open.push(skip);
    const path = (this.#path ??= []);
    state.window = {
      end: state.iterations + skip.window,
      recordStart: this.record?.blocks.length ?? 0,
      mask: top.mask,
      values: readValues(skip.values, o),
      counts: skip.counters.map((counter) => counter.totals()),
      flow: this.flow.all().map((each) => each.slice()),
      path,
      pathStart: path.length,
    };
  }

  /** Finds out how many windows more go the same way, skips them, and counts the one that was run for each of them. */
  #closeWindow(skip: LoopSkip, top: StackEntry, o: number): void {
    const { state } = skip;
    const { window } = state;
    if (!window) return;
    state.window = undefined;
    this.#open = this.#open.filter((each) => each !== skip);
    const { iterations } = state;
    const skipped = this.#windowsToSkip(skip, top, o, window);
    state.iterations = iterations;
    if (this.#trial && !follows(this.#trial, skipMark, skipped)) this.#trial.at = -1;
    if (this.#open.length === 0) this.#path = undefined;
    else this.#path?.push(skipMark, skipped);
    if (skipped === 0) {
      state.next = 2 * iterations;
      return;
    }
    for (const [index, counter] of skip.counters.entries()) counter.add(difference(counter.totals(), window.counts[index]), skipped);
    for (const [index, each] of this.flow.all().entries()) {
      for (const [k, count] of difference(each, window.flow[index]).entries()) each[k]! += count * skipped;
    }
    // What was run of the loop so far stands for what was skipped: all of it alike in time, its last round where sectors are followed.
    const round = skip.window > 1 ? window.recordStart : undefined;
    this.record?.scale(state.recordStart, 1 + (skipped * skip.window) / state.iterations, round);
    state.iterations += skipped * skip.window;
    state.next = state.iterations + firstWindow;
  }

  /** The most windows after which one still goes the way the open one went; values are advanced past them. */
  #windowsToSkip(skip: LoopSkip, top: StackEntry, o: number, window: OpenWindow): number {
    const path = window.path.slice(window.pathStart);
    const after = readValues(skip.values, o);
    if (top.mask !== window.mask || !sameLanes(path, top.block.index, top.mask, skip.window)) return 0;
    const advance = (windows: number): boolean => advanceValues(skip.values, o, top.mask, window.values, after, windows);
    const goes = (windows: number): boolean => advance(windows) && this.#tries(skip, top, o, path);
    const least = leastWindows(skip);
    const { likely } = skip.state;
    let good = likely > least && goes(likely) ? likely : 0;
    let bad = good > 0 ? good + 1 : least;
    // What held so far fails there: nothing beyond is looked at.
    const end = good === 0 && likely > least ? likely : Number.POSITIVE_INFINITY;
    while (bad < end && goes(bad)) {
      if (bad > mostTurns) {
        if (top.block.search) top.block.search.longest = bad;
        throw new BudgetExceeded("a loop that never ends");
      }
      good = bad;
      bad *= 2;
    }
    bad = Math.min(bad, end);
    // Without a skip there is nothing to look for between none and the least.
    while (good > 0 && bad - good > 1) {
      const middle = Math.floor((good + bad) / 2);
      if (goes(middle)) good = middle;
      else bad = middle;
    }
    skip.state.likely = good;
    advance(good);
    return good;
  }

  /** Whether a window that begins with the values as they are goes the way of `path`. Counts nothing. */
  #tries(skip: LoopSkip, top: StackEntry, o: number, path: readonly number[]): boolean {
    const weight = this.#weight;
    const [outer, outerPath, outerOpen] = [this.#trial, this.#path, this.#open];
    const trial: Trial = { skip, arrivals: skip.window + 1, path, at: 0, same: false };
    this.#weight = 0;
    this.#trial = trial;
    this.#path = undefined;
    this.#open = [];
    try {
      this.#run(new Warp(o, top.mask, top.block));
    } catch (error) {
      // Beyond the loop's end values may well wrap around.
      if (!(error instanceof WrapsAround)) throw error;
    }
    this.#trial = outer;
    this.#path = outerPath;
    this.#open = outerOpen;
    this.#weight = weight;
    return trial.same;
  }

  /** Notes outcomes of comparisons on the path; false when a trial finds one that differs. */
  #watch(block: CompiledBlock, o: number, mask: number): boolean {
    for (const watch of block.watches) {
      const outcome = watch(o, mask);
      if (this.#trial && !follows(this.#trial, comparisonMark, outcome)) return false;
      this.#path?.push(comparisonMark, outcome);
    }
    return true;
  }

  /** Keeps count of a loop's iterations. */
  #arrive(edge: Edge, o: number): void {
    if (!edge.back) edge.to.estimate?.enter(o);
    const { search } = edge.to;
    if (search) {
      const turns = edge.back ? search.turns[o / warpSize]! + 1 : 0;
      search.turns[o / warpSize] = turns;
      if (turns > search.longest) search.longest = turns;
    }
    const state = edge.to.skip?.state;
    if (!state) return;
    if (edge.back) state.iterations++;
    else {
      state.iterations = 0;
      state.next = firstWindow;
      state.window = undefined;
      state.recordStart = this.record?.blocks.length ?? 0;
    }
  }

  #spend(cost: number): void {
    if (this.work.spend(cost) < 0) throw new BudgetExceeded("the kernel runs longer than the simulation's step budget");
    // Of 32 lanes: twice as long as what else is a step.
    this.work.ask(cost);
  }
}

function othersOf({ stack, all }: Warp, mask: number): { readonly missing: number; readonly ended: number } {
  let live = 0;
  let missing = 0;
  for (const entry of stack) {
    live |= entry.mask;
    if ((entry.mask & mask) === mask) missing |= entry.mask & ~mask;
  }
  return { missing, ended: all & ~live };
}

/** Lets a warp on that other blocks of the cluster may let on. */
const opened = (waiting: readonly Warp[]): boolean => waiting.some((warp) => warp.gate?.open(warp.o, warp.mask));

/** Why no warp of a block goes on. */
function stuck(waiting: readonly Warp[]): Error {
  const warp = waiting.find(({ gate }) => gate);
  return warp?.gate?.problem(warp.o, warp.mask) ?? new Error("the threads of a block wait for each other for ever");
}

/** How many turns of the loops it is in the running one stands for. */
function turnsOf({ within }: CompiledBlock, o: number): number {
  let turns = 1;
  for (let k = 0; k < within.length; k++) turns *= within[k]!.weight(o);
  return turns;
}

/** The top entry's lanes end: those that wait for them below go on without. */
function leave(stack: StackEntry[], mask: number): void {
  stack.pop();
  for (const entry of stack) entry.mask &= ~mask;
  while (stack.length > 0 && stack[stack.length - 1]!.mask === 0) stack.pop();
}

const difference = (after: Float64Array, before: Float64Array | undefined): Float64Array =>
  after.map((value, index) => value - (before?.[index] ?? 0));
