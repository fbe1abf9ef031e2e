/** Values that are not known, and why. */
import type { Op } from "@warplens/sim-engine";
import type { Expression, Node } from "../../syntax/ast.ts";
import { deepest } from "../../syntax/deepest.ts";
import { lastName } from "../sema/scope.ts";
import type { Type } from "../sema/types.ts";
import type { Lowering } from "./emit/lowering.ts";
import { scalarOf } from "./emit/scalars.ts";

export const nestedTooDeeply = `are nested deeper than ${deepest} levels`;

/** Sema does not know the expression: its value is unknown, and what it is made of is evaluated for its effects. */
export function unknownValue(lowering: Lowering, expression: Expression, to: Type): Op {
  const scalar = scalarOf(to) ?? lowering.fail("the type of an expression is not known", expression);
  if (expression.kind === "call") {
    const called = lowering.call(expression);
    if (called.kind === "value" && called.op.type === scalar) return called.op;
    return unknown(lowering, `the result of ${calleeText(expression)} is not known`, to, expression);
  }
  const reason = whyUnknown(lowering, expression) ?? lowering.fail("the type of an expression is not known", expression);
  return unknown(lowering, reason, to, expression);
}

/** Evaluates the parts of an arithmetic expression that are known, and says what is not; undefined for what is more than arithmetic. */
function whyUnknown(lowering: Lowering, written: Expression): string | undefined {
  const expression = lowering.context.clarify(written);
  if (lowering.tryTypeOf(expression)) {
    lowering.effect(expression);
    return "";
  }
  const all = (parts: readonly Expression[]): string | undefined => {
    const reasons = parts.map((each) => whyUnknown(lowering, each));
    return reasons.includes(undefined) ? undefined : reasons.find((each) => each !== "");
  };
  switch (expression.kind) {
    case "parenthesized":
      return all([expression.inner]);
    case "binary": {
      // Those of a long sum, which stands to the left, without recursion.
      const terms: Expression[] = [];
      let first: Expression = expression;
      for (; first.kind === "binary" && !lowering.tryTypeOf(first); first = lowering.context.clarify(first.left)) {
        if (first.op === "&&" || first.op === "||") return undefined;
        terms.push(first.right);
      }
      return all([first, ...terms.reverse()]);
    }
    case "unary":
      return /^[-+~!]$/.test(expression.op) ? all([expression.operand]) : undefined;
    case "call": {
      const called = lowering.call(expression);
      return called.kind === "value" ? `the result of ${calleeText(expression)} is not known` : undefined;
    }
    case "name":
      return lowering.context.find(expression.name, lowering.frame.substitution).entities.length === 0
        ? `${nameText(expression)} is not known`
        : undefined;
    default:
      return undefined;
  }
}

const nameText = (expression: Expression & { kind: "name" }): string => expression.name.parts.map((each) => each.text).join("::");

export function unknown(lowering: Lowering, reason: string, type: Type, node: Node): Op {
  lowering.at(node);
  return lowering.builder.emit({ kind: "unknown", reason }, scalarOf(type) ?? "i32");
}

export const calleeText = (call: Expression & { kind: "call" }): string =>
  call.callee.kind === "name"
    ? call.callee.name.parts.map((each) => each.text).join("::")
    : call.callee.kind === "member"
      ? lastName(call.callee.name)
      : "a function";
