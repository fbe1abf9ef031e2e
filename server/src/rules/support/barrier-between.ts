/** A barrier that could stand between two accesses: where all threads of the block come by, one statement behind the other. */
import type { Expression, Node, Statement } from "../../syntax/ast.ts";
import type { Place } from "../../syntax/reading.ts";
import { walk } from "../../syntax/walk.ts";
import type { Fix, RuleContext } from "../rule.ts";
import { Convergence } from "./convergence.ts";
import { indentationAt } from "./edits.ts";
import { sameSpan } from "./syntax-index.ts";
import { Variables } from "./variables.ts";

type Block = Statement & { readonly kind: "block" };

/**
 * Undefined where the two do not stand in two statements of one block, in this order, or not all threads may come there.
 * @param ofWarp the lanes of a warp are to wait for each other, rather than all threads
 */
export function barrierBetween(context: RuleContext, first: Place, second: Place, ofWarp: boolean): Fix | undefined {
  const { reading } = context.program;
  if (first.file !== 0 || second.file !== 0) return undefined;
  const holds = (node: Node, { file, start, end }: Place): boolean => {
    const at = reading.locate(node.start, node.end);
    return at.file === file && at.start <= start && end <= at.end;
  };
  // The innermost block that holds both stands last.
  const block = context.syntax.statements("block").findLast((each) => holds(each, first) && holds(each, second));
  const [before, behind] = [first, second].map((place) => block?.body.findIndex((each) => holds(each, place)) ?? -1);
  const statement = behind === undefined ? undefined : block?.body[behind];
  if (!block || !statement || before === undefined || behind === undefined || before < 0 || before >= behind) return undefined;
  // Where they meet already, the race is around a loop's back edge.
  if (block.body.slice(before + 1, behind).some((each) => isBarrier(each))) return ofWarp ? undefined : barrierAtEnd(context, block);
  if (new Convergence(context.program, context.syntax).divergence(statement)) return undefined;
  if (!ofWarp && !comesWhole(context, block)) return undefined;
  const at = reading.locate(statement.start, statement.end);
  const indentation = indentationAt(reading, at);
  const call = ofWarp ? "__syncwarp();" : "__syncthreads();";
  if (indentation === undefined) return undefined;
  const span: Place = { file: 0, start: at.start, end: at.start };
  return { title: `Insert \`${call}\` before it`, safe: false, edits: [{ span, newText: `${call}\n${indentation}` }] };
}

/** Behind all that a turn of the loop does. */
function barrierAtEnd(context: RuleContext, block: Block): Fix | undefined {
  const { reading } = context.program;
  const last = block.body.at(-1);
  if (!last || context.syntax.parent(block)?.node.kind !== "for" || !comesWhole(context, block)) return undefined;
  if (new Convergence(context.program, context.syntax).divergence(last)) return undefined;
  const at = reading.locate(last.start, last.end);
  const indentation = indentationAt(reading, at);
  if (indentation === undefined) return undefined;
  const span: Place = { file: at.file, start: at.end, end: at.end };
  return {
    title: "Insert `__syncthreads();` at the end of the loop",
    safe: false,
    edits: [{ span, newText: `\n${indentation}__syncthreads();` }],
  };
}

/** The function's own body, or that of a loop which every thread of the block goes through alike. */
export function comesWhole(context: RuleContext, block: Block): boolean {
  const { syntax } = context;
  const parent = syntax.parent(block)?.node;
  if (parent?.kind === "function") return parent.specifiers.global === true;
  if (parent?.kind !== "for" || !isAlikeForAll(context, parent)) return false;
  const around = syntax.parent(parent)?.node;
  return around?.kind === "block" && comesWhole(context, around);
}

/** Built-in variables that all threads of a block find alike. */
const ofBlock: ReadonlySet<string> = new Set(["blockIdx", "blockDim", "gridDim"]);

/** It counts from a number of the source's in steps that no thread's index has a part in. */
function isAlikeForAll({ syntax, program: { semantics } }: RuleContext, loop: Statement & { readonly kind: "for" }): boolean {
  const variables = new Variables(syntax, semantics);
  let alike = true;
  const look = (e: Expression | Statement | undefined): void => {
    if (!e) return;
    walk(e, (node) => {
      if (node.kind === "member" && node.base.kind === "name" && ofBlock.has(node.base.name.parts.at(-1)?.text ?? "")) return false;
      if (node.kind === "call" || node.kind === "subscript" || node.kind === "member") alike = false;
      if (node.kind !== "name" || semantics.constant(node) !== undefined) return true;
      const variable = variables.of(node);
      const isCounter = variable !== undefined && "kind" in variable && holdsDeclaration(loop, variable);
      const isGiven = variable !== undefined && !("kind" in variable) && variables.writes(variable).length === 0;
      if (!isCounter && !isGiven) alike = false;
      return true;
    });
  };
  look(loop.init);
  look(loop.step);
  if (!loop.condition || loop.condition.kind === "variable") return false;
  look(loop.condition);
  return alike;
}

const holdsDeclaration = ({ init }: Statement & { readonly kind: "for" }, variable: Node): boolean =>
  init?.kind === "declaration" && init.declarations.some((each) => sameSpan(each, variable));

const isBarrier = (statement: Statement): boolean =>
  statement.kind === "expression" &&
  statement.expression.kind === "call" &&
  statement.expression.callee.kind === "name" &&
  statement.expression.callee.name.parts.at(-1)?.text === "__syncthreads";
