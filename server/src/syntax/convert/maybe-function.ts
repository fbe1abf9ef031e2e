import type { Expression, FunctionDeclaration, TypeNode, VariableDeclaration } from "../ast.ts";
import { type CstNode, child } from "../parser/cst.ts";
import { type Context, textOf, type Where } from "./context.ts";

/**
 * `dim3 block(BX, BY);` is read as a function that takes a `BX` and a `BY`. Within a function it is all but always a
 * variable; at namespace scope only where the names cannot be types. `maybeFunction` keeps the other reading for sema.
 */
export function maybeVariable(
  c: Context,
  made: FunctionDeclaration,
  declarator: CstNode | undefined,
  where: Where,
): VariableDeclaration | undefined {
  const list = declarator && child(declarator, "parameters");
  if (!list || made.variadic || made.body || made.role || made.parameters.length === 0 || where === "class") return undefined;
  if (made.specifiers.global || made.specifiers.virtual || made.specifiers.friend || isVoid(made.result)) return undefined;
  if (
    declarator.children.some((each) => each.type === "type_qualifier" || each.type === "trailing_return_type" || each.type === "noexcept")
  )
    return undefined;
  if (made.name.parts.length !== 1) return undefined;
  const parameters = list.children.filter((each) => each.named);
  if (!parameters.every((each) => couldBeValue(c, each))) return undefined;
  if (where === "namespace" && !(made.result.kind === "named" && geometry.has(made.result.name.parts[0]?.text ?? ""))) return undefined;
  const values: readonly Expression[] = c.operands(list.start + 1, list.end - 1);
  if (values.length !== parameters.length) return undefined;
  return {
    start: made.start,
    end: made.end,
    kind: "variable",
    name: made.name,
    type: made.result,
    specifiers: made.specifiers,
    init: { style: "direct", values },
    maybeFunction: made,
  };
}

const geometry = new Set(["dim3", "uint3", "int2", "int3", "float2", "float3", "float4"]);

const isVoid = (type: TypeNode): boolean => type.kind === "builtin" && type.name === "void";

/** No part of the parameter can only be a type, or only a parameter. */
function couldBeValue(c: Context, node: CstNode): boolean {
  if (node.type !== "parameter_declaration") return false;
  const specifier = child(node, "type");
  if (!specifier || !/^(type_identifier|qualified_identifier|template_type)$/.test(specifier.type)) return false;
  if (specifier.type === "type_identifier" && c.scope.has(textOf(c, specifier))) return false;
  const declarator = child(node, "declarator");
  // `T name` can be nothing but a parameter; `a * b` and `f(x)` can be values.
  if (declarator && (declarator.type === "identifier" || declarator.type === "array_declarator")) return false;
  return node.children.every((each) => each === specifier || each === declarator);
}
