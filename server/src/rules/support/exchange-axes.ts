/** Exchanges the roles of x and y in a kernel. */
import type { Expression, Node } from "../../syntax/ast.ts";
import type { Fix, RuleContext } from "../rule.ts";
import type { Cost } from "./costs.ts";
import { all, replace } from "./edits.ts";
import { expressionAt } from "./expression-at.ts";

const indices: ReadonlySet<string> = new Set(["threadIdx", "blockIdx", "blockDim", "gridDim"]);
const other: Readonly<Record<string, string>> = { x: "y", y: "x" };

/** `.y` for each `.x` of a thread's place, and the other way round, in the function that an access stands in. */
export function exchangedAxes({ program, syntax }: RuleContext, { place }: Cost): Fix | undefined {
  const { reading } = program;
  const access = expressionAt(syntax, reading, place);
  const within = access && syntax.code(access)?.function;
  if (!within) return undefined;
  const isInside = ({ start, end }: Node): boolean => start >= within.start && end <= within.end;
  const members = syntax.expressions("member").filter((node) => isInside(node) && isPlace(node.base));
  const edits = members.flatMap((node) => {
    const to = other[node.name.parts.at(-1)?.text ?? ""];
    return to === undefined ? [] : [replace(reading, { start: node.end - 1, end: node.end }, to)];
  });
  const complete = edits.length > 0 ? all(...edits) : undefined;
  return complete && { title: "Exchange the roles of x and y", safe: false, edits: complete };
}

const isPlace = (node: Expression): boolean => node.kind === "name" && indices.has(node.name.parts.at(-1)?.text ?? "");
