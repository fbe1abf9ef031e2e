/** What stands directly inside a part of the syntax tree, in source order. Types are not entered. */
import type { Condition, Declaration, Expression, Statement } from "../../syntax/ast.ts";

/** A part of the tree together with what it is: kinds alone are shared between expressions, statements and declarations. */
export type Item =
  | { readonly role: "expression"; readonly node: Expression }
  | { readonly role: "statement"; readonly node: Statement }
  | { readonly role: "declaration"; readonly node: Declaration };

export const expression = (node: Expression): Item => ({ role: "expression", node });
const statement = (node: Statement): Item => ({ role: "statement", node });
export const declaration = (node: Declaration): Item => ({ role: "declaration", node });

const expressions = (nodes: readonly (Expression | undefined)[]): Item[] => nodes.flatMap((node) => (node ? [expression(node)] : []));
const statements = (nodes: readonly (Statement | undefined)[]): Item[] => nodes.flatMap((node) => (node ? [statement(node)] : []));
const condition = (node: Condition | undefined): Item[] =>
  node === undefined ? [] : node.kind === "variable" ? [declaration(node)] : [expression(node)];

export function childrenOf(item: Item): Item[] {
  if (item.role === "expression") return inExpression(item.node);
  return item.role === "statement" ? inStatement(item.node) : inDeclaration(item.node);
}

function inExpression(node: Expression): Item[] {
  switch (node.kind) {
    case "unary":
    case "postfix":
    case "delete":
      return [expression(node.operand)];
    case "binary":
    case "assign":
      return expressions([node.left, node.right]);
    case "conditional":
      return expressions([node.condition, node.then, node.else]);
    case "call": {
      const { launch } = node;
      return expressions([node.callee, launch?.grid, launch?.block, launch?.shared, launch?.stream, ...node.arguments]);
    }
    case "subscript":
      return expressions([node.base, ...node.indices]);
    case "member":
      return [expression(node.base)];
    case "cast":
      return expressions(node.operands);
    case "list":
      return expressions(node.elements.map((element) => element.value));
    case "sizeof":
      return expressions([node.operand]);
    case "new":
      return expressions([node.count, ...node.arguments]);
    case "lambda":
      return [...expressions(node.captures.map((capture) => capture.init)), statement(node.body)];
    case "parenthesized":
      return [expression(node.inner)];
    case "pack":
      return [expression(node.pattern)];
    case "fold":
      return expressions([node.left, node.right]);
    default:
      return [];
  }
}

function inStatement(node: Statement): Item[] {
  switch (node.kind) {
    case "block":
      return statements(node.body);
    case "declaration":
      return node.declarations.map(declaration);
    case "expression":
      return [expression(node.expression)];
    case "if":
      return [...statements([node.init]), ...condition(node.condition), ...statements([node.then, node.else])];
    case "for":
      return [...statements([node.init]), ...condition(node.condition), ...expressions([node.step]), statement(node.body)];
    case "range-for":
      return [declaration(node.variable), expression(node.range), statement(node.body)];
    case "while":
      return [...condition(node.condition), statement(node.body)];
    case "do":
      return [statement(node.body), expression(node.condition)];
    case "switch":
      return [...statements([node.init]), ...condition(node.condition), statement(node.body)];
    case "case":
      return expressions([node.value, node.last]);
    case "return":
      return expressions([node.value]);
    case "asm":
      return expressions([...node.outputs, ...node.inputs].map((operand) => operand.value));
    case "try":
      return statements([node.body, ...node.handlers]);
    default:
      return [];
  }
}

function inDeclaration(node: Declaration): Item[] {
  switch (node.kind) {
    case "variable":
      return expressions(node.init?.values ?? []);
    case "function":
      return [
        ...expressions(node.parameters.map((parameter) => parameter.default)),
        ...expressions(node.initialisers?.flatMap((initialiser) => initialiser.values) ?? []),
        ...statements([node.body]),
      ];
    case "record":
      return (node.members ?? []).map(declaration);
    case "enum":
      return expressions(node.enumerators.map((enumerator) => enumerator.value));
    case "namespace":
    case "linkage":
      return node.body.map(declaration);
    case "instantiation":
      return [declaration(node.declaration)];
    case "statement":
      return [statement(node.statement)];
    default:
      return [];
  }
}
