/** Which function a call expression or an operator calls. */
import type { Expression, FunctionDeclaration, TemplateArgument } from "../../syntax/ast.ts";
import { autoKey, bindFunction } from "./bind-function.ts";
import type { Argument, Context, Found, Resolved, ResolvedLambda, TemplateValues } from "./context.ts";
import { argumentsOf, memberBase } from "./expressions.ts";
import { functionValue } from "./function-values.ts";
import { nominatedBy } from "./lookup.ts";
import { type Entity, lastName, type Scope } from "./scope.ts";
import type { Substitutions } from "./substitutions.ts";
import { isTypeValue, substituted } from "./type-tools.ts";
import type { LambdaExpression, Substitution, Type } from "./types.ts";

export function resolveCall(
  context: Context,
  substitutions: Substitutions,
  call: Expression & { kind: "call" },
  substitution: Substitution | undefined,
): Resolved | ResolvedLambda | undefined {
  let callee = context.clarify(call.callee);
  while (callee.kind === "parenthesized" || (callee.kind === "unary" && callee.op === "*"))
    callee = context.clarify(callee.kind === "unary" ? callee.operand : callee.inner);
  const args = argumentsOf(context, call.arguments, substitution);
  if (callee.kind === "name") {
    const { name } = callee;
    const found = context.find(name, substitution);
    const [first] = found.entities;
    const explicit = name.parts.at(-1)?.templateArguments;
    if (first?.kind === "function" || !first) {
      const candidates = withOthers(context, found, name.parts.length === 1 ? lastName(name) : undefined, args);
      return candidates.entities.length > 0 ? context.overload(candidates, explicit, args, substitution) : undefined;
    }
    if (first.kind === "template-parameter") {
      const bound = substituted(lastName(name), substitution);
      if (bound !== undefined && isTypeValue(bound) && bound.kind === "function") return ofFunctionType(context, bound, args, substitution);
    }
  }
  if (callee.kind === "member") {
    const called = calledObject(context, callee, substitution);
    if (called) return throughObject(context, substitutions, called, args, substitution, callee.name.parts.at(-1)?.templateArguments);
    const base = memberBase(context, callee, substitution);
    if (base) {
      const found =
        callee.name.parts.length > 1 ? context.find(callee.name, substitution) : context.member(base.record, lastName(callee.name));
      if (found.entities[0]?.kind === "function") {
        const fitting = byConst(found, base.const);
        return context.overload(
          { ...fitting, record: found.record ?? base.record },
          callee.name.parts.at(-1)?.templateArguments,
          args,
          substitution,
        );
      }
    }
  }
  const type = context.info(callee, substitution)?.type;
  const pointed =
    type?.kind === "pointer" && type.to.kind === "function" && type.to.declarations.length === 0
      ? functionValue(context, callee, substitution)
      : undefined;
  return throughObject(context, substitutions, pointed ?? type, args, substitution);
}

/** What `f.operator()(x)` calls, where it is no record: a lambda, a pointer to a function. */
function calledObject(context: Context, callee: Expression & { kind: "member" }, substitution: Substitution | undefined): Type | undefined {
  if (lastName(callee.name) !== "operator()") return undefined;
  const type = context.info(callee.base, substitution)?.type;
  const object = callee.arrow && type?.kind === "pointer" ? type.to : type;
  return object?.kind === "lambda" ? object : undefined;
}

/** A call through an object: a lambda, a function object, a function that a parameter stands for. */
function throughObject(
  context: Context,
  substitutions: Substitutions,
  type: Type | undefined,
  args: readonly Argument[],
  substitution: Substitution | undefined,
  explicit?: readonly TemplateArgument[],
): Resolved | ResolvedLambda | undefined {
  if (type?.kind === "lambda") {
    const own = lambdaSubstitution(context, substitutions, type, args, explicit, substitution);
    return own && { lambda: type.lambda, substitution: own };
  }
  if (type?.kind === "record") {
    const found = context.member(type.record, "operator()");
    return found.entities.length > 0 ? context.overload(byConst(found, type.const ?? false), undefined, args, substitution) : undefined;
  }
  if (type?.kind === "function") return ofFunctionType(context, type, args, substitution);
  if (type?.kind === "pointer" && type.to.kind === "function") return ofFunctionType(context, type.to, args, substitution);
  return undefined;
}

function ofFunctionType(
  context: Context,
  type: Type & { kind: "function" },
  args: readonly Argument[],
  substitution: Substitution | undefined,
): Resolved | undefined {
  const entities = type.declarations.map((declaration): Entity => ({ kind: "function", declaration, home: context.scopes.root }));
  return entities.length > 0
    ? context.overload(
        { entities, ...(type.record && { record: type.record }) },
        type.explicit?.arguments,
        args,
        type.explicit ? type.explicit.substitution : substitution,
      )
    : undefined;
}

/** On a constant object only constant members may be called; on another the non-constant are preferred. */
function byConst(found: Found, constant: boolean): Found {
  const matching = found.entities.filter(
    (each) => each.kind === "function" && ((each.declaration.const ?? false) === constant || each.declaration.specifiers.static),
  );
  return matching.length > 0 && matching.length < found.entities.length
    ? { ...found, entities: [...matching, ...(constant ? [] : found.entities.filter((each) => !matching.includes(each)))] }
    : found;
}

