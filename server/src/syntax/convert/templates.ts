import type { Declaration, TemplateParameter } from "../ast.ts";
import { type CstNode, child, childOfType } from "../parser/cst.ts";
import { type Context, span, textOf, type Where } from "./context.ts";
import { parameter } from "./parameters.ts";

export function template(c: Context, node: CstNode, where: Where): Declaration[] {
  const listNode = child(node, "parameters");
  return withTemplateParameters(c, listNode, (parameters) => {
    const inner = node.children.findLast((each) => each.named && each !== listNode && each.type !== "comment");
    if (!inner) return [{ ...span(node), kind: "unknown", text: textOf(c, node) }];
    const clause = childOfType(node, "requires_clause");
    const constraint = clause && child(clause, "constraint");
    return c.declarations(inner, where).map((each) => {
      const made = templated(each, parameters, node);
      return constraint && (made.kind === "function" || made.kind === "record") ? { ...made, constraint: c.expression(constraint) } : made;
    });
  });
}

/** Converts what stands behind a list of template parameters, within which their names are types. */
export function withTemplateParameters<T>(
  c: Context,
  listNode: CstNode | undefined,
  convert: (parameters: readonly TemplateParameter[]) => T,
): T {
  const parameterNodes = listNode?.children.filter((each) => each.named && each.type !== "comment") ?? [];
  const names = parameterNodes
    .filter((each) => /type_parameter_declaration$/.test(each.type))
    .flatMap((each) => {
      const name = child(each, "name") ?? childOfType(each, "type_identifier");
      return name ? [textOf(c, name)] : [];
    });
  return c.scope.within(names, () => convert(parameterNodes.map((each) => templateParameter(c, each))));
}

function templated(declaration: Declaration, parameters: readonly TemplateParameter[], node: CstNode): Declaration {
  const start = node.start;
  switch (declaration.kind) {
    case "function": {
      const templateParameters = [...parameters, ...(declaration.templateParameters ?? [])];
      return parameters.length ? { ...declaration, start, templateParameters } : { ...declaration, start, specialisation: true };
    }
    case "record":
    case "alias":
    case "variable": {
      const templateParameters = [...parameters, ...(declaration.templateParameters ?? [])];
      return { ...declaration, start, templateParameters };
    }
    default:
      return declaration;
  }
}

function templateParameter(c: Context, node: CstNode): TemplateParameter {
  const pack = node.type.startsWith("variadic");
  if (node.type === "template_template_parameter_declaration") {
    const inner = node.children.find((each) => /type_parameter_declaration$/.test(each.type));
    const name = inner && (child(inner, "name") ?? childOfType(inner, "type_identifier"));
    return { ...span(node), kind: "template", pack: inner?.type.startsWith("variadic") ?? false, ...(name && { name: textOf(c, name) }) };
  }
  if (/type_parameter_declaration$/.test(node.type)) {
    const name = child(node, "name") ?? childOfType(node, "type_identifier");
    const fallback = child(node, "default_type");
    return { ...span(node), kind: "type", pack, ...(name && { name: textOf(c, name) }), ...(fallback && { default: c.type(fallback) }) };
  }
  const { name, type, default: fallback, pack: isPack } = parameter(c, node);
  return {
    ...span(node),
    kind: "value",
    type,
    pack: pack || isPack === true,
    ...(name !== undefined && { name }),
    ...(fallback && { default: fallback }),
  };
}
