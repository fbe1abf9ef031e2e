/**
 * How values change when a symbol (a block index, a loop's iteration) goes one step on: for each the greatest number that
 * every change is a multiple of. Addresses that move by multiples of 32 touch as many sectors as before, and comparisons of
 * values that move steadily change their outcome once, so few steps tell all of them.
 *
 * Remainders, divisions and masks are periodic: the step is made that many times longer where that is not too long.
 */

import type { ConstantOf } from "../execute/constants.ts";
import { gcd } from "../execute/divisors.ts";
import type { Action, Block, Op } from "../ir/kernel.ts";
import type { Work } from "../work.ts";

/** 0: does not change. NaN: changes in no known way. */
export type Delta = number;

/**
 * A value that goes round: where it is, its change is one modulo `modulus`. Differences of lanes modulo it stay, and so does
 * what depends on them and on its place modulo a divisor of it. After `factor` steps it is back where it was.
 */
export interface Cycle {
  readonly modulus: number;
  readonly factor: number;
}

export interface Deltas {
  of(op: Op): Delta;
  cycleOf(op: Op): Cycle | undefined;
  /** Units of the symbol that one step is: after that many, remainders start again. */
  readonly step: number;
  /** Units of the symbol after which quotients, remainders and masks begin anew, each by itself; or about, where that is not known. */
  readonly rounds: readonly number[];
  /** Some remainder's period is too long to be a step: outcomes between steps may differ here and there. */
  readonly approximate: boolean;
}

export interface DeltaQuestion {
  /** The part of the kernel that is looked at; what is outside does not change. */
  readonly blocks: Iterable<Block>;
  /** Operations whose change matters; others are left out. */
  readonly needs: (op: Op) => boolean;
  /** How the symbol itself enters: the change in one unit, for operations that are sources of change. */
  readonly source: (op: Op) => Delta | undefined;
  readonly constantOf: ConstantOf;
  /** The value is the same in all lanes of a warp. */
  readonly isUniform: (op: Op) => boolean;
  /** The change of what a load gives, of the change of its address; made anew as changes of what is stored become known. */
  readonly loaded: (of: (op: Op) => Delta | undefined) => (op: Op, address: Delta) => Delta;
  /** Units of the symbol that a step is at least. */
  readonly shortestStep?: number;
  readonly longestStep: number;
  /** Asked whether the answer is still wanted. */
  readonly work: Work;
}

export function findDeltas(question: DeltaQuestion): Deltas {
  let step = question.shortestStep ?? 1;
  let approximate = false;
  const rounds = new Set<number>();
  const ops: Op[] = [];
  for (const block of question.blocks) {
    for (const op of block.phis) if (question.needs(op)) ops.push(op);
    for (const op of block.ops) if (op.type !== "void" && question.needs(op)) ops.push(op);
  }
  for (;;) {
    const pass = new Pass(question, ops, step, approximate);
    pass.run();
    for (const round of pass.rounds) rounds.add(round);
    const wanted = pass.wantedFactor;
    if (wanted === 1) return { of: pass.of, cycleOf: pass.cycleOf, step, rounds: [...rounds], approximate: pass.approximated };
    if (step * wanted > question.longestStep) approximate = true;
    else step *= wanted;
  }
}

class Pass {
  readonly #question: DeltaQuestion;
  readonly #ops: readonly Op[];
  readonly #inside: ReadonlySet<Op>;
  readonly #step: number;
  readonly #approximate: boolean;
  readonly #deltas = new Map<Op, Delta>();
  readonly #cycles = new Map<Op, Cycle>();
  #loaded: (op: Op, address: Delta) => Delta = () => Number.NaN;
  /** The step should be this many times as long. */
  wantedFactor = 1;
  approximated = false;
  readonly rounds = new Set<number>();

  constructor(question: DeltaQuestion, ops: readonly Op[], step: number, approximate: boolean) {
    this.#question = question;
    this.#ops = ops;
    this.#inside = new Set(ops);
    this.#step = step;
    this.#approximate = approximate;
  }

  readonly of = (op: Op): Delta => this.#deltas.get(op) ?? 0;
  readonly cycleOf = (op: Op): Cycle | undefined => this.#cycles.get(op);

