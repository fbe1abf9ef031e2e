import type {
  Declaration,
  EnumDeclaration,
  FunctionDeclaration,
  Name,
  ParameterDeclaration,
  RecordDeclaration,
  Specifiers,
  TemplateParameter,
  TypeNode,
  VariableDeclaration,
} from "../ast.ts";
import { type CstNode, child, childOfType } from "../parser/cst.ts";
import { braced } from "./braced.ts";
import { type Context, MAX_DEPTH, span, textOf, type Where } from "./context.ts";
import { operands } from "./expressions.ts";
import { maybeVariable } from "./maybe-function.ts";
import { lastPart } from "./names.ts";
import { alignBehind } from "./specifiers.ts";
import { statements } from "./statements.ts";
import { type Declared, declare, qualifiersOf } from "./types.ts";

/** Everything a node declares. A node that is no declaration comes back as a statement, a parse error as `unknown`. */
export function declarations(c: Context, node: CstNode, where: Where): Declaration[] {
  if (c.depth >= MAX_DEPTH) return [unknown(c, node)];
  c.depth++;
  const converted = convert(c, node, where);
  c.depth--;
  return converted;
}

const unknown = (c: Context, node: CstNode): Declaration => ({ ...span(node), kind: "unknown", text: textOf(c, node) });

function convert(c: Context, node: CstNode, where: Where): Declaration[] {
  switch (node.type) {
    case "function_definition":
    case "declaration":
    case "field_declaration":
    case "template_instantiation":
      return declared(c, node, where);
    case "template_declaration":
      return template(c, node, where);
    case "struct_specifier":
    case "class_specifier":
    case "union_specifier": {
      const made = record(c, node);
      const instantiates = c.annotations.attributes(node.start, node.start).some((each) => each.kind === "instantiation");
      return [instantiates ? { ...span(node), kind: "instantiation", declaration: made } : made];
    }
    case "enum_specifier":
      return [enumeration(c, node)];
    case "type_definition":
      return typedef(c, node);
    case "alias_declaration": {
      const type = child(node, "type");
      return type
        ? [{ ...span(node), kind: "alias", name: textOf(c, child(node, "name") ?? node), type: c.typeDescriptor(type) }]
        : [unknown(c, node)];
    }
    case "namespace_definition":
      return [namespace(c, node)];
    case "linkage_specification": {
      const body = child(node, "body");
      return [
        {
          ...span(node),
          kind: "linkage",
          body: body ? (body.type === "declaration_list" ? list(c, body, where) : declarations(c, body, where)) : [],
        },
      ];
    }
    case "using_declaration": {
      const name = node.children.findLast((each) => each.named);
      return name
        ? [{ ...span(node), kind: "using", name: c.name(name), namespace: node.children.some((each) => each.type === "namespace") }]
        : [];
    }
    case "namespace_alias_definition": {
      const target = node.children.findLast((each) => each.named);
      return target
        ? [{ ...span(node), kind: "namespace-alias", name: textOf(c, child(node, "name") ?? node), target: c.name(target) }]
        : [];
    }
    case "static_assert_declaration":
      return [{ ...span(node), kind: "static-assert" }];
    case "friend_declaration": {
      const inner = node.children.find((each) => each.type === "declaration" || each.type === "function_definition");
      return inner
        ? declarations(c, inner, "class").map((each) =>
            each.kind === "function" ? { ...each, specifiers: { ...each.specifiers, friend: true } } : each,
          )
        : [];
    }
    case "access_specifier":
    case "comment":
    case "concept_definition":
    case "preproc_call":
    case "preproc_def":
    case "preproc_function_def":
    case "preproc_include":
    // What is left of `struct S;` once the parser has taken it for a type followed by an empty statement.
    case "type_identifier":
    case "primitive_type":
    case "sized_type_specifier":
    case "qualified_identifier":
    case "template_type":
      return [];
    case "ERROR":
      return [unknown(c, node)];
    default: {
      if (!node.named) return [];
      if (where === "class") return [unknown(c, node)];
      return statements(c, node).flatMap((statement): Declaration[] => {
        if (statement.kind === "declaration") return [...statement.declarations];
        return statement.kind === "empty" && where !== "block" ? [] : [{ ...span(statement), kind: "statement", statement }];
      });
    }
  }
}

