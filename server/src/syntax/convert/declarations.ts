import type { Declaration } from "../ast.ts";
import { type CstNode, child } from "../parser/cst.ts";
import { type Context, inside, span, textOf, type Where } from "./context.ts";
import { list } from "./declaration-list.ts";
import { enumeration, record } from "./records.ts";
import { isStatement, statements, unknownStatement } from "./statements.ts";
import { template } from "./templates.ts";
import { declared, typedef } from "./variables.ts";

/** Everything a node declares. A node that is no declaration comes back as a statement, a parse error as `unknown`. */
export function declarations(c: Context, node: CstNode, where: Where): Declaration[] {
  return inside(
    c,
    () => convert(c, node, where),
    (limit) => [{ ...unknown(c, node), limit }],
  );
}

const unknown = (c: Context, node: CstNode): Declaration & { kind: "unknown" } => ({
  ...span(node),
  kind: "unknown",
  text: textOf(c, node),
});

function convert(c: Context, node: CstNode, where: Where): Declaration[] {
  switch (node.type) {
    case "function_definition":
      return where === "block" && !child(node, "type") ? [noFunction(c, node)] : declared(c, node, where);
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
      if (!body) return [];
      if (body.type === "declaration_list") return [{ ...span(node), kind: "linkage", body: list(c, body, where) }];
      // Without braces it is as if `extern` was written: a variable without a value is not defined by it.
      return declarations(c, body, where).map((each) =>
        each.kind === "variable" ? { ...each, specifiers: { ...each.specifiers, extern: true } } : each,
      );
    }
    case "using_declaration": {
      const name = node.children.findLast((each) => each.named);
      return name
        ? [
            {
              ...span(node),
              kind: "using",
              name: c.name(name),
              namespace: node.children.some((each) => each.type === "namespace" || each.type === "enum"),
            },
          ]
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
    case "concept_definition":
      return [concept(c, node)];
    case "access_specifier":
    case "comment":
    case "preproc_call":
    case "preproc_def":
    case "preproc_function_def":
    case "preproc_include":
    // What is left of `struct S;` once the parser has taken it for a type followed by an empty statement.
    case "type_identifier":
      // The name of a macro called with what is no expression.
      return /^\s*\(/.test(c.text.slice(node.end, node.end + 20)) ? [unknown(c, node)] : [];
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
      const made = isStatement(node) ? statements(c, node) : [unknownStatement(c, node)];
      return made.flatMap((statement): Declaration[] => {
        if (statement.kind === "declaration") return [...statement.declarations];
        return statement.kind === "empty" && where !== "block" ? [] : [{ ...span(statement), kind: "statement", statement }];
      });
    }
  }
}

/** `concept C = e;` is a truth of its template's arguments. */
function concept(c: Context, node: CstNode): Declaration {
  const named = child(node, "name");
  const value = node.children.findLast((each) => each.named);
  if (!named || !value || value === named) return unknown(c, node);
  return {
    ...span(node),
    kind: "variable",
    name: c.name(named),
    type: { ...span(named), kind: "builtin", name: "bool" },
    specifiers: { constexpr: true },
    init: { style: "copy", values: [c.expression(value)] },
  };
}

/** Within a function: `FOR_EACH(i, n) { }`, a macro that is not known; `f(x) = 0;`, read as a pure virtual function. */
function noFunction(c: Context, node: CstNode): Declaration {
  if (child(node, "body")) return unknown(c, node);
  const [expression] = c.operands(node.start, node.end - 1);
  return expression ? { ...span(node), kind: "statement", statement: { ...span(node), kind: "expression", expression } } : unknown(c, node);
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
