/** Kernels of a thread an element: `int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) …`. */

import type { Semantics } from "../../analysis/sema/index.ts";
import { lastName } from "../../analysis/sema/scope.ts";
import type { RuleContext } from "../../rules/rule.ts";
import type { Call } from "../../rules/support/library-calls.ts";
import { isOwn } from "../../rules/support/syntax-index.ts";
import { Variables } from "../../rules/support/variables.ts";
import type { Declaration, Expression, FunctionDeclaration, Statement } from "../../syntax/ast.ts";
import { walk } from "../../syntax/walk.ts";
import { isGlobalIndex } from "./global-index.ts";

export interface Guarded {
  /** `int i = …;` */
  readonly declaration: Statement;
  readonly guard: Statement & { readonly kind: "if" };
  readonly index: string;
  readonly limit: Expression;
  /** What is done for each element: the branch, or what stands behind the return. */
  readonly work: readonly Statement[];
  /** It returns where there is nothing to do. */
  readonly returns: boolean;
}

/** The index, the comparison, and the work of a kernel that has nothing else. */
export function guarded({ syntax, program }: RuleContext, { body }: FunctionDeclaration): Guarded | undefined {
  const statements = body?.body ?? [];
  const variables = new Variables(syntax, program.semantics);
  const at = statements.findIndex((each) => each.kind === "declaration" && each.declarations.some(isIndex));
  const [declaration, guard, ...rest] = at < 0 ? [] : statements.slice(at);
  if (declaration?.kind !== "declaration" || declaration.declarations.length !== 1 || guard?.kind !== "if") return undefined;
  const [variable] = declaration.declarations;
  const { condition } = guard;
  // What stands before the index would be done once, as it is now: declarations alone.
  if (
    guard.else ||
    guard.init ||
    guard.constexpr ||
    condition.kind !== "binary" ||
    statements.slice(0, at).some(({ kind }) => kind !== "declaration")
  )
    return undefined;
  if (variable?.kind !== "variable" || variables.of(condition.left) !== variable || variable.type.const) return undefined;
  const returns = condition.op === ">=" && isReturn(guard.then);
  if (!returns && (condition.op !== "<" || rest.length > 0)) return undefined;
  const work = returns ? rest : [guard.then];
  const isPlain = (each: Statement): boolean => isFreeOfBarriers(each, program.semantics) && isStraight(each);
  if (work.length === 0 || !work.every(isPlain) || variables.writes(variable).length > 0) return undefined;
  // The limit has to be the same in each turn.
  const limit = variables.of(condition.right);
  const isFixed = condition.right.kind === "integer" || (limit !== undefined && variables.writes(limit).length === 0 && "name" in limit);
  const index = variable.name.parts.at(-1)?.text;
  return isFixed && index !== undefined ? { declaration, guard, index, limit: condition.right, work, returns } : undefined;
}

const isIndex = (declared: Declaration): boolean => {
  const [value, ...more] = declared.kind === "variable" ? (declared.init?.values ?? []) : [];
  return value !== undefined && more.length === 0 && isGlobalIndex(value);
};

const isReturn = (statement: Statement): boolean =>
  statement.kind === "return" || (statement.kind === "block" && statement.body.length === 1 && statement.body[0]?.kind === "return");

/** No way out but its end. */
function isStraight(statement: Statement): boolean {
  let straight = true;
  walk(statement, ({ kind }) => {
    if (/^(return|goto|label|throw)$/.test(kind)) straight = false;
    return straight;
  });
  return straight;
}

/**
 * Nothing that waits for other threads, and nothing that the whole block has once, in the functions that it calls neither. A call of what
 * is not known here may do either.
 */
function isFreeOfBarriers(statement: Statement, semantics: Semantics, within: ReadonlySet<FunctionDeclaration> = new Set()): boolean {
  let free = true;
  walk(statement, (node) => {
    if (/^(asm|lambda|unknown)$/.test(node.kind) || (node.kind === "variable" && node.specifiers.shared)) free = false;
    const call = node.kind === "call" ? semantics.clarify(node) : undefined;
    if (call?.kind === "call" && !isFreeCall(call, semantics, within)) free = false;
    return free;
  });
  return free;
}

function isFreeCall(call: Call, semantics: Semantics, within: ReadonlySet<FunctionDeclaration>): boolean {
  const called = call.callee.kind === "name" ? semantics.resolve(call.callee) : [];
  if (called.length === 0 || /sync|barrier|shfl|ballot|_any|_all/i.test(lastNameOf(call))) return false;
  if (!called.some(isOwn)) return true;
  // A lambda's variable may have captured others.
  if (!called.every((each) => "kind" in each && each.kind === "function")) return false;
  const to = semantics.callee(call)?.function;
  if (!to?.body || within.has(to) || within.size >= deepestCall) return false;
  return isFreeOfBarriers(to.body, semantics, new Set([...within, to]));
}

/** Calls within calls that are followed. */
const deepestCall = 4;

const lastNameOf = ({ callee }: Call): string => (callee.kind === "name" ? lastName(callee.name) : "");
