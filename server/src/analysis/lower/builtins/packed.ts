/**
 * Words of two or four integers. As nvcc 13.0 makes them: bits are combined so that no lane carries into the next, and signs are spread over
 * their lanes by PRMT; from 9.0 on pairs of 16 bits have instructions of their own.
 */
import type { MathFunction, Op } from "@warplens/sim-engine";
import { boolType } from "../../sema/type-tools.ts";
import { type Called, type Lowering, value } from "../emit/lowering.ts";
import { store } from "../emit/memory.ts";
import { convert } from "../emit/scalars.ts";
import { pointedTo, type Use, values } from "./operands.ts";

/** The compute capability that has instructions of pairs, and of three operands. */
const leastForPairs = 90;

/** `packed addss 2`, told without its first word. */
export function packedForm(lowering: Lowering, name: string, use: Use): Called {
  const [what = "", lanes] = name.split(" ");
  const [a, b = a] = values(lowering, use).map((each) => each.op);
  if (!a || !b) return lowering.fail("a function of packed integers without operands", use.node);
  const words = new Words(lowering, lanes === "2" ? 2 : 4);
  const [, kind, comparison] = /^(cmp|set)(.*)$/.exec(what) ?? [];
  if (kind !== undefined && comparison !== undefined) return value(words.compared(kind === "cmp", comparison, a, b));
  const made = words.run(what, a, b);
  return made ? value(made) : lowering.fail(`packed ${name} is not simulated yet`, use.node);
}

class Words {
  readonly #lowering: Lowering;
  readonly #lanes: 2 | 4;

  constructor(lowering: Lowering, lanes: 2 | 4) {
    this.#lowering = lowering;
    this.#lanes = lanes;
  }

