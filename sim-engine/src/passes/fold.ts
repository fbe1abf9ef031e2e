/**
 * Algebra on single operations: constants are computed, identities removed, and shapes made the same so that later passes see
 * that they are equal (constants right, subtraction of a constant as addition, multiplication by a power of two as a shift).
 */
import { createOp } from "../builder.ts";
import { reversePostorder } from "../graph.ts";
import type { Action, Kernel, Op, ScalarType, Span } from "../kernel.ts";
import { foldAddress } from "./fold-address.ts";
import { foldCompare, foldSelect } from "./fold-compare.ts";
import { foldConversion, foldFloat } from "./fold-float.ts";
import { foldInt } from "./fold-int.ts";
import { Ranges } from "./ranges.ts";
import { Constants, isConstant, Substitution } from "./rewrite.ts";

/** What the rules work with: new operations go before the one at hand. */
export class Folding {
  readonly constants: Constants;
  readonly ranges: Ranges;
  readonly #kernel: Kernel;
  readonly #emitted: Op[] = [];
  span: Span;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
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

  takeEmitted(): Op[] {
    return this.#emitted.splice(0);
  }
}

/** Changes an operation in place, so that it stays the same value. */
export function become(op: Op, action: Action, ...args: Op[]): undefined {
  op.action = action;
  op.args = args;
}

/** Returns whether anything changed. */
export function fold(kernel: Kernel): boolean {
  let changed = false;
  for (let round = 0; round < 6 && foldOnce(kernel); round++) changed = true;
  return changed;
}

function foldOnce(kernel: Kernel): boolean {
  const folding = new Folding(kernel);
  const substitution = new Substitution();
  let changed = false;
  for (const block of reversePostorder(kernel)) {
    const kept: Op[] = [];
    // Constants made on the way go to the head of the entry block, so that one is read only up to where it stood.
    for (const op of [...block.ops]) {
      if (op.action.kind === "const") continue;
      for (const [index, arg] of op.args.entries()) op.args[index] = substitution.resolve(arg);
      folding.span = op.span;
      const { action, args } = op;
      const to = foldOp(op, folding);
      kept.push(...folding.takeEmitted());
      if (to && to !== op) substitution.replace(op, to);
      else kept.push(op);
      changed ||= to !== undefined || op.action !== action || op.args !== args;
    }
    block.ops = [...block.ops.filter((op) => op.action.kind === "const"), ...kept];
    const { end } = block;
    if (end.kind === "branch") {
      end.cond = substitution.resolve(end.cond);
      const inner = negated(end.cond);
      if (inner) {
        [end.then, end.else] = [end.else, end.then];
        end.cond = inner;
        changed = true;
      }
    }
  }
  substitution.apply(kernel);
  return changed;
}

/** The value that stands for `op` from now on; undefined when it stays, perhaps changed in place. */
function foldOp(op: Op, folding: Folding): Op | undefined {
  switch (op.action.kind) {
    case "int":
      return foldInt(op, op.action, folding);
    case "icmp":
    case "fcmp":
      return foldCompare(op, folding);
    case "select":
      return foldSelect(op, folding);
    case "convert":
      return foldConversion(op, op.action, folding);
    case "float":
    case "math":
    case "fma":
      return foldFloat(op, folding);
    case "gep":
      return foldAddress(op, op.action, folding);
    case "load":
    case "store":
    case "atomic":
      return undefined;
    default:
      return undefined;
  }
}

/** The condition that `op` is the negation of. */
export function negated(op: Op): Op | undefined {
  if (op.action.kind !== "int" || op.action.op !== "xor" || op.type !== "i1") return undefined;
  const [a, b] = op.args;
  return isConstant(b) && b?.action.kind === "const" && b.action.value === 1 ? a : undefined;
}
