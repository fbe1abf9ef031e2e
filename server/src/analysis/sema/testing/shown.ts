/** Asking sema of marked expressions of a text. */
import type { Expression } from "../../../syntax/ast.ts";
import { parseText } from "../../../syntax/testing/parse-text.ts";
import { type AnyNode, walk } from "../../../syntax/walk.ts";
import { bindUnit, type Semantics } from "../index.ts";
import { typeName } from "../type-tools.ts";

/** Every `show(e)` of a text, with sema's view of `e`. */
export async function shown(text: string): Promise<{ semantics: Semantics; expressions: Expression[] }> {
  const { unit } = await parseText(text);
  const semantics = bindUnit(unit);
  const expressions: Expression[] = [];
  walk(unit, (node: AnyNode) => {
    if (node.kind === "call" && node.callee.kind === "name" && node.callee.name.parts[0]?.text === "show" && node.arguments[0])
      expressions.push(node.arguments[0]);
    return true;
  });
  return { semantics, expressions };
}

/** The types of the marked expressions, `?` where one is not known. */
export const types = async (text: string): Promise<string[]> => {
  const { semantics, expressions } = await shown(text);
  return expressions.map((each) => {
    const type = semantics.typeOf(each);
    return type ? typeName(type) : "?";
  });
};

/** A kernel with parameters of many types around a body. */
export const inKernel = (body: string, before = ""): string =>
  `${before}\n__global__ void kernel(float *p, const int *q, float4 *v, int n, unsigned u, double d, short s, char c, bool b) { ${body} }`;
