/** Binding a function template's parameters: written, deduced from arguments, defaulted. */
import type { FunctionDeclaration, ParameterDeclaration, RecordDeclaration, TemplateArgument, TypeNode } from "../../syntax/ast.ts";
import type { Argument, Context, Found, TemplateValues } from "./context.ts";
import { type Deduction, deduceParameter, deduceType } from "./deduce.ts";
import { functionValue } from "./function-values.ts";
import { lastName } from "./scope.ts";
import type { Substitutions } from "./substitutions.ts";
import { defaultOf } from "./template-values.ts";
import { emptySubstitution, isPack, unqualified, valueKey } from "./type-tools.ts";
import type { Substitution, TemplateValue, Type } from "./types.ts";

export const isNull = (argument: Argument): boolean =>
  argument.expression?.kind === "null" || (argument.expression?.kind === "integer" && argument.expression.value === 0n);

export const mentionsAuto = (node: TypeNode): boolean =>
  node.kind === "auto" || ((node.kind === "pointer" || node.kind === "reference") && mentionsAuto(node.to));

/**
 * The substitution around a member function. One defined outside its class template may name the class's parameters
 * otherwise: `template <class U> void Matrix<U>::f()`.
 */
export function memberSubstitution(substitutions: Substitutions, declaration: FunctionDeclaration, found: Found): Substitution | undefined {
  const { record } = found;
  if (!record) return undefined;
  const written = declaration.name.parts.at(-2)?.templateArguments;
  if (!written) return record.substitution;
  const values = new Map<string, TemplateValues>();
  for (const [index, argument] of written.entries()) {
    const value = record.arguments[index];
    const node = argument.kind === "type" ? argument.type : argument.expression;
    if (value !== undefined && (node.kind === "named" || node.kind === "name")) values.set(lastName(node.name), value);
  }
  return substitutions.of(declaration, values, record.substitution);
}

/** The function's own template parameters: not those that its qualifier gives to the class. */
export function ownTemplateParameters(
  declaration: FunctionDeclaration,
  outer: Substitution | undefined,
): NonNullable<FunctionDeclaration["templateParameters"]> {
  const written = declaration.name.parts.at(-2)?.templateArguments;
  const all = declaration.templateParameters ?? [];
  return written ? all.filter((each) => each.name === undefined || outer?.values.has(each.name) !== true) : all;
}

export function bindFunction(
  context: Context,
  substitutions: Substitutions,
  declaration: FunctionDeclaration,
  parameters: readonly ParameterDeclaration[],
  outer: Substitution | undefined,
  explicit: readonly TemplateArgument[] | undefined,
  args: readonly Argument[],
  substitution: Substitution | undefined,
): Substitution | undefined {
  const friendOf = friendTemplate(context, declaration);
  const own = friendOf?.templateParameters ?? ownTemplateParameters(declaration, outer);
  const autos = parameters.filter((each) => mentionsAuto(each.type));
  const pointed = functionsGiven(context, parameters, args, outer, substitution);
  if (own.length === 0 && autos.length === 0 && pointed.size === 0) {
    const fits = explicit === undefined || (isLibrary(declaration) && isOfTypes(context, parameters, explicit, substitution));
    return fits ? (outer ?? emptySubstitution) : undefined;
  }
  const bound = new Map<string, TemplateValues>(pointed);
  const given = explicit ? context.templateValues(explicit, own, substitution) : [];
  if (!given) return undefined;
  let next = 0;
  for (const parameter of own) {
    if (next >= given.length) break;
    const value = parameter.pack ? (given.slice(next) as TemplateValue[]) : given[next];
    next = parameter.pack ? given.length : next + 1;
    if (parameter.name && value !== undefined) bound.set(parameter.name, value);
  }
  if (next < given.length) return undefined;
  if (!deduceArguments(context, own, parameters, bound, outer, args, explicit !== undefined)) return undefined;
  for (const [index, parameter] of own.entries()) {
    const name = parameter.name ?? `#${index}`;
    if (bound.has(name)) continue;
    if (parameter.pack) {
      bound.set(name, []);
      continue;
    }
    const value = defaultOf(context, parameter, outer ? { values: bound, outer } : { values: bound });
    if (value === undefined) {
      if (parameter.name === undefined && parameter.kind !== "template") return undefined;
      return undefined;
    }
    bound.set(name, value);
  }
  if (friendOf) {
    const record = context.instantiate(
      friendOf,
      own.map((each, index) => bound.get(each.name ?? `#${index}`) ?? []),
      outer,
    );
    return record?.substitution;
  }
  return substitutions.of(declaration, bound, outer);
}

/** Of parameters that are pointers to functions, which functions they are given: they are bound as if they were templates' own. */
function functionsGiven(
  context: Context,
  parameters: readonly ParameterDeclaration[],
  args: readonly Argument[],
  outer: Substitution | undefined,
  substitution: Substitution | undefined,
): Map<string, Type> {
  const given = new Map<string, Type>();
  for (const [index, parameter] of parameters.entries()) {
    const argument = args[index];
    if (!argument?.expression || !mayBeFunction(argument.info?.type) || parameter.pack) continue;
    const type = context.typeFrom(parameter.type, outer);
    const called = type?.kind === "pointer" ? type.to : type;
    const value = called?.kind === "function" ? functionValue(context, argument.expression, substitution) : undefined;
    if (value) given.set(autoKey(parameter), value);
  }
  return given;
}

