/**
 * A kernel made ready to run: for each block the steps that compute what is needed and count what is touched, as closures
 * over the register arrays; for each edge the moves its phis ask for.
 */
import { type GpuValues, reference } from "../gpus/model.ts";
import { findLoops, type Loop, reconvergence } from "../ir/graph.ts";
import type { Block, GroupProduct, Kernel, Launch, Op } from "../ir/kernel.ts";
import { isNamedBarrier, meetsOthers } from "../ir/operations.ts";
import { analyseDivergence, type Divergence } from "../passes/facts/divergence.ts";
import { Work } from "../work.ts";
import { type AccessCounter, createCounters } from "./accesses.ts";
import { bulkStep, type Gate, mbarrierStep, waiting as waitingAt } from "./async.ts";
import { acting, allBarriers, waitingBarriers } from "./barriers.ts";
import {
  type Condition,
  canFuse,
  comparison,
  everyLane,
  firstLane,
  type LaneValue,
  laneByLane,
  laneDifference,
  type Operand,
  wrapGuard,
} from "./conditions.ts";
import { launchConstants } from "./constants.ts";
import { BarrierReduction, memoryStep, type Running } from "./effects.ts";
import { Environment } from "./environment.ts";
import { fusedStep, hotAfter, isFusible } from "./fuse.ts";
import { groupProductStep } from "./group-product.ts";
import { groupReadsStep } from "./group-reads.ts";
import { laneStep, type MatchRounds } from "./lanes.ts";
import { findPatterns, noPatterns, type Patterns } from "./patterns.ts";
import { Presets } from "./presets.ts";
import { type Clock, type CompiledBlock, type Edge, type Program, warpSize } from "./program.ts";
import { type Provenance, traceAddresses } from "./provenance.ts";
import { copyStep, Registers, type Slot, type Step, slotKind, spreadStep, writeLong } from "./registers.ts";
import { mostSought, readExits, searchExits } from "./searches.ts";
import { type Slice, sliceForAddresses } from "./slice.ts";
import { type Contents, plainContents } from "./sources.ts";
import { lockHeaders, waitingExits } from "./spins.ts";
import { texelStep } from "./texels.ts";
import { NotExecutable, valueStep } from "./values.ts";

export interface CompileOptions {
  /** What to compute; by default what control flow and addresses depend on. */
  readonly slice?: Slice;
  /** Computes every lane of every value; by default those that differ as thread indices do are computed for one. */
  readonly allLanes?: boolean;
  /** Gives what buffers hold; by default what needs no earlier launch. */
  readonly contents?: Contents;
  /** Headers of loops that do not end: they are left after some turns. */
  readonly endless?: ReadonlySet<Block>;
  /** Warps wait at every barrier, whether or not it orders what matters. */
  readonly allBarriers?: boolean;
  /** Warps that wait for what others write let them go on meanwhile (`Runner.waitListener`). */
  readonly looksAgain?: boolean;
  /** Told of operations by which threads of a warp wait for each other or for what they copy, before they are carried out. */
  readonly onSync?: (op: Op, mask: number) => void;
  /** Told of the values of some operations, as they are carried out. */
  readonly onValue?: { watches(op: Op): boolean; told(op: Op, from: number, mask: number): void };
  /** The operations whose requests are counted: by default all, and none where only values are wanted. */
  readonly counts?: (op: Op) => boolean;
  /** What the launch runs on, as far as kernels see that: SMs and clocks; by default the GPU that others are compared with. */
  readonly gpu?: GpuValues;
  /** Asked whether the program is still wanted. */
  readonly work?: Work;
  /** Times a run of arithmetic is executed before code is made for it; infinity for never. */
  readonly hotAfter?: number;
}

