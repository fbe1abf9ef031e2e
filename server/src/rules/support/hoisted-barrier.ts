/** A barrier taken out of the branch that some threads do not take: what stands before it and behind it is guarded each for itself. */
import { lastName } from "../../analysis/sema/scope.ts";
import type { Expression, Node, Statement } from "../../syntax/ast.ts";
import type { Place } from "../../syntax/reading.ts";
import { walk } from "../../syntax/walk.ts";
import type { Edit, Fix, RuleContext } from "../rule.ts";
import { comesWhole } from "./barrier-between.ts";
import { indentationAt, textAt, writtenBetween } from "./edits.ts";
import { sameSpan } from "./syntax-index.ts";
import { Variables } from "./variables.ts";

type If = Statement & { readonly kind: "if" };

/**
 * Undefined where it is no `__syncthreads();` or `block.sync();` of an `if` without `else`, in a block that all threads come by; where what stands behind needs a
 * declaration before it, or the condition would come out otherwise there.
 */
export function hoistedBarrier(context: RuleContext, place: Place): Fix | undefined {
  const { syntax, program } = context;
  const { reading } = program;
  const within = ({ start, end }: Node): boolean => {
    const at = reading.locate(start, end);
    return at.file === place.file && at.start <= place.start && place.end <= at.end;
  };
  const barrier = syntax.statements("expression").findLast((each) => waits(each) && within(each));
  const parent = barrier && syntax.parent(barrier)?.node;
  if (place.file !== 0 || !barrier || !parent) return undefined;
  const body = "kind" in parent && parent.kind === "block" ? (parent as Statement & { readonly kind: "block" }) : undefined;
  const branch = (body ? syntax.parent(body)?.node : parent) as If | undefined;
  const around = branch && syntax.parent(branch)?.node;
  if (branch?.kind !== "if" || branch.else || !sameSpan(branch.then, body ?? barrier)) return undefined;
  if (around?.kind !== "block" || !comesWhole(context, around as Statement & { readonly kind: "block" })) return undefined;
  const condition = branch.condition;
  const indentation = indentationAt(reading, reading.locate(branch.start, branch.end));
  if (condition.kind === "variable" || indentation === undefined) return undefined;
  const statements = body?.body ?? [barrier];
  const index = statements.findIndex((each) => sameSpan(each, barrier));
  const [before, behind] = [statements.slice(0, index), statements.slice(index + 1)];
  if (statements.some((each) => each !== barrier && waits(each))) return undefined;
  // A group may be declared where it is waited for.
  if (!isPlain(barrier) && statements.some(declares)) return undefined;
  if (behind.length > 0 && before.length > 0 && !(isSteady(context, condition, before) && !before.some(declares))) return undefined;
  const edits = moved(context, { branch, barrier, before, behind, indentation, condition });
  return edits && { title: "Take the barrier out of the branch", safe: false, edits };
}

interface Parts {
  readonly branch: If;
  readonly barrier: Statement;
  readonly before: readonly Statement[];
  readonly behind: readonly Statement[];
  readonly indentation: string;
  readonly condition: Expression;
}

function moved({ program: { reading } }: RuleContext, parts: Parts): readonly Edit[] | undefined {
  const { branch, barrier, before, behind, indentation, condition } = parts;
  const at = (node: Node): Place | undefined => writtenBetween(reading, node);
  const [whole, own, last, next, decides] = [branch, barrier, before.at(-1), behind[0], condition].map((node) => node && at(node));
  if (!whole || !own || !decides) return undefined;
  const call = textAt(reading, own);
  if (before.length === 0 && behind.length === 0) return [{ span: whole, newText: call }];
  const isBlank = (start: number, end: number): boolean => textAt(reading, { file: 0, start, end }).trim() === "";
  if (before.length === 0) {
    if (!next || !isBlank(own.end, next.start)) return undefined;
    return [
      { span: { file: 0, start: whole.start, end: whole.start }, newText: `${call}\n${indentation}` },
      { span: { file: 0, start: own.start, end: next.start }, newText: "" },
    ];
  }
  if (!last || !isBlank(last.end, own.start)) return undefined;
  if (behind.length === 0)
    return [
      { span: { file: 0, start: last.end, end: own.end }, newText: "" },
      { span: { file: 0, start: whole.end, end: whole.end }, newText: `\n${indentation}${call}` },
    ];
  const again = `if (${textAt(reading, decides)}) {`;
  return [
    {
      span: { file: 0, start: last.end, end: own.end },
      newText: `\n${indentation}}\n${indentation}${call}\n${indentation}${again}`,
    },
  ];
}

/** A value's name, or the threads' indices: nothing that is read of memory or worked out by a call, nor changed by these statements. */
function isSteady({ syntax, program: { semantics } }: RuleContext, condition: Expression, statements: readonly Statement[]): boolean {
  const variables = new Variables(syntax, semantics);
  const isIn = ({ start, end }: Node): boolean => statements.some((each) => each.start <= start && end <= each.end);
  let steady = true;
  walk(condition, (node) => {
    if (/^(call|subscript|assign|postfix|lambda)$/.test(node.kind) || (node.kind === "unary" && /^(\+\+|--|\*)$/.test(node.op)))
      steady = false;
    if (node.kind === "member" && !(node.base.kind === "name" && indices.has(lastName(node.base.name)))) steady = false;
    const variable = node.kind === "name" ? variables.of(node) : undefined;
    if (variable && variables.writes(variable).some((write) => isIn(write.at))) steady = false;
    return true;
  });
  return steady;
}

const indices: ReadonlySet<string> = new Set(["threadIdx", "blockIdx", "blockDim", "gridDim"]);

const declares = ({ kind }: Statement): boolean => kind === "declaration";

/** `__syncthreads();`, or a group's `group.sync();`, `sync(group);`. */
function waits(statement: Statement): boolean {
  const call = statement.kind === "expression" && statement.expression.kind === "call" ? statement.expression : undefined;
  if (!call) return false;
  const { callee } = call;
  if (callee.kind === "member") return callee.name.parts.at(-1)?.text === "sync" && call.arguments.length === 0;
  const name = callee.kind === "name" ? callee.name.parts.at(-1)?.text : undefined;
  return name === "__syncthreads" || (/^sync(hronize)?$/.test(name ?? "") && call.arguments[0]?.kind === "name");
}

const isPlain = (statement: Statement): boolean =>
  statement.kind === "expression" &&
  statement.expression.kind === "call" &&
  statement.expression.arguments.length === 0 &&
  statement.expression.callee.kind === "name";
