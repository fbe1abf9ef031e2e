/** Conditions and choices as control flow. */
import type { Block, Op } from "@warplens/sim-engine";
import type { Expression } from "../../syntax/ast.ts";
import { boolType, isClass } from "../sema/type-tools.ts";
import type { Lowering } from "./emit/lowering.ts";
import { load, store } from "./emit/memory.ts";
import { truth } from "./emit/scalars.ts";

/** A truth value that control flow decides, kept in a temporary: as compilers do before optimising. */
export function viaBranches(lowering: Lowering, expression: Expression): Op {
  const { builder } = lowering;
  const slot = lowering.temporary(boolType, "condition", expression);
  const [whenTrue, whenFalse, after] = [builder.newBlock(), builder.newBlock(), builder.newBlock()];
  lowering.branch(expression, whenTrue, whenFalse);
  for (const [block, value] of [
    [whenTrue, 1],
    [whenFalse, 0],
  ] as const) {
    builder.block = block;
    store(lowering, slot, lowering.constant("i1", value));
    builder.jump(after);
  }
  builder.block = after;
  return load(lowering, slot);
}

/** Runs one of two branches, whichever the condition says. */
export function choose(lowering: Lowering, expression: Expression & { kind: "conditional" }, use: (chosen: Expression) => void): void {
  const { builder } = lowering;
  const [whenTrue, whenFalse, after] = [builder.newBlock(), builder.newBlock(), builder.newBlock()];
  lowering.branch(expression.condition, whenTrue, whenFalse);
  for (const [block, chosen] of [
    [whenTrue, expression.then],
    [whenFalse, expression.else],
  ] as const) {
    builder.block = block;
    use(chosen);
    builder.jump(after);
  }
  builder.block = after;
}

/** Jumps by a condition; `&&`, `||` and `!` by control flow. */
export function branchOn(lowering: Lowering, written: Expression, whenTrue: Block, whenFalse: Block): void {
  const { builder } = lowering;
  const condition = lowering.context.clarify(written);
  if (condition.kind === "parenthesized") {
    branchOn(lowering, condition.inner, whenTrue, whenFalse);
    return;
  }
  if (condition.kind === "unary" && condition.op === "!" && !isClass(lowering.typeOf(condition.operand))) {
    branchOn(lowering, condition.operand, whenFalse, whenTrue);
    return;
  }
  if (
    condition.kind === "binary" &&
    (condition.op === "&&" || condition.op === "||") &&
    ![condition.left, condition.right].some((each) => isRecordOperand(lowering, each))
  ) {
    const second = builder.newBlock();
    if (condition.op === "&&") branchOn(lowering, condition.left, second, whenFalse);
    else branchOn(lowering, condition.left, whenTrue, second);
    builder.block = second;
    branchOn(lowering, condition.right, whenTrue, whenFalse);
    return;
  }
  const type = lowering.tryTypeOf(condition);
  const value = type && isClass(type) ? lowering.valueAs(condition, boolType) : truth(lowering, lowering.value(condition));
  lowering.at(condition);
  builder.branch(value, whenTrue, whenFalse);
}

const isRecordOperand = (lowering: Lowering, expression: Expression): boolean => {
  const type = lowering.tryTypeOf(expression);
  return (
    type !== undefined &&
    isClass(type) &&
    lowering.context.resolveOperator(
      "&&",
      [{ info: { type, lvalue: true } }, { info: { type, lvalue: true } }],
      expression.start,
      lowering.frame.substitution,
    ) !== undefined
  );
};
