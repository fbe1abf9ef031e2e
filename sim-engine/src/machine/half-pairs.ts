/**
 * Halves that are computed two at a time: one instruction does the same with both halves of its words (`HFMA2`). What is written as
 * arithmetic of pairs is such, and ptxas finds others whose results stand beside each other: neighbours of a store, or of a word.
 * An operand of both is broadcast; else the two have to be halves of one word.
 */
import { intConstant, isConstant } from "../ir/constants.ts";
import type { Op } from "../ir/kernel.ts";
import type { Shape } from "./shape.ts";
import type { Target } from "./target.ts";

/** Whether two can be computed by one instruction: `unlikely` as things stand, or never. */
type Verdict = "pair" | "unlikely" | "never";

/** Pairs that go into each other, one behind the other, at most: those farther up are found from what they go into themselves. */
const deepest = 256;

export class HalfPairs {
  readonly #shape: Shape;
  readonly #target: Target;
  /** By either member: the low and the high half. */
  readonly #pairs = new Map<Op, Pair>();
  readonly #positions = new Map<Op, number>();
  /** By low half, what never makes a pair with it: asked once, however long the chains are that lead there. */
  readonly #never = new Map<Op, Set<Op>>();

  constructor(shape: Shape, target: Target) {
    this.#shape = shape;
    this.#target = target;
    if (!shape.kernel.blocks.some(({ ops }) => ops.some(isHalf))) return;
    for (const block of shape.kernel.blocks) {
      shape.work.ask(block.ops.length);
      for (const [index, op] of block.ops.entries()) this.#positions.set(op, index);
    }
    for (const block of shape.kernel.blocks) {
      shape.work.ask(block.ops.length);
      let before: Op | undefined;
      for (const op of block.ops) {
        if (op.action.kind === "store") this.#seedNeighbours(op.args.slice(1));
        else if (isWord(op)) this.#seed(lowHalfOf(op), highHalfOf(op));
        if (!isArithmetic(op)) continue;
        if (before && isSameCall(before, op) && this.#isAlike(before, op) && !this.#pairs.has(before)) this.#seed(before, op);
        before = op;
      }
    }
  }

  /** What is computed with `op` by one instruction, in which half of its word `op` stands. */
  of(op: Op): Pair | undefined {
    return this.#pairs.get(op);
  }

  /** It is done by the instruction of the other half, which stands behind, or is the phi that stands for both. */
  isCovered(op: Op): boolean {
    const pair = this.#pairs.get(op);
    return pair !== undefined && this.leader(pair) !== op;
  }

  /** The value whose register holds `op`. */
  standsFor(op: Op): Op {
    const pair = this.#pairs.get(op);
    return pair ? this.leader(pair) : op;
  }

  /** Those that are covered, with what stands for them. */
  *covered(): Iterable<readonly [Op, Op]> {
    for (const [op, pair] of this.#pairs) if (this.leader(pair) !== op) yield [op, this.leader(pair)];
  }

  /** Which of the two carries the instruction: the later one. */
  leader({ low, high }: Pair): Op {
    return (this.#positions.get(low) ?? 0) > (this.#positions.get(high) ?? 0) ? low : high;
  }

  #seedNeighbours(stored: readonly Op[]): void {
    for (let index = 0; index + 1 < stored.length; index += 2) this.#seed(stored[index], stored[index + 1]);
  }

  /** What holds the word already that `op` puts together, where its halves are a pair. */
  ofWord(op: Op): Op | undefined {
    if (!isWord(op)) return undefined;
    const [low, high] = [lowHalfOf(op), highHalfOf(op)];
    const pair = low && this.#pairs.get(low);
    return pair && pair.low === low && pair.high === high ? this.leader(pair) : undefined;
  }

  /** Makes a pair of the two, with all that goes into them, where that can be. */
  #seed(low: Op | undefined, high: Op | undefined): void {
    // Two that are only rounded are put into one word by what rounds them (`Halves`).
    if (!low || !high || low.action.kind === "convert") return;
    const tried = new Map<Op, Pair>();
    if (this.#join(low, high, tried, 0) !== "pair" || ![...tried.values()].every((pair) => this.#isReadBehind(pair, tried))) return;
    for (const [op, pair] of tried) this.#pairs.set(op, pair);
  }

  #join(low: Op, high: Op, tried: Map<Op, Pair>, depth: number): Verdict {
    this.#shape.work.ask(1);
    if (depth > deepest) return "unlikely";
    const known = this.#pairs.get(low);
    if (known) return known.low === low && known.high === high ? "pair" : "never";
    const trying = tried.get(low);
    if (trying) return trying.low === low && trying.high === high ? "pair" : "unlikely";
    if (this.#never.get(low)?.has(high)) return "never";
    if (tried.has(high)) return "unlikely";
    const verdict = this.#meet(low, high, tried, depth);
    if (verdict === "never") {
      const others = this.#never.get(low) ?? new Set();
      this.#never.set(low, others.add(high));
    }
    return verdict;
  }

  #meet(low: Op, high: Op, tried: Map<Op, Pair>, depth: number): Verdict {
    if (this.#pairs.has(high) || low === high || low.type !== high.type) return "never";
    if (this.#shape.home(low) !== this.#shape.home(high) || !this.#isAlike(low, high)) return "never";
    const pair = { low, high };
    tried.set(low, pair);
    tried.set(high, pair);
    // What is rounded into a word may come from anywhere.
    if (low.action.kind === "convert") return "pair";
    for (const [index, arg] of low.args.entries()) {
      const verdict = this.#isOneWord(arg, high.args[index] as Op, tried, depth);
      if (verdict !== "pair") return verdict;
    }
    return "pair";
  }

  /** Whether an instruction reads both as one operand. */
  #isOneWord(low: Op, high: Op, tried: Map<Op, Pair>, depth: number): Verdict {
    if (low === high || (isConstant(low) && isConstant(high))) return "pair";
    if (low.action.kind === "extract" && high.action.kind === "extract")
      return low.args[0] === high.args[0] && low.action.index % 2 === 0 && high.action.index === low.action.index + 1 ? "pair" : "never";
    const word = wordOfLow(low);
    if (word !== undefined && word === wordOfHigh(high)) return "pair";
    return this.#join(low, high, tried, depth + 1);
  }

  #isAlike(a: Op, b: Op): boolean {
    if (!isHalf(a)) return false;
    if (a.action.kind === "phi") return b.action.kind === "phi";
    if (a.action.kind === "convert") return isRounded(a) && isRounded(b);
    if (!isArithmetic(a) || !isArithmetic(b) || JSON.stringify(a.action) !== JSON.stringify(b.action)) return false;
    return this.#target.pairsAllHalves || (a.type === "f16" && !isExtreme(a));
  }

  /** What reads the earlier of the two stands behind the later one, which makes both. */
  #isReadBehind(pair: Pair, tried: ReadonlyMap<Op, Pair>): boolean {
    const { low, high } = pair;
    if (low.action.kind === "phi") return true;
    const later = this.leader(pair);
    const earlier = later === low ? high : low;
    const home = this.#shape.home(low);
    const at = this.#positions.get(later) ?? 0;
    return this.#shape.users(earlier).every((user) => {
      if (user.action.kind === "phi" || this.#shape.home(user) !== home) return true;
      const with_ = tried.get(user) ?? this.#pairs.get(user);
      const place = with_ ? (this.#positions.get(this.leader(with_)) ?? 0) : (this.#positions.get(user) ?? 0);
      return place > at;
    });
  }
}

