import type { Expression } from "./ast.ts";
import { termsOf } from "./terms.ts";

type Call = Expression & { readonly kind: "call" };

/** Whether evaluating an expression of numbers changes nothing. @param isPureCall calls that do not either; else any may */
export function isPure(e: Expression, isPureCall: (call: Call) => boolean = () => false): boolean {
  const each = (part: Expression): boolean => isPure(part, isPureCall);
  switch (e.kind) {
    case "name":
    case "integer":
    case "float":
    case "char":
    case "bool":
    case "sizeof":
      return true;
    case "parenthesized":
      return each(e.inner);
    case "unary":
      return e.op !== "++" && e.op !== "--" && each(e.operand);
    case "binary":
      return termsOf(e, () => true).every(each);
    case "cast":
      return e.operands.every(each);
    case "member":
      return each(e.base);
    case "subscript":
      return each(e.base) && e.indices.every(each);
    case "call":
      return isPureCall(e);
    default:
      return false;
  }
}
