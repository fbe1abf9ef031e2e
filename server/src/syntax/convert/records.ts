import type { EnumDeclaration, RecordDeclaration } from "../ast.ts";
import { type CstNode, child, childOfType } from "../parser/cst.ts";
import { type Context, span, textOf } from "./context.ts";
import { list } from "./declaration-list.ts";
import { alignBehind } from "./specifiers.ts";

export function record(c: Context, node: CstNode): RecordDeclaration {
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

export function enumeration(c: Context, node: CstNode): EnumDeclaration {
  // Of `enum : T { … }` the grammar takes the type for the name, and has no place for the colon.
  const colon = child(node, "base") ? undefined : node.children.find((each) => each.type === "ERROR" && textOf(c, each) === ":");
  const named = colon ? undefined : child(node, "name");
  const base = child(node, colon ? "name" : "base");
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
