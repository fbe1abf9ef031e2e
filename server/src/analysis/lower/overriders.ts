/** Virtual functions: which one a call runs, as far as the classes of the program tell. */
import type { Expression, FunctionDeclaration, RecordDeclaration } from "../../syntax/ast.ts";
import type { Context, Resolved } from "../sema/context.ts";
import { lastName, type Scope } from "../sema/scope.ts";
import type { RecordInstance } from "../sema/types.ts";
import type { Lowering } from "./emit/lowering.ts";

type Call = Expression & { kind: "call" };

/** Whether the object that a call is made on may be of a class derived from what its type says. */
export function isDispatched(lowering: Lowering, { function: declaration }: Resolved, call: Call): boolean {
  if (!declaration.specifiers.virtual) return false;
  let callee = lowering.context.clarify(call.callee);
  while (callee.kind === "parenthesized") callee = lowering.context.clarify(callee.inner);
  // `this` may be anything that is derived: without a body of its own the class is not what it is.
  if (callee.kind !== "member") return callee.kind === "name" && callee.name.parts.length === 1 && declaration.body === undefined;
  if (callee.name.parts.length > 1) return false;
  return callee.arrow || isReferred(lowering, callee.base);
}

function isReferred(lowering: Lowering, written: Expression): boolean {
  let base = lowering.context.clarify(written);
  while (base.kind === "parenthesized") base = lowering.context.clarify(base.inner);
  if (base.kind === "unary") return base.op === "*";
  if (base.kind !== "name") return base.kind === "call";
  const [entity] = lowering.context.find(base.name, lowering.frame.substitution).entities;
  if (entity?.kind !== "variable" && entity?.kind !== "parameter") return false;
  return lowering.context.declaredType(entity.declaration, lowering.frame.substitution)?.kind === "reference";
}

/** The functions that a call of a virtual one may run, in the order of the program's classes: the class's own, and what derived ones have in its place. */
export function overridersOf(lowering: Lowering, { function: declaration, record }: Resolved, call: Call): readonly Resolved[] {
  const { context, frame } = lowering;
  if (!record) return [];
  const args = call.arguments.map((expression) => ({ info: context.info(expression, frame.substitution), expression }));
  const found = new Map<FunctionDeclaration, Resolved>();
  for (const each of [record, ...derivedFrom(context, record)]) {
    const resolved = context.overload(context.member(each, lastName(declaration.name)), undefined, args, frame.substitution);
    if (resolved?.record && resolved.function.body !== undefined && !found.has(resolved.function)) found.set(resolved.function, resolved);
  }
  return [...found.values()];
}

/** Classes that are no templates. */
function derivedFrom(context: Context, base: RecordInstance): readonly RecordInstance[] {
  const found = new Set([base]);
  const all = [...recordsIn(context.scopes.root)];
  // A class stands behind those that it is derived from.
  for (const declaration of all) {
    const record = context.instantiate(declaration, [], undefined);
    if (!record) continue;
    const isDerived = declaration.bases.some(({ type }) => {
      const of = context.typeFrom(type, record.substitution);
      return of?.kind === "record" && found.has(of.record);
    });
    if (isDerived) found.add(record);
  }
  found.delete(base);
  return [...found];
}

function* recordsIn(scope: Scope): Generator<RecordDeclaration> {
  for (const entities of scope.names.values()) {
    for (const entity of entities) {
      if (entity.home !== scope) continue;
      if (entity.kind === "namespace" && entity.scope !== scope) yield* recordsIn(entity.scope);
      else if (entity.kind === "record" && entity.declaration.members && !entity.declaration.templateParameters) yield entity.declaration;
    }
  }
}
