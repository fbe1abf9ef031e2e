import type { Declaration, FunctionDeclaration, Name, Node, Specifiers, TypeNode } from "../ast.ts";
import { type CstNode, child, childOfType } from "../parser/cst.ts";
import { type Context, operands, span, textOf, type Where } from "./context.ts";
import { maybeVariable } from "./maybe-function.ts";
import { lastPart } from "./names.ts";
import { type Declared, qualifiersOf } from "./types.ts";

export function functionOrVariable(
  c: Context,
  node: CstNode,
  parts: Declared,
  base: TypeNode,
  specifiers: Specifiers,
  where: Where,
  extent: Node,
): Declaration {
  const made = func(c, node, parts, base, specifiers, extent);
  if (node.type !== "declaration" || made.deleted || made.defaulted) return made;
  return maybeVariable(c, made, parts.function?.declarator, where) ?? made;
}

function func(c: Context, node: CstNode, parts: Declared, base: TypeNode, specifiers: Specifiers, extent: Node): FunctionDeclaration {
  const { declarator, parameters, variadic, result } = parts.function ?? {
    declarator: node,
    parameters: [],
    variadic: false,
    result: base,
  };
  const name = parts.name ? c.name(parts.name) : { ...span(declarator), parts: [], global: false };
  const last = lastPart(name);
  const bodyNode = child(node, "body") ?? childOfType(node, "try_statement");
  const initialisers = childOfType(node, "field_initializer_list");
  const isConst = declarator.children.some((each) => each.type === "type_qualifier" && textOf(c, each) === "const");
  const clause = childOfType(declarator, "requires_clause");
  const constraint = clause && child(clause, "constraint");
  const typed = child(node, "type") !== undefined;
  // `template <class T> S<T>::operator float()` out of its class is read as a function `float` of type `S<T>::operator`.
  const converts = base.kind === "named" && lastPart(base.name) === "operator";
  const role = converts
    ? "conversion"
    : last.startsWith("~")
      ? "destructor"
      : /^operator\W|^operator (new|delete)/.test(last)
        ? "operator"
        : typed
          ? undefined
          : "constructor";
  // From the text: the parser may have been given another word.
  const ending = bodyNode ? undefined : /^\s*=\s*(delete|default)\b/.exec(c.text.slice(declarator.end, node.end))?.[1];
  return {
    ...extent,
    kind: "function",
    name: converts
      ? { ...span(name), parts: [...base.name.parts.slice(0, -1), { text: `operator ${last}` }], global: base.name.global }
      : name,
    nameSpan: parts.name ? lastNameSpan(parts.name) : span(declarator),
    result: converts ? c.type(parts.name ?? declarator) : result,
    parameters,
    variadic,
    specifiers,
    ...(isConst && { const: true }),
    ...(role && { role }),
    ...(constraint && { constraint: c.expression(constraint) }),
    ...(initialisers && { initialisers: fieldInitialisers(c, initialisers) }),
    ...(bodyNode && { body: c.block(bodyNode) }),
    ...(ending === "delete" && { deleted: true }),
    ...(ending === "default" && { defaulted: true }),
  };
}

/** The span of the name itself in `a::b<T>::f`. */
function lastNameSpan(node: CstNode): Node {
  let at = node;
  while (at.type === "qualified_identifier") {
    const inner = child(at, "name");
    if (!inner) break;
    at = inner;
  }
  const base = /^template_(function|method|type)$/.test(at.type) ? child(at, "name") : at;
  return span(base ?? at);
}

function fieldInitialisers(c: Context, node: CstNode): NonNullable<FunctionDeclaration["initialisers"]> {
  return node.children
    .filter((each) => each.type === "field_initializer")
    .map((each) => {
      const target = each.children.find((part) => part.named && part.type !== "comment") ?? each;
      const list = each.children.find((part) => part.type === "argument_list" || part.type === "initializer_list");
      return {
        name: c.name(target),
        values: operands(c, list),
        ...(list?.type === "initializer_list" && { braced: true as const }),
      };
    });
}

export const endsInConversion = (node: CstNode): boolean => {
  const last = child(node, "name");
  return last?.type === "operator_cast" || (last?.type === "qualified_identifier" && endsInConversion(last));
};

/** `operator float() const`, `S::operator float() const`. */
export function conversion(c: Context, node: CstNode, declarator: CstNode, specifiers: Specifiers): Declaration {
  let cast = declarator;
  const parts: { text: string }[] = [];
  while (cast.type === "qualified_identifier") {
    const scope = child(cast, "scope");
    if (scope) parts.push(...c.name(scope).parts);
    const inner = child(cast, "name");
    if (!inner) break;
    cast = inner;
  }
  const specifier = child(cast, "type");
  let inner = child(cast, "declarator");
  let result: TypeNode = specifier ? c.type(specifier, qualifiersOf(c, cast)) : { ...span(cast), kind: "unknown" };
  while (inner && inner.type !== "abstract_function_declarator") {
    if (inner.type === "abstract_pointer_declarator") result = { ...span(cast), kind: "pointer", to: result };
    if (inner.type === "abstract_reference_declarator")
      result = { ...span(cast), kind: "reference", to: result, rvalue: inner.children[0]?.type === "&&" };
    inner = child(inner, "declarator") ?? inner.children.findLast((each) => each.named);
  }
  const body = child(node, "body");
  const isConst = inner?.children.some((each) => each.type === "type_qualifier");
  const name: Name = {
    start: declarator.start,
    end: inner?.start ?? declarator.end,
    parts: [...parts, { text: `operator ${c.text.slice(result.start, result.end)}` }],
    global: false,
  };
  return {
    ...span(node),
    kind: "function",
    name,
    nameSpan: { start: cast.start, end: inner?.start ?? cast.end },
    result,
    parameters: [],
    variadic: false,
    specifiers,
    role: "conversion",
    ...(isConst && { const: true }),
    ...(body && { body: c.block(body) }),
  };
}
