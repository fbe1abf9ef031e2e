/**
 * Two halves in a word. What computes with halves reads either one of a register, so that to take the upper one out costs nothing
 * (`HADD2.F32 R0, -RZ, R2.H1_H1`); two floats are rounded into one word by one instruction (`F2FP.F16.F32.PACK_AB`), and two halves
 * put beside each other by one (`PRMT`).
 */
import { intConstant } from "../ir/constants.ts";
import type { Op } from "../ir/kernel.ts";
import type { HalfPairs } from "./half-pairs.ts";
import type { Shape } from "./shape.ts";
import type { Target } from "./target.ts";

export class Halves {
  /** Operations that need no instruction of their own. */
  readonly covered = new Set<Op>();
  readonly #shape: Shape;
  readonly #pairs: HalfPairs;
  readonly #joins = new Map<Op, "rounding" | "moving">();
  readonly #beside = new Map<Op, Op>();

  constructor(shape: Shape, pairs: HalfPairs) {
    this.#shape = shape;
    this.#pairs = pairs;
    for (const block of shape.kernel.blocks) {
      shape.work.ask(block.ops.length);
      for (const op of block.ops) {
        if (this.#isReadInPlace(op)) this.covered.add(op);
        else if (isInt(op, "or")) this.#joinWord(op);
        else if (op.action.kind === "store") this.#joinStored(op.args.slice(1));
      }
    }
  }

  /** What puts the halves of a word together, where that is what `op` does. */
  joins(op: Op): "rounding" | "moving" | undefined {
    return this.#joins.get(op);
  }

  /** What is rounded into the other half of a word by the instruction that rounds `op`. */
  beside(op: Op): Op | undefined {
    return this.#beside.get(op);
  }

  /** The upper half of a word, and only what could read it there does. */
  #isReadInPlace(op: Op): boolean {
    return isInt(op, "lshr") && op.type === "i32" && intConstant(op.args[1]) === 16 && this.#isReadAsHalf(op);
  }

  #isReadAsHalf(op: Op): boolean {
    const users = this.#shape.users(op);
    return users.length > 0 && users.every((user) => readsEitherHalf(user) || (isHalfView(user) && this.#isReadAsHalf(user)));
  }

  #joinWord(op: Op): void {
    const [a, b] = op.args;
    if (op.type !== "i32" || !a || !b) return;
    const [low, high] = isLowHalf(a) ? [a, b] : [b, a];
    if (!isLowHalf(low) || !isHighHalf(high)) return;
    const steps = [low, high].map((half) => this.#stepsOf(half, op));
    if (this.#pairs.ofWord(op)) {
      for (const each of steps.flat()) if (!this.#pairs.of(each)) this.covered.add(each);
      return;
    }
    for (const each of steps.flat()) this.covered.add(each);
    const rounded = steps.map((each) => each.at(-1)).filter((last) => last !== undefined && isRounded(last));
    this.#joins.set(op, rounded.length === 2 && rounded[0]?.type === rounded[1]?.type ? "rounding" : "moving");
    // One that is rounded alone is so before it is joined.
    if (this.#joins.get(op) === "moving") for (const each of rounded) if (each) this.covered.delete(each);
  }

  /** From where a half stands in its word back to what makes it, as long as nothing else wants it. */
  #stepsOf(half: Op, user: Op): Op[] {
    const steps: Op[] = [];
    let at: Op | undefined = half;
    while (at && this.#isOnlyFor(at, user) && (steps.length === 0 || at.action.kind === "convert")) {
      steps.push(at);
      if (isRounded(at)) break;
      at = at.args[0];
    }
    return steps;
  }

  #isOnlyFor(op: Op, user: Op): boolean {
    return this.#shape.useCount(op) === 1 && this.#shape.home(op) === this.#shape.home(user);
  }

  /** Neighbours of a wide store that both are rounded for it. */
  #joinStored(stored: readonly Op[]): void {
    for (let index = 0; index + 1 < stored.length; index += 2) {
      const [a, b] = [stored[index] as Op, stored[index + 1] as Op];
      if (this.#pairs.of(a) || this.#pairs.of(b)) continue;
      if (a === b || !isRounded(a) || !isRounded(b) || a.type !== b.type || !this.#isOnlyFor(a, b) || !this.#isOnlyFor(b, a)) continue;
      const block = this.#shape.home(a);
      const [first, last] = (block?.ops.indexOf(a) ?? 0) < (block?.ops.indexOf(b) ?? 0) ? [a, b] : [b, a];
      this.covered.add(first);
      this.#beside.set(last, first);
    }
  }
}

/** Rounds one float to a half. */
const single = "F2F.F16.F32";

/** What rounds a float to a half, or two of them into a word. */
export function roundingTo(halves: 1 | 2, { roundsPairs }: Pick<Target, "roundsPairs">): readonly string[] {
  if (roundsPairs) return ["F2FP"];
  return halves === 1 ? [single] : [single, single, "PRMT"];
}

const isInt = ({ action }: Op, op: "lshr" | "or" | "shl" | "and"): boolean => action.kind === "int" && action.op === op;

const isExtended = ({ action, args: [from] }: Op): boolean => action.kind === "convert" && action.op === "zext" && from?.type === "i16";

const isLowHalf = (op: Op): boolean => isExtended(op) || (isInt(op, "and") && intConstant(op.args[1]) === 0xffff);

const isHighHalf = (op: Op): boolean =>
  (isInt(op, "shl") && intConstant(op.args[1]) === 16) || (isInt(op, "and") && (intConstant(op.args[1]) ?? 0) >>> 0 === 0xffff0000);

/** A float rounded to a half. */
const isRounded = ({ action, args: [from] }: Op): boolean => action.kind === "convert" && action.op === "fptrunc" && from?.type === "f32";

/** Another look at the same register. */
const isHalfView = ({ action, type }: Op): boolean =>
  action.kind === "convert" && (action.op === "trunc" || action.op === "bitcast") && (type === "i16" || type === "f16");

function readsEitherHalf({ action, args: [a] }: Op): boolean {
  if (a?.type !== "f16") return false;
  if (action.kind === "float") return action.op !== "fdiv" && action.op !== "frem";
  if (action.kind === "convert") return action.op === "fpext";
  return action.kind === "fma" || action.kind === "fcmp";
}
