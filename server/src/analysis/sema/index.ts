/**
 * Meaning: what names refer to, what types expressions have, what constants are worth.
 *
 * One tolerant module for all readers: rules ask types, lowering asks everything, host evaluation asks sizes and
 * constants. Unknown is `undefined`; nothing here throws on any program.
 */

import type {
  Declaration,
  Expression,
  FunctionDeclaration,
  Node,
  ParameterDeclaration,
  TranslationUnit,
  TypeNode,
  VariableDeclaration,
} from "../../syntax/ast.ts";
import { resolveCall, resolveOperator } from "./calls.ts";
import { captureLayout } from "./captures.ts";
import { clarify } from "./clarify.ts";
import { constantOf } from "./constants.ts";
import type { Context, Found, Resolved, ResolvedLambda } from "./context.ts";
import { conversionRank } from "./conversions.ts";
import { declaredType } from "./declared-type.ts";
import { infoOf } from "./expressions.ts";
import { isFixed } from "./fixed.ts";
import { insideOut } from "./inside-out.ts";
import { currentRecord, Instances } from "./instantiate.ts";
import { alignOf, layoutOf, sizeOf } from "./layout.ts";
import { library } from "./library/index.ts";
import { find, member } from "./lookup.ts";
import { Memo } from "./memo.ts";
import { namedType, typeFrom } from "./named-types.ts";
import { overload } from "./overload.ts";
import { Packs } from "./packs.ts";
import { Recursion } from "./recursion.ts";
import { functionResult } from "./returned-types.ts";
import type { Entity } from "./scope.ts";
import { lastName } from "./scope.ts";
import { ScopeTree } from "./scope-tree.ts";
import { Substitutions } from "./substitutions.ts";
import { templateValues } from "./template-values.ts";
import type { Substitution, TemplateValue, Type } from "./types.ts";

export interface Semantics {
  /** Every function definition but those within functions, members and nested namespaces included, in source order. */
  readonly functions: readonly FunctionDeclaration[];
  /** The declarations a name expression refers to: overloads together. Empty when it cannot be resolved. */
  resolve(expression: Expression, substitution?: Substitution): readonly (Declaration | ParameterDeclaration)[];
  /** The type of an expression with C++'s conversions; undefined when unknown or dependent on a template parameter without a substitution. */
  typeOf(expression: Expression, substitution?: Substitution): Type | undefined;
  /** The type a type node names. */
  typeFrom(node: TypeNode, substitution?: Substitution): Type | undefined;
  /** The declared type of a variable or parameter (`auto` from its initialiser). */
  declaredType(declaration: VariableDeclaration | ParameterDeclaration, substitution?: Substitution): Type | undefined;
  /** A constant expression's value: integers as bigint, floating as number. */
  constant(expression: Expression, substitution?: Substitution): bigint | number | boolean | undefined;
  /** The compiler knows the value, if another one for each instance of a template that it stands in. */
  isFixed(expression: Expression): boolean;
  sizeOf(type: Type): number | undefined;
  alignOf(type: Type): number | undefined;
  /** Which function a call (a launch too) calls: its definition where there is one, with the template arguments deduced. */
  callee(
    call: Expression & { kind: "call" },
    substitution?: Substitution,
  ): { readonly function: FunctionDeclaration; readonly substitution: Substitution } | undefined;
  /** The substitution of a function template for arguments given by position; undefined when they do not fit. */
  substitutionFor(declaration: FunctionDeclaration, values: readonly TemplateValue[]): Substitution | undefined;
  /** The expression as C++ reads it: `(T)(x)` and `T(x)`, which the parser takes for calls, as casts. */
  clarify(expression: Expression): Expression;
  /** The function whose body holds a statement or expression. */
  enclosingFunction(node: Node): FunctionDeclaration | undefined;
  /**
   * Goes on with other bodies of functions whose heads stay. False, and of no use any more, where what is known rests on one of
   * the old bodies.
   */
  exchangeBodies(functions: readonly FunctionDeclaration[]): boolean;
  /** What lowering and host evaluation work with; rules have no need of it. */
  readonly context: Context;
}