  /** A number in each lane. */
  #each(of2: number, of4: number): Op {
    return this.#lowering.constant("i32", this.#lanes === 2 ? (of2 * 0x10001) | 0 : (of4 * 0x1010101) | 0);
  }
  get #high(): Op {
    return this.#each(0x8000, 0x80);
  }
  get #low(): Op {
    return this.#each(0x7fff, 0x7f);
  }
  get #one(): Op {
    return this.#each(1, 1);
  }
  get #signAt(): number {
    return this.#lanes === 2 ? 15 : 7;
  }
  get #hasPairs(): boolean {
    return this.#lanes === 2 && this.#lowering.options.computeCapability >= leastForPairs;
  }

  #and = (a: Op, b: Op): Op => this.#lowering.builder.int("and", a, b);
  #or = (a: Op, b: Op): Op => this.#lowering.builder.int("or", a, b);
  #xor = (a: Op, b: Op): Op => this.#lowering.builder.int("xor", a, b);
  #not = (a: Op): Op => this.#xor(a, this.#lowering.constant("i32", -1));
  #plus = (a: Op, b: Op): Op => this.#lowering.builder.int("add", a, b);
  #minus = (a: Op, b: Op): Op => this.#lowering.builder.int("sub", a, b);
  #right = (a: Op, by: number): Op => this.#lowering.builder.int("lshr", a, this.#lowering.constant("i32", by));
  #math = (fn: MathFunction, ...args: readonly Op[]): Op => this.#lowering.builder.math(fn, "precise", "i32", ...args);
  /** Bits of `a` where the mask has ones, of `b` elsewhere. */
  #chosen = (mask: Op, a: Op, b: Op): Op => this.#or(this.#and(a, mask), this.#and(b, this.#not(mask)));
  /** All bits of a lane as its sign is. */
  #spread = (a: Op): Op =>
    this.#math("byteperm", a, this.#lowering.constant("i32", 0), this.#lowering.constant("i32", this.#lanes === 2 ? 0xbb99 : 0xba98));

  #add(a: Op, b: Op): Op {
    if (this.#hasPairs) return this.#math("add.16x2", a, b);
    return this.#xor(this.#plus(this.#and(a, this.#low), this.#and(b, this.#low)), this.#and(this.#xor(a, b), this.#high));
  }

  #subtract(a: Op, b: Op): Op {
    if (this.#hasPairs) return this.#math("sub.16x2", a, b);
    const differ = this.#minus(this.#or(a, this.#high), this.#and(b, this.#low));
    return this.#xor(differ, this.#and(this.#not(this.#xor(a, b)), this.#high));
  }

  #negated(a: Op): Op {
    if (this.#hasPairs) return this.#math("add.16x2", this.#not(a), this.#one);
    return this.#xor(this.#minus(this.#high, this.#and(a, this.#low)), this.#and(this.#not(a), this.#high));
  }

  /** The half of what differs. */
  #halfOf(a: Op, b: Op): Op {
    return this.#right(this.#and(this.#xor(a, b), this.#each(0xfffe, 0xfe)), 1);
  }
  #average(a: Op, b: Op): Op {
    return this.#plus(this.#and(a, b), this.#halfOf(a, b));
  }
  #averageUp(a: Op, b: Op): Op {
    return this.#minus(this.#or(a, b), this.#halfOf(a, b));
  }

  /** In the sign of each lane: whether a is greater than b, by the carry of a sum without the highest bits. */
  #greater(signed: boolean, a: Op, b: Op): Op {
    const carry = this.#plus(this.#and(a, this.#low), this.#and(this.#not(b), this.#low));
    return this.#or(signed ? this.#and(this.#not(a), b) : this.#and(a, this.#not(b)), this.#and(this.#not(this.#xor(a, b)), carry));
  }

  #atLeast(signed: boolean, a: Op, b: Op): Op {
    const carry = this.#plus(this.#and(this.#not(a), this.#low), this.#and(b, this.#low));
    const same = this.#and(this.#not(this.#xor(a, b)), this.#not(carry));
    return this.#or(signed ? this.#and(this.#not(a), b) : this.#and(a, this.#not(b)), same);
  }

  /** Ones in all bits of lanes for which it holds, or in the lowest. */
  compared(all: boolean, comparison: string, a: Op, b: Op): Op {
    const told = this.#told(comparison, a, b, all);
    if (all) return this.#spread(told);
    return comparison === "eq" || comparison === "ne"
      ? this.#right(this.#and(told, this.#high), this.#signAt)
      : this.#and(this.#right(told, this.#signAt), this.#one);
  }

  #told(comparison: string, a: Op, b: Op, all: boolean): Op {
    if (comparison === "eq" || comparison === "ne") {
      const differ = this.#xor(a, b);
      const borrowed = this.#minus(this.#or(differ, this.#high), this.#one);
      const any = this.#or(borrowed, differ);
      return comparison === "ne" ? any : this.#not(any);
    }
    const signed = comparison.endsWith("s");
    const [left, right] = comparison.startsWith("l") ? [b, a] : [a, b];
    // The carry of an average decides where the whole lane is to be filled.
    if (comparison[1] === "e") return all && !signed ? this.#averageUp(left, this.#not(right)) : this.#atLeast(signed, left, right);
    return all && !signed && this.#lanes === 2 ? this.#average(left, this.#not(right)) : this.#greater(signed, left, right);
  }

  run(what: string, a: Op, b: Op): Op | undefined {
    switch (what) {
      case "add":
        return this.#add(a, b);
      case "sub":
        return this.#subtract(a, b);
      case "neg":
        return this.#negated(a);
      case "negss": {
        // Only the least number stays negative: one less.
        const negated = this.#negated(a);
        return this.#minus(negated, this.#right(this.#and(this.#and(a, negated), this.#high), this.#signAt));
      }
      case "abs":
        return this.#absolute(a);
      case "absss": {
        const absolute = this.#absolute(a);
        return this.#xor(absolute, this.#spread(absolute));
      }
      case "addss":
      case "subss":
        return this.#saturatedSigned(what === "addss", a, b);
      case "addus":
      case "subus":
        return this.#saturatedUnsigned(what === "addus", a, b);
      case "avgu":
        return this.#averageUp(a, b);
      case "haddu":
        return this.#average(a, b);
      case "avgs":
        return this.#averageSigned(a, b);
      case "maxs":
      case "maxu":
      case "mins":
      case "minu":
        return this.#extreme(what.startsWith("max") ? "max" : "min", what.endsWith("s"), a, b);
      case "absdiffs":
        return this.#differenceSigned(a, b);
      case "absdiffu":
        return this.#differenceUnsigned(a, b);
      case "sads":
        return this.#sum(this.#differenceSigned(a, b));
      case "sadu":
        return this.#lanes === 4 ? this.#math("sad4", a, b, this.#lowering.constant("i32", 0)) : this.#sumOfPairs(a, b);
      default:
        return undefined;
    }
  }

  #absolute(a: Op): Op {
    if (this.#lanes === 4) return this.#math("absdiff4", this.#xor(a, this.#high), this.#high);
    const sign = this.#spread(a);
    return this.#plus(this.#xor(a, sign), this.#and(sign, this.#one));
  }

  #saturatedSigned(adds: boolean, a: Op, b: Op): Op {
    const made = adds ? this.#add(a, b) : this.#subtract(a, b);
    const turned = this.#xor(made, a);
    const same = adds ? this.#not(this.#xor(a, b)) : this.#xor(a, b);
    const beyond = this.#spread(this.#and(turned, same));
    // The greatest number, or the least, as the sign of a is.
    return this.#chosen(beyond, this.#xor(this.#spread(a), this.#low), made);
  }

  #saturatedUnsigned(adds: boolean, a: Op, b: Op): Op {
    if (!this.#hasPairs) return this.#saturatedByParts(adds, a, b);
    const made = adds ? this.#add(a, b) : this.#subtract(a, b);
    if (adds) return this.#or(made, this.#spread(this.#or(this.#and(this.#or(a, b), this.#not(made)), this.#and(a, b))));
    const borrow = this.#or(this.#and(this.#not(a), b), this.#and(this.#not(this.#xor(a, b)), made));
    return this.#and(made, this.#not(this.#spread(borrow)));
  }

  /** What a lane carries is told by the sum of all but its highest bits. */
  #saturatedByParts(adds: boolean, a: Op, b: Op): Op {
    const differ = this.#xor(a, b);
    if (adds) {
      const sum = this.#plus(this.#and(a, this.#low), this.#and(b, this.#low));
      const carried = this.#spread(this.#or(this.#and(a, b), this.#and(this.#or(a, b), sum)));
      return this.#or(carried, this.#xor(sum, this.#and(differ, this.#high)));
    }
    const rest = this.#minus(this.#or(a, this.#high), this.#and(b, this.#low));
    const enough = this.#spread(this.#or(this.#and(a, this.#not(b)), this.#and(this.#not(differ), rest)));
    return this.#and(enough, this.#xor(rest, this.#and(this.#not(differ), this.#high)));
  }

  /** Halves are rounded away from zero. */
  #averageSigned(a: Op, b: Op): Op {
    const even = this.#each(0xfffe, 0xfe);
    const halves = this.#plus(this.#right(this.#and(a, even), 1), this.#right(this.#and(b, even), 1));
    const below = this.#xor(this.#plus(halves, this.#and(this.#and(a, b), this.#one)), this.#and(this.#xor(a, b), this.#high));
    const odd = this.#and(this.#xor(a, b), this.#one);
    return this.#plus(below, this.#and(odd, this.#not(this.#right(below, this.#signAt))));
  }

  #extreme(which: "min" | "max", signed: boolean, a: Op, b: Op): Op {
    if (this.#hasPairs) return this.#math(`${which}.${signed ? "s" : "u"}16x2`, a, b);
    if (!signed) {
      const [left, right] = which === "max" ? [a, b] : [b, a];
      return this.#chosen(this.#spread(this.#averageUp(left, this.#not(right))), a, b);
    }
    const greater = this.#spread(this.#greater(true, a, b));
    return which === "max" ? this.#chosen(greater, a, b) : this.#chosen(greater, b, a);
  }

  #differenceSigned(a: Op, b: Op): Op {
    if (this.#lanes === 4) return this.#math("absdiff4", this.#xor(a, this.#high), this.#xor(b, this.#high));
    const made = this.#subtract(a, b);
    const less = this.#or(this.#and(made, this.#not(b)), this.#and(this.#not(this.#xor(made, b)), a));
    const mask = this.#spread(less);
    return this.#plus(this.#xor(mask, made), this.#and(mask, this.#one));
  }

  #differenceUnsigned(a: Op, b: Op): Op {
    if (this.#lanes === 4) return this.#math("absdiff4", a, b);
    const mask = this.#spread(this.#averageUp(a, this.#not(b)));
    const swapped = this.#and(mask, this.#xor(a, b));
    return this.#minus(this.#xor(swapped, b), this.#xor(swapped, a));
  }

  /** Of all lanes. */
  #sum(a: Op): Op {
    const mask = (bits: number): Op => this.#lowering.constant("i32", bits);
    const pairs = this.#lanes === 2 ? a : this.#plus(this.#right(this.#and(a, mask(0xff00ff00 | 0)), 8), this.#and(a, mask(0xff00ff)));
    return this.#plus(this.#and(pairs, mask(this.#lanes === 2 ? 0xffff : 0x1ff)), this.#right(pairs, 16));
  }

  #sumOfPairs(a: Op, b: Op): Op {
    const mask = this.#lowering.constant("i32", 0xffff);
    const low = this.#math("abs", this.#minus(this.#and(a, mask), this.#and(b, mask)));
    return this.#plus(low, this.#math("abs", this.#minus(this.#right(a, 16), this.#right(b, 16))));
  }
}