/** The declarations between braces, or of a whole file. */
export function list(c: Context, node: CstNode, where: Where): Declaration[] {
  const found: Declaration[] = [];
  for (const each of node.children) if (each.named) found.push(...declarations(c, each, where));
  return found;
}

/** `specifiers type declarator, declarator;` and functions. */
function declared(c: Context, node: CstNode, where: Where): Declaration[] {
  const specifier = child(node, "type");
  const declarators = node.children.filter((each) => each.field === "declarator");
  const first = declarators[0] && nameStart(declarators[0]);
  const specifiers = c.specifiers(node, first ?? specifier?.end ?? node.end);
  const found: Declaration[] = [];
  let base: TypeNode = { start: node.start, end: node.start, kind: "unknown" };
  if (specifier) {
    base = c.type(specifier, qualifiersOf(c, node));
    if (base.kind === "inline" && (base.declaration.name || !declarators.length)) {
      found.push(withSpecifiers(base.declaration, specifiers));
      if (base.declaration.name) base = { ...span(base), kind: "named", name: base.declaration.name, ...(base.const && { const: true }) };
    } else if (!declarators.length && base.kind === "named" && isElaborated(specifier)) found.push(forward(c, specifier));
  }
  for (const declarator of declarators) {
    if (declarator.missing && declarators.length === 1 && specifier && isElaborated(specifier)) continue;
    const made = declarator.missing ? undefined : one(c, node, declarator, base, specifiers, where, declarators.length === 1);
    if (made) found.push(made);
  }
  if (node.type !== "template_instantiation") return found;
  return found.map((each) => ({ ...span(node), kind: "instantiation", declaration: each }));
}

const isElaborated = (node: CstNode): boolean => /^(struct|class|union)_specifier$/.test(node.type);

function forward(c: Context, node: CstNode): Declaration {
  return record(c, node);
}

const withSpecifiers = (declaration: RecordDeclaration | EnumDeclaration, specifiers: Specifiers): Declaration =>
  declaration.kind === "record" && specifiers.align && !declaration.specifiers.align
    ? { ...declaration, specifiers: { ...declaration.specifiers, align: specifiers.align } }
    : declaration;

/** Where the declared name starts: attributes up to there belong to the declaration. */
function nameStart(declarator: CstNode): number {
  let at: CstNode | undefined = declarator;
  while (at) {
    const inner: CstNode | undefined =
      child(at, "declarator") ??
      (/(reference|parenthesized|attributed)/.test(at.type) ? at.children.findLast((each) => each.named) : undefined);
    if (!inner) break;
    at = inner;
  }
  return at?.start ?? declarator.start;
}

function one(
  c: Context,
  node: CstNode,
  written: CstNode,
  base: TypeNode,
  common: Specifiers,
  where: Where,
  alone: boolean,
): Declaration | undefined {
  const initialised = written.type === "init_declarator";
  const declarator = initialised ? child(written, "declarator") : written;
  if (!declarator) return undefined;
  const parts = declare(c, base, declarator);
  const behind = alignBehind(c, declarator.end);
  const specifiers = behind ? { ...common, align: behind } : common;
  const first = node.children.find((each) => each.field === "declarator") === written;
  const extent = alone ? span(node) : { start: first ? node.start : written.start, end: written.end };
  if (written.type === "operator_cast" || (declarator.type === "qualified_identifier" && endsInConversion(declarator)))
    return conversion(c, node, declarator, specifiers);
  if (parts.function && parts.name) return functionOrVariable(c, node, parts, base, specifiers, where, extent);
  const init = initialiser(c, node, written, initialised);
  const bits = alone ? childOfType(node, "bitfield_clause") : following(node, written, "bitfield_clause");
  const width = bits?.children.find((each) => each.named);
  if (parts.bindings)
    return {
      ...extent,
      kind: "variable",
      name: { ...span(declarator), parts: [], global: false },
      type: parts.type,
      specifiers,
      bindings: parts.bindings,
      ...(init && { init }),
    };
  const name: Name = parts.name ? c.name(parts.name) : { ...span(declarator), parts: [], global: false };
  return {
    ...extent,
    kind: "variable",
    name,
    type: parts.type,
    specifiers,
    ...(init && { init }),
    ...(width && { bitWidth: c.expression(width) }),
  };
}

