/** What every pass needs: forwarding values, shared constants, who uses what, and what an operation does besides its value. */
import { createOp } from "../../ir/builder.ts";
import type { Kernel, Op, ScalarType, Span } from "../../ir/kernel.ts";

/** Operands of all operations and the conditions of branches, replaced in one sweep. */
export class Substitution {
  readonly #to = new Map<Op, Op>();

  get size(): number {
    return this.#to.size;
  }

  replace(from: Op, to: Op): void {
    if (from !== to) this.#to.set(from, to);
  }

  has(op: Op): boolean {
    return this.#to.has(op);
  }

  /** The value that stands for `op` at the end of all replacements. */
  resolve(op: Op): Op {
    let to = this.#to.get(op);
    if (!to) return op;
    for (let next = this.#to.get(to); next; next = this.#to.get(to)) to = next;
    this.#to.set(op, to);
    return to;
  }

  /** Rewrites every use; the replaced operations themselves stay where they are, without uses. */
  apply(kernel: Kernel): void {
    if (this.#to.size === 0) return;
    for (const block of kernel.blocks) {
      for (const phi of block.phis) this.#rewrite(phi);
      for (const op of block.ops) this.#rewrite(op);
      const { end } = block;
      if (end.kind === "branch") end.cond = this.resolve(end.cond);
    }
  }

  #rewrite(op: Op): void {
    const { args } = op;
    for (let index = 0; index < args.length; index++) {
      const arg = args[index];
      if (arg && this.#to.has(arg)) args[index] = this.resolve(arg);
    }
  }
}

const leafSpan: Span = { file: 0, line: 0, start: 0, end: 0 };

/** The kernel's constants, each once, at the head of the entry block, where they dominate every use. */
export class Constants {
  readonly #kernel: Kernel;
  readonly #known = new Map<string, Op>();

  /** Takes in the constants that stand in the entry block already. */
  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    for (const op of kernel.blocks[0]?.ops ?? []) {
      if (op.action.kind !== "const") continue;
      const key = constantKey(op.type as ScalarType, op.action.value);
      if (!this.#known.has(key)) this.#known.set(key, op);
    }
  }

  /** `value` as `Action.const` wants it for the type: see there. */
  get(type: ScalarType, value: number | bigint): Op {
    const key = constantKey(type, value);
    const known = this.#known.get(key);
    if (known) return known;
    const op = createOp(this.#kernel, { kind: "const", value }, type, [], leafSpan);
    this.#kernel.blocks[0]?.ops.unshift(op);
    this.#known.set(key, op);
    return op;
  }

  /** An integer constant, wrapped to the width of `type`. */
  int(type: ScalarType, value: number | bigint): Op {
    return type === "i64" ? this.get(type, BigInt.asIntN(64, BigInt(value))) : this.get(type, wrap(type, Number(value)));
  }
}

const constantKey = (type: ScalarType, value: number | bigint): string => `${type}:${Object.is(value, -0) ? "-0" : value}`;

/** An integer as a constant of `type` (up to 32 bits) holds it: sign-extended; i1 is 0 or 1. */
export function wrap(type: ScalarType, value: number): number {
  switch (type) {
    case "i1":
      return value & 1;
    case "i8":
      return (value << 24) >> 24;
    case "i16":
      return (value << 16) >> 16;
    default:
      return value | 0;
  }
}

/** The value of an integer constant up to 32 bits, or of a 64-bit one that a number holds exactly; otherwise undefined. */
export function intConstant(op: Op | undefined): number | undefined {
  if (op?.action.kind !== "const" || op.type === "f32" || op.type === "f64" || op.type === "f16" || op.type === "bf16") return undefined;
  const { value } = op.action;
  if (typeof value === "number") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** The value of a floating constant. */
export function floatConstant(op: Op | undefined): number | undefined {
  if (op?.action.kind !== "const" || !(op.type === "f32" || op.type === "f64" || op.type === "f16" || op.type === "bf16")) return undefined;
  return Number(op.action.value);
}

export const isConstant = (op: Op | undefined): boolean => op?.action.kind === "const";

/** Operations without operands whose value is the same wherever and whenever a thread asks. */
export function isLeaf(op: Op): boolean {
  switch (op.action.kind) {
    case "const":
    case "param":
    case "param.address":
    case "shared.address":
    case "global.address":
      return true;
    case "special":
      return !/^(clock|globaltimer|activemask|smid)$/.test(op.action.register);
    default:
      return false;
  }
}

/** No effect and no memory: the value depends on the operands alone, so the operation may be shared, moved and dropped. */
export function isPure(op: Op): boolean {
  switch (op.action.kind) {
    case "const":
    case "param":
    case "param.address":
    case "shared.address":
    case "global.address":
    case "int":
    case "float":
    case "fma":
    case "icmp":
    case "fcmp":
    case "select":
    case "convert":
    case "math":
    case "gep":
    case "texel":
    case "matrix":
    case "extract":
      return true;
    case "special":
      return isLeaf(op);
    default:
      return false;
  }
}

/** Whether an unused operation must stay. */
export function hasEffect(op: Op): boolean {
  switch (op.action.kind) {
    case "store":
    case "atomic":
    case "copy.async":
    case "copy.commit":
    case "copy.wait":
    case "barrier":
    case "barrier.arrive":
    case "syncwarp":
    case "fence":
    case "shuffle":
    case "vote":
    case "match":
    case "reduce":
    case "trap":
      return true;
    case "load":
      return op.action.volatile === true;
    case "special":
      return op.action.register === "clock" || op.action.register === "globaltimer";
    default:
      return false;
  }
}

/** Lanes take part together: must not move to where other lanes are active, nor be merged across branches. */
export function isConvergent(op: Op): boolean {
  switch (op.action.kind) {
    case "barrier":
    case "barrier.arrive":
    case "syncwarp":
    case "shuffle":
    case "vote":
    case "match":
    case "reduce":
    case "matrix":
      return true;
    case "special":
      return op.action.register === "activemask";
    default:
      return false;
  }
}

/** The operations that use each value, a user once for each operand; branch conditions under `branches`. */
export interface Uses {
  readonly by: ReadonlyMap<Op, readonly Op[]>;
  readonly branches: ReadonlySet<Op>;
}

export function findUses(kernel: Kernel): Uses {
  const by = new Map<Op, Op[]>();
  const branches = new Set<Op>();
  const add = (user: Op): void => {
    for (const arg of user.args) {
      const list = by.get(arg);
      if (list) list.push(user);
      else by.set(arg, [user]);
    }
  };
  for (const block of kernel.blocks) {
    block.phis.forEach(add);
    block.ops.forEach(add);
    if (block.end.kind === "branch") branches.add(block.end.cond);
  }
  return { by, branches };
}
