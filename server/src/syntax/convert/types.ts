import type { BuiltinTypeName, Name, Node, ParameterDeclaration, TypeNode } from "../ast.ts";
import { deepest } from "../deepest.ts";
import { type CstNode, child } from "../parser/cst.ts";
import { type Context, limited, type Qualifiers, span, textOf } from "./context.ts";

const builtins: ReadonlySet<string> = new Set<BuiltinTypeName>([
  "void",
  "bool",
  "char",
  "wchar_t",
  "char8_t",
  "char16_t",
  "char32_t",
  "int",
  "float",
  "double",
  "__int128",
]);

/** A type as its specifier says it, before any declarator. */
export function type(c: Context, node: CstNode, qualifiers: Qualifiers = {}): TypeNode {
  const common: Node & Qualifiers = { start: node.start, end: node.end };
  if (qualifiers.const) common.const = true;
  if (qualifiers.volatile) common.volatile = true;
  switch (node.type) {
    case "primitive_type":
    case "type_identifier":
    case "identifier":
    case "namespace_identifier":
    case "field_identifier": {
      const text = textOf(c, node);
      if (isBuiltin(text)) return { ...common, kind: "builtin", name: text };
      return { ...common, kind: "named", name: c.name(node) };
    }
    case "sized_type_specifier":
      return sizedType(c, node, common);
    case "qualified_identifier":
    case "template_type":
    case "template_function":
      return { ...common, kind: "named", name: c.name(node) };
    case "dependent_type": {
      const inner = node.children.find((each) => each.named);
      if (!inner) return { ...common, kind: "unknown" };
      const named = type(c, inner, qualifiers);
      return named.kind === "named" ? { ...named, typename: true } : named;
    }
    case "placeholder_type_specifier":
    case "auto":
      return { ...common, kind: "auto" };
    case "decltype": {
      const operand = node.children.find((each) => each.named && each.type !== "auto");
      return operand ? { ...common, kind: "decltype", expression: c.expression(operand) } : { ...common, kind: "auto" };
    }
    case "struct_specifier":
    case "class_specifier":
    case "union_specifier":
    case "enum_specifier":
      return definedType(c, node, common);
    default:
      return { ...common, kind: "unknown" };
  }
}

const isBuiltin = (text: string): text is BuiltinTypeName => builtins.has(text);

/** `struct S { ... }` where a type stands; `struct S` alone only names. */
function definedType(c: Context, node: CstNode, common: Node & { const?: boolean; volatile?: boolean }): TypeNode {
  const named = child(node, "name");
  if (!child(node, "body")) return named ? { ...common, kind: "named", name: c.name(named) } : { ...common, kind: "unknown" };
  for (const declaration of c.declarations(node, "block")) {
    if (declaration.kind === "record" || declaration.kind === "enum") return { ...common, kind: "inline", declaration };
  }
  return { ...common, kind: "unknown" };
}

function sizedType(c: Context, node: CstNode, common: Node & { const?: boolean; volatile?: boolean }): TypeNode {
  const words = node.children.filter((each) => each.type !== "type_qualifier").map((each) => textOf(c, each));
  const count = (word: string) => words.filter((each) => each === word).length;
  const unsigned = count("unsigned") > 0;
  const of = (signedName: BuiltinTypeName, unsignedName: BuiltinTypeName): TypeNode => ({
    ...common,
    kind: "builtin",
    name: unsigned ? unsignedName : signedName,
  });
  if (count("char")) return of(count("signed") ? "signed char" : "char", "unsigned char");
  if (count("double")) return { ...common, kind: "builtin", name: count("long") ? "long double" : "double" };
  if (count("__int128")) return of("__int128", "unsigned __int128");
  if (count("short")) return of("short", "unsigned short");
  if (count("long") > 1) return of("long long", "unsigned long long");
  if (count("long")) return of("long", "unsigned long");
  const other = words.find((word) => !["unsigned", "signed", "int"].includes(word));
  // `unsigned int64_t` and the like: the sign cannot be applied to a name here.
  if (other) return { ...common, kind: "named", name: { ...common, parts: [{ text: other }], global: false } };
  return of("int", "unsigned int");
}

/** The cv-qualifiers among a node's direct children. */
export function qualifiersOf(c: Context, node: CstNode): Qualifiers {
  const found: Qualifiers = {};
  for (const each of node.children) {
    if (each.type === "type_qualifier") qualify(found, textOf(c, each));
    else if (each.type === "ms_restrict_modifier" || each.type === "ms_pointer_modifier") found.restrict = true;
  }
  return found;
}

function qualify(found: Qualifiers, word: string): void {
  if (word === "const") found.const = true;
  else if (word === "volatile") found.volatile = true;
  else if (/^(?:__)?restri/.test(word)) found.restrict = true;
}

