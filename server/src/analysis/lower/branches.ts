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
  // What stands to the right of `&&` and `||`, and where it leads: those of a long condition, the outermost first.
  const seconds: (readonly [block: Block, condition: Expression, whenTrue: Block, whenFalse: Block])[] = [];
  const to = { whenTrue, whenFalse };
  let condition = lowering.context.clarify(written);
  for (;;) {
    if (condition.kind === "parenthesized") condition = lowering.context.clarify(condition.inner);
    else if (condition.kind === "unary" && condition.op === "!" && !isClass(lowering.typeOf(condition.operand))) {
      condition = lowering.context.clarify(condition.operand);
      [to.whenTrue, to.whenFalse] = [to.whenFalse, to.whenTrue];
    } else if (
      condition.kind === "binary" &&
      (condition.op === "&&" || condition.op === "||") &&
      !isRecordOperand(lowering, condition.left) &&
      !isRecordOperand(lowering, condition.right)
    ) {
      lowering.spend();
      const second = builder.newBlock();
      seconds.push([second, condition.right, to.whenTrue, to.whenFalse]);
      if (condition.op === "&&") to.whenTrue = second;
      else to.whenFalse = second;
      condition = lowering.context.clarify(condition.left);
    } else break;
  }
  const type = lowering.tryTypeOf(condition);
  const value = type && isClass(type) ? lowering.valueAs(condition, boolType) : truth(lowering, lowering.value(condition));
  lowering.at(condition);
  builder.branch(value, to.whenTrue, to.whenFalse);
  for (const [block, right, ...targets] of seconds.reverse()) {
    builder.block = block;
    branchOn(lowering, right, ...targets);
  }
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