function following(node: CstNode, written: CstNode, type: string): CstNode | undefined {
  const next = node.children[node.children.indexOf(written) + 1];
  return next?.type === type ? next : undefined;
}

function initialiser(c: Context, node: CstNode, written: CstNode, initialised: boolean): VariableDeclaration["init"] | undefined {
  let value = initialised ? child(written, "value") : undefined;
  let copy = initialised && written.children.some((each) => each.type === "=");
  if (!initialised) {
    // A member's default value stands beside its declarator.
    const at = node.children.indexOf(written);
    for (const each of node.children.slice(at + 1)) {
      if (each.field === "declarator") break;
      if (each.type === "=") copy = true;
      if (each.field === "default_value") {
        value = each;
        break;
      }
    }
  }
  if (!value) return undefined;
  if (value.type === "argument_list") return { style: "direct", values: operands(c, value) };
  if (value.type === "initializer_list" && !copy) return { style: "list", values: operands(c, value) };
  return { style: copy ? "copy" : "list", values: [c.expression(value)] };
}

function functionOrVariable(
  c: Context,
  node: CstNode,
  parts: Declared,
  base: TypeNode,
  specifiers: Specifiers,
  where: Where,
  extent: { start: number; end: number },
): Declaration {
  const made = func(c, node, parts, base, specifiers, extent);
  if (node.type !== "declaration" || made.deleted || made.defaulted) return made;
  return maybeVariable(c, made, parts.function?.declarator, where) ?? made;
}

function func(
  c: Context,
  node: CstNode,
  parts: Declared,
  base: TypeNode,
  specifiers: Specifiers,
  extent: { start: number; end: number },
): FunctionDeclaration {
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
    ...(initialisers && { initialisers: fieldInitialisers(c, initialisers) }),
    ...(bodyNode && { body: c.block(bodyNode) }),
    ...(ending === "delete" && { deleted: true }),
    ...(ending === "default" && { defaulted: true }),
  };
}

/** The span of the name itself in `a::b<T>::f`. */
function lastNameSpan(node: CstNode): { start: number; end: number } {
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
      return {
        name: c.name(target),
        values: operands(
          c,
          each.children.find((part) => part.type === "argument_list" || part.type === "initializer_list"),
        ),
      };
    });
}

const endsInConversion = (node: CstNode): boolean => {
  const last = child(node, "name");
  return last?.type === "operator_cast" || (last?.type === "qualified_identifier" && endsInConversion(last));
};

