/** Which operations compute the same value wherever they stand, though neither need stand before the other. */

import type { DominatorTree } from "../../ir/graph.ts";
import type { Block, Op } from "../../ir/kernel.ts";
import { isLeaf, isPure } from "../../ir/operations.ts";
import { answerOf } from "../../ir/origins.ts";

export class ValueNumbers {
  readonly #tree: DominatorTree;
  readonly #blockOf: ReadonlyMap<Op, Block>;
  readonly #first = new Map<string, Op>();
  readonly #known = new Map<Op, Op>();
  readonly #homes = new Map<Op, Block | undefined>();

  constructor(tree: DominatorTree, blockOf: ReadonlyMap<Op, Block>) {
    this.#tree = tree;
    this.#blockOf = blockOf;
  }

  /** One operation for all that compute this value. */
  canonical(op: Op): Op {
    return answerOf(op, this.#known, op, operandsOf, (each) => this.#canonical(each));
  }

  #canonical(op: Op): Op {
    if (!isPure(op)) return op;
    const args = op.args.map((arg) => this.#known.get(arg) ?? arg);
    const key = `${op.type} ${valueKey({ ...op, args })}`;
    const canonical = this.#first.get(key) ?? op;
    this.#first.set(key, canonical);
    return canonical;
  }

  /** The block from which on the value is the same: that of the last phi or load it is computed from. Undefined: everywhere. */
  home(op: Op): Block | undefined {
    return answerOf(op, this.#homes, undefined, operandsOf, (each) => this.#home(each));
  }

  #home(op: Op): Block | undefined {
    if (isLeaf(op)) return undefined;
    if (!isPure(op)) return this.#blockOf.get(op);
    let home: Block | undefined;
    for (const arg of op.args) {
      const other = this.#homes.get(arg);
      if (other && (!home || this.#tree.dominates(home, other))) home = other;
    }
    return home;
  }
}

const operandsOf = (op: Op): readonly Op[] => (isPure(op) ? op.args : []);

const commutative = new Set(["add", "mul", "mulhi.s", "mulhi.u", "and", "or", "xor", "smin", "smax", "umin", "umax", "fadd", "fmul"]);

/** Equal for operations that compute the same. */
export function valueKey(op: Op): string {
  const { action, args } = op;
  const operands = args.map((arg) => arg.id);
  switch (action.kind) {
    case "const":
      return `const ${op.type} ${Object.is(action.value, -0) ? "-0" : action.value}`;
    case "param":
    case "param.address":
    case "shared.address":
    case "global.address":
    case "extract":
      return `${action.kind} ${action.index} ${operands.join(" ")}`;
    case "special":
      return action.register;
    case "int":
      // Exactness is a promise, not a value: what is exact in one place is the same number in the other.
      if (commutative.has(action.op)) operands.sort((a, b) => a - b);
      return `${action.op} ${op.type} ${operands.join(" ")}`;
    case "float":
      if (commutative.has(action.op)) operands.sort((a, b) => a - b);
      return `${action.op} ${action.precision ?? ""} ${op.type} ${operands.join(" ")}`;
    case "icmp":
    case "fcmp":
      return `${action.kind} ${action.predicate} ${operands.join(" ")}`;
    case "convert":
      return `${action.op} ${action.rounding ?? ""} ${op.type} ${operands.join(" ")}`;
    case "math":
      return `${action.fn} ${action.precision} ${op.type} ${operands.join(" ")}`;
    case "matrix":
      return `matrix ${action.op === "multiply" ? `${action.shape} ${action.of}` : action.op} ${op.type} ${operands.join(" ")}`;
    case "texel":
      return `texel ${action.fetch} ${action.shape} ${action.layered} ${action.bytes} ${operands.join(" ")}`;
    case "gep":
      return `gep ${action.ofLane ? "lane " : ""}${action.scale} ${action.offset} ${operands.join(" ")}`;
    default:
      return `${action.kind} ${op.type} ${operands.join(" ")}`;
  }
}
