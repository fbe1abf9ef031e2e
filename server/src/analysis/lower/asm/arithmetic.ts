/** PTX that computes and is more than an operator of C++: wide products, carries, halves in pairs, conversions with a rounding, votes. */
import type { FloatBinary, FloatPredicate, IntPredicate, MathFunction, Op, ScalarType } from "@warplens/sim-engine";
import type { Lowering } from "../emit/lowering.ts";
import type { Operands } from "./operands.ts";
import { type Instruction, listed, ptxTypes } from "./ptx.ts";

/** Emits an instruction that is one of these; false for any other. */
export function lowerArithmetic(lowering: Lowering, at: Operands, instruction: Instruction): boolean {
  const emitter = new Arithmetic(lowering, at, instruction);
  const made = emitter.run();
  if (made === undefined) return false;
  if (made !== "written") emitter.write(made);
  return true;
}

/** Where the carry of an instruction with `.cc` stands: no register that a template could name. */
const carryFlag = "carry flag";

const halfPairs: Readonly<Record<string, "f16" | "bf16">> = { f16x2: "f16", bf16x2: "bf16" };
const pairFunctions: Readonly<Record<string, MathFunction>> = { ex2: "exp2", tanh: "tanh", abs: "fabs", neg: "fneg" };
const pairOperations: Readonly<Record<string, FloatBinary>> = { add: "fadd", sub: "fsub", mul: "fmul", min: "fmin", max: "fmax" };
const packedIntegers = /^([su])16x2$/;
const roundings: Readonly<Record<string, "n" | "z" | "d" | "u">> = { rni: "n", rzi: "z", rmi: "d", rpi: "u" };
const roundingFunctions: Readonly<Record<string, MathFunction>> = { rni: "rint", rzi: "trunc", rmi: "floor", rpi: "ceil" };
const isSigned = (type: string): boolean => type.startsWith("s");

class Arithmetic {
  readonly #lowering: Lowering;
  readonly #at: Operands;
  readonly #opcode: readonly string[];
  readonly #to: string;
  readonly #from: readonly string[];
  /** The last type of the instruction. */
  readonly #type: string;
  readonly #scalar: ScalarType | undefined;

  constructor(lowering: Lowering, at: Operands, { opcode, operands: [to = "", ...from] }: Instruction) {
    this.#lowering = lowering;
    this.#at = at;
    this.#opcode = opcode;
    this.#to = to;
    this.#from = from;
    this.#type = opcode.at(-1) ?? "";
    this.#scalar = ptxTypes[this.#type];
  }

  write(op: Op): void {
    this.#at.write(this.#to, op);
  }