/** `operator float() const`, `S::operator float() const`. */
function conversion(c: Context, node: CstNode, declarator: CstNode, specifiers: Specifiers): Declaration {
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

function namespace(c: Context, node: CstNode): Declaration {
  const named = child(node, "name");
  const body = child(node, "body");
  const inline = node.children.some((each) => each.type === "inline");
  const inner = body ? list(c, body, "namespace") : [];
  const names = named ? c.name(named).parts.map((part) => part.text) : [];
  const outermost = names.shift();
  // `namespace a::b { }` is `namespace a { namespace b { } }`.
  const content = names.reduceRight<Declaration[]>(
    (within, name) => [{ ...span(node), kind: "namespace", name, inline: false, body: within }],
    inner,
  );
  return { ...span(node), kind: "namespace", inline, body: content, ...(outermost !== undefined && { name: outermost }) };
}

function typedef(c: Context, node: CstNode): Declaration[] {
  const specifier = child(node, "type");
  if (!specifier) return [unknown(c, node)];
  const declarators = node.children.filter((each) => each.field === "declarator");
  let base = c.type(specifier, qualifiersOf(c, node));
  const found: Declaration[] = [];
  const firstName = declarators[0] ? nameStart(declarators[0]) : node.end;
  const aligned = c.specifiers(node, firstName).align;
  if (base.kind === "inline") {
    const { declaration } = base;
    if (declaration.kind === "record" && aligned && !declaration.specifiers.align)
      base = { ...base, declaration: { ...declaration, specifiers: { ...declaration.specifiers, align: aligned } } };
    if (base.kind === "inline" && base.declaration.name) {
      found.push(base.declaration);
      base = { ...span(base), kind: "named", name: base.declaration.name };
    }
  } else if (isElaborated(specifier) && base.kind === "named") found.push(record(c, specifier));
  for (const declarator of declarators) {
    const { type, name } = declare(c, base, declarator);
    if (!name) continue;
    const text = textOf(c, name);
    // `typedef struct S { } S;` names nothing new, and an alias of itself would never end.
    if (type.kind === "named" && type.name.parts.length === 1 && type.name.parts[0]?.text === text) continue;
    found.push({ ...span(node), kind: "alias", name: text, type });
  }
  return found.length ? found : [];
}

function record(c: Context, node: CstNode): RecordDeclaration {
  const named = child(node, "name");
  const body = child(node, "body");
  const bases =
    childOfType(node, "base_class_clause")?.children.filter(
      (each) => each.named && each.type !== "access_specifier" && each.type !== "attribute_declaration",
    ) ?? [];
  const tag = node.type === "union_specifier" ? "union" : node.type === "class_specifier" ? "class" : "struct";
  const align = c.specifiers(node, body?.start ?? named?.start ?? node.end).align ?? alignBehind(c, node.end);
  return {
    ...span(node),
    kind: "record",
    tag,
    bases: bases.map((each) => ({ type: c.type(each) })),
    specifiers: align ? { align } : {},
    ...(named && { name: c.name(named) }),
    ...(body && { members: list(c, body, "class") }),
  };
}

function enumeration(c: Context, node: CstNode): EnumDeclaration {
  const named = child(node, "name");
  const base = child(node, "base");
  const enumerators = (child(node, "body")?.children ?? [])
    .filter((each) => each.type === "enumerator")
    .map((each) => {
      const value = child(each, "value");
      return { ...span(each), name: textOf(c, child(each, "name") ?? each), ...(value && { value: c.expression(value) }) };
    });
  return {
    ...span(node),
    kind: "enum",
    scoped: node.children.some((each) => each.type === "class" || each.type === "struct"),
    enumerators,
    ...(named && { name: c.name(named) }),
    ...(base && { underlying: c.type(base) }),
  };
}

function template(c: Context, node: CstNode, where: Where): Declaration[] {
  const listNode = child(node, "parameters");
  const parameterNodes = listNode?.children.filter((each) => each.named && each.type !== "comment") ?? [];
  const names = parameterNodes
    .filter((each) => /type_parameter_declaration$/.test(each.type))
    .flatMap((each) => {
      const name = child(each, "name") ?? childOfType(each, "type_identifier");
      return name ? [textOf(c, name)] : [];
    });
  return c.scope.within(names, () => {
    const parameters = parameterNodes.map((each) => templateParameter(c, each));
    const inner = node.children.findLast((each) => each.named && each !== listNode && each.type !== "comment");
    if (!inner) return [unknown(c, node)];
    return declarations(c, inner, where).map((each) => templated(each, parameters, node));
  });
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

function parameter(c: Context, node: CstNode): ParameterDeclaration {
  const specifier = child(node, "type");
  const declarator = child(node, "declarator");
  const base: TypeNode = specifier ? c.type(specifier, qualifiersOf(c, node)) : { ...span(node), kind: "unknown" };
  const { type, name, pack } = declare(c, base, declarator);
  const fallback = child(node, "default_value");
  return {
    ...span(node),
    type,
    specifiers: c.specifiers(node, name?.start ?? node.end),
    ...(name && { name: textOf(c, name), nameSpan: span(name) }),
    ...(fallback && { default: braced(c, fallback) }),
    ...(pack && { pack: true }),
  };
}

/** The parameters between parentheses; `(void)` is none. */
export function parameters(c: Context, listNode: CstNode): { parameters: ParameterDeclaration[]; variadic: boolean } {
  const nodes = listNode.children.filter((each) => /parameter_declaration$/.test(each.type));
  const found = nodes.map((each) => parameter(c, each));
  const [only] = found;
  if (found.length === 1 && only?.type.kind === "builtin" && only.type.name === "void" && only.name === undefined) found.pop();
  return { parameters: found, variadic: listNode.children.some((each) => each.type === "..." || each.type === "variadic_parameter") };
}
