import type { AsmOperand, Condition, Expression, Statement, Unroll, VariableDeclaration } from "../ast.ts";
import { type CstNode, child } from "../parser/cst.ts";
import { type Context, inside, span, textOf } from "./context.ts";
import { stringValue } from "./literals.ts";
import { parameters } from "./parameters.ts";
import { parenthesizedPointer } from "./parenthesized-pointer.ts";
import { declare, qualifiersOf } from "./types.ts";

type Converter = (c: Context, node: CstNode) => Statement;

/** One statement. What stands for several (a label with what it labels) becomes a block. */
export function statement(c: Context, node: CstNode): Statement {
  const list = statements(c, node);
  const [only] = list;
  return only && list.length === 1 ? only : { start: node.start, end: node.end, kind: "block", body: list };
}

/** The statements a node stands for: a `case` is followed by its statements as siblings. */
export function statements(c: Context, node: CstNode): Statement[] {
  switch (node.type) {
    case "case_statement": {
      const value = child(node, "value");
      const label: Statement = { start: node.start, end: (value ?? node).end, kind: "case", ...(value && { value: c.expression(value) }) };
      return [label, ...labelled(c, node, (each) => each.field !== "value")];
    }
    case "labeled_statement": {
      const label = child(node, "label");
      const name: Statement = { ...span(label ?? node), kind: "label", name: label ? textOf(c, label) : "" };
      return [name, ...labelled(c, node, (each) => each.field !== "label")];
    }
    case "attributed_statement":
      return labelled(c, node, (each) => each.type !== "attribute_declaration");
    case "comment":
    case "preproc_call":
    case "preproc_def":
    case "preproc_function_def":
    case "preproc_include":
      return [];
    default: {
      const convert = converters.get(node.type);
      if (!convert) return [declarationOrUnknown(c, node)];
      return [
        inside(
          c,
          () => convert(c, node),
          (limit) => ({ ...unknownStatement(c, node), limit }),
        ),
      ];
    }
  }
}

/** What stands in a node behind what labels it. */
const labelled = (c: Context, node: CstNode, counts: (child: CstNode) => boolean): Statement[] =>
  inside(
    c,
    () => node.children.filter((each) => each.named && counts(each)).flatMap((each) => statements(c, each)),
    (limit) => [{ ...unknownStatement(c, node), limit }],
  );

export const unknownStatement = (c: Context, node: CstNode): Statement & { kind: "unknown" } => ({
  start: node.start,
  end: node.end,
  kind: "unknown",
  text: textOf(c, node),
});

const labels = new Set(["case_statement", "labeled_statement", "attributed_statement"]);

/** Whether the node is a statement whatever stands around it, rather than a declaration or nothing known. */
export const isStatement = ({ type }: CstNode): boolean => labels.has(type) || converters.has(type);

function declarationOrUnknown(c: Context, node: CstNode): Statement {
  if (!node.named || node.type === "ERROR") return unknownStatement(c, node);
  const expression = calledElement(c, node) ?? assignedTemplate(c, node);
  if (expression) return expression;
  const declarations = c.declarations(node, "block");
  if (declarations.length === 1 && declarations[0]?.kind === "statement") return declarations[0].statement;
  if (declarations.length === 1 && declarations[0]?.kind === "unknown") return unknownStatement(c, node);
  return { start: node.start, end: node.end, kind: "declaration", declarations };
}

/** `table[i](a, b);` came as a structured binding of a function, as if `table` were a type: only `auto` can be taken apart. */
function calledElement(c: Context, node: CstNode): Statement | undefined {
  const type = node.type === "declaration" ? child(node, "type") : undefined;
  if (!type || (type.type !== "type_identifier" && type.type !== "qualified_identifier" && type.type !== "template_type")) return undefined;
  let at = child(node, "declarator");
  while (at && at.type !== "structured_binding_declarator") at = child(at, "declarator");
  const end = textOf(c, node).endsWith(";") ? node.end - 1 : node.end;
  const [expression, more] = at ? c.operands(node.start, end) : [];
  return expression && !more ? { ...span(node), kind: "expression", expression } : undefined;
}

/** `value<int> = 3;`, to a variable template, came as a declaration without a name. */
function assignedTemplate(c: Context, node: CstNode): Statement | undefined {
  const type = node.type === "declaration" ? child(node, "type") : undefined;
  const declarator = child(node, "declarator");
  const value = declarator?.type === "init_declarator" ? child(declarator, "value") : undefined;
  if (type?.type !== "template_type" || !value || !declarator || !child(declarator, "declarator")?.missing) return undefined;
  const left: Expression = { ...span(type), kind: "name", name: c.name(type) };
  const at = { start: node.start, end: node.end };
  return { ...at, kind: "expression", expression: { ...at, kind: "assign", op: "", left, right: c.expression(value) } };
}