/** The lambda's own substitution: what its template parameters and its `auto` parameters are. */
function lambdaSubstitution(
  context: Context,
  substitutions: Substitutions,
  type: Type & { kind: "lambda" },
  args: readonly Argument[],
  explicit: readonly TemplateArgument[] | undefined,
  substitution: Substitution | undefined,
): Substitution | undefined {
  const values = new Map<string, TemplateValues>();
  if (type.lambda.templateParameters) {
    const { parameters } = type.lambda;
    const bound = bindFunction(
      context,
      substitutions,
      callOperator(type.lambda),
      parameters,
      type.substitution,
      explicit,
      args,
      substitution,
    );
    if (!bound) return undefined;
    for (const [name, value] of bound.values) values.set(name, value);
  }
  for (const [index, parameter] of type.lambda.parameters.entries()) {
    const info = args[index]?.info;
    if (parameter.pack) {
      const infos = args.slice(index).map((each): Type => each.info?.type ?? { kind: "void" });
      if (parameter.name) values.set(parameter.name, infos);
      values.set(autoKey(parameter), infos);
    } else if (info) values.set(autoKey(parameter), info.lvalue ? { kind: "reference", to: info.type, rvalue: false } : info.type);
  }
  return substitutions.of(type.lambda, values, type.substitution);
}

const callOperators = new WeakMap<LambdaExpression, FunctionDeclaration>();

/** The function that a lambda is called by, as a class would declare it. */
function callOperator(lambda: LambdaExpression): FunctionDeclaration {
  const known = callOperators.get(lambda);
  if (known) return known;
  const { start, end, parameters, specifiers, templateParameters, result } = lambda;
  const nameSpan = { start, end };
  const made: FunctionDeclaration = {
    ...nameSpan,
    kind: "function",
    name: { ...nameSpan, parts: [{ text: "operator()" }], global: false },
    nameSpan,
    result: result ?? { ...nameSpan, kind: "auto" },
    parameters,
    variadic: false,
    specifiers,
    ...(templateParameters && { templateParameters }),
  };
  callOperators.set(lambda, made);
  return made;
}

/** Adds what is found through the arguments' namespaces, and the built-in overloads of a name the user adds to. */
function withOthers(context: Context, found: Found, unqualified: string | undefined, args: readonly Argument[]): Found {
  if (unqualified === undefined) return found;
  const more: Entity[] = [];
  for (const scope of argumentScopes(context, args)) more.push(...context.scopes.own(scope, unqualified));
  if (found.entities.length > 0 && !found.record) more.push(...context.scopes.own(context.scopes.builtIn, unqualified));
  const added = more.filter((each) => each.kind === "function" && !found.entities.includes(each));
  return added.length > 0 ? { ...found, entities: [...found.entities, ...added] } : found;
}

function argumentScopes(context: Context, args: readonly Argument[]): Set<Scope> {
  const scopes = new Set<Scope>();
  const visit = (type: Type | undefined): void => {
    if (type?.kind === "pointer") visit(type.to);
    else if (type?.kind === "record" || type?.kind === "enum") {
      let at = context.scopes.scopeOf.get(type.kind === "record" ? type.record.declaration : type.declaration)?.parent;
      while (at && at.kind !== "namespace" && at.kind !== "unit" && at.kind !== "built-in") at = at.parent;
      if (at) scopes.add(at);
      if (type.kind === "record")
        for (const value of type.record.arguments) if (typeof value === "object" && isTypeValue(value)) visit(value);
    }
  };
  for (const argument of args) visit(argument.info?.type);
  return scopes;
}

/** The user's operator for operands of which one is a record or an enumeration; undefined: the built-in one, if any. */
export function resolveOperator(
  context: Context,
  operator: string,
  operands: readonly Argument[],
  offset: number,
  substitution: Substitution | undefined,
): Resolved | undefined {
  const name = `operator${operator}`;
  const [left, ...rest] = operands;
  if (left?.info?.type.kind === "record") {
    const found = context.member(left.info.type.record, name);
    const member =
      found.entities.length > 0
        ? context.overload(byConst(found, left.info.type.const ?? false), undefined, rest, substitution)
        : undefined;
    if (member) return member;
  }
  if (operator === "=" || operator === "[]" || operator === "->" || operator === "()") return undefined;
  const entities: Entity[] = [];
  const add = (each: Entity): void => {
    if (each.kind === "function" && !each.home.owner && !entities.includes(each)) entities.push(each);
  };
  for (let at: Scope | undefined = context.scopes.at(offset); at; at = at.parent) {
    if (at.kind === "record") continue;
    for (const each of context.scopes.own(at, name)) add(each);
    for (const nominated of nominatedBy(context, at)) for (const each of context.scopes.own(nominated, name)) add(each);
  }
  for (const scope of argumentScopes(context, operands)) for (const each of context.scopes.own(scope, name)) add(each);
  return entities.length > 0 ? context.overload({ entities }, undefined, operands, substitution) : undefined;
}
