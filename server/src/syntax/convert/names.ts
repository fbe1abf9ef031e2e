import type { Expression, Name, TemplateArgument, TypeNode } from "../ast.ts";
import { type CstNode, child } from "../parser/cst.ts";
import { type Context, span, textOf } from "./context.ts";

type Part = Name["parts"][number];

/** Any node that names something: identifiers, qualified and template names, operators, destructors. */
export function name(c: Context, node: CstNode): Name {
  const parts: Part[] = [];
  const global = collect(c, node, parts);
  return { start: node.start, end: node.end, parts, global };
}

export const simpleName = (node: { start: number; end: number }, text: string): Name => ({
  start: node.start,
  end: node.end,
  parts: [{ text }],
  global: false,
});

/** The last part's text: `f` of `a::f<int>`. */
export const lastPart = (named: Name): string => named.parts.at(-1)?.text ?? "";

function collect(c: Context, node: CstNode, parts: Part[]): boolean {
  switch (node.type) {
    case "qualified_identifier": {
      let global: boolean | undefined;
      let at: CstNode | undefined = node;
      // `a::b::c` is `a::` and `b::c`, as deep as it has parts.
      for (; at?.type === "qualified_identifier"; at = child(at, "name")) {
        const scope = child(at, "scope");
        const named = scope ? collect(c, scope, parts) : parts.length === 0;
        global ??= named;
      }
      if (at) collect(c, at, parts);
      return global ?? false;
    }
    case "template_type":
    case "template_function":
    case "template_method": {
      const base = child(node, "name");
      const list = child(node, "arguments");
      const text = base ? partText(c, base) : "";
      parts.push(list ? { text, templateArguments: c.templateArguments(list) } : { text });
      return false;
    }
    case "dependent_name":
    case "dependent_type":
    case "nested_namespace_specifier": {
      for (const each of node.children) if (each.named) collect(c, each, parts);
      return false;
    }
    case "decltype": {
      const operand = node.children.find((each) => each.named && each.type !== "auto");
      parts.push({ text: partText(c, node), ...(operand && { decltype: c.expression(operand) }) });
      return false;
    }
    case "pointer_type_declarator": {
      const inner = node.children.findLast((each) => each.named);
      if (inner) collect(c, inner, parts);
      return false;
    }
    default:
      parts.push({ text: partText(c, node) });
      return false;
  }
}

function partText(c: Context, node: CstNode): string {
  const text = textOf(c, node);
  if (node.type === "operator_name" || node.type === "operator_literal" || /^operator\s*""/.test(text))
    return text
      .replace(/\s+/g, " ")
      .replace(/^operator (?=\W)/, "operator")
      .replace(/^(operator"") (?=\w)/, "$1");
  return node.type === "destructor_name" ? text.replace(/\s+/g, "") : text;
}

/** Types that are words of the language: only what they make, `int(N)`, can be a value. */
const languageTypes = new Set(["primitive_type", "sized_type_specifier"]);
const nameTypes = new Set(["type_identifier", "qualified_identifier", "template_type", "identifier"]);

/** The arguments between `<` and `>`. */
export function templateArguments(c: Context, list: CstNode): TemplateArgument[] {
  const found: TemplateArgument[] = [];
  for (const each of list.children) {
    if (!each.named || each.type === "comment" || each.type === "ERROR") continue;
    found.push(templateArgument(c, each));
  }
  return found;
}

function templateArgument(c: Context, node: CstNode): TemplateArgument {
  if (node.type === "parameter_pack_expansion") {
    const pattern = child(node, "pattern");
    if (!pattern) return { start: node.start, end: node.end, kind: "expression", expression: c.expression(node), pack: true };
    return { ...templateArgument(c, pattern), start: node.start, end: node.end, pack: true };
  }
  if (node.type !== "type_descriptor") return { start: node.start, end: node.end, kind: "expression", expression: c.expression(node) };
  const type: TypeNode = c.typeDescriptor(node);
  const expression = asExpression(c, node, type);
  return expression
    ? { start: node.start, end: node.end, kind: "type", type, expression }
    : { start: node.start, end: node.end, kind: "type", type };
}

/** What a type descriptor would be if its names were values: `N`, `A::value`, `f(N)`. */
function asExpression(c: Context, node: CstNode, type: TypeNode): Expression | undefined {
  const specifier = child(node, "type");
  const isMade = specifier && languageTypes.has(specifier.type) && child(node, "declarator")?.type === "abstract_function_declarator";
  if (!specifier || !(isMade || nameTypes.has(specifier.type))) return undefined;
  if (specifier.type === "type_identifier" && c.scope.has(textOf(c, specifier))) return undefined;
  if (node.children.some((each) => each.type === "type_qualifier")) return undefined;
  const declarator = child(node, "declarator");
  if (!declarator) return type.kind === "named" ? { ...span(specifier), kind: "name", name: type.name } : undefined;
  if (declarator.type !== "abstract_function_declarator" && declarator.type !== "abstract_array_declarator") return undefined;
  const [expression] = c.operands(node.start, node.end);
  // `void(const T*)` is a function's type and nothing else.
  return expression?.kind === "call" && expression.arguments.some((each) => each.kind === "unknown") ? undefined : expression;
}
