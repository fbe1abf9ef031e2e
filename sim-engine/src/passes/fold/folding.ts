/** What the rules of folding share. */
import { createOp } from "../../ir/builder.ts";
import { intConstant } from "../../ir/constants.ts";
import type { Action, Kernel, Op, ScalarType, Span } from "../../ir/kernel.ts";
import { Constants } from "../edit/constants.ts";
import { Ranges } from "../facts/ranges.ts";

/** What the rules work with: new operations go before the one at hand. */
export class Folding {
  readonly constants: Constants;
  readonly ranges: Ranges;
  readonly #kernel: Kernel;
  /** By number of the operation. */
  readonly #uses: Uint32Array;
  readonly #emitted: Op[] = [];
  span: Span;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    const uses = new Uint32Array(kernel.nextId);
    const use = ({ args }: Op): void => {
      for (let index = 0; index < args.length; index++) uses[args[index]!.id]!++;
    };
    this.#uses = uses;
    for (const block of kernel.blocks) {
      block.phis.forEach(use);
      block.ops.forEach(use);
    }
    this.constants = new Constants(kernel);
    this.ranges = new Ranges();
    this.span = { file: 0, line: 0, start: 0, end: 0 };
  }

  emit(action: Action, type: ScalarType, ...args: Op[]): Op {
    const op = createOp(this.#kernel, action, type, args, this.span);
    this.#emitted.push(op);
    return op;
  }

  int(type: ScalarType, value: number | bigint): Op {
    return this.constants.int(type, value);
  }

  /** Whether one operand alone was this value when the rules began. */
  isUsedOnce(op: Op): boolean {
    return this.#uses[op.id] === 1;
  }

  /** Appends what was emitted since the last time. */
  takeEmitted(to: Op[]): void {
    for (const op of this.#emitted) to.push(op);
    this.#emitted.length = 0;
  }
}

/** Changes an operation in place, so that it stays the same value. */
export function become(op: Op, action: Action, ...args: Op[]): undefined {
  op.action = action;
  op.args = args;
}

/** The condition that `op` is the negation of. */
export function negated(op: Op): Op | undefined {
  if (op.action.kind !== "int" || op.action.op !== "xor" || op.type !== "i1") return undefined;
  const [a, b] = op.args;
  return intConstant(b) === 1 ? a : undefined;
}