/** Throws `NotExecutable` for what cannot be run. */
export function compile(kernel: Kernel, launch: Launch, options: CompileOptions = {}): Program {
  const environment = new Environment(kernel, launch, options.contents ?? plainContents);
  const { gpu = reference.values, work = new Work() } = options;
  const post = reconvergence(kernel);
  const loops = findLoops(kernel);
  const divergence = analyseDivergence(kernel, launch.block, post, loops, work);
  const provenance = traceAddresses(kernel, launch, work);
  const slice = options.slice ?? sliceForAddresses(kernel, provenance, work);
  const waitsAt = options.allBarriers ? allBarriers(kernel) : waitingBarriers(kernel, slice, loops);
  const leavesWaits = waitingExits(loops).size > 0;
  const letsOthers = leavesWaits && options.looksAgain === true;
  const waits = letsOthers || waitsAt.size > 0 || kernel.blocks.some((block) => block.ops.some(meetsOthers));
  const warps = Math.ceil((launch.block[0] * launch.block[1] * launch.block[2]) / warpSize);
  const registers = new Registers(warpSize * (waits ? warps : 1));
  const running: Running = { environment, weight: 1 };
  const patterns = options.allLanes ? noPatterns : findPatterns(kernel, launch.block, divergence, launchConstants(environment), work);
  const compiler = new Compiler({
    kernel,
    environment,
    divergence,
    slice,
    registers,
    running,
    waitsAt,
    patterns,
    provenance,
    counts: options.counts ?? (() => true),
    onSync: options.onSync,
    onValue: options.onValue,
    endless: options.endless ?? new Set(),
    hotAfter: options.hotAfter ?? hotAfter,
    gpu,
    work,
  });
  const blocks = compiler.blocks((block) => post.parent(block), loops);
  return {
    kernel,
    launch,
    environment,
    blocks,
    divergence,
    patterns,
    slice,
    registers,
    running,
    loops,
    provenance,
    leavesWaits,
    waits,
    counters: compiler.counters,
    clocks: compiler.clocks,
    matches: compiler.matches,
    reductions: compiler.reductions,
    actsOnMemory: acting(kernel.blocks, slice),
    isBelow: (op) => compiler.isBelow(op),
    difference: (op) => compiler.difference(op),
    startWarp: compiler.presets.startWarp(launch, gpu),
  };
}

/** Operations that are made one function: longer ones are not optimised. */
const longestRun = 64;

/** Values of their operands alone. */
const isPlain = ({ action: { kind } }: Op): boolean => /^(int|float|fma|icmp|fcmp|select|convert|math|gep|extract)$/.test(kind);

/** The lanes of the warp, or those that its first operand names, wait for each other, for what they copy, or until others see what they did. */
const synchronises = ({ action: { kind } }: Op): boolean =>
  /^(syncwarp|shuffle|vote|match|reduce|copy.commit|copy.wait|barrier.arrive|fence)$/.test(kind);

const compares = ({ action }: Op): boolean => action.kind === "icmp" || (action.kind === "int" && /^[su](min|max)$/.test(action.op));

/** What steps are made of. */
interface Parts {
  readonly kernel: Kernel;
  readonly environment: Environment;
  readonly divergence: Divergence;
  readonly slice: Slice;
  readonly registers: Registers;
  readonly running: Running;
  readonly waitsAt: ReadonlySet<Op>;
  readonly patterns: Patterns;
  readonly provenance: Provenance;
  readonly counts: (op: Op) => boolean;
  readonly onSync: CompileOptions["onSync"];
  readonly onValue: CompileOptions["onValue"];
  readonly endless: ReadonlySet<Block>;
  readonly hotAfter: number;
  readonly gpu: GpuValues;
  readonly work: Work;
}

class Compiler {
  readonly counters = new Map<Op, readonly AccessCounter[]>();
  readonly clocks = new Map<Op, Clock>();
  readonly matches = new Map<Op, MatchRounds>();
  readonly reductions: BarrierReduction[] = [];
  readonly #kernel: Kernel;
  readonly #environment: Environment;
  readonly #divergence: Divergence;
  readonly #slice: Slice;
  readonly #registers: Registers;
  readonly #running: Running;
  readonly #waitsAt: ReadonlySet<Op>;
  readonly #patterns: Patterns;
  readonly #provenance: Provenance;
  readonly #counts: (op: Op) => boolean;
  readonly #onSync: CompileOptions["onSync"];
  readonly #onValue: CompileOptions["onValue"];
  readonly #endless: ReadonlySet<Block>;
  readonly #hotAfter: number;
  readonly #gpu: GpuValues;
  readonly #work: Work;
  readonly #users = new Map<Op, (Op | "branch")[]>();
  /** Values computed for one lane that operations of all lanes read. */
  readonly #spread = new Set<Op>();
  /** Comparisons that only branches ask for, decided from the first lanes of what they compare. */
  readonly #fused = new Set<Op>();
  readonly presets: Presets;

