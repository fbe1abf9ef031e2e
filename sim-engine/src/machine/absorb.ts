/** Operations that take no instruction of their own, because the one that uses them does their work too. */

import { intConstant, isConstant } from "../ir/constants.ts";
import { type Op, scalarBytes } from "../ir/kernel.ts";
import { answerOf } from "../ir/origins.ts";
import { sharedBase } from "../ir/windows.ts";
import { descriptorArithmetic } from "./descriptors.ts";
import { HalfPairs } from "./half-pairs.ts";
import { Halves } from "./halves.ts";
import { coveredLogic } from "./logic-trees.ts";
import { productsInSums } from "./products-in-sums.ts";
import type { Shape } from "./shape.ts";
import type { Target } from "./target.ts";
import type { UniformValues } from "./uniform-values.ts";

export class Absorption {
  readonly #shape: Shape;
  readonly #target: Target;
  readonly #absorbed = new Set<Op>();
  /** Products that each of the sums which read them computes. */
  readonly #inSums: ReadonlySet<Op>;
  /** What a consumer has taken in: at most one operation, as an `IADD3` with three operands does. */
  readonly #taken = new Map<Op, Op>();
  readonly #descriptors: ReadonlySet<Op>;
  readonly #extended = new Map<Op, boolean>();
  readonly halves: Halves;
  readonly pairs: HalfPairs;