/** Halves of one word, made by one instruction. */
export interface Pair {
  readonly low: Op;
  readonly high: Op;
}

const isHalf = ({ type }: Op): boolean => type === "f16" || type === "bf16";

const isArithmetic = (op: Op): boolean =>
  isHalf(op) && (op.action.kind === "fma" || (op.action.kind === "float" && op.action.op !== "fdiv" && op.action.op !== "frem"));

/** A float rounded to a half: two are rounded into one word. */
const isRounded = ({ action, args: [from] }: Op): boolean => action.kind === "convert" && action.op === "fptrunc" && from?.type === "f32";

const isExtreme = ({ action }: Op): boolean => action.kind === "float" && /^f(min|max)/.test(action.op);

/** Of one call, which computes both. */
const isSameCall = (a: Op, b: Op): boolean => a.span.start === b.span.start && a.span.end === b.span.end;

const isInt = ({ action }: Op, op: "lshr" | "or" | "shl" | "and"): boolean => action.kind === "int" && action.op === op;

const isWord = (op: Op): boolean => op.type === "i32" && isInt(op, "or");

/** Through other ways to look at the same register. */
function viewed(op: Op | undefined): Op | undefined {
  let at = op;
  while (at?.action.kind === "convert" && (at.action.op === "bitcast" || at.action.op === "trunc" || at.action.op === "zext"))
    at = at.args[0];
  return at;
}

const wordOfLow = (op: Op): Op | undefined => {
  const word = viewed(op);
  return word !== op && word?.type === "i32" ? word : undefined;
};

const wordOfHigh = (op: Op): Op | undefined => {
  const shifted = viewed(op);
  return shifted !== op && shifted && isInt(shifted, "lshr") && intConstant(shifted.args[1]) === 16 ? shifted.args[0] : undefined;
};

const isShifted = (op: Op | undefined): boolean => op !== undefined && isInt(op, "shl") && intConstant(op.args[1]) === 16;

const lowHalfOf = ({ args }: Op): Op | undefined => (args.some(isShifted) ? viewed(args.find((arg) => !isShifted(arg))) : undefined);

const highHalfOf = ({ args }: Op): Op | undefined => viewed(args.find(isShifted)?.args[0]);