/** `{ ... }`. */
export function block(c: Context, node: CstNode): Statement & { kind: "block" } {
  if (node.type === "try_statement") return { start: node.start, end: node.end, kind: "block", body: [statement(c, node)] };
  const body: Statement[] = [];
  for (const each of node.children) {
    if (each.named ? each.type !== "comment" : each.type === "ERROR") for (const made of statements(c, each)) body.push(made);
  }
  return { start: node.start, end: node.end, kind: "block", body };
}

/** The parenthesised part of `if`, `while` and `switch`. */
export function condition(c: Context, clause: CstNode): { init?: Statement; condition: Condition } {
  const value = child(clause, "value") ?? (clause.type === "condition_clause" ? undefined : clause);
  const initializer = child(clause, "initializer")?.children.find((each) => each.named);
  const first = initializer && { init: statement(c, initializer) };
  if (!value) return { ...first, condition: { ...span(clause), kind: "unknown", text: textOf(c, clause) } };
  if (value.type !== "declaration") return { ...first, condition: c.expression(value) };
  return { ...first, condition: conditionDeclaration(c, value) };
}

function conditionDeclaration(c: Context, node: CstNode): VariableDeclaration | Condition {
  const specifier = child(node, "type");
  const declarator = child(node, "declarator");
  const value = child(node, "value");
  if (!specifier || !declarator) return { start: node.start, end: node.end, kind: "unknown", text: textOf(c, node) };
  const declared = declare(c, c.type(specifier, qualifiersOf(c, node)), declarator);
  if (!declared.name) return { start: node.start, end: node.end, kind: "unknown", text: textOf(c, node) };
  return {
    start: node.start,
    end: node.end,
    kind: "variable",
    name: c.name(declared.name),
    type: declared.type,
    specifiers: c.specifiers(node, declared.name.start),
    ...(value && { init: { style: value.type === "initializer_list" ? "list" : "copy", values: [c.expression(value)] } }),
  };
}

function unroll(c: Context, node: CstNode): { unroll?: Unroll } {
  const pragma = c.annotations.unrollAt(node.start);
  if (!pragma) return {};
  if (pragma.none) return { unroll: { start: node.start, end: node.start, kind: "integer", value: 1n, suffix: "", text: "1" } };
  const count = pragma.count && c.operands(...pragma.count)[0];
  return { unroll: count ?? "full" };
}

const body = (c: Context, node: CstNode): Statement => {
  const inner = child(node, "body");
  return inner ? statement(c, inner) : { start: node.end, end: node.end, kind: "empty" };
};

const optional = (c: Context, node: CstNode | undefined) => (node ? c.expression(node) : undefined);

const conditional: Converter = (c, node) => {
  const clause = child(node, "condition");
  const consequence = child(node, "consequence");
  const alternative = child(node, "alternative")?.children.find((each) => each.named);
  if (!clause) return unknownStatement(c, node);
  return {
    start: node.start,
    end: node.end,
    kind: "if",
    constexpr: node.children.some((each) => each.type === "constexpr"),
    ...condition(c, clause),
    then: consequence ? statement(c, consequence) : { start: node.end, end: node.end, kind: "empty" },
    ...(alternative && { else: statement(c, alternative) }),
  };
};

const forLoop: Converter = (c, node) => {
  const initializer = child(node, "initializer");
  const test = child(node, "condition");
  const step = optional(c, child(node, "update"));
  const init: Statement | undefined =
    initializer &&
    (initializer.type === "declaration"
      ? statement(c, initializer)
      : { ...span(initializer), kind: "expression", expression: c.expression(initializer) });
  return {
    start: node.start,
    end: node.end,
    kind: "for",
    ...(init && { init }),
    ...(test && { condition: c.expression(test) }),
    ...(step && { step }),
    body: body(c, node),
    ...unroll(c, node),
  };
};

/** `for (int i = 0; auto x : xs)` is a block of the declaration and the loop. */
const rangeFor: Converter = (c, node) => {
  const initializer = child(node, "initializer")?.children.find((each) => each.named) ?? child(node, "initializer");
  const loop = rangeLoop(c, node);
  return initializer ? { start: node.start, end: node.end, kind: "block", body: [statement(c, initializer), loop] } : loop;
};