/** A declarator taken apart: what it declares and the type it gives it. */
export interface Declared {
  readonly type: TypeNode;
  readonly name?: CstNode;
  readonly pack?: boolean;
  readonly bindings?: readonly string[];
  /** The function declarator whose parameters directly follow the name. */
  readonly function?: {
    readonly declarator: CstNode;
    readonly result: TypeNode;
    readonly parameters: readonly ParameterDeclaration[];
    readonly variadic: boolean;
  };
  readonly restrict?: boolean;
}

/** Applies a declarator to a base type, from the outside in: `int *a[3]` is an array of pointers. */
export function declare(c: Context, base: TypeNode, declarator: CstNode | undefined): Declared {
  let type = base;
  let layers = 0;
  let node = declarator;
  let outer: Declared["function"];
  let pack = false;
  while (node) {
    const inner: CstNode | undefined =
      child(node, "declarator") ??
      (wrapsUnnamed.has(node.type) ? node.children.findLast((each) => each.named && !besideDeclarators.has(each.type)) : undefined);
    switch (node.type) {
      case "pointer_declarator":
      case "abstract_pointer_declarator":
      case "pointer_type_declarator": {
        outer = undefined;
        type = {
          start: base.start,
          end: Math.max(type.end, node.children[0]?.end ?? node.end),
          kind: "pointer",
          to: type,
          ...flags(qualifiersOf(c, node)),
        };
        break;
      }
      case "reference_declarator":
      case "abstract_reference_declarator": {
        outer = undefined;
        const restrict = qualifiersOf(c, node).restrict;
        const rvalue = node.children[0]?.type === "&&";
        type = {
          start: base.start,
          end: Math.max(type.end, node.children[0]?.end ?? node.end),
          kind: "reference",
          to: type,
          rvalue,
          ...(restrict && { restrict }),
        };
        break;
      }
      case "array_declarator":
      case "abstract_array_declarator": {
        outer = undefined;
        const size = child(node, "size");
        type = { start: base.start, end: node.end, kind: "array", of: type, ...(size?.named && { size: c.expression(size) }) };
        break;
      }
      case "function_declarator":
      case "abstract_function_declarator": {
        const list = child(node, "parameters");
        const { parameters, variadic } = list ? c.parameters(list) : { parameters: [], variadic: false };
        const trailing = node.children.find((each) => each.type === "trailing_return_type")?.children.find((each) => each.named);
        const result = trailing ? c.typeDescriptor(trailing) : type;
        outer = { declarator: node, result, parameters, variadic };
        type = { start: base.start, end: node.end, kind: "function", result, parameters };
        break;
      }
      case "variadic_declarator": {
        pack = true;
        break;
      }
      case "structured_binding_declarator":
        return { type, bindings: node.children.filter((each) => each.named).map((each) => textOf(c, each)) };
      case "parenthesized_declarator":
      case "abstract_parenthesized_declarator":
      case "attributed_declarator":
        break;
      case "operator_cast":
        // `operator float() const`: its own type, then the parameters.
        return { type, name: node };
      default:
        return { type, name: node, ...(outer && { function: outer }), ...(pack && { pack }) };
    }
    // Whatever reads a type goes down its layers.
    if (++layers > deepest) type = { start: base.start, end: type.end, kind: "unknown", limit: limited(c, "depth") };
    node = inner;
  }
  return { type, ...(outer && { function: outer }), ...(pack && { pack }) };
}

function flags(qualifiers: Qualifiers): { const?: true; volatile?: true; restrict?: true } {
  return {
    ...(qualifiers.const && { const: true }),
    ...(qualifiers.volatile && { volatile: true }),
    ...(qualifiers.restrict && { restrict: true }),
  };
}

/** Declarators whose inner declarator has no field of its own in the grammar. */
const wrapsUnnamed = new Set([
  "reference_declarator",
  "abstract_reference_declarator",
  "parenthesized_declarator",
  "abstract_parenthesized_declarator",
  "attributed_declarator",
  "variadic_declarator",
]);
const besideDeclarators = new Set([
  "type_qualifier",
  "ms_restrict_modifier",
  "ms_pointer_modifier",
  "attribute_declaration",
  "attribute_specifier",
  "comment",
  "ERROR",
]);

/** `const float *`, `int (&)[3]`: a type without a name. */
export function typeDescriptor(c: Context, node: CstNode): TypeNode {
  const specifier = child(node, "type");
  if (!specifier) return { start: node.start, end: node.end, kind: "unknown" };
  return declare(c, type(c, specifier, qualifiersOf(c, node)), child(node, "declarator")).type;
}

export const namedType = (named: Name): TypeNode => ({ ...span(named), kind: "named", name: named });