  run(): void {
    for (let changed = true; changed; ) {
      changed = false;
      this.wantedFactor = 1;
      this.rounds.clear();
      this.#loaded = this.#question.loaded((op) => this.#known(op));
      for (const op of this.#ops) {
        this.#question.work.ask(1);
        const before = this.#cycles.get(op);
        this.#cycles.delete(op);
        const found = this.#transfer(op);
        if (found === undefined) continue;
        if (!this.#cycles.has(op)) this.#passOn(op);
        if (Object.is(found, this.#deltas.get(op)) && before?.modulus === this.#cycles.get(op)?.modulus) continue;
        this.#deltas.set(op, found);
        changed = true;
      }
    }
  }

  /** What goes round after an operation on something that does; where that is not plain, asks for a step after which it is back. */
  #passOn(op: Op): void {
    const { action, args } = op;
    const round = args.filter((arg) => this.#cycles.has(arg));
    const [first] = round;
    const cycle = first && this.#cycles.get(first);
    if (!cycle) return;
    const scale = this.#scaleOf(op, first);
    const others = args.filter((arg) => !this.#cycles.has(arg));
    const alike =
      action.kind === "phi" || action.kind === "select"
        ? others.every((arg) => arg === op || (action.kind === "select" && arg === args[0])) &&
          round.every((arg) => this.#cycles.get(arg)?.modulus === cycle.modulus)
        : round.length === 1 && others.every((arg) => (this.#known(arg) ?? 0) === 0);
    if (scale !== undefined && alike) this.#cycles.set(op, { modulus: cycle.modulus * scale, factor: cycle.factor });
    else for (const arg of round) this.#want(this.#cycles.get(arg)?.factor ?? 1);
  }

  /** By what an operation multiplies an operand's change; undefined when it does something else with it. */
  #scaleOf(op: Op, operand: Op): number | undefined {
    const { action, args } = op;
    const other = args.find((arg) => arg !== operand);
    const constant = other && this.#question.constantOf(other);
    switch (action.kind) {
      case "phi":
      case "select":
      case "extract":
        return 1;
      case "convert":
        return /^(trunc|sext|zext|ptrtoint|inttoptr)$/.test(action.op) ? 1 : undefined;
      case "gep":
        return operand === args[1] ? action.scale : 1;
      case "int":
        if (action.op === "add" || (action.op === "sub" && operand === args[0])) return 1;
        if (action.op === "mul" && constant !== undefined) return Math.abs(constant);
        return action.op === "shl" && operand === args[0] && constant !== undefined && constant < 31 ? 2 ** constant : undefined;
      default:
        return undefined;
    }
  }

  #want(factor: number): void {
    if (this.#approximate) this.approximated ||= factor > 1;
    else this.wantedFactor = Math.max(this.wantedFactor, factor);
  }

  #known(op: Op): Delta | undefined {
    return this.#inside.has(op) ? this.#deltas.get(op) : 0;
  }

  /** Undefined while nothing is known yet (operands that come round a loop). */
  #transfer(op: Op): Delta | undefined {
    const { source, constantOf } = this.#question;
    const given = source(op);
    if (given !== undefined) return given * this.#step;
    const { action, args } = op;
    if (action.kind === "phi") return this.#join(args);
    const deltas = args.map((arg) => this.#known(arg));
    if (action.kind === "load") {
      const [address] = deltas;
      return address === undefined ? undefined : this.#loaded(op, address);
    }
    if (deltas.includes(undefined)) return undefined;
    const [a = 0, b = 0, c = 0] = deltas as Delta[];
    switch (action.kind) {
      case "int":
        return this.#integer(op, action.op, a, b, constantOf);
      case "gep":
        return gcd(a, b * action.scale);
      case "select":
        return Number.isNaN(a) ? Number.NaN : gcd(b, c);
      case "convert":
        return this.#conversion(action.op, a);
      case "icmp":
      case "fcmp":
      case "vote":
      case "match":
      case "reduce":
      case "barrier":
        // The outcome changes where a threshold is crossed, which is for whoever compares whole blocks to find.
        return deltas.some((each) => Number.isNaN(each)) ? Number.NaN : action.kind === "reduce" ? gcd(b, 0) : 0;
      case "extract":
        return a;
      case "shuffle":
        return c === 0 ? b : Number.NaN;
      case "atomic":
        return Number.NaN;
      default:
        return deltas.every((each) => each === 0) ? 0 : Number.NaN;
    }
  }

  #join(args: readonly Op[]): Delta | undefined {
    let all: Delta | undefined;
    for (const arg of args) {
      const each = this.#known(arg);
      if (each !== undefined) all = all === undefined ? each : gcd(all, each);
    }
    return all;
  }

  #conversion(op: Extract<Action, { kind: "convert" }>["op"], a: Delta): Delta {
    switch (op) {
      case "trunc":
      case "sext":
      case "zext":
      case "ptrtoint":
      case "inttoptr":
        return a;
      default:
        return a === 0 ? 0 : Number.NaN;
    }
  }

  #integer(of: Op, op: Extract<Action, { kind: "int" }>["op"], a: Delta, b: Delta, constantOf: ConstantOf): Delta {
    const { isUniform } = this.#question;
    const [left, right] = of.args;
    const x = left && constantOf(left);
    const y = right && constantOf(right);
    if (a === 0 && b === 0) return 0;
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
    switch (op) {
      case "add":
      case "sub":
      case "smin":
      case "smax":
      case "umin":
      case "umax":
        return gcd(a, b);
      case "mul":
        if (y !== undefined) return timesExactly(a, Math.abs(y));
        if (x !== undefined) return timesExactly(b, Math.abs(x));
        // A product of two values that both change does not change steadily, and one by a lane's own factor moves lanes apart.
        if (a !== 0 && b !== 0) this.approximated = true;
        if ((a !== 0 && right && !isUniform(right)) || (b !== 0 && left && !isUniform(left))) this.approximated = true;
        return gcd(a, b);
      case "shl":
        if (y !== undefined && y >= 0 && y < 32) return a * 2 ** y;
        if (right && !isUniform(right)) this.approximated = true;
        return b === 0 ? a : Number.NaN;
      case "lshr":
      case "ashr":
        return y !== undefined && y >= 0 && y < 32 ? this.#quotient(a, 2 ** y) : Number.NaN;
      case "sdiv":
      case "udiv":
        return y !== undefined && y > 0 ? this.#quotient(a, y) : Number.NaN;
      case "srem":
      case "urem":
        return y !== undefined && y > 0 ? this.#remainder(of, a, y) : Number.NaN;
      case "and": {
        const [mask, moved] = y !== undefined ? [y, a] : x !== undefined ? [x, b] : [undefined, 0];
        if (mask === undefined) return Number.NaN;
        const low = (mask + 1) >>> 0;
        if (low !== 0 && (low & (low - 1)) === 0) return this.#remainder(of, moved, low);
        const cut = -mask >>> 0;
        if (mask < 0 && (cut & (cut - 1)) === 0) return this.#fits(moved, cut) ? moved : gcd(moved, cut);
        return Number.NaN;
      }
      case "or":
      case "xor": {
        // Bits below the lowest that changes stay; what is above moves by multiples of it, each lane by its own.
        this.approximated = true;
        const moved = gcd(a, b);
        return moved <= 0x7fffffff ? moved & -moved : Number.NaN;
      }
      default:
        return Number.NaN;
    }
  }

  /** Asks for a step in which the change is a multiple of `modulus`; true when it is. */
  #fits(change: Delta, modulus: number): boolean {
    if (change % modulus === 0) return true;
    this.#begins(change, modulus);
    this.#want(modulus / gcd(modulus, change));
    return false;
  }

  /** Notes after how many units the value has gone once round `modulus`, and after how many it is back at the same place of it. */
  #begins(change: Delta, modulus: number): void {
    const once = (this.#step * modulus) / change;
    if (once >= 1) this.rounds.add(Math.ceil(once));
    this.rounds.add((this.#step * modulus) / gcd(modulus, change));
  }

  #quotient(change: Delta, divisor: number): Delta {
    return this.#fits(change, divisor) ? change / divisor : 1;
  }

  #remainder(of: Op, change: Delta, modulus: number): Delta {
    if (change % modulus === 0) return 0;
    this.#begins(change, modulus);
    const all = gcd(change, modulus);
    this.#cycles.set(of, { modulus, factor: modulus / all });
    // What went round before does so no more where the moduli do not fit.
    for (const arg of of.args) {
      const cycle = this.#cycles.get(arg);
      if (cycle && cycle.modulus % modulus !== 0) this.#want(cycle.factor);
    }
    return all;
  }
}

/**
 * The product; where it is more than doubles tell apart, the power of two in it: what a hash or a random number multiplies round and round
 * would come out as another number in each pass, and no pass be the last.
 */
function timesExactly(change: Delta, factor: number): Delta {
  const product = change * factor;
  return Number.isSafeInteger(product) || Number.isNaN(product) ? product : Math.min(powerOfTwoIn(change) * powerOfTwoIn(factor), 2 ** 31);
}

/** The greatest power of two, up to 2 to the 31st, that a number is a multiple of. */
function powerOfTwoIn(value: number): number {
  let power = 1;
  while (power < 2 ** 31 && value % (2 * power) === 0) power *= 2;
  return power;
}
