/** One atomic a warp, or a block, in the place of one a lane. */
import { typeName } from "../../analysis/sema/type-tools.ts";
import type { Expression, Statement } from "../../syntax/ast.ts";
import type { Edit, Fix, RuleContext, SimulatedLaunch } from "../rule.ts";
import { comesWhole } from "./barrier-between.ts";
import { Convergence } from "./convergence.ts";
import { excerpt, indentationAt, replace } from "./edits.ts";
import { freshName } from "./fresh-name.ts";
import { type Call, libraryName } from "./library-calls.ts";
import { numberOf } from "./math-calls.ts";
import { unqualified } from "./ranges.ts";

/** Lanes of a warp. */
const warpSize = 32;

/** An atomic sum whose result nobody uses. */
export interface AtomicSum {
  readonly call: Call;
  readonly address: Expression;
  readonly value: Expression;
}

export function atomicSum(call: Call): AtomicSum | undefined {
  const [address, value, ...more] = call.arguments;
  return libraryName(call) === "atomicAdd" && address && value && more.length === 0 ? { call, address, value } : undefined;
}

/** What both ways have in common. */
interface Aggregation {
  readonly whole: Statement;
  readonly indentation: string;
  /** The type of what is added to. */
  readonly type: string;
  /** A variable of the lane, of that type, and the lines that leave the sum over the warp in that of its first lane. */
  readonly own: string;
  readonly lines: readonly string[];
}

/**
 * `atomicAdd(p, v);`, or that under an `if`, where all lanes of whole warps come by, add to one address and nobody uses the result: the
 * lanes sum up by shuffles, and one of them adds.
 */
export function aggregatedByWarp(context: RuleContext, sum: AtomicSum, launch: SimulatedLaunch): Fix | undefined {
  const { reading } = context.program;
  const found = overTheWarp(context, sum, launch);
  if (!found) return undefined;
  const { whole, indentation, own, lines } = found;
  const add = `if (threadIdx.x % ${warpSize} == 0) atomicAdd(${excerpt(reading, sum.address, 1000)}, ${own});`;
  const edit = replace(reading, whole, [...lines, add].join(`\n${indentation}`));
  return edit && { title: "Sum up over the warp, and let one lane add", safe: false, edits: [edit] };
}

/** The same, and the first lanes of the warps sum up in shared memory, of which one thread of the block adds: all threads have to come by. */
export function aggregatedByBlock(context: RuleContext, sum: AtomicSum, launch: SimulatedLaunch): Fix | undefined {
  const { reading } = context.program;
  const found = overTheWarp(context, sum, launch);
  const block = found && context.syntax.parent(found.whole)?.node;
  if (!found || !block || !("kind" in block) || block.kind !== "block" || !comesWhole(context, block)) return undefined;
  const { whole, indentation, type, own, lines } = found;
  const total = freshName(reading.sources[0] ?? "", ["blockSum", "blockTotal"]);
  const text = [
    `__shared__ ${type} ${total};`,
    `if (threadIdx.x == 0) ${total} = 0;`,
    "__syncthreads();",
    ...lines,
    `if (threadIdx.x % ${warpSize} == 0) atomicAdd(&${total}, ${own});`,
    "__syncthreads();",
    `if (threadIdx.x == 0) atomicAdd(${excerpt(reading, sum.address, 1000)}, ${total});`,
  ];
  const edit: Edit | undefined = replace(reading, whole, text.join(`\n${indentation}`));
  return edit && { title: "Sum up over the block, and let one thread add", safe: false, edits: [edit] };
}

/** The type of what is added to, in which each lane's value arrives. */
function pointee({ program: { semantics } }: RuleContext, address: Expression): string | undefined {
  const type = unqualified(semantics.typeOf(address));
  const to = type?.kind === "pointer" ? unqualified(type.to) : undefined;
  return to?.kind === "integer" || to?.kind === "floating" ? typeName({ ...to, const: false, volatile: false }) : undefined;
}

function overTheWarp(context: RuleContext, { call, address, value }: AtomicSum, launch: SimulatedLaunch): Aggregation | undefined {
  const { program, syntax } = context;
  const { reading, semantics } = program;
  const [x, y, z] = launch.report.block;
  if (x % warpSize !== 0 || y !== 1 || z !== 1) return undefined;
  const statement = statementOf(context, call);
  const convergence = new Convergence(program, syntax);
  const type = pointee(context, address);
  if (!statement || convergence.divergence(statement.whole) || !convergence.uniform(address) || !type || !numberOf(semantics, value))
    return undefined;
  const indentation = indentationAt(reading, reading.locate(statement.whole.start, statement.whole.end));
  if (indentation === undefined) return undefined;
  const text = reading.sources[0] ?? "";
  const [own, distance] = [freshName(text, ["own", "part"]), freshName(text, ["d", "distance"])];
  const written = (node: Expression): string => excerpt(reading, node, 1000);
  const lines = [
    `${type} ${own} = ${statement.condition ? `(${written(statement.condition)}) ? ${written(value)} : 0` : written(value)};`,
    `for (int ${distance} = 16; ${distance} > 0; ${distance} /= 2) ${own} += __shfl_down_sync(0xffffffff, ${own}, ${distance});`,
  ];
  return { whole: statement.whole, indentation, type, own, lines };
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
