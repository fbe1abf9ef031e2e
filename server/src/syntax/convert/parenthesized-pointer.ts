import type { Expression, TypeNode, VariableDeclaration } from "../ast.ts";
import { type CstNode, child } from "../parser/cst.ts";
import { type Context, span, textOf } from "./context.ts";

/**
 * `int (*rows)[3] = p;` and `float (*f)() = g;` are read as expressions, `int(*rows)` subscripted and `float(*f)` called: declared here
 * when the callee is a type.
 */
export function parenthesizedPointer(c: Context, node: CstNode): VariableDeclaration | undefined {
  const whole = node.children.find((each) => each.named);
  const assigned = whole?.type === "assignment_expression" && textOf(c, child(whole, "operator") ?? node) === "=" ? whole : undefined;
  const target = assigned ? child(assigned, "left") : whole;
  const behind =
    target && (calledWithNothing(target) ? { called: true, sizes: [], made: child(target, "function") } : subscripts(c, target));
  if (!behind || (!behind.called && !behind.sizes.length) || behind.made?.type !== "call_expression") return undefined;
  const callee = child(behind.made, "function");
  const argument = child(behind.made, "arguments")?.children.filter((each) => each.named);
  const pointer = argument?.length === 1 ? argument[0] : undefined;
  if (!callee || pointer?.type !== "pointer_expression" || !namesType(c, callee)) return undefined;
  const operand = child(pointer, "argument");
  // `float (*table[])() = {f, g};`
  const elements = operand && subscripts(c, operand);
  if (elements?.made?.type !== "identifier") return undefined;
  const base = c.type(callee);
  const { start } = base;
  const end = behind.made.end;
  const to: TypeNode = behind.called ? { start, end, kind: "function", result: base, parameters: [] } : arrayOf(base, behind.sizes, end);
  const op = textOf(c, child(pointer, "operator") ?? pointer);
  const pointing: TypeNode = op === "*" ? { start, end, kind: "pointer", to } : { start, end, kind: "reference", to, rvalue: false };
  const value = assigned && child(assigned, "right");
  return {
    ...span(node),
    kind: "variable",
    name: c.name(elements.made),
    type: arrayOf(pointing, elements.sizes, end),
    specifiers: {},
    ...(value && { init: { style: "copy", values: [c.expression(value)] } }),
  };
}

const calledWithNothing = (node: CstNode): boolean =>
  node.type === "call_expression" && child(node, "arguments")?.children.some((each) => each.named) === false;

const namesType = (c: Context, node: CstNode): boolean =>
  /^(primitive_type|sized_type_specifier)$/.test(node.type) || (node.type === "identifier" && c.scope.has(textOf(c, node)));

/** What brackets stand behind, and what is in them: nothing, where the initialiser tells the size. */
function subscripts(
  c: Context,
  node: CstNode,
): { readonly called: false; readonly sizes: readonly (Expression | undefined)[]; readonly made: CstNode | undefined } {
  const sizes: (Expression | undefined)[] = [];
  let made: CstNode | undefined = node;
  for (; made?.type === "subscript_expression"; made = child(made, "argument")) {
    const [size, ...more] = child(made, "indices")?.children.filter((each) => each.named) ?? [];
    sizes.unshift(size && c.expression(size), ...more.map((each) => c.expression(each)));
  }
  return { called: false, sizes, made };
}

const arrayOf = (element: TypeNode, sizes: readonly (Expression | undefined)[], end: number): TypeNode =>
  sizes.reduceRight<TypeNode>((of, size) => ({ start: element.start, end, kind: "array", of, ...(size && { size }) }), element);
