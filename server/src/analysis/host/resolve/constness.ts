/** Whether what an expression names is not to be changed by who names it. */
import type { Expression, TypeNode } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import type { Place } from "../values/model.ts";

/** @param arrow what it points at, rather */
export function isConstant(host: Interpreter, written: Expression, arrow = false): boolean {
  const e = withoutParentheses(written);
  // `*this`
  if (e.kind === "unary" && e.op === "*") return isConstant(host, e.operand, true);
  if (e.kind === "this") return arrow && host.frame.function?.const === true;
  const type = host.semantics.typeOf(e, host.frame.substitution);
  const object = type?.kind === "reference" ? type.to : type;
  const named = arrow ? (object?.kind === "pointer" ? object.to : undefined) : object;
  return named?.const === true || (!arrow && isDeclaredConst(host, e));
}

export function isConstantArgument(host: Interpreter, { expression, place }: Argument): boolean {
  return isOfConst(place) || (expression !== undefined && isConstant(host, expression));
}

/** Whether a variable is declared so, by whatever name it goes. */
export const isOfConst = (place: Place | undefined): boolean =>
  place?.type !== undefined && place.type.kind !== "container" && place.type.const === true;

/** As its declaration has it, where nothing tells its type: `const auto &each : list`. */
function isDeclaredConst(host: Interpreter, e: Expression): boolean {
  if (e.kind !== "name") return false;
  const [declared] = host.semantics.resolve(e, host.frame.substitution);
  const node: TypeNode | undefined = declared && "type" in declared ? (declared.type as TypeNode) : undefined;
  return (node?.kind === "reference" ? node.to : node)?.const === true;
}
