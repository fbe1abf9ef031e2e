import type { ParameterDeclaration, TypeNode } from "../ast.ts";
import { type CstNode, child } from "../parser/cst.ts";
import { braced } from "./braced.ts";
import { type Context, inside, type Mutable, span, textOf } from "./context.ts";
import { declare, qualifiersOf } from "./types.ts";

export const parameter = (c: Context, node: CstNode): ParameterDeclaration =>
  inside(
    c,
    () => converted(c, node),
    (limit) => ({ ...span(node), type: { ...span(node), kind: "unknown", limit }, specifiers: c.specifiers(node, node.end) }),
  );

function converted(c: Context, node: CstNode): ParameterDeclaration {
  const specifier = child(node, "type");
  const declarator = child(node, "declarator");
  const base: TypeNode = specifier ? c.type(specifier, qualifiersOf(c, node)) : { ...span(node), kind: "unknown" };
  const { type, name, pack } = declare(c, base, declarator);
  const fallback = child(node, "default_value");
  const made: Mutable<ParameterDeclaration> = {
    start: node.start,
    end: node.end,
    type,
    specifiers: c.specifiers(node, name?.start ?? node.end),
  };
  if (name) {
    made.name = textOf(c, name);
    made.nameSpan = span(name);
  }
  if (fallback) made.default = braced(c, fallback);
  if (pack) made.pack = true;
  return made;
}

/** The parameters between parentheses; `(void)` is none. */
export function parameters(c: Context, listNode: CstNode): { parameters: ParameterDeclaration[]; variadic: boolean } {
  const nodes = listNode.children.filter((each) => /parameter_declaration$/.test(each.type));
  const found = nodes.map((each) => parameter(c, each));
  const [only] = found;
  if (found.length === 1 && only?.type.kind === "builtin" && only.type.name === "void" && only.name === undefined) found.pop();
  return { parameters: found, variadic: listNode.children.some((each) => each.type === "..." || each.type === "variadic_parameter") };
}