  constructor(parts: Parts) {
    const { kernel, registers, divergence } = parts;
    this.#kernel = kernel;
    this.#environment = parts.environment;
    this.#divergence = divergence;
    this.#slice = parts.slice;
    this.#registers = registers;
    this.#running = parts.running;
    this.#waitsAt = parts.waitsAt;
    this.#patterns = parts.patterns;
    this.#provenance = parts.provenance;
    this.#counts = parts.counts;
    this.#onSync = parts.onSync;
    this.#onValue = parts.onValue;
    this.#endless = parts.endless;
    this.#hotAfter = parts.hotAfter;
    this.#gpu = parts.gpu;
    this.#work = parts.work;
    this.presets = new Presets(parts.environment, registers, parts.slice);
    const uses = (value: Op, user: Op | "branch"): void => {
      const users = this.#users.get(value);
      if (users) users.push(user);
      else this.#users.set(value, [user]);
    };
    for (const block of kernel.blocks) for (const op of [...block.phis, ...block.ops]) for (const arg of op.args) uses(arg, op);
    const read = new Set(this.#users.keys());
    for (const { end } of kernel.blocks) if (end.kind === "branch") uses(end.cond, "branch");
    for (const { end } of kernel.blocks) {
      if (end.kind !== "branch" || read.has(end.cond) || end.cond.action.kind !== "icmp" || divergence.outlivesLoop(end.cond)) continue;
      const [a, b] = end.cond.args;
      if (a && b && divergence.isVarying(end.cond) && canFuse(a) && this.#isScalar(a) && this.#isScalar(b)) this.#fused.add(end.cond);
    }
    for (const block of kernel.blocks) for (const op of [...block.phis, ...block.ops]) this.#findSpreads(op);
  }

  /** The value is computed for the first lane alone: all have the same, or differ from it by a pattern. */
  #isScalar(op: Op): boolean {
    return !this.#divergence.isVarying(op) || this.#patterns.of(op) !== undefined;
  }

  /** Marks the operands computed for one lane that an operation reads for each. */
  #findSpreads(op: Op): void {
    const { kind } = op.action;
    const computed = this.#slice.needs(op) && !this.#isScalar(op) && !this.#fused.has(op);
    const readsLanes =
      isNamedBarrier(op) || ((kind === "vote" || kind === "match" || kind === "reduce" || kind === "barrier") && this.#slice.needs(op));
    const writes =
      ((kind === "store" || kind === "atomic" || kind === "copy.async") && this.#slice.acts(op)) || kind === "copy.bulk" || meetsOthers(op);
    // Both addresses of a copy, and an address into per-thread memory, are read for each lane.
    const addresses = kind === "copy.async" || ((kind === "load" || kind === "store" || kind === "atomic") && this.#ownAddresses(op));
    const operands = computed || readsLanes || writes ? op.args : addresses ? op.args.slice(0, kind === "copy.async" ? 3 : 1) : [];
    for (const arg of operands) if (this.#isScalar(arg)) this.#spread.add(arg);
  }

  /** Lanes touch different memory even where they have the same address. */
  #ownAddresses(op: Op): boolean {
    const { action } = op;
    return (
      (action.kind === "load" || action.kind === "store" || action.kind === "atomic") &&
      (action.space === "local" || action.space === "generic")
    );
  }

  blocks(join: (block: Block) => Block | undefined, loops: readonly Loop[]): CompiledBlock[] {
    const waiting = waitingExits(loops);
    const locks = lockHeaders(loops);
    const headers = new Map(loops.map((loop) => [loop.header, loop]));
    const compiled = new Map<Block, CompiledBlock>();
    for (const [index, block] of this.#kernel.blocks.entries()) {
      compiled.set(block, {
        block,
        index,
        segments: [],
        gates: [],
        barriers: [],
        end: { kind: "return" },
        join: undefined,
        cost: 1,
        isLock: locks.has(block),
        search: undefined,
        skip: undefined,
        estimate: undefined,
        within: [],
        watches: [],
        outcomes: [],
      });
    }
    const of = (block: Block): CompiledBlock => {
      const found = compiled.get(block);
      if (!found) throw new NotExecutable("a branch out of the kernel");
      return found;
    };
    const edge = (from: Block, to: Block, nth: number): Edge => ({
      to: of(to),
      back: headers.get(to)?.blocks.has(from) ?? false,
      moves: this.#moves(from, to, nth),
    });
    for (const each of compiled.values()) {
      const { block } = each;
      const { segments, gates, barriers, cost } = this.#segments(block);
      each.segments = segments;
      each.gates = gates;
      each.barriers = barriers;
      each.cost = 1 + cost;
      const meet = join(block);
      each.join = meet ? of(meet) : undefined;
      const { end } = block;
      if (end.kind === "jump") each.end = { kind: "jump", edge: edge(block, end.to, 0) };
      else if (end.kind === "branch") {
        const behind = waiting.get(block);
        each.end = {
          kind: "branch",
          taken: behind === undefined ? this.#condition(end.cond) : (_, mask) => (behind === end.then ? mask : 0),
          then: edge(block, end.then, 0),
          else: edge(block, end.else, end.else === end.then ? 1 : 0),
          wait: behind === undefined ? undefined : this.#condition(end.cond),
        };
      }
    }
    const guessed = searchExits(loops, (address) => this.#isGuessed(address));
    for (const [header, { from, to }] of new Map([...readExits(loops), ...guessed])) {
      const isEndless = this.#endless.has(header);
      const most = isEndless || guessed.has(header) ? mostSought : Number.POSITIVE_INFINITY;
      of(header).search = { exit: edge(from, to, 0), most, isEndless, turns: [], longest: 0, isLeft: false };
    }
    return [...compiled.values()];
  }

  /** What stands there is made up. */
  #isGuessed(address: Op): boolean {
    const { buffers } = this.#environment.launch;
    return [...this.#provenance.of(address)].some((object) => {
      const [kind, index] = object.split(" ");
      return kind === "buffer" && buffers[Number(index)]?.guessed === true;
    });
  }

  #condition(cond: Op): Condition {
    const [a, b] = cond.args;
    if (this.#fused.has(cond) && a && b && cond.action.kind === "icmp") {
      return comparison(
        cond.action.predicate,
        this.#registers.slot(a),
        this.#patterns.of(a),
        this.#registers.slot(b),
        this.#patterns.of(b),
      );
    }
    return this.#isScalar(cond) ? firstLane(this.#registers.ints(cond)) : everyLane(this.#registers.ints(cond));
  }

  #compared({ action, args }: Op): { readonly unsigned: boolean; readonly x: Operand; readonly y: Operand } {
    const [a, b] = args;
    if (!a || !b) throw new NotExecutable("a comparison without operands");
    const unsigned = action.kind === "icmp" ? action.predicate.startsWith("u") : action.kind === "int" && action.op.startsWith("u");
    const operand = (op: Op): Operand => ({ slot: this.#registers.slot(op), scalar: this.#isScalar(op), pattern: this.#patterns.of(op) });
    return { unsigned, x: operand(a), y: operand(b) };
  }

  difference(op: Op): LaneValue {
    const { unsigned, x, y } = this.#compared(op);
    return laneDifference(unsigned, x, y);
  }

  isBelow(op: Op): Condition {
    const { unsigned, x, y } = this.#compared(op);
    if (x.slot.kind === "double" || !x.scalar || !y.scalar) return laneByLane(unsigned, x, y);
    return comparison(unsigned ? "ult" : "slt", x.slot, x.pattern, y.slot, y.pattern);
  }

  #segments(block: Block): Pick<CompiledBlock, "segments" | "gates" | "barriers" | "cost"> {
    const segments: Step[][] = [];
    const gates: (Gate | undefined)[] = [];
    const barriers: (Op | undefined)[] = [];
    let steps: Step[] = [];
    let cost = 0;
    let run: { readonly op: Op; readonly step: Step }[] = [];
    const endRun = (): void => {
      for (const step of this.#runSteps(run)) steps.push(step);
      run = [];
    };
    const endSegment = (waitsAt: { readonly gate: Gate } | { readonly barrier: Op }): void => {
      endRun();
      segments.push(steps);
      gates.push("gate" in waitsAt ? waitsAt.gate : undefined);
      barriers.push("barrier" in waitsAt ? waitsAt.barrier : undefined);
      steps = [];
    };
    for (const op of block.ops) {
      // A closure is made of each, which takes several times as long as looking at it.
      this.#work.ask(8);
      if (op.action.kind === "mbarrier.wait") {
        const { gate, step } = waitingAt(op, this.#asyncParts(op));
        endSegment({ gate });
        steps.push(step, ...this.#spreadSteps(op));
        cost += 2;
        continue;
      }
      if (op.action.kind !== "barrier") {
        const own = this.#opSteps(op);
        const told = this.#onSync;
        if (told && synchronises(op)) {
          endRun();
          steps.push((_, mask) => told(op, mask));
        }
        cost += own.length;
        const values = this.#onValue;
        if (values?.watches(op)) {
          endRun();
          for (const step of own) steps.push(step);
          steps.push((o, mask) => values.told(op, o, mask));
          continue;
        }
        const [only] = own;
        if (only && own.length === 1 && !this.#isScalar(op) && !this.#divergence.outlivesLoop(op) && isFusible(op)) {
          run.push({ op, step: only });
          if (run.length === longestRun) endRun();
          continue;
        }
        // What is computed once a warp needs nothing of what is computed for each lane: it may come before.
        if (own.length > 0 && !(this.#isScalar(op) && isPlain(op))) endRun();
        for (const step of own) steps.push(step);
        continue;
      }
      if (!this.#waitsAt.has(op)) continue;
      const [predicate] = op.args;
      if (op.action.reduce && predicate && this.#slice.needs(op)) {
        const reduction = new BarrierReduction();
        this.reductions.push(reduction);
        const values = this.#registers.ints(predicate);
        const out = this.#registers.ints(op);
        const how = op.action.reduce;
        endRun();
        steps.push((o, mask) => reduction.arrive(values, o, mask));
        endSegment({ barrier: op });
        steps.push((o) => out.fill(reduction.result(how), o, o + warpSize));
        cost += 2;
      } else endSegment({ barrier: op });
    }
    endRun();
    segments.push(steps);
    return { segments, gates, barriers, cost };
  }

  /** Of operations that follow each other: one for all, or each by itself. */
  #runSteps(run: readonly { readonly op: Op; readonly step: Step }[]): Step[] {
    const steps = run.map(({ step }) => step);
    if (run.length < 2 || this.#hotAfter === Number.POSITIVE_INFINITY) return steps;
    const ops = run.map(({ op }) => op);
    const inside = new Set(ops);
    // What is compared is looked at from outside too: see `isBelow`.
    const isRead = (op: Op): boolean =>
      (this.#users.get(op) ?? []).some((user) => user === "branch" || !inside.has(user) || compares(user));
    return [fusedStep(ops, steps, this.#registers, isRead, this.#hotAfter)];
  }

  /** Lanes an operation is computed for. */
  #lanes(op: Op): number {
    return this.#isScalar(op) ? 1 : warpSize;
  }

  #asyncParts(op: Op): Parameters<typeof mbarrierStep>[1] {
    const counters = createCounters(op, undefined);
    this.counters.set(op, counters);
    return { registers: this.#registers, running: this.#running, counters: this.#counts(op) ? counters : [] };
  }

  #opSteps(op: Op): Step[] {
    const needed = this.#slice.needs(op);
    if (this.presets.set(op)) return [];
    if (op.action.kind === "mbarrier") return [mbarrierStep(op, this.#asyncParts(op)), ...(needed ? this.#spreadSteps(op) : [])];
    if (op.action.kind === "copy.bulk") return [bulkStep(op, this.#asyncParts(op), this.#slice.acts(op))];
    const counters = createCounters(op, this.#texelBytes(op));
    if (op.action.kind === "wgmma") return this.#groupProduct(op, op.action.product, counters);
    if (counters.length > 0 || op.action.kind === "load") {
      if (counters.length > 0) this.counters.set(op, counters);
      const [address] = op.args;
      if (!address) return [];
      const acts = op.action.kind === "load" ? needed : this.#slice.acts(op);
      if (!this.#counts(op) && !acts) return [];
      const how = this.#divergence.isVarying(address) ? this.#patterns.of(address) : ("uniform" as const);
      const options = { acts, address: how, results: this.#lanes(op) };
      const step = memoryStep(op, this.#registers, this.#counts(op) ? counters : [], this.#running, options);
      return step ? [step, ...(needed ? this.#spreadSteps(op) : [])] : [];
    }
    if (!needed || this.#fused.has(op)) return [];
    const lanes = this.#lanes(op);
    const rounds = { times: 0, values: 0 };
    if (op.action.kind === "match") this.matches.set(op, rounds);
    const step = laneStep(op, this.#registers, lanes, rounds);
    if (step) return [step, ...this.#spreadSteps(op)];
    if (op.action.kind === "special") return [this.#maskStep(op)];
    // Products are not computed: their words stay 0.
    if (op.action.kind === "matrix") return [];
    if (op.action.kind === "texel") return [texelStep(op, this.#registers, this.#environment, lanes), ...this.#spreadSteps(op)];
    if (!this.#divergence.outlivesLoop(op)) {
      const value = valueStep(op, this.#registers, lanes);
      if (!value) throw new NotExecutable(op.action.kind);
      const guard = lanes === 1 ? wrapGuard(op, this.#registers, this.#patterns) : undefined;
      return [...(guard ? [guard] : []), value, ...this.#spreadSteps(op)];
    }
    // Lanes that have left the loop keep their value: compute beside it, and copy for the lanes still in.
    const kept = this.#registers.slot(op);
    const beside = this.#registers.create(slotKind(op.type));
    this.#registers.redirect(op, 0, beside);
    const value = valueStep(op, this.#registers, lanes);
    this.#registers.redirect(op, 0, kept);
    if (!value) throw new NotExecutable(op.action.kind);
    return [value, copyStep(kept, beside, warpSize)];
  }

  /** A warp's part of its group's product: what it reads is counted, and where it matters computed. */
  #groupProduct(op: Op, product: GroupProduct, [counter]: readonly AccessCounter[]): Step[] {
    if (this.#gpu.groupProductLatency === undefined) throw new Error("wgmma is of compute capability 9.0 alone (sm_90a)");
    const steps: Step[] = [];
    if (counter && this.#counts(op)) {
      this.counters.set(op, [counter]);
      steps.push(groupReadsStep(op, product, this.#registers, counter, this.#running));
    }
    if (this.#slice.needs(op)) steps.push(groupProductStep(op, product, this.#registers, this.#environment));
    return steps;
  }

  /** What one lane of a texture access moves: what the object says, or else the access. */
  #texelBytes({ action, args: [address] }: Op): number | undefined {
    if ((action.kind !== "load" && action.kind !== "store") || action.space !== "texture" || address?.action.kind !== "texel")
      return undefined;
    const [object] = this.#provenance.of(address);
    const [kind, index] = object?.split(" ") ?? [];
    const { buffers } = this.#environment.launch;
    return (kind === "buffer" ? buffers[Number(index)]?.image?.texelBytes : undefined) ?? address.action.bytes;
  }

  #spreadSteps(op: Op): Step[] {
    return this.#spread.has(op) ? [spreadStep(this.#registers.slot(op), this.#patterns.of(op)?.lanes)] : [];
  }

  /** `activemask` and clocks: read where they stand. */
  #maskStep(op: Op): Step {
    const slot = this.#registers.slot(op);
    const active = op.action.kind === "special" && op.action.register === "activemask";
    const clock = active ? undefined : this.#clockOf(op);
    return (o, mask) => {
      const value = clock ? (clock.time.data[o]! += clock.interval) : mask;
      for (let lane = 0; lane < warpSize; lane++) {
        if (lane > 0 && !((mask >>> lane) & 1)) continue;
        if (slot.kind === "int") slot.data[o + lane] = value;
        else if (slot.kind === "long") writeLong(slot.data, o + lane, BigInt(value));
      }
    };
  }

  #clockOf(op: Op): Clock {
    const time = this.#registers.create("double");
    if (time.kind !== "double") throw new NotExecutable("a clock that counts in no number");
    const clock: Clock = { time, interval: this.#gpu.clockReadInterval };
    this.clocks.set(op, clock);
    return clock;
  }

  /** Steps that set the phis of `to` on the `nth` edge from `from`, all at once. */
  #moves(from: Block, to: Block, nth: number): Step[] {
    let position = -1;
    for (let left = nth; left >= 0; left--) position = to.predecessors.indexOf(from, position + 1);
    const pairs = to.phis.flatMap((phi) => {
      const value = phi.args[position];
      return value && value !== phi && this.#slice.needs(phi) ? [{ phi, value }] : [];
    });
    const overwritten = new Set(pairs.map(({ phi }) => phi));
    const early: Step[] = [];
    const late: Step[] = [];
    for (const { phi, value } of pairs) {
      const lanes = this.#lanes(phi);
      const target = this.#registers.slot(phi);
      let source: Slot = this.#registers.slot(value);
      if (overwritten.has(value)) {
        // Another phi of the block: take its value before it changes.
        const before = this.#registers.create(source.kind);
        early.push(copyStep(before, source, lanes));
        source = before;
      }
      late.push(copyStep(target, source, lanes), ...this.#spreadSteps(phi));
    }
    return [...early, ...late];
  }
}
