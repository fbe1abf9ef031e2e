import type { Expression, LambdaCapture, Specifiers, Statement } from "../ast.ts";
import { type CstNode, child } from "../parser/cst.ts";
import { type Context, type ExpressionConverter, textOf } from "./context.ts";
import { withTemplateParameters } from "./templates.ts";
import { declare } from "./types.ts";

export const lambda: ExpressionConverter = (c, node) => {
  const list = child(node, "template_parameters");
  if (!list) return withoutTemplate(c, node);
  return withTemplateParameters(c, list, (templateParameters) => ({ ...withoutTemplate(c, node), templateParameters }));
};

function withoutTemplate(c: Context, node: CstNode): Expression & { kind: "lambda" } {
  const captures: LambdaCapture[] = [];
  let captureDefault: "=" | "&" | undefined;
  let byReference = false;
  for (const each of child(node, "captures")?.children ?? []) {
    if (each.type === "lambda_default_capture") captureDefault = textOf(c, each) === "&" ? "&" : "=";
    else if (each.type === "&") byReference = true;
    else if (each.named) {
      captures.push(capture(c, each, byReference));
      byReference = false;
    }
  }
  const declarator = child(node, "declarator");
  const body = child(node, "body");
  const declared = declare(c, { start: node.start, end: node.start, kind: "auto" }, declarator).function;
  const returned = declarator?.children.find((each) => each.type === "trailing_return_type");
  const marks: { device?: boolean; host?: boolean } = {};
  for (const { kind } of c.annotations.attributes(node.start, declarator?.start ?? body?.start ?? node.start))
    if (kind === "device" || kind === "host") marks[kind] = true;
  const specifiers: Specifiers = marks;
  return {
    start: node.start,
    end: node.end,
    kind: "lambda",
    captures,
    parameters: declared?.parameters ?? [],
    specifiers,
    body: body ? c.block(body) : { start: node.start, end: node.end, kind: "empty" },
    ...(captureDefault && { captureDefault }),
    ...(returned && declared && { result: declared.result }),
  };
}

function capture(c: Context, node: CstNode, outerReference: boolean): LambdaCapture {
  if (node.type !== "lambda_capture_initializer")
    return { start: node.start, end: node.end, name: textOf(c, node), byReference: outerReference };
  const left = child(node, "left");
  const byReference = outerReference || node.children.some((each) => each.type === "&");
  return { start: node.start, end: node.end, name: left ? textOf(c, left) : "", byReference, init: c.expression(child(node, "right")) };
}

/** GNU's `({ ...; value; })`, as a lambda that is called at once. */
export function statementExpression(c: Context, node: CstNode): Expression {
  const block = c.block(node);
  const last = block.body.at(-1);
  const body: Statement =
    last?.kind === "expression"
      ? { ...block, body: [...block.body.slice(0, -1), { start: last.start, end: last.end, kind: "return", value: last.expression }] }
      : block;
  const at = { start: node.start, end: node.end };
  return {
    ...at,
    kind: "call",
    callee: { ...at, kind: "lambda", captures: [], captureDefault: "&", parameters: [], specifiers: {}, body },
    arguments: [],
  };
}
