/** A barrier that could stand between two accesses: where all threads of the block come by, one statement behind the other. */
import { lastName } from "../../analysis/sema/scope.ts";
import type { Expression, Node, Statement } from "../../syntax/ast.ts";
import type { Place } from "../../syntax/reading.ts";
import { type AnyNode, walk } from "../../syntax/walk.ts";
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
  if (!block || before === undefined || behind === undefined || before < 0 || before >= behind) return undefined;
  // Where they meet already, the race is around a loop's back edge.
  if (block.body.slice(before + 1, behind).some((each) => isBarrier(each))) return ofWarp ? undefined : barrierAtBackEdge(context, block);
  // Threads that leave on the way would not come to a barrier behind that.
  const leaving = block.body.findIndex((each, index) => index > before && index < behind && leaves(each));
  const statement = block.body[leaving < 0 ? behind : leaving];
  if (!statement || (!ofWarp && !comesWhole(context, block)) || parts(context, block, statement, !ofWarp)) return undefined;
  const at = reading.locate(statement.start, statement.end);
  const indentation = indentationAt(reading, at);
  const call = ofWarp ? "__syncwarp();" : "__syncthreads();";
  if (indentation === undefined) return undefined;
  const span: Place = { file: 0, start: at.start, end: at.start };
  const title = leaving < 0 ? `Insert \`${call}\` before it` : `Insert \`${call}\` before threads leave`;
  return { title, safe: false, edits: [{ span, newText: `${call}\n${indentation}` }] };
}

/** Between a turn of the loop and the next: behind all that a turn does, or before it where a `continue` would go past that. */
function barrierAtBackEdge(context: RuleContext, block: Block): Fix | undefined {
  const { reading } = context.program;
  const atStart = continuesOf(block).length > 0;
  const beside = block.body.at(atStart ? 0 : -1);
  if (!beside || context.syntax.parent(block)?.node.kind !== "for" || !comesWhole(context, block)) return undefined;
  if (parts(context, block, beside, true)) return undefined;
  const at = reading.locate(beside.start, beside.end);
  const indentation = indentationAt(reading, at);
  if (indentation === undefined) return undefined;
  const offset = atStart ? at.start : at.end;
  return {
    title: `Insert \`__syncthreads();\` at the ${atStart ? "start" : "end"} of the loop`,
    safe: false,
    edits: [
      {
        span: { file: at.file, start: offset, end: offset },
        newText: atStart ? `__syncthreads();\n${indentation}` : `\n${indentation}__syncthreads();`,
      },
    ],
  };
}

/**
 * Whether lanes, or threads of the block, may part on their way to a statement of the block; a `continue` of the loop behind it takes nobody
 * past it. Where a `goto` leads is not followed.
 */
function parts({ program, syntax }: RuleContext, block: Block, statement: Statement, ofBlock: boolean): boolean {
  const root = syntax.code(statement)?.function;
  if (!root || syntax.statements("goto").some(({ start }) => start >= root.start && start < root.end)) return true;
  const behind = continuesOf(block).filter(({ start }) => start >= statement.start);
  return new Convergence(program, syntax, ofBlock).divergence(statement, new Set(behind)) !== undefined;
}

/** Those of the loop that a block is the body of. */
function continuesOf(block: Block): readonly Statement[] {
  const found: Statement[] = [];
  walk(block, (node) => {
    if (isOwnBody(node)) return false;
    if (node.kind === "continue") found.push(node);
    return true;
  });
  return found;
}

/** Some thread may end the function, the loop or its turn there. */
function leaves(statement: Statement): boolean {
  let found = false;
  const look = (root: AnyNode, ends: RegExp): void =>
    walk(root, (node) => {
      if (ends.test(node.kind)) found = true;
      if (node === root) return true;
      if (isLoop(node) || node.kind === "switch") look(node, endsFrom(node));
      return !isOwnBody(node) && node.kind !== "switch";
    });
  look(statement, endsFrom(statement));
  return found;
}

/** What leaves a statement from within it. */
function endsFrom(node: AnyNode): RegExp {
  if (isLoop(node)) return /^return$/;
  return node.kind === "switch" ? /^(return|continue)$/ : /^(return|continue|break)$/;
}

const isLoop = ({ kind }: AnyNode): boolean => /^(for|while|do|range-for)$/.test(kind);
/** What a `continue` in it is about is in it, too. */
const isOwnBody = (node: AnyNode): boolean => isLoop(node) || node.kind === "lambda";

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
      if (node.kind === "member" && node.base.kind === "name" && ofBlock.has(lastName(node.base.name))) return false;
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
