/** One atomic a warp in the place of one a lane. */
import type { Expression, Statement } from "../../syntax/ast.ts";
import type { Fix, RuleContext } from "../rule.ts";
import { Convergence } from "./convergence.ts";
import type { Cost } from "./costs.ts";
import { excerpt, indentationAt, replace } from "./edits.ts";
import { freshName } from "./fresh-name.ts";
import { type Call, libraryName } from "./library-calls.ts";
import { numberOf } from "./math-calls.ts";

/** Lanes of a warp. */
const warpSize = 32;

/**
 * `atomicAdd(p, v);`, or that under an `if`, where all lanes of whole warps come by, add to one address and nobody uses the result: the
 * lanes sum up by shuffles, and one of them adds.
 */
export function aggregatedByWarp(context: RuleContext, { place, access, launch }: Cost): Fix | undefined {
  const { program, syntax } = context;
  const { reading, semantics } = program;
  const [x, y, z] = launch.report.block;
  if (access?.worst !== warpSize || x % warpSize !== 0 || y !== 1 || z !== 1) return undefined;
  const call = syntax.expressions("call").find((each) => {
    const at = reading.locate(each.start, each.end);
    return at.file === place.file && at.start === place.start && at.end === place.end;
  });
  const [address, value, ...more] = call?.arguments ?? [];
  if (!call || libraryName(call) !== "atomicAdd" || !address || !value || more.length > 0) return undefined;
  const statement = statementOf(context, call);
  const convergence = new Convergence(program, syntax);
  if (!statement || convergence.divergence(statement.whole) || !convergence.uniform(address) || !numberOf(semantics, value))
    return undefined;
  const indentation = indentationAt(reading, reading.locate(statement.whole.start, statement.whole.end));
  if (indentation === undefined) return undefined;
  const text = reading.sources[place.file] ?? "";
  const [own, distance] = [freshName(text, ["own", "part"]), freshName(text, ["d", "distance"])];
  const written = (node: Expression): string => excerpt(reading, node, 1000);
  const lines = [
    `auto ${own} = ${statement.condition ? `(${written(statement.condition)}) ? ${written(value)} : 0` : written(value)};`,
    `for (int ${distance} = 16; ${distance} > 0; ${distance} /= 2) ${own} += __shfl_down_sync(0xffffffff, ${own}, ${distance});`,
    `if (threadIdx.x % 32 == 0) atomicAdd(${written(address)}, ${own});`,
  ];
  const edit = replace(reading, statement.whole, lines.join(`\n${indentation}`));
  return edit && { title: "Sum up over the warp, and let one lane add", safe: false, edits: [edit] };
}

/** The statement that the call is, with the `if` that stands around it alone; undefined where it is more than that, or in no block. */
function statementOf(
  { syntax }: RuleContext,
  call: Call,
): { readonly whole: Statement; readonly condition: Expression | undefined } | undefined {
  const item = syntax.parent(call);
  if (item?.role !== "statement" || item.node.kind !== "expression") return undefined;
  let whole: Statement = item.node;
  let outer = syntax.parent(whole);
  if (outer?.role === "statement" && outer.node.kind === "block" && outer.node.body.length === 1) {
    const around = syntax.parent(outer.node);
    if (around?.role === "statement" && around.node.kind === "if") {
      whole = outer.node;
      outer = around;
    }
  }
  if (outer?.role !== "statement") return undefined;
  if (outer.node.kind === "block") return { whole, condition: undefined };
  if (outer.node.kind !== "if" || outer.node.else || outer.node.init || outer.node.condition.kind === "variable") return undefined;
  const around = syntax.parent(outer.node);
  return around?.role === "statement" && around.node.kind === "block" ? { whole: outer.node, condition: outer.node.condition } : undefined;
}
