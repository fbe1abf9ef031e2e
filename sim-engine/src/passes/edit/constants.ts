/** Constants that passes need, shared. */
import { createOp } from "../../ir/builder.ts";
import { wrap } from "../../ir/constants.ts";
import type { Kernel, Op, ScalarType, Span } from "../../ir/kernel.ts";

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
