/**
 * 64-bit integers of which nobody reads the upper half are computed in 32 bits: ptxas computes the halves apart and leaves out what is
 * not used. Counters of stages and places in shared memory of type `size_t` are such.
 */
import { createOp } from "../../ir/builder.ts";
import { intConstant } from "../../ir/constants.ts";
import type { Action, Block, Kernel, Op } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { Constants } from "../edit/constants.ts";
import { Substitution } from "../edit/substitution.ts";

/** Returns whether anything changed. */
export function narrowLongs(kernel: Kernel, work: Work): boolean {
  const whole = readWhole(kernel, work);
  const narrowed = new Map<Op, Op>();
  for (const block of kernel.blocks)
    for (const op of [...block.phis, ...block.ops])
      if (op.type === "i64" && !whole.has(op) && inHalves(op)) narrowed.set(op, createOp(kernel, narrowAction(op), "i32", [], op.span));
  if (narrowed.size === 0) return false;
  new Narrowing(kernel, narrowed).apply(work);
  return true;
}

/** Whether the lower half of the result takes no more than the lower halves of the operands. */
function inHalves({ action, args: [, b] }: Op): boolean {
  if (action.kind === "phi" || action.kind === "select") return true;
  if (action.kind !== "int") return false;
  return action.op === "shl" ? isShortShift(b) : /^(?:add|sub|mul|and|or|xor)$/.test(action.op);
}

function isShortShift(count: Op | undefined): boolean {
  const by = intConstant(count);
  return by !== undefined && by >= 0 && by < 32;
}

/** A mask that leaves nothing of the upper half. */
function masksLow({ action, args: [, b] }: Op): boolean {
  const mask = intConstant(b);
  return action.kind === "int" && action.op === "and" && mask !== undefined && mask >= 0 && mask < 2 ** 32;
}

/** Nothing is known of a 32-bit sum's range from that of the 64-bit one. */
const narrowAction = ({ action }: Op): Action => (action.kind === "int" ? { kind: "int", op: action.op } : action);

/** The 64-bit integers whose upper halves something reads. */
function readWhole(kernel: Kernel, work: Work): ReadonlySet<Op> {
  const whole = new Set<Op>();
  const pending: Op[] = [];
  const mark = (op: Op): void => {
    if (op.type !== "i64" || whole.has(op)) return;
    whole.add(op);
    pending.push(op);
  };
  for (const block of kernel.blocks)
    for (const user of [...block.phis, ...block.ops]) {
      work.ask(0.25);
      const { action } = user;
      const readsHalf = (action.kind === "convert" && action.op === "trunc") || (user.type === "i64" && (inHalves(user) || masksLow(user)));
      if (!readsHalf) for (const arg of user.args) mark(arg);
    }
  for (let user = pending.pop(); user; user = pending.pop()) {
    work.ask(0.25);
    if (inHalves(user) && !masksLow(user)) for (const arg of user.args) mark(arg);
  }
  return whole;
}

class Narrowing {
  readonly #kernel: Kernel;
  readonly #narrowed: ReadonlyMap<Op, Op>;
  readonly #constants: Constants;
  /** Of values that are masked and read whole the lower halves. */
  readonly #masked = new Map<Op, Op>();
  /** The lower halves of what is computed in 64 bits, to stand behind it. */
  readonly #halves = new Map<Op, Op>();

  constructor(kernel: Kernel, narrowed: ReadonlyMap<Op, Op>) {
    this.#kernel = kernel;
    this.#narrowed = narrowed;
    this.#constants = new Constants(kernel);
  }

  apply(work: Work): void {
    for (const [op, half] of this.#narrowed) half.args = op.args.map((arg) => (arg.type === "i64" ? this.#half(arg) : arg));
    // Before any block's operations are gone through: constants are put into the first.
    for (const op of this.#kernel.blocks.flatMap(({ ops }) => ops)) if (this.#isMasked(op)) this.#masked.set(op, this.#maskedHalf(op));
    const substitution = new Substitution();
    for (const block of this.#kernel.blocks) {
      block.phis = block.phis.map((phi) => this.#narrowed.get(phi) ?? phi);
      block.ops = block.ops.flatMap((op) => this.#rewritten(op, substitution));
    }
    for (const block of this.#kernel.blocks) this.#insertHalves(block);
    substitution.apply(this.#kernel, work);
  }

  #rewritten(op: Op, substitution: Substitution): readonly Op[] {
    const half = this.#narrowed.get(op);
    if (half) return [half];
    const from = op.args[0] && this.#narrowed.get(op.args[0]);
    if (!from) return [op];
    if (op.action.kind === "convert") {
      if (op.type === "i32") {
        substitution.replace(op, from);
        return [];
      }
      op.args = [from];
      return [op];
    }
    const masked = this.#masked.get(op);
    if (!masked) return [op];
    // Its upper half is zero.
    op.action = { kind: "convert", op: "zext" };
    op.args = [masked];
    return [masked, op];
  }

  #isMasked(op: Op): boolean {
    return op.action.kind === "int" && !this.#narrowed.has(op) && op.args.some((arg) => this.#narrowed.has(arg));
  }

  #maskedHalf(op: Op): Op {
    const args = op.args.map((arg) => this.#half(arg));
    return createOp(this.#kernel, narrowAction(op), "i32", args, op.span);
  }

  /** The lower half of an `i64`. */
  #half(op: Op): Op {
    const known = this.#narrowed.get(op) ?? this.#halves.get(op);
    if (known) return known;
    const { action, args } = op;
    if (action.kind === "const") return this.#constants.int("i32", BigInt.asIntN(32, BigInt(action.value)));
    const [from] = args;
    if (action.kind === "convert" && (action.op === "zext" || action.op === "sext") && from?.type === "i32") return from;
    const half = createOp(this.#kernel, { kind: "convert", op: "trunc" }, "i32", [op], op.span);
    this.#halves.set(op, half);
    return half;
  }

  #insertHalves(block: Block): void {
    const ofPhis = block.phis.flatMap((phi) => this.#halves.get(phi) ?? []);
    if (ofPhis.length > 0 || block.ops.some((op) => this.#halves.has(op)))
      block.ops = [...ofPhis, ...block.ops.flatMap((op) => [op, ...[this.#halves.get(op) ?? []].flat()])];
  }
}
