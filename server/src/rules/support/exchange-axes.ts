/** Exchanges the roles of x and y in a kernel. */
import type { Expression, Node } from "../../syntax/ast.ts";
import type { Fix, RuleContext } from "../rule.ts";
import { all, replace } from "./edits.ts";

const indices: ReadonlySet<string> = new Set(["threadIdx", "blockIdx", "blockDim", "gridDim"]);
const other: Readonly<Record<string, string>> = { x: "y", y: "x" };

/** `.y` for each `.x` of a thread's place, and the other way round, in a function. */
export function exchangedAxes(context: RuleContext, within: Node): Fix | undefined {
  const members = axesIn(context, within);
  const edits = members.map(({ node, axis }) =>
    replace(context.program.reading, { start: node.end - 1, end: node.end }, other[axis] ?? axis),
  );
  const complete = edits.length > 0 ? all(...edits) : undefined;
  return complete && { title: "Exchange the roles of x and y", safe: false, edits: complete };
}

/** `threadIdx.x` and the like, in x and y, in a function. */
export function axesIn({ syntax }: RuleContext, { start, end }: Node): readonly { readonly node: Expression; readonly axis: string }[] {
  return syntax.expressions("member").flatMap((node) => {
    const axis = node.name.parts.at(-1)?.text ?? "";
    return node.start >= start && node.end <= end && isPlace(node.base) && axis in other ? [{ node, axis }] : [];
  });
}

const isPlace = (node: Expression): boolean => node.kind === "name" && indices.has(node.name.parts.at(-1)?.text ?? "");