  #read(index: number, scalar: ScalarType = this.#scalar ?? "i32"): Op {
    return this.#at.read(this.#from[index] ?? "", scalar);
  }
  #all(scalar: ScalarType = this.#scalar ?? "i32"): Op[] {
    return this.#from.map((_, index) => this.#read(index, scalar));
  }
  #number(value: number): Op {
    return this.#lowering.constant("i32", value);
  }
  #math(fn: MathFunction, ...args: readonly Op[]): Op {
    return this.#lowering.builder.math(fn, "precise", "i32", ...args);
  }
  /** 1 where it holds, of 32 bits. */
  #bit(condition: Op): Op {
    return this.#lowering.builder.select(condition, this.#number(1), this.#number(0));
  }

  /** The result; `written` where there is none, or more than one; undefined where it is another's instruction. */
  run(): Op | "written" | undefined {
    const [name = ""] = this.#opcode;
    const pairs = halfPairs[this.#type];
    if (pairs && name !== "cvt" && name !== "red" && name !== "atom") return this.#onPairs(name, pairs);
    const integers = packedIntegers.exec(this.#type);
    if (integers) return this.#onPackedIntegers(name, integers[1] === "s");
    const has = (...words: readonly string[]): boolean => words.some((word) => this.#opcode.includes(word));
    switch (name) {
      case "mul":
      case "mad":
        if (has("wide")) return this.#wide(name === "mad");
        return has("hi") && !has("cc") ? this.#high(name === "mad") : undefined;
      case "add":
      case "sub":
        return has("cc") ? this.#carrying(name) : undefined;
      case "addc":
      case "subc":
        return this.#carrying(name === "addc" ? "add" : "sub");
      case "mov":
        return this.#move();
      case "shf":
        return this.#funnel(has("l"), has("clamp"));
      case "popc":
      case "clz":
        return this.#scalar === "i64" ? this.#lowering.builder.math(name, "precise", "i32", this.#read(0)) : undefined;
      case "brev":
        return this.#scalar === "i64" ? this.#lowering.builder.math("brev", "precise", "i64", this.#read(0)) : undefined;
      case "bfind":
        return this.#type === "u32" && has("shiftamt") ? this.#shiftAmount() : undefined;
      case "abs":
      case "neg":
        return this.#unary(name);
      case "copysign":
        // PTX has the sign first.
        return this.#scalar && this.#lowering.builder.math("copysign", "precise", this.#scalar, this.#read(1), this.#read(0));
      case "div":
      case "rem":
        return this.#divided(name);
      case "sad":
        return this.#scalar === "i32" && isSigned(this.#type) ? this.#math("sad", ...this.#all()) : undefined;
      case "dp4a":
        if (this.#opcode[1] !== this.#type) return undefined;
        return this.#math(isSigned(this.#type) ? "dp4a" : "dp4a.u", ...this.#all("i32"));
      case "vabsdiff4":
        if (has("add") || !/^u32\.u32\.u32$/.test(this.#opcode.slice(1).join("."))) return undefined;
        return this.#math("absdiff4", this.#read(0, "i32"), this.#read(1, "i32"));
      case "set":
        return this.#set();
      case "slct":
        return this.#chosenBySign();
      case "activemask":
        return this.#lowering.builder.special("activemask");
      case "vote":
        return this.#vote();
      case "match":
        return has("any") ? this.#match() : undefined;
      case "redux":
        return this.#reduced();
      case "createpolicy":
        // What an access is told of the L2 by it is not simulated.
        return this.#lowering.constant("i64", 0n);
      case "cvt":
        return this.#convert();
      default:
        return undefined;
    }
  }

  /** Both halves of a word, as numbers. */
  #halves(index: number, type: "f16" | "bf16"): readonly [low: Op, high: Op] {
    const { builder } = this.#lowering;
    const word = this.#read(index, "i32");
    const half = (bits: Op): Op => builder.convert("bitcast", builder.convert("trunc", bits, "i16"), type);
    return [half(word), half(builder.int("lshr", word, this.#number(16)))];
  }

  #joined(low: Op, high: Op): Op {
    const { builder } = this.#lowering;
    const bits = (half: Op): Op => builder.convert("zext", half.type === "i16" ? half : builder.convert("bitcast", half, "i16"), "i32");
    return builder.int("or", bits(low), builder.int("shl", bits(high), this.#number(16)));
  }

  #onPairs(name: string, type: "f16" | "bf16"): Op | undefined {
    const { builder } = this.#lowering;
    const given = this.#from.map((_, index) => this.#halves(index, type));
    const relu = this.#opcode.includes("relu");
    const one = (half: 0 | 1): Op | undefined => {
      const [a, b, c] = given.map((each) => each[half]);
      if (!a) return undefined;
      const fn = pairFunctions[name];
      if (fn) return builder.math(fn, this.#opcode.includes("approx") ? "fast" : "precise", type, a);
      const operation = pairOperations[name];
      const made = name === "fma" && b && c ? builder.fma(a, b, c) : operation && b ? builder.float(operation, a, b) : undefined;
      return made && relu ? builder.float("fmax", made, builder.constant(type, 0)) : made;
    };
    const [low, high] = [one(0), one(1)];
    return low && high && this.#joined(low, high);
  }

  #onPackedIntegers(name: string, signed: boolean): Op | undefined {
    if (name === "add") return this.#math("add.16x2", this.#read(0), this.#read(1));
    if (name !== "min" && name !== "max") return undefined;
    const relu = this.#opcode.includes("relu");
    return this.#math(signed ? `${name}.s16x2${relu ? ".relu" : ""}` : `${name}.u16x2`, this.#read(0), this.#read(1));
  }

  /** A product of twice as many bits. */
  #wide(adds: boolean): Op | undefined {
    const { builder } = this.#lowering;
    const wide: ScalarType | undefined = this.#scalar === "i32" ? "i64" : this.#scalar === "i16" ? "i32" : undefined;
    if (!wide) return undefined;
    const [a, b] = [0, 1].map((index) => builder.convert(isSigned(this.#type) ? "sext" : "zext", this.#read(index), wide));
    const product = a && b && builder.int("mul", a, b);
    return product && adds ? builder.int("add", product, this.#read(2, wide)) : product;
  }

  #high(adds: boolean): Op | undefined {
    if (this.#scalar !== "i32" && this.#scalar !== "i64") return undefined;
    const { builder } = this.#lowering;
    const product = builder.int(isSigned(this.#type) ? "mulhi.s" : "mulhi.u", this.#read(0), this.#read(1));
    return adds ? builder.int("add", product, this.#read(2)) : product;
  }

  /** A sum or a difference that takes or leaves a carry, or a borrow. */
  #carrying(op: "add" | "sub"): Op | undefined {
    if (this.#scalar !== "i32" && this.#scalar !== "i64") return undefined;
    const { builder } = this.#lowering;
    const [a, b] = [this.#read(0), this.#read(1)];
    const beyond = (made: Op, from: Op): Op => (op === "add" ? builder.icmp("ult", made, from) : builder.icmp("ugt", made, from));
    let made = builder.int(op, a, b);
    const takes = this.#opcode[0]?.endsWith("c") === true;
    const leaves = this.#opcode.includes("cc");
    let carry = leaves ? beyond(made, a) : undefined;
    if (takes) {
      const before = this.#at.read(carryFlag, "i32");
      const first = made;
      made = builder.int(op, first, this.#scalar === "i64" ? builder.convert("zext", before, "i64") : before);
      if (carry) carry = builder.int("or", carry, beyond(made, first));
    }
    if (carry) this.#at.write(carryFlag, this.#bit(carry));
    return made;
  }

  /** `mov.b64 d, {a, b}` and `mov.b64 {d, e}, a`. */
  #move(): Op | "written" | undefined {
    const { builder } = this.#lowering;
    const [from = ""] = this.#from;
    const half: ScalarType | undefined = this.#scalar === "i64" ? "i32" : this.#scalar === "i32" ? "i16" : undefined;
    if (!half || !this.#scalar || !(from.startsWith("{") || this.#to.startsWith("{"))) return undefined;
    const by = this.#number(half === "i32" ? 32 : 16);
    if (this.#to.startsWith("{")) {
      const parts = listed(this.#to);
      if (parts.length !== 2) return undefined;
      const whole = this.#read(0);
      for (const [index, part] of parts.entries())
        if (part !== "_") this.#at.write(part, builder.convert("trunc", index === 0 ? whole : builder.int("lshr", whole, by), half));
      return "written";
    }
    const wide = this.#scalar;
    const parts = listed(from).map((part) => builder.convert("zext", this.#at.read(part, half), wide));
    const [low, high] = parts;
    return low && high && parts.length === 2 ? builder.int("or", low, builder.int("shl", high, by)) : undefined;
  }

  #funnel(left: boolean, clamps: boolean): Op {
    const { builder } = this.#lowering;
    const [low, high, count] = [this.#read(0), this.#read(1), this.#read(2)];
    const fn = left ? "funnel.l" : "funnel.r";
    if (!clamps) return this.#math(fn, low, high, count);
    const shifted = this.#math(fn, low, high, count);
    return builder.select(builder.icmp("uge", count, this.#number(32)), left ? low : high, shifted);
  }

  /** By how much the highest bit is to be moved to be the first: all ones where there is none. */
  #shiftAmount(): Op {
    const { builder } = this.#lowering;
    const found = this.#math("bfind", this.#read(0));
    const by = builder.int("sub", this.#number(31), found);
    return builder.select(builder.icmp("eq", found, this.#number(-1)), found, by);
  }

  #unary(name: "abs" | "neg"): Op | undefined {
    const { builder } = this.#lowering;
    if (!this.#scalar) return undefined;
    if (!this.#scalar.startsWith("i")) return builder.math(name === "abs" ? "fabs" : "fneg", "precise", this.#scalar, this.#read(0));
    if (this.#scalar !== "i32" && this.#scalar !== "i64") return undefined;
    if (name === "abs") return builder.math("abs", "precise", this.#scalar, this.#read(0));
    return builder.int("sub", this.#lowering.constant(this.#scalar, this.#scalar === "i64" ? 0n : 0), this.#read(0));
  }

  #divided(name: "div" | "rem"): Op | undefined {
    const { builder } = this.#lowering;
    if (!this.#scalar) return undefined;
    const [a, b] = [this.#read(0), this.#read(1)];
    if (this.#scalar.startsWith("i")) return builder.int(`${isSigned(this.#type) ? "s" : "u"}${name}`, a, b);
    return builder.float("fdiv", a, b, this.#opcode.includes("approx") || this.#opcode.includes("full") ? "fast" : "precise");
  }

  /** `set.eq.u32.s32 d, a, b`: ones in all bits, or 1 as a float. */
  #set(): Op | undefined {
    const { builder } = this.#lowering;
    const [, comparison = "", to = ""] = this.#opcode;
    if (this.#opcode.length !== 4 || !this.#scalar) return undefined;
    const [a, b] = [this.#read(0), this.#read(1)];
    const ordered = { lt: "lt", le: "le", gt: "gt", ge: "ge" }[comparison as "lt"];
    const equal = comparison === "eq" || comparison === "ne" ? comparison : undefined;
    if (!ordered && !equal) return undefined;
    const floating = !this.#scalar.startsWith("i");
    const condition = floating
      ? builder.fcmp((equal === "eq" ? "oeq" : equal ? "une" : `o${ordered}`) as FloatPredicate, a, b)
      : builder.icmp((equal ?? `${isSigned(this.#type) ? "s" : "u"}${ordered}`) as IntPredicate, a, b);
    const float = to === "f32";
    const constant = (value: number): Op => this.#lowering.constant(float ? "f32" : "i32", value);
    return builder.select(condition, constant(float ? 1 : -1), constant(0));
  }

  /** `slct.f32.s32 d, a, b, c`: a where c is not below zero. */
  #chosenBySign(): Op | undefined {
    const { builder } = this.#lowering;
    const [, of = ""] = this.#opcode.slice(-3);
    const type = ptxTypes[of];
    if (!type || !this.#scalar) return undefined;
    const by = this.#read(2);
    const zero = this.#lowering.constant(this.#scalar, 0);
    const condition = this.#scalar.startsWith("i") ? builder.icmp("sge", by, zero) : builder.fcmp("oge", by, zero);
    return builder.select(condition, this.#read(0, type), this.#read(1, type));
  }

  /** `vote.sync.ballot.b32 d, p, mask`, in either order of its words. */
  #vote(): Op | undefined {
    const mode = this.#opcode.find((each): each is "any" | "all" | "uni" | "ballot" => /^(any|all|uni|ballot)$/.test(each));
    const [predicate = "", mask] = this.#from;
    if (!mode || predicate.startsWith("!")) return undefined;
    const { builder } = this.#lowering;
    const lanes = mask === undefined ? builder.special("activemask") : this.#at.read(mask, "i32");
    return builder.emit({ kind: "vote", mode }, mode === "ballot" ? "i32" : "i1", lanes, this.#at.read(predicate, "i1"));
  }

  #match(): Op | undefined {
    return this.#lowering.builder.emit({ kind: "match", mode: "any" }, "i32", this.#at.read(this.#from[1] ?? "", "i32"), this.#read(0));
  }

  #reduced(): Op | undefined {
    const op = this.#opcode.find((each): each is "add" | "and" | "or" | "xor" | "min" | "max" => /^(add|and|or|xor|min|max)$/.test(each));
    if (!op || this.#scalar !== "i32") return undefined;
    const full = op === "min" || op === "max" ? (`${op}.${isSigned(this.#type) ? "s" : "u"}` as const) : op;
    return this.#lowering.builder.emit({ kind: "reduce", op: full }, "i32", this.#read(1), this.#read(0));
  }

  #convert(): Op | undefined {
    const { builder } = this.#lowering;
    const [to = "", from = ""] = this.#opcode.slice(-2);
    if (to === "tf32" && from === "f32" && this.#opcode.includes("rna")) return this.#math("tf32", this.#read(0, "f32"));
    const pairs = halfPairs[to];
    // The second operand goes to the lower half.
    if (pairs && from === "f32" && this.#opcode.includes("rn")) return this.#joined(this.#rounded(1, pairs), this.#rounded(0, pairs));
    if (this.#opcode.includes("sat") && from !== "f32" && from !== "f64") return this.#saturated(to);
    const rounding = this.#opcode.find((each) => each in roundings);
    const source = this.#scalar;
    const target = ptxTypes[to];
    if (!source || !target || source.startsWith("i")) return undefined;
    if (target === source) {
      const fn = rounding === undefined ? undefined : roundingFunctions[rounding];
      if (fn) return builder.math(fn, "precise", source, this.#read(0));
      return this.#opcode.includes("sat") ? builder.math("saturate", "precise", source, this.#read(0)) : undefined;
    }
    if ((target !== "i32" && target !== "i64") || rounding === undefined || rounding === "rzi") return undefined;
    const action = { kind: "convert", op: isSigned(to) ? "fptosi" : "fptoui", rounding: roundings[rounding] ?? "z" } as const;
    return builder.emit(action, target, this.#read(0));
  }

  /** `cvt.sat.u8.s32 d, a`, and `cvt.pack.sat.u8.s32.b32 d, a, b, c`: a above b above the bits of c. */
  #saturated(to: string): Op | undefined {
    const packs = this.#opcode.includes("pack");
    const [, kind = "", width = ""] = /^([su])(8|16)$/.exec(packs ? (this.#opcode[3] ?? "") : to) ?? [];
    if (kind === "" || this.#opcode.at(packs ? -2 : -1) !== "s32") return undefined;
    const { builder } = this.#lowering;
    const [bits, signed] = [Number(width), kind === "s"];
    const [least, greatest] = signed ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
    const within = (index: number): Op =>
      builder.int("smin", builder.int("smax", this.#read(index, "i32"), this.#number(least)), this.#number(greatest));
    if (!packs) return within(0);
    const field = (index: number): Op => builder.int("and", within(index), this.#number(2 ** bits - 1));
    const both = builder.int("or", builder.int("shl", field(0), this.#number(bits)), field(1));
    if (bits === 16) return both;
    return this.#from.length < 3 ? both : builder.int("or", both, builder.int("shl", this.#read(2, "i32"), this.#number(16)));
  }

  #rounded(index: number, type: "f16" | "bf16"): Op {
    const { builder } = this.#lowering;
    const half = builder.convert("fptrunc", this.#read(index, "f32"), type);
    return this.#opcode.includes("relu") ? builder.float("fmax", half, builder.constant(type, 0)) : half;
  }
}