  constructor(shape: Shape, target: Target, uniform: UniformValues) {
    this.#shape = shape;
    this.#target = target;
    for (const op of coveredLogic(shape)) this.#absorbed.add(op);
    this.pairs = new HalfPairs(shape, target);
    this.halves = new Halves(shape, this.pairs);
    for (const op of this.halves.covered) this.#absorbed.add(op);
    this.#descriptors = descriptorArithmetic(shape);
    for (const op of this.#descriptors) this.#absorbed.add(op);
    this.#inSums = productsInSums(shape, uniform, (product) => this.isWideProduct(product));
    for (const block of shape.kernel.blocks) {
      shape.work.ask(block.ops.length);
      for (const op of block.phis) this.#visit(op);
      for (const op of block.ops) this.#visit(op);
    }
  }

  has(op: Op): boolean {
    return this.#absorbed.has(op) || this.pairs.isCovered(op);
  }

  /** The products that take descriptors compute it beside them. */
  makesDescriptor(op: Op): boolean {
    return this.#descriptors.has(op);
  }

  /** The operation that `op` took in. */
  takenBy(op: Op): Op | undefined {
    return this.#taken.get(op);
  }

  #visit(op: Op): void {
    if (this.#isFree(op)) {
      this.#absorbed.add(op);
      return;
    }
    const { action, args } = op;
    if (action.kind === "int" && (op.type === "i32" || (op.type === "i64" && /^(add|sub)$/.test(action.op)))) {
      const partner =
        args.find((arg) => this.#inSums.has(arg)) ??
        (op.type === "i32" ? this.#partner(op, action.op, args) : this.#longProduct(op, action.op === "sub" ? args.slice(0, 1) : args));
      if (!partner) return;
      this.#absorbed.add(partner);
      this.#taken.set(op, partner);
    } else if (action.kind === "int" && op.type === "i1") this.#combineFlags(op, args);
    else if (action.kind === "select") this.#predicateArm(op, args);
  }

  /** Operand modifiers, offsets, and conversions that are only a way of looking at a register. */
  #isFree(op: Op): boolean {
    const { action } = op;
    const users = this.#shape.users(op);
    switch (action.kind) {
      case "extract":
        // The words of a product are registers of their own: the next product adds to them where they stand.
        return op.args[0] === undefined || !this.hasOwnWords(op.args[0]);
      case "gep":
        // `(i + 1 & mask) * 4`: scaled before it is masked, once for all that differ by a constant; the base is added by the access.
        if (this.#shape.isNarrowPointer(op) && isMaskedSum(op.args[1])) return users.every((user) => this.#isAddressOf(user, op));
        // A constant offset is part of the access.
        return (
          intConstant(op.args[1]) !== undefined &&
          Math.abs(action.offset) < 2 ** 23 &&
          users.length > 0 &&
          users.every((user) => this.#isAddressOf(user, op))
        );
      case "math":
        return (action.fn === "fneg" || action.fn === "fabs") && users.every(takesModifiers);
      case "int":
        if (op.type === "i1") return action.op === "xor" && isConstant(op.args[1]);
        // From an address that counts from where the shared window starts to a pointer, and back: instructions take the former.
        if (op.type === "i64") return (action.op === "add" || action.op === "sub") && Math.abs(intConstant(op.args[1]) ?? 0) === sharedBase;
        // A shift that only sums use is done by each of them, as LEA.
        return (
          op.type === "i32" &&
          action.op === "shl" &&
          isConstant(op.args[1]) &&
          users.length > 1 &&
          users.every(
            (user) =>
              user.type === "i32" &&
              user.action.kind === "int" &&
              user.action.op === "add" &&
              user.args[0] !== user.args[1] &&
              this.#shape.home(user) === this.#shape.home(op),
          ) &&
          !this.#shape.isCondition(op)
        );
      case "convert":
        return this.#isFreeConversion(op, action.op, users);
      default:
        return false;
    }
  }

  /**
   * Whether the words of a product or a load are registers of their own: each is free once what reads it has been issued, whatever becomes of
   * the others.
   */
  hasOwnWords(op: Op): boolean {
    return isProduct(op) || loadsWords(op);
  }

  #isAddressOf(user: Op, op: Op): boolean {
    const { kind } = user.action;
    // A lane's place in a fragment is a sum of three.
    if (user.action.kind === "gep" && user.action.ofLane) return user.args[0] === op;
    if (kind === "copy.async") return user.args[0] === op || user.args[1] === op;
    return (kind === "load" || kind === "store" || kind === "atomic") && user.args[0] === op && !user.args.slice(1).includes(op);
  }

  #isFreeConversion(op: Op, conversion: string, users: readonly Op[]): boolean {
    const [from] = op.args;
    switch (conversion) {
      case "bitcast":
      case "ptrtoint":
      case "inttoptr":
      case "trunc":
        return true;
      case "zext":
        if (from?.type === "i1") return users.every((user) => user.action.kind === "icmp");
        if (op.type === "i64") return true;
        return this.#comesExtended(from);
      case "sext":
        if (op.type === "i64" && from?.type === "i32")
          return users.every(
            (user) =>
              user.action.kind === "gep" ||
              (extendedBy(user) === op && !(this.#sumsProduct(user) && this.#shape.home(user) === this.#shape.home(op))) ||
              (user.action.kind === "int" && user.action.op === "mul" && this.isWideProduct(user)),
          );
        return this.#comesExtended(from);
      default:
        return false;
    }
  }

  /** A byte or half word just loaded fills its register already, and so does the least or the greatest of such. */
  #comesExtended(from: Op | undefined): boolean {
    const sourceOf = (op: Op | undefined): Op | undefined => (op?.action.kind === "extract" ? op.args[0] : op);
    const sources = ({ action, args }: Op): readonly Op[] =>
      action.kind === "int" && /^[su](min|max)$/.test(action.op) ? args.flatMap((arg) => sourceOf(arg) ?? []) : [];
    const source = sourceOf(from);
    if (!source) return false;
    return answerOf(source, this.#extended, false, sources, (op) => {
      const chosen = sources(op);
      return op.action.kind === "load" || (chosen.length > 0 && chosen.every((each) => this.#extended.get(each) === true));
    });
  }

  /**
   * Whether both factors are 32-bit numbers extended alike, or constants that one so extended could be: LLVM sees it where they are extended in
   * the product's block, whatever else uses them.
   */
  isWideProduct(product: Op): boolean {
    const [first, ...others] = product.args.filter((arg) => !isConstant(arg));
    const kind = extensionOf(first);
    if (first === undefined || kind === undefined || others.some((arg) => extensionOf(arg) !== kind)) return false;
    const [least, most] = kind === "sext" ? [-(2 ** 31), 2 ** 31 - 1] : [0, 2 ** 32 - 1];
    return product.args.every((arg) => {
      if (!isConstant(arg)) return this.#shape.home(arg) === this.#shape.home(product);
      const constant = intConstant(arg);
      return constant !== undefined && constant >= least && constant <= most;
    });
  }

  /** The product that a sum of 64 bits is added to where it is made: IMAD.WIDE has a third operand. */
  #longProduct(op: Op, args: readonly Op[]): Op | undefined {
    return args.find((arg) => arg.action.kind === "int" && arg.action.op === "mul" && this.#single(op, arg));
  }

  /** Whether a sum of 64 bits takes a product in, whose third operand is not extended on the way: those of a block share what extends it. */
  #sumsProduct(sum: Op): boolean {
    return sum.args.some((arg) => this.#inSums.has(arg)) || this.#longProduct(sum, sum.args) !== undefined;
  }

  /** The operand whose own arithmetic the instruction for `op` takes in. */
  #partner(op: Op, kind: string, args: readonly Op[]): Op | undefined {
    const [a, b] = args;
    const single = args.filter((arg) => this.#single(op, arg) && arg.action.kind === "int");
    const operation = (arg: Op): string => (arg.action.kind === "int" ? arg.action.op : "");
    const bothConstant = (arg: Op): boolean => isConstant(arg.args[1]) && args.some((each) => each !== arg && isConstant(each));
    switch (kind) {
      case "add":
      case "sub": {
        // IMAD and LEA multiply or shift one summand; IADD3 has a third.
        const product = (arg: Op): boolean => operation(arg) === "mul" || (operation(arg) === "shl" && isConstant(arg.args[1]));
        const summand = (arg: Op): boolean => (operation(arg) === "add" || operation(arg) === "sub") && !bothConstant(arg);
        const scaled = (kind === "add" ? [b, a] : [a]).find((arg) => arg && single.includes(arg) && product(arg));
        return scaled ?? [b, a].find((arg) => arg && single.includes(arg) && summand(arg));
      }
      case "smin":
      case "smax":
      case "umin":
      case "umax":
        // That of three of a kind is one instruction as well (VIMNMX3).
        return this.#target.addMinimum
          ? (args.find((arg) => this.isRaised(op, arg) && this.#isOnlyFor(op, arg)) ??
              single.find((arg) => operation(arg) === "add") ??
              single.find((arg) => operation(arg) === kind))
          : undefined;
      default:
        return undefined;
    }
  }

  /** Whether `op` is nothing but an extreme of signed values raised to zero at least, as its instruction does (VIMNMX.RELU). */
  isRaised({ action, args }: Op, extreme: Op): boolean {
    return (
      action.kind === "int" &&
      action.op === "smax" &&
      args.some((arg) => intConstant(arg) === 0) &&
      extreme.action.kind === "int" &&
      (extreme.action.op === "smin" || extreme.action.op === "smax")
    );
  }

  /** A comparison may combine its result with another flag: the flag that holds both costs nothing more. */
  #combineFlags(op: Op, args: readonly Op[]): void {
    const compares = args.some((arg) => (arg.action.kind === "icmp" || arg.action.kind === "fcmp") && this.#shape.useCount(arg) === 1);
    if (compares) this.#absorbed.add(op);
  }

  /** `c ? x + 1 : x` is one addition under a predicate. */
  #predicateArm(op: Op, args: readonly Op[]): void {
    const [, a, b] = args;
    if (!a || !b || op.type === "i1") return;
    for (const [arm, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const { kind } = arm.action;
      if ((kind !== "int" && kind !== "float" && kind !== "fma") || !this.#single(op, arm) || !arm.args.includes(other)) continue;
      this.#absorbed.add(op);
      return;
    }
  }

  #single(op: Op, arg: Op): boolean {
    return this.#isOnlyFor(op, arg) && !this.#taken.has(arg);
  }

  #isOnlyFor(op: Op, arg: Op): boolean {
    return (
      this.#shape.useCount(arg) === 1 && this.#shape.home(arg) === this.#shape.home(op) && !this.#absorbed.has(arg) && arg.type === op.type
    );
  }
}

const loadsWords = ({ action, type }: Op): boolean =>
  action.kind === "load" &&
  action.components > 1 &&
  !/^(constant|param|texture)$/.test(action.space) &&
  type !== "void" &&
  scalarBytes[type] === 4;

const isProduct = (op: Op | undefined): boolean =>
  op?.action.kind === "wgmma" || (op?.action.kind === "matrix" && op.action.op === "multiply");

/** `x + c & mask`. */
function isMaskedSum(index: Op | undefined): boolean {
  const [sum, mask] = index?.args ?? [];
  return (
    index?.action.kind === "int" &&
    index.action.op === "and" &&
    isConstant(mask) &&
    sum?.action.kind === "int" &&
    sum.action.op === "add" &&
    isConstant(sum.args[1])
  );
}

/** Floating-point instructions that negate and take absolute values of their operands. */
function takesModifiers(user: Op): boolean {
  const { action } = user;
  if (action.kind === "float") return action.op !== "frem";
  return action.kind === "fma" || action.kind === "fcmp" || (action.kind === "math" && action.precision === "fast");
}

/** How a number of 64 bits is made of one of 32 by extending that. */
export function extensionOf(op: Op | undefined): "sext" | "zext" | undefined {
  if (op?.action.kind !== "convert" || op.args[0]?.type !== "i32") return undefined;
  return op.action.op === "sext" || op.action.op === "zext" ? op.action.op : undefined;
}

/** Of a 64-bit sum the summand that the addition of the upper halves extends by itself: the first that is a 32-bit value. */
export function extendedBy({ action, type, args }: Op): Op | undefined {
  if (type !== "i64" || action.kind !== "int" || action.op !== "add") return undefined;
  return args.find((arg) => arg.action.kind === "convert" && arg.action.op === "sext" && arg.args[0]?.type === "i32");
}
