import type { Declaration, EnumDeclaration, Name, RecordDeclaration, Specifiers, TypeNode, VariableDeclaration } from "../ast.ts";
import { type CstNode, child, childOfType } from "../parser/cst.ts";
import { type Context, type Mutable, operands, span, textOf, type Where } from "./context.ts";
import { conversion, endsInConversion, functionOrVariable } from "./functions.ts";
import { record } from "./records.ts";
import { alignBehind } from "./specifiers.ts";
import { declare, qualifiersOf } from "./types.ts";

/** `specifiers type declarator, declarator;` and functions. */
export function declared(c: Context, node: CstNode, where: Where): Declaration[] {
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
    } else if (!declarators.length && base.kind === "named" && isElaborated(specifier)) found.push(record(c, specifier));
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
  const name: Name = parts.name ? c.name(parts.name) : { start: declarator.start, end: declarator.end, parts: [], global: false };
  const made: Mutable<VariableDeclaration> = { start: extent.start, end: extent.end, kind: "variable", name, type: parts.type, specifiers };
  if (init) made.init = init;
  if (width) made.bitWidth = c.expression(width);
  if (parts.bindings) made.bindings = parts.bindings;
  return made;
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
  if (value.type === "initializer_list" && !copy) {
    // Designators name members of aggregates, for which `T t{.x = 1}` is `T t = {.x = 1}`.
    const isDesignated = value.children.some((each) => each.type === "initializer_pair");
    return isDesignated ? { style: "copy", values: [c.expression(value)] } : { style: "list", values: operands(c, value) };
  }
  return { style: copy ? "copy" : "list", values: [c.expression(value)] };
}

export function typedef(c: Context, node: CstNode): Declaration[] {
  const specifier = child(node, "type");
  if (!specifier) return [{ ...span(node), kind: "unknown", text: textOf(c, node) }];
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
