import type { Expression } from "../../syntax/ast.ts";
import { lowerDelete } from "./emit/heap.ts";
import type { Lowering } from "./emit/lowering.ts";
import { scalarOf } from "./emit/scalars.ts";
import { calleeText } from "./unknown.ts";

export function effect(lowering: Lowering, written: Expression): void {
  const expression = lowering.context.clarify(written);
  const info = lowering.context.info(expression, lowering.frame.substitution);
  switch (expression.kind) {
    case "parenthesized":
      lowering.effect(expression.inner);
      return;
    case "call": {
      const called = lowering.call(expression);
      // A call for its effects alone must be known to have none.
      if (called.kind === "value" && called.op.action.kind === "unknown")
        lowering.fail(`${calleeText(expression)} is not known`, expression);
      return;
    }
    case "new":
      lowering.value(expression);
      return;
    case "delete":
      lowerDelete(lowering, expression);
      return;
    case "postfix":
      if (info && scalarOf(info.type)) lowering.value(expression);
      else lowering.place(expression);
      return;
    case "assign":
      lowering.place(expression);
      return;
    case "unary":
      if (expression.op === "++" || expression.op === "--" || info?.type.kind === "record") lowering.place(expression);
      else lowering.effect(expression.operand);
      return;
    case "binary":
      if (expression.op === ",") {
        const rest: Expression[] = [];
        let first: Expression = expression;
        for (; first.kind === "binary" && first.op === ","; first = lowering.context.clarify(first.left)) rest.push(first.right);
        lowering.effect(first);
        for (const each of rest.reverse()) lowering.effect(each);
        return;
      }
      break;
    case "fold":
      lowering.value(expression);
      return;
    case "conditional":
      effectOfChoice(lowering, expression);
      return;
    case "cast":
      for (const each of expression.operands) lowering.effect(each);
      return;
    default:
      break;
  }
  if (!info || info.type.kind === "function" || info.type.kind === "lambda") return;
  if (info.lvalue) {
    // Reading a volatile object is an effect; naming another is none.
    if (info.type.volatile && scalarOf(info.type)) lowering.value(expression);
    return;
  }
  if (scalarOf(info.type)) lowering.value(expression);
  else if (info.type.kind === "record") lowering.place(expression);
  else lowering.value(expression);
}

function effectOfChoice(lowering: Lowering, expression: Expression & { kind: "conditional" }): void {
  const { builder } = lowering;
  const [whenTrue, whenFalse, after] = [builder.newBlock(), builder.newBlock(), builder.newBlock()];
  lowering.branch(expression.condition, whenTrue, whenFalse);
  for (const [block, chosen] of [
    [whenTrue, expression.then],
    [whenFalse, expression.else],
  ] as const) {
    builder.block = block;
    lowering.effect(chosen);
    builder.jump(after);
  }
  builder.block = after;
}
