/** Loops of several iterations a turn, with what is left over before or behind them. */

import { createOp, linkBlocks } from "../../ir/builder.ts";
import type { Loop } from "../../ir/graph.ts";
import type { Block, Kernel, Op, ScalarType } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { insertBlock } from "../edit/blocks.ts";
import { Constants } from "../edit/constants.ts";
import { addEdge, removeEdge } from "../edit/edges.ts";
import { repairSsa } from "../edit/ssa-repair.ts";
import { type BottomTested, type Counter, emitTripsLessOne, tripsType } from "./induction.ts";
import { type Chain, chain, copyDefinitions, usedOutside } from "./unroll-chain.ts";
import { never } from "./unroll-policy.ts";

/** What takes from a trip count the turns that are left over of so many at a time: a mask, where that is a power of two. */
const remainderOf = (factor: number): { readonly op: "and" | "urem"; readonly by: number } =>
  (factor & (factor - 1)) === 0 ? { op: "and", by: factor - 1 } : { op: "urem", by: factor };

/** Puts them before a loop, or in its place. */
export class Stages {
  readonly #kernel: Kernel;
  readonly #loop: Loop;
  readonly #test: BottomTested;
  readonly #entry: Block;
  readonly #live: ReadonlyMap<Op, Block>;
  readonly #back: number;
  readonly #constants: Constants;
  readonly #after: number;
  readonly #work: Work;
  readonly #chains: Chain[] = [];

  constructor(kernel: Kernel, loop: Loop, test: BottomTested, entry: Block, after: number, work: Work) {
    this.#work = work;
    this.#after = after;
    this.#kernel = kernel;
    this.#loop = loop;
    this.#test = test;
    this.#entry = entry;
    this.#live = usedOutside(kernel, loop, work);
    this.#back = loop.header.predecessors.indexOf(test.latch);
    this.#constants = new Constants(kernel);
  }