const rangeLoop: Converter = (c, node) => {
  const specifier = child(node, "type");
  const declarator = child(node, "declarator");
  const range = child(node, "right");
  if (!specifier || !declarator || !range) return unknownStatement(c, node);
  const declared = declare(c, c.type(specifier, qualifiersOf(c, node)), declarator);
  const at = declared.name ?? declarator;
  const variable: VariableDeclaration = {
    start: specifier.start,
    end: declarator.end,
    kind: "variable",
    name: declared.name ? c.name(declared.name) : { ...span(declarator), parts: [], global: false },
    type: declared.type,
    specifiers: c.specifiers(node, at.start),
    ...(declared.bindings && { bindings: declared.bindings }),
  };
  return {
    start: node.start,
    end: node.end,
    kind: "range-for",
    variable,
    range: c.expression(range),
    body: body(c, node),
    ...unroll(c, node),
  };
};

const whileLoop: Converter = (c, node) => {
  const clause = child(node, "condition");
  if (!clause) return unknownStatement(c, node);
  return {
    start: node.start,
    end: node.end,
    kind: "while",
    condition: condition(c, clause).condition,
    body: body(c, node),
    ...unroll(c, node),
  };
};

const doLoop: Converter = (c, node) => {
  const test = child(node, "condition")?.children.find((each) => each.named);
  return { start: node.start, end: node.end, kind: "do", body: body(c, node), condition: c.expression(test), ...unroll(c, node) };
};

const switchOf: Converter = (c, node) => {
  const clause = child(node, "condition");
  return clause
    ? { start: node.start, end: node.end, kind: "switch", ...condition(c, clause), body: body(c, node) }
    : unknownStatement(c, node);
};

const operand = (c: Context, node: CstNode): AsmOperand => {
  const constraint = child(node, "constraint");
  return {
    start: node.start,
    end: node.end,
    constraint: constraint ? stringValue(c, constraint) : "",
    value: c.expression(child(node, "value")),
  };
};

function assembly(c: Context, node: CstNode): Statement {
  const code = child(node, "assembly_code");
  const list = (field: string) =>
    (child(node, field)?.children ?? []).filter((each) => each.field === "operand").map((each) => operand(c, each));
  return {
    start: node.start,
    end: node.end,
    kind: "asm",
    template: code ? stringValue(c, code) : "",
    volatile: node.children.some((each) => each.type === "gnu_asm_qualifier" && textOf(c, each).includes("volatile")),
    outputs: list("output_operands"),
    inputs: list("input_operands"),
  };
}

/** A name whose arguments the parser could not be given: they are no expressions. */
const isCall = (c: Context, name: CstNode): boolean => /^\s*\(/.test(c.text.slice(name.end, name.end + 20));

const expressionStatement: Converter = (c, node) => {
  const inner = node.children.find((each) => each.named && each.type !== "comment");
  if (!inner) return { start: node.start, end: node.end, kind: "empty" };
  if (inner.type === "identifier" && isCall(c, inner)) return unknownStatement(c, node);
  const declared = parenthesizedPointer(c, node);
  if (declared) return { start: node.start, end: node.end, kind: "declaration", declarations: [declared] };
  if (inner.type === "gnu_asm_expression") return { ...assembly(c, inner), start: node.start, end: node.end };
  return { start: node.start, end: node.end, kind: "expression", expression: c.expression(inner) };
};

const tryBlock: Converter = (c, node) => {
  const handlers = node.children.filter((each) => each.type === "catch_clause");
  return {
    start: node.start,
    end: node.end,
    kind: "try",
    body: body(c, node),
    handlers: handlers.map((each) => body(c, each)),
    caught: handlers.map((each) => {
      const list = child(each, "parameters");
      return list ? parameters(c, list).parameters : [];
    }),
  };
};

const converters: ReadonlyMap<string, Converter> = new Map<string, Converter>([
  ["compound_statement", block],
  ["expression_statement", expressionStatement],
  ["if_statement", conditional],
  ["for_statement", forLoop],
  ["for_range_loop", rangeFor],
  ["while_statement", whileLoop],
  ["do_statement", doLoop],
  ["switch_statement", switchOf],
  ["break_statement", (_, node) => ({ start: node.start, end: node.end, kind: "break" })],
  ["continue_statement", (_, node) => ({ start: node.start, end: node.end, kind: "continue" })],
  [
    "return_statement",
    (c, node) => {
      const value = optional(
        c,
        node.children.find((each) => each.named && each.type !== "comment"),
      );
      return { start: node.start, end: node.end, kind: "return", ...(value && { value }) };
    },
  ],
  ["goto_statement", (c, node) => ({ start: node.start, end: node.end, kind: "goto", label: textOf(c, child(node, "label") ?? node) })],
  [
    "throw_statement",
    (c, node) => {
      const value = optional(
        c,
        node.children.find((each) => each.named && each.type !== "comment"),
      );
      return { start: node.start, end: node.end, kind: "throw", ...(value && { value }) };
    },
  ],
  ["try_statement", tryBlock],
]);