const mayBeFunction = (type: Type | undefined): boolean =>
  type?.kind === "function" || type?.kind === "lambda" || (type?.kind === "pointer" && type.to.kind === "function");

/** What CUDA's own headers declare. */
const isLibrary = ({ start }: FunctionDeclaration): boolean => start < 0;

/** `std::max<float>(a, b)`: the library's overloads stand for a template, of which this is the one whose parameters are of the type. */
function isOfTypes(
  context: Context,
  parameters: readonly ParameterDeclaration[],
  explicit: readonly TemplateArgument[],
  substitution: Substitution | undefined,
): boolean {
  const types = context.templateValues(explicit, undefined, substitution);
  return (
    types !== undefined &&
    parameters.every((parameter, index) => {
      const wanted = types[Math.min(index, types.length - 1)];
      const own = context.typeFrom(parameter.type, undefined);
      return own !== undefined && wanted !== undefined && valueKey(unqualified(own)) === valueKey(wanted);
    })
  );
}

/** A function that a class template befriends where it defines it belongs to an instance: found by what its arguments are. */
export function friendTemplate(context: Context, declaration: FunctionDeclaration): RecordDeclaration | undefined {
  if (!declaration.specifiers.friend || declaration.templateParameters) return undefined;
  const owner = context.scopes.scopeOf.get(declaration)?.parent?.owner;
  return owner && "members" in owner && owner.templateParameters ? owner : undefined;
}

function deduceArguments(
  context: Context,
  own: NonNullable<FunctionDeclaration["templateParameters"]>,
  parameters: readonly ParameterDeclaration[],
  bound: Map<string, TemplateValues>,
  outer: Substitution | undefined,
  args: readonly Argument[],
  explicit: boolean,
): boolean {
  const fixed = new Set(explicit ? bound.keys() : []);
  const names = new Set(own.flatMap((each) => (each.name && !fixed.has(each.name) ? [each.name] : [])));
  const inner: Substitution = outer ? { values: bound, outer } : { values: bound };
  const state: Deduction = { context, names, bound, outer: inner };
  for (const [index, parameter] of parameters.entries()) {
    if (parameter.pack) {
      const rest = args.slice(index);
      deducePack(state, parameter, rest);
      // An argument of which nothing is known is one element all the same.
      const open =
        rest.some((each) => !each.info) &&
        own.some((each) => each.pack && each.name && names.has(each.name) && !isOfLength(bound, each.name, rest.length));
      if (open) return false;
      break;
    }
    const argument = args[index];
    if (!argument) break;
    if (mentionsAuto(parameter.type) && argument.info)
      bound.set(
        autoKey(parameter),
        argument.info.lvalue ? { kind: "reference", to: argument.info.type, rvalue: false } : argument.info.type,
      );
    if (!argument.info || parameter.type.kind === "auto") continue;
    if (argument.info.type.kind === "function") {
      deduceType(state, parameter.type, argument.info.type);
      continue;
    }
    if (isNull(argument) && parameter.type.kind === "pointer") continue;
    if (!deduceParameter(state, parameter, argument.info)) return false;
  }
  return true;
}

function isOfLength(bound: ReadonlyMap<string, TemplateValues>, name: string, length: number): boolean {
  const value = bound.get(name);
  return value !== undefined && isPack(value) && value.length === length;
}

/** Under which key a substitution holds the argument of a parameter declared `auto`. */
export const autoKey = (parameter: ParameterDeclaration): string => `auto@${parameter.start}`;

/** `Args... args`: each argument on its own; the types are kept by the parameter's name too, for its length. */
function deducePack(state: Deduction, parameter: ParameterDeclaration, args: readonly Argument[]): void {
  const elements = args.map((argument) => {
    const element: Deduction = { ...state, bound: new Map(), names: state.names };
    if (argument.info) deduceParameter(element, parameter, argument.info);
    return element.bound;
  });
  for (const name of state.names) {
    if (!elements.some((each) => each.has(name))) continue;
    state.bound.set(
      name,
      elements.flatMap((each): TemplateValue[] => {
        const value = each.get(name);
        return value === undefined || isPack(value) ? [] : [value];
      }),
    );
  }
  if (!parameter.name) return;
  const types = args.map((argument, index): TemplateValue => {
    const element = new Map(state.bound);
    // Of a pack that was written out, too, each parameter is one element.
    for (const [name, value] of state.bound) if (isPack(value) && value[index] !== undefined) element.set(name, value[index]);
    for (const [name, value] of elements[index] ?? []) element.set(name, value);
    const substitution: Substitution = state.outer ? { values: element, outer: state.outer } : { values: element };
    return state.context.typeFrom(parameter.type, substitution, argument.info) ?? argument.info?.type ?? { kind: "void" };
  });
  state.bound.set(parameter.name, types);
}