const misreadKinds: ReadonlySet<Expression["kind"]> = new Set<Expression["kind"]>([
  "call",
  "binary",
  "cast",
  "unary",
  "conditional",
  "postfix",
  "subscript",
  "member",
  "assign",
]);

const canBeMisread = (expression: Expression): boolean =>
  misreadKinds.has(expression.kind) || (expression.kind === "name" && expression.name.parts.at(-1)?.templateArguments !== undefined);

/** Binds a unit's names; everything else is worked out when first asked for. Never throws. */
export function bindUnit(unit: TranslationUnit): Semantics {
  const scopes = new ScopeTree(unit.declarations, library());
  const read = new Set<FunctionDeclaration>();
  const context = contextOf(scopes, read);
  return {
    functions: scopes.functions,
    context,
    resolve: (expression, substitution) => {
      const clear = clarify(context, expression);
      const inner = clear.kind === "parenthesized" ? clear.inner : clear;
      const found =
        inner.kind === "name"
          ? context.find(inner.name, substitution).entities
          : inner.kind === "member"
            ? memberEntities(context, inner, substitution)
            : [];
      return found.flatMap((entity) => ("declaration" in entity ? [entity.declaration] : []));
    },
    typeOf: (expression, substitution) => context.info(expression, substitution)?.type,
    typeFrom: context.typeFrom,
    declaredType: context.declaredType,
    constant: context.constant,
    isFixed: (expression) => isFixed(context, expression),
    sizeOf: context.sizeOf,
    alignOf: context.alignOf,
    clarify: context.clarify,
    callee: (call, substitution) => {
      const resolved = context.guard(() => context.resolveCall(call, substitution));
      return resolved && "function" in resolved ? { function: resolved.function, substitution: resolved.substitution } : undefined;
    },
    substitutionFor: (declaration, values) => substitutionFor(declaration, values),
    exchangeBodies(functions) {
      if (functions.some((fn) => read.has(fn))) return false;
      for (const fn of functions) scopes.rebind(fn);
      return true;
    },
    enclosingFunction: (node) => {
      for (let at: ReturnType<ScopeTree["at"]> | undefined = scopes.at(node.start); at; at = at.parent) {
        if (at.kind === "function") return at.owner as FunctionDeclaration;
      }
      return undefined;
    },
  };
}

function memberEntities(
  context: Context,
  expression: Expression & { kind: "member" },
  substitution: Substitution | undefined,
): readonly Entity[] {
  const base = context.info(expression.base, substitution)?.type;
  const type = base?.kind === "pointer" && expression.arrow ? base.to : base;
  return type?.kind === "record" ? context.member(type.record, lastName(expression.name)).entities : [];
}

function substitutionFor(declaration: FunctionDeclaration, values: readonly TemplateValue[]): Substitution | undefined {
  const parameters = declaration.templateParameters ?? [];
  if (values.length > parameters.length && !parameters.at(-1)?.pack) return undefined;
  const bound = new Map<string, TemplateValue | readonly TemplateValue[]>();
  for (const [index, parameter] of parameters.entries()) {
    const name = parameter.name ?? `#${index}`;
    const value = parameter.pack ? values.slice(index) : values[index];
    if (value === undefined) {
      if (!parameter.pack && !("default" in parameter && parameter.default)) return undefined;
      continue;
    }
    bound.set(name, value);
  }
  return { values: bound };
}

const nothing: Found = { entities: [] };

/** Levels of an expression that are gone down in one go. */
const levelsOfExpression = 64;