  /** The trip count is a multiple of the factor and so many turns more, which come first: the body becomes that many copies. */
  whole(factor: number, more = 0): void {
    const { header } = this.#loop;
    const { latch, exit, continues } = this.#test;
    const first = more > 0 ? chain(this.#kernel, this.#loop, this.#test, this.#starts(), more, header, this.#work) : undefined;
    if (first) this.#chains.push(first);
    const made = this.#turns(factor, first?.ends ?? this.#starts(), first?.lastLatch ?? this.#entry);
    const { cond } = made.chain;
    const last = made.chain.copies.at(-1)?.values;
    this.#close(made, cond, continues, exit, (phi) => {
      const value = phi.args[exit.predecessors.indexOf(latch)] as Op;
      return last?.get(value) ?? value;
    });
    removeEdge(this.#entry, header);
    this.#entry.end = { kind: "jump", to: first?.first ?? made.header };
    if (first) {
      first.first.predecessors.push(this.#entry);
      first.lastLatch.end = { kind: "jump", to: made.header };
    }
    const definitions = copyDefinitions(this.#live, this.#chains);
    for (const [value, at] of definitions) at.delete(this.#live.get(value) as Block);
    linkBlocks(this.#kernel);
    repairSsa(this.#kernel, definitions, this.#work);
  }

  /** Whole turns first, then what is left in the loop itself, counted by its own counter (LLVM's runtime unrolling with an epilogue). */
  withRest(counter: Counter, factor: number): boolean {
    const kernel = this.#kernel;
    const { header } = this.#loop;
    const type = tripsType(counter);
    const entry = this.#entry;
    const starts = this.#starts();
    const less = emitTripsLessOne(kernel, entry, counter, this.#constants);
    if (!less) return false;
    const int = (value: number): Op => this.#constants.int(type, value);
    const emit = (block: Block, action: Op["action"], to: ScalarType, ...args: Op[]): Op => {
      const op = createOp(kernel, action, to, args, counter.phi.span);
      block.ops.push(op);
      return op;
    };
    const trips = emit(entry, { kind: "int", op: "add" }, type, less, int(1));
    const { op, by } = remainderOf(factor);
    const rest = emit(entry, { kind: "int", op }, type, trips, int(by));
    const few = emit(entry, { kind: "icmp", predicate: "ult" }, "i1", less, int(factor - 1));

    const between = insertBlock(kernel, header);
    const enter = insertBlock(kernel, between);
    const whole = emit(enter, { kind: "int", op: "sub" }, type, trips, rest);
    const made = this.#turns(factor, starts, enter);
    // A counter of 64 bits that steps by one counts the turns, too: what is tested is a sum, of which ptxas makes nothing.
    if (counter.phi.type === "i64" && counter.step === 1) made.header.unroll = never;
    enter.end = { kind: "jump", to: made.header };
    const turns = createOp(kernel, { kind: "phi" }, type, [whole], counter.phi.span);
    const left = emit(made.chain.lastLatch, { kind: "int", op: "add" }, type, turns, int(-factor));
    made.header.phis.push(turns);
    const more = emit(made.chain.lastLatch, { kind: "icmp", predicate: "ne" }, "i1", left, int(0));
    this.#close(made, more, true, between, () => left);
    turns.args[1] = left;

    const { span } = counter.phi;
    entry.end = { kind: "branch", cond: few, then: between, else: enter, span };
    enter.predecessors.push(entry);
    // The rest begins where the turns ended, or at the start.
    between.predecessors = [made.chain.lastLatch, entry];
    const resumed = this.#resume(between, [made.chain.ends, starts]);
    const into = insertBlock(kernel, header);
    const some = emit(between, { kind: "icmp", predicate: "ne" }, "i1", rest, int(0));
    const { exit, latch } = this.#test;
    between.end = { kind: "branch", cond: some, then: into, else: exit, span };
    into.predecessors = [between];
    into.end = { kind: "jump", to: header };
    const leaving = (phi: Op): Op => phi.args[exit.predecessors.indexOf(latch)] as Op;
    addEdge(between, exit, leaving);
    if (this.#runsOut(factor)) {
      removeEdge(entry, header);
      for (const { lastLatch, copies } of this.#singles(rest, factor - 1, resumed, into, exit))
        addEdge(lastLatch, exit, (phi) => copies[0]?.values.get(leaving(phi)) ?? leaving(phi));
      this.#finish([{ block: entry, values: starts }], false);
      return true;
    }
    this.#enterFrom(into, resumed);
    // Its own counter: one less than before each time.
    const remaining = createOp(kernel, { kind: "phi" }, type, [], span);
    remaining.args = header.predecessors.map((from) => (from === into ? rest : remaining));
    header.phis.push(remaining);
    const next = emit(latch, { kind: "int", op: "add" }, type, remaining, int(-1));
    remaining.args[this.#back] = next;
    const again = emit(latch, { kind: "icmp", predicate: "ne" }, "i1", next, int(0));
    latch.end = { kind: "branch", cond: again, then: header, else: exit, span };
    header.unroll = never;
    this.#finish([{ block: entry, values: starts }]);
    return true;
  }

  /** What is left first, counted by its own counter, then whole turns that end by the loop's own test (with a prologue). */
  afterRest(counter: Counter, factor: number): boolean {
    const kernel = this.#kernel;
    const { header } = this.#loop;
    const type = tripsType(counter);
    const { span } = counter.phi;
    const entry = this.#entry;
    const starts = this.#starts();
    const less = emitTripsLessOne(kernel, entry, counter, this.#constants);
    if (!less) return false;
    const int = (value: number): Op => this.#constants.int(type, value);
    const emit = (block: Block, action: Op["action"], to: ScalarType, ...args: Op[]): Op => {
      const op = createOp(kernel, action, to, args, span);
      block.ops.push(op);
      return op;
    };
    const trips = emit(entry, { kind: "int", op: "add" }, type, less, int(1));
    const { op, by } = remainderOf(factor);
    const rest = emit(entry, { kind: "int", op }, type, trips, int(by));
    const few = emit(entry, { kind: "icmp", predicate: "ult" }, "i1", less, int(factor - 1));
    const some = emit(entry, { kind: "icmp", predicate: "ne" }, "i1", rest, int(0));

    const between = insertBlock(kernel, header);
    const enter = insertBlock(kernel, between);
    const ends = this.#runsOut(factor)
      ? this.#singles(rest, factor - 1, starts, enter, between)
      : [this.#counted(rest, starts, enter, between)];
    entry.end = { kind: "branch", cond: some, then: enter, else: between, span };
    removeEdge(entry, header);
    enter.predecessors.push(entry);
    between.predecessors = [...ends.map(({ lastLatch }) => lastLatch), entry];
    const resumed = this.#resume(between, [...ends.map((made) => made.ends), starts]);

    const { exit, latch, continues } = this.#test;
    const into = insertBlock(kernel, header);
    between.end = { kind: "branch", cond: few, then: exit, else: into, span };
    into.predecessors = [between];
    const main = this.#turns(factor, resumed, into);
    into.end = { kind: "jump", to: main.header };
    const last = main.chain.copies.at(-1)?.values;
    const leaving = (phi: Op): Op => phi.args[exit.predecessors.indexOf(latch)] as Op;
    addEdge(between, exit, leaving);
    this.#close(main, main.chain.cond, continues, exit, (phi) => last?.get(leaving(phi)) ?? leaving(phi));
    this.#finish([{ block: entry, values: starts }], false);
    return true;
  }

  /** A loop of `factor` iterations a turn, one turn of half as many, then the loop itself: ptxas's shape. */
  descending(counter: Counter, factor: number): boolean {
    const kernel = this.#kernel;
    const { phi, step, predicate, bound, testedOffset } = counter;
    if (typeof step !== "number" || typeof testedOffset !== "number") return false;
    // The counter must say how far it is from its bound: against zero, or by an ordered comparison.
    const down = predicate === "ne" && step < 0;
    const ordered = step > 0 ? /^[su]l[te]$/.test(predicate) : /^[su]g[te]$/.test(predicate);
    if ((!down && !ordered) || counter.widened) return false;
    const { header } = this.#loop;
    const { exit, latch } = this.#test;
    const type = phi.type as ScalarType;
    const { span } = phi;
    const starts = this.#starts();
    /** Whether at least `count` more iterations follow, at the end of `block`, where the counter is `at`. */
    const enough = (block: Block, at: Op, count: number): Op => {
      const emit = (action: Op["action"], to: ScalarType, ...args: Op[]): Op => {
        const op = createOp(kernel, action, to, args, span);
        block.ops.push(op);
        return op;
      };
      const away = (count - 1) * step;
      if (down) return emit({ kind: "icmp", predicate: "sgt" }, "i1", at, this.#constants.int(type, -away));
      const ahead = emit({ kind: "int", op: "add", exact: true }, type, at, this.#constants.int(type, away + testedOffset - step));
      return emit({ kind: "icmp", predicate }, "i1", ahead, bound);
    };
    if (down && !(bound.action.kind === "const" && Number(bound.action.value) === testedOffset - step)) return false;

    const middle = insertBlock(kernel, header);
    const enter = insertBlock(kernel, middle);
    const big = this.#turns(factor, starts, enter);
    enter.end = { kind: "jump", to: big.header };
    const many = enough(this.#entry, starts.get(phi) as Op, factor);
    const still = enough(big.chain.lastLatch, big.chain.ends.get(phi) as Op, factor);
    this.#close(big, still, true, middle, () => still);
    this.#entry.end = { kind: "branch", cond: many, then: enter, else: middle, span };
    removeEdge(this.#entry, header);
    enter.predecessors.push(this.#entry);
    middle.predecessors = [big.chain.lastLatch, this.#entry];
    const atMiddle = this.#resume(middle, [big.chain.ends, starts]);

    const last = insertBlock(kernel, header);
    const half = factor / 2;
    const small = chain(kernel, this.#loop, this.#test, atMiddle, half, last, this.#work);
    this.#chains.push(small);
    const some = enough(middle, atMiddle.get(phi) as Op, half);
    middle.end = { kind: "branch", cond: some, then: small.first, else: last, span };
    small.first.predecessors.push(middle);
    small.lastLatch.end = { kind: "jump", to: last };
    last.predecessors = [small.lastLatch, middle];
    const atLast = this.#resume(last, [small.ends, atMiddle]);

    const any = enough(last, atLast.get(phi) as Op, 1);
    const into = insertBlock(kernel, header);
    last.end = { kind: "branch", cond: any, then: into, else: exit, span };
    into.predecessors = [last];
    into.end = { kind: "jump", to: header };
    addEdge(last, exit, (each) => each.args[exit.predecessors.indexOf(latch)] as Op);
    this.#enterFrom(into, atLast, false);
    header.unroll = never;
    this.#finish([{ block: this.#entry, values: starts }]);
    return true;
  }

  /**
   * Whether what is left over is no loop: a single iteration, and of a loop in another up to three one behind the other
   * (validation/compiler/rests.json). Not where launch bounds are given, though it is so there, too: NVVM then computes what those iterations
   * need anew in each turn of the loop around them, which is not done here, so that they would come out much shorter than they are.
   */
  #runsOut(factor: number): boolean {
    return this.#kernel.launchBounds === undefined && (factor === 2 || (factor === 4 && this.#loop.parent !== undefined));
  }

  /** `rest` iterations, at least one and at most so many, one behind the other; each may go on to `to`. */
  #singles(rest: Op, most: number, starts: ReadonlyMap<Op, Op>, enter: Block, to: Block): readonly Chain[] {
    const made: Chain[] = [];
    const { span } = this.#test.cond;
    let [from, values] = [enter, starts];
    for (let count = 1; count <= most; count++) {
      const one = chain(this.#kernel, this.#loop, this.#test, values, 1, this.#loop.header, this.#work);
      made.push(one);
      from.end = { kind: "jump", to: one.first };
      one.first.predecessors.push(from);
      values = one.ends;
      if (count === most) one.lastLatch.end = { kind: "jump", to };
      else {
        const cond = createOp(
          this.#kernel,
          { kind: "icmp", predicate: "eq" },
          "i1",
          [rest, this.#constants.int(rest.type as ScalarType, count)],
          span,
        );
        one.lastLatch.ops.push(cond);
        from = insertBlock(this.#kernel, this.#loop.header);
        from.predecessors = [one.lastLatch];
        one.lastLatch.end = { kind: "branch", cond, then: to, else: from, span };
      }
    }
    this.#chains.push(...made);
    return made;
  }

  /** `rest` iterations, at least one, in a loop of their own that goes on to `to`. */
  #counted(rest: Op, starts: ReadonlyMap<Op, Op>, enter: Block, to: Block): Chain {
    const { span } = this.#test.cond;
    const type = rest.type as ScalarType;
    const single = this.#turns(1, starts, enter);
    single.header.unroll = never;
    enter.end = { kind: "jump", to: single.header };
    const remaining = createOp(this.#kernel, { kind: "phi" }, type, [rest], span);
    single.header.phis.push(remaining);
    const emit = (action: Op["action"], to: ScalarType, ...args: Op[]): Op => {
      const op = createOp(this.#kernel, action, to, args, span);
      single.chain.lastLatch.ops.push(op);
      return op;
    };
    const next = emit({ kind: "int", op: "add" }, type, remaining, this.#constants.int(type, -1));
    const more = emit({ kind: "icmp", predicate: "ne" }, "i1", next, this.#constants.int(type, 0));
    this.#close(single, more, true, to, () => next);
    remaining.args[1] = next;
    return single.chain;
  }

  #starts(): Map<Op, Op> {
    const { header } = this.#loop;
    const index = header.predecessors.indexOf(this.#entry);
    return new Map(header.phis.map((phi) => [phi, phi.args[index] as Op]));
  }

  /** A loop header with phis that begin with `starts`, and a chain of copies behind it. */
  #turns(
    factor: number,
    starts: ReadonlyMap<Op, Op>,
    from: Block,
  ): { readonly header: Block; readonly phis: Map<Op, Op>; readonly chain: Chain } {
    const header = insertBlock(this.#kernel, this.#loop.header);
    header.predecessors = [from];
    header.unroll = this.#after;
    const phis = new Map<Op, Op>();
    for (const [phi, start] of starts) {
      const own = createOp(this.#kernel, { kind: "phi" }, phi.type, [start], phi.span);
      header.phis.push(own);
      phis.set(phi, own);
    }
    const made = chain(this.#kernel, this.#loop, this.#test, phis, factor, this.#loop.header, this.#work);
    header.end = { kind: "jump", to: made.first };
    made.first.predecessors.push(header);
    this.#chains.push(made);
    return { header, phis, chain: made };
  }

  /** Ends a turn: back while `cond` is `continues`, else on to `exit`. */
  #close(
    turns: { readonly header: Block; readonly phis: ReadonlyMap<Op, Op>; readonly chain: Chain },
    cond: Op,
    continues: boolean,
    exit: Block,
    operand: (phi: Op) => Op,
  ): void {
    const { lastLatch, ends } = turns.chain;
    const { span } = this.#test.cond;
    lastLatch.end = continues
      ? { kind: "branch", cond, then: turns.header, else: exit, span }
      : { kind: "branch", cond, then: exit, else: turns.header, span };
    turns.header.predecessors.push(lastLatch);
    for (const [phi, own] of turns.phis) own.args.push(ends.get(phi) as Op);
    if (!exit.predecessors.includes(lastLatch)) addEdge(lastLatch, exit, operand);
  }

  /** Phis in `block` for the loop's own, from what each predecessor brings. */
  #resume(block: Block, from: readonly ReadonlyMap<Op, Op>[]): Map<Op, Op> {
    const resumed = new Map<Op, Op>();
    for (const phi of this.#loop.header.phis) {
      const own = createOp(
        this.#kernel,
        { kind: "phi" },
        phi.type,
        from.map((each) => each.get(phi) as Op),
        phi.span,
      );
      block.phis.push(own);
      resumed.set(phi, own);
    }
    return resumed;
  }

  /** The loop is entered from `into`, no longer from its old preheader. */
  #enterFrom(into: Block, values: ReadonlyMap<Op, Op>, linked = true): void {
    const { header } = this.#loop;
    const index = header.predecessors.indexOf(this.#entry);
    if (linked && index >= 0) {
      header.predecessors[index] = into;
      for (const phi of header.phis) phi.args[index] = values.get(phi) as Op;
    } else addEdge(into, header, (phi) => values.get(phi) as Op);
  }

  /** Live-out values: in the loop if it is `kept`, in the copies, and where the loop was skipped so far, what its phis began with. */
  #finish(skipped: readonly { readonly block: Block; readonly values: ReadonlyMap<Op, Op> }[], kept = true): void {
    const definitions = copyDefinitions(this.#live, this.#chains);
    if (!kept) for (const [value, at] of definitions) at.delete(this.#live.get(value) as Block);
    const { header } = this.#loop;
    const back = header.predecessors.indexOf(this.#test.latch);
    for (const [value, at] of definitions) {
      const phi = header.phis.find((each) => each.args[back] === value);
      for (const { block, values } of skipped) {
        const start = phi && values.get(phi);
        if (start) at.set(block, start);
      }
    }
    linkBlocks(this.#kernel);
    repairSsa(this.#kernel, definitions, this.#work);
  }
}