/** `dpx addmax s16x2 relu` or `dpx told max u32`, told without its first word. */
export function dpxForm(lowering: Lowering, name: string, use: Use): Called {
  const words = name.split(" ");
  return words[0] === "told" ? toldExtreme(lowering, words.slice(1), use) : value(extremeOf(lowering, words, use));
}

function extremeOf(lowering: Lowering, [kind = "", type = "", relu]: readonly string[], use: Use): Op {
  const { builder } = lowering;
  const [a, b, c] = values(lowering, use).map((each) => each.op);
  if (!a || !b) return lowering.fail("an extreme of fewer than two", use.node);
  const full = `${type}${relu === undefined ? "" : ".relu"}`;
  if (full !== "s32" && full !== "u32") {
    const given = c ? [a, b, c] : [a, b];
    return builder.math(`${kind}.${full}` as MathFunction, "precise", "i32", ...given);
  }
  const which = `${type === "s32" ? "s" : "u"}${kind.includes("max") ? "max" : "min"}` as const;
  const first = builder.int(kind.startsWith("add") ? "add" : which, a, b);
  return c ? builder.int(which, first, c) : first;
}

/** The extreme, and through pointers whether the first operand is it: of pairs for the upper half first. */
function toldExtreme(lowering: Lowering, [which = "", type = ""]: readonly string[], use: Use): Called {
  const { builder } = lowering;
  const [a, b] = values(lowering, { ...use, args: use.args.slice(0, 2) }).map((each) => each.op);
  if (!a || !b) return lowering.fail("an extreme of fewer than two", use.node);
  const signed = type.startsWith("s");
  const pairs = type.endsWith("x2");
  const by = `${signed ? "s" : "u"}${which === "max" ? "ge" : "le"}` as const;
  const tell = (index: number, of: (word: Op) => Op): void => {
    const pointer = use.args[index] ?? lowering.fail("an extreme without a place for which it is", use.node);
    const to = pointedTo(lowering, pointer, undefined, use.node);
    store(lowering, to, convert(lowering, builder.icmp(by, of(a), of(b)), boolType, to.type));
  };
  const sixteen = lowering.constant("i32", 16);
  const right = signed ? "ashr" : "lshr";
  if (!pairs) tell(2, (word) => word);
  else {
    tell(2, (word) => builder.int(right, word, sixteen));
    tell(3, (word) => builder.int(right, builder.int("shl", word, sixteen), sixteen));
  }
  const extreme = pairs
    ? builder.math(`${which}.${type}` as MathFunction, "precise", "i32", a, b)
    : builder.int(`${signed ? "s" : "u"}${which === "max" ? "max" : "min"}`, a, b);
  return value(extreme);
}