/** @param read collects the functions on whose bodies something rests that is known elsewhere */
function contextOf(scopes: ScopeTree, read: Set<FunctionDeclaration>): Context {
  const recursion = new Recursion();
  const instances = new Instances();
  const substitutions = new Substitutions();
  const infos = new Memo<NonNullable<ReturnType<Context["info"]>>>(recursion);
  const types = new Memo<Type>(recursion);
  const declared = new Memo<Type>(recursion);
  const results = new Memo<Type>(recursion);
  const constants = new Memo<NonNullable<ReturnType<Context["constant"]>>>(recursion);
  const layouts = new Memo<NonNullable<ReturnType<Context["layout"]>>>(recursion);
  const captures = new Memo<NonNullable<ReturnType<Context["captures"]>>>(recursion);
  const names = new Memo<Found>(recursion);
  const calls = new Memo<Resolved | ResolvedLambda>(recursion);
  const clear = new WeakMap<Expression, Expression>();
  const packs = new Packs(recursion);
  const context: Context = {
    scopes,
    recursion,
    readBody(declaration) {
      if (declaration.body && declaration.start >= 0) read.add(declaration);
      return declaration.body;
    },
    guard: (work) => recursion.deeper(work),
    typeFrom: (node, substitution, auto) =>
      auto || node.start < 0
        ? typeFrom(context, node, substitution, auto)
        : types.get(node, substitution, () => typeFrom(context, node, substitution)),
    info: (expression, outer) => {
      const substitution = packs.substitutionOf(expression) ?? outer;
      const work = () => context.guard(() => infoOf(context, expression, substitution));
      if (recursion.level < levelsOfExpression || infos.has(expression, substitution)) return infos.get(expression, substitution, work);
      // Long sums and deep nests: from the inside out, so that each answer is a step from the ones that it rests on.
      for (const each of insideOut(context, expression, (inner) => infos.has(inner, substitution)))
        infos.get(each, substitution, () => context.guard(() => infoOf(context, each, substitution)));
      return infos.get(expression, substitution, work);
    },
    expandPacks: (expressions, substitution) => packs.expand(expressions, substitution),
    ownSubstitution: (expression) => packs.substitutionOf(expression),
    declaredType: (declaration, substitution) =>
      declared.get(declaration, substitution, () => context.guard(() => declaredType(context, declaration, substitution))),
    resultType: (declaration, substitution) =>
      declaration.start < 0
        ? functionResult(context, declaration, substitution)
        : results.get(declaration, substitution, () => context.guard(() => functionResult(context, declaration, substitution))),
    constant: (expression, outer) => {
      const substitution = packs.substitutionOf(expression) ?? outer;
      return constants.get(expression, substitution, () => context.guard(() => constantOf(context, expression, substitution)));
    },
    clarify: (expression) => {
      if (!canBeMisread(expression)) return expression;
      let known = clear.get(expression);
      if (!known) clear.set(expression, (known = clarify(context, expression)));
      return known;
    },
    find: (name, substitution) =>
      names.get(name, substitution, () =>
        context.guard(() => {
          const found = find(context, name, substitution);
          return found.entities.length > 0 ? found : undefined;
        }),
      ) ?? nothing,
    member: (record, name) => member(context, record, name),
    namedType: (name, substitution) => context.guard(() => namedType(context, name, substitution)),
    templateValues: (given, parameters, substitution) => templateValues(context, given, parameters, substitution),
    currentRecord: (declaration, substitution) => currentRecord(context, declaration, substitution),
    instantiate: (template, values, substitution) => context.guard(() => instances.instantiate(context, template, values, substitution)),
    layout: (record) => layouts.get(record, undefined, () => context.guard(() => layoutOf(context, record))),
    captures: (lambda, substitution) =>
      captures.get(lambda, substitution, () => context.guard(() => captureLayout(context, lambda, substitution))),
    sizeOf: (type) => sizeOf(context, type),
    alignOf: (type) => alignOf(context, type),
    overload: (found, explicit, args, substitution) => overload(context, substitutions, found, explicit, args, substitution),
    resolveCall: (call, substitution) => calls.get(call, substitution, () => resolveCall(context, substitutions, call, substitution)),
    resolveOperator: (operator, operands, offset, substitution) => resolveOperator(context, operator, operands, offset, substitution),
    conversionRank: (from, to, nullConstant) => conversionRank(context, from, to, nullConstant),
  };
  return context;
}
