/** Overload resolution: which function a call means, with its template arguments. */
import type { FunctionDeclaration, ParameterDeclaration, RecordDeclaration, TemplateArgument, TypeNode } from "../../syntax/ast.ts";
import { walk } from "../../syntax/walk.ts";
import type { Argument, Context, Found, Resolved, TemplateValues } from "./context.ts";
import { type Deduction, deduceParameter, deduceType } from "./deduce.ts";
import { defaultOf, packElement } from "./named-types.ts";
import { lastName } from "./scope.ts";
import { decay, emptySubstitution, identity, isPack, sameType, substituted, typeKey, unqualified, valueKey } from "./type-tools.ts";
import type { Substitution, TemplateValue, Type } from "./types.ts";

interface Candidate {
  readonly function: FunctionDeclaration;
  readonly substitution: Substitution;
  readonly ranks: readonly number[];
  /** The parameters' types, for telling a definition from its own declaration. */
  readonly types: string;
  readonly template: boolean;
  /** How much of the parameters is fixed by the declaration: a template that says more is preferred. */
  readonly fixed: number;
}

/** Makes substitutions one object for equal arguments, so that what is known of an instance is found again. */
export class Substitutions {
  readonly #known = new Map<string, Substitution>();

  of(declaration: object, values: ReadonlyMap<string, TemplateValues>, outer: Substitution | undefined): Substitution {
    const key = `${identity(declaration)}@${outer ? identity(outer) : 0}<${[...values].map(([name, value]) => `${name}=${valueKey(value)}`).join(";")}>`;
    let known = this.#known.get(key);
    if (!known) this.#known.set(key, (known = outer ? { values, outer } : { values }));
    return known;
  }
}

export function overload(
  context: Context,
  substitutions: Substitutions,
  found: Found,
  explicit: readonly TemplateArgument[] | undefined,
  args: readonly Argument[],
  substitution: Substitution | undefined,
): Resolved | undefined {
  let best: Candidate | undefined;
  const functions = found.entities.flatMap((each) => (each.kind === "function" ? [each.declaration] : []));
  for (const declaration of functions) {
    if (declaration.specialisation || declaration.deleted) continue;
    const candidate = context.guard(() => consider(context, substitutions, declaration, functions, found, explicit, args, substitution));
    if (candidate && (!best || better(candidate, best))) best = candidate;
  }
  if (!best) {
    // A specialisation may be all there is to see of a template that a missing header declares.
    const special = functions.find((each) => each.specialisation && each.parameters.length === args.length);
    best = special && context.guard(() => consider(context, substitutions, special, functions, found, undefined, args, substitution));
  }
  if (!best) return undefined;
  const special = best.template ? specialised(context, functions, best) : undefined;
  const chosen = special ?? best.function;
  const chosenSubstitution = special ? (found.record?.substitution ?? emptySubstitution) : best.substitution;
  const member = found.record && context.scopes.records.has(chosen) && !isStatic(chosen, functions) ? found.record : undefined;
  return member
    ? { function: chosen, substitution: chosenSubstitution, record: member }
    : { function: chosen, substitution: chosenSubstitution };
}

/** Outside its class a static member function is defined without the word. */
const isStatic = (chosen: FunctionDeclaration, functions: readonly FunctionDeclaration[]): boolean =>
  chosen.specifiers.static === true ||
  (chosen.name.parts.length > 1 && functions.some((each) => each.specifiers.static && each.parameters.length === chosen.parameters.length));

/** Whether `a` is to be called rather than `b`. */
function better(a: Candidate, b: Candidate): boolean {
  let wins = 0;
  let losses = 0;
  for (const [index, rank] of a.ranks.entries()) {
    const other = b.ranks[index] ?? 0;
    if (rank < other) wins++;
    else if (rank > other) losses++;
  }
  if (wins !== losses && (wins === 0 || losses === 0)) return wins > 0;
  if (wins > 0) {
    // Ambiguous in C++; a missing conversion rule of ours rather than the user's mistake.
    const total = (ranks: readonly number[]): number => ranks.reduce((sum, each) => sum + each, 0);
    if (total(a.ranks) !== total(b.ranks)) return total(a.ranks) < total(b.ranks);
  }
  if (a.template !== b.template) return !a.template;
  if (a.template && a.fixed !== b.fixed) return a.fixed > b.fixed;
  const [device, otherDevice] = [a.function, b.function].map((each) => each.specifiers.device || each.specifiers.global);
  if (device !== otherDevice) return device === true;
  // A declaration and its definition.
  return a.types === b.types && !b.function.body && a.function.body !== undefined;
}

function consider(
  context: Context,
  substitutions: Substitutions,
  declaration: FunctionDeclaration,
  siblings: readonly FunctionDeclaration[],
  found: Found,
  explicit: readonly TemplateArgument[] | undefined,
  args: readonly Argument[],
  substitution: Substitution | undefined,
): Candidate | undefined {
  const parameters = declaration.parameters.length === 1 && isVoid(declaration.parameters[0]) ? [] : declaration.parameters;
  const packAt = parameters.findIndex((each) => each.pack);
  if (args.length > parameters.length && packAt < 0 && !declaration.variadic) return undefined;
  for (let index = args.length; index < parameters.length; index++) {
    const parameter = parameters[index];
    if (parameter && !parameter.pack && !defaultArgument(declaration, siblings, index)) return undefined;
  }
  const outer = memberSubstitution(substitutions, declaration, found);
  const bound = bindFunction(context, substitutions, declaration, parameters, outer, explicit, args, substitution);
  if (!bound) return undefined;
  const ranks: number[] = [];
  const types: string[] = [];
  for (const [index, argument] of args.entries()) {
    const parameter = parameters[packAt >= 0 && index >= packAt ? packAt : index];
    if (!parameter) {
      ranks.push(6);
      continue;
    }
    const at = parameter.pack ? elementOf(parameter, index - packAt, bound) : bound;
    const type = parameterType(context, parameter, at, argument);
    if (!type) {
      // Unknown (a type of a missing header): it may well fit, but anything known fits better.
      ranks.push(5);
      continue;
    }
    const rank = argument.info ? context.conversionRank(argument.info, type, isNull(argument)) : listRank(context, argument, type);
    if (rank === undefined) return undefined;
    ranks.push(rank);
    types.push(typeKey(unqualified(type)));
  }
  if (!substitutes(context, declaration, bound)) return undefined;
  return {
    function: declaration,
    substitution: bound,
    ranks,
    types: types.join(","),
    template: ownTemplateParameters(declaration, outer).length > 0 || friendTemplate(context, declaration) !== undefined,
    fixed: fixedness(declaration, outer),
  };
}

const isVoid = (parameter: ParameterDeclaration | undefined): boolean =>
  parameter?.type.kind === "builtin" && parameter.type.name === "void" && !parameter.name;

const isNull = (argument: Argument): boolean =>
  argument.expression?.kind === "null" || (argument.expression?.kind === "integer" && argument.expression.value === 0n);

function listRank(context: Context, argument: Argument, type: Type): number | undefined {
  if (argument.expression?.kind !== "list") return 4;
  const plain = type.kind === "reference" ? type.to : type;
  if (plain.kind === "record") {
    const count = context.layout(plain.record)?.fields.length ?? 0;
    return argument.expression.elements.length <= count ||
      context.scopes.own(
        context.scopes.scopeOf.get(plain.record.declaration) ?? context.scopes.builtIn,
        lastName(plain.record.declaration.name),
      ).length > 0
      ? 2
      : undefined;
  }
  return argument.expression.elements.length <= 1 || plain.kind === "array" ? 2 : undefined;
}

/** A default argument may stand on another declaration of the same function. */
function defaultArgument(
  declaration: FunctionDeclaration,
  siblings: readonly FunctionDeclaration[],
  index: number,
): ParameterDeclaration["default"] {
  const own = declaration.parameters[index]?.default;
  if (own) return own;
  for (const sibling of siblings) {
    if (sibling !== declaration && sibling.parameters.length === declaration.parameters.length && sibling.parameters[index]?.default)
      return sibling.parameters[index]?.default;
  }
  return undefined;
}

function parameterType(
  context: Context,
  parameter: ParameterDeclaration,
  substitution: Substitution,
  argument: Argument,
): Type | undefined {
  const type = context.typeFrom(parameter.type, substitution, mentionsAuto(parameter.type) ? argument.info : undefined);
  return type?.kind === "array" ? decay(type) : type;
}

const mentionsAuto = (node: TypeNode): boolean =>
  node.kind === "auto" || ((node.kind === "pointer" || node.kind === "reference") && mentionsAuto(node.to));

function elementOf(parameter: ParameterDeclaration, index: number, bound: Substitution): Substitution {
  const packs = [...bound.values].flatMap(([name, values]) =>
    isPack(values) && name !== parameter.name ? [{ name, length: values.length, values }] : [],
  );
  return packElement(packs, index, bound);
}

/**
 * The substitution around a member function. One defined outside its class template may name the class's parameters
 * otherwise: `template <class U> void Matrix<U>::f()`.
 */
function memberSubstitution(substitutions: Substitutions, declaration: FunctionDeclaration, found: Found): Substitution | undefined {
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
function ownTemplateParameters(
  declaration: FunctionDeclaration,
  outer: Substitution | undefined,
): NonNullable<FunctionDeclaration["templateParameters"]> {
  const written = declaration.name.parts.at(-2)?.templateArguments;
  const all = declaration.templateParameters ?? [];
  return written ? all.filter((each) => each.name === undefined || outer?.values.has(each.name) !== true) : all;
}

function bindFunction(
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
  if (own.length === 0 && autos.length === 0) return explicit ? undefined : (outer ?? emptySubstitution);
  const bound = new Map<string, TemplateValues>();
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

/** A function that a class template befriends where it defines it belongs to an instance: found by what its arguments are. */
function friendTemplate(context: Context, declaration: FunctionDeclaration): RecordDeclaration | undefined {
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
      deducePack(state, parameter, args.slice(index));
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
    const element = new Map([...state.bound, ...(elements[index] ?? [])]);
    const substitution: Substitution = state.outer ? { values: element, outer: state.outer } : { values: element };
    return state.context.typeFrom(parameter.type, substitution, argument.info) ?? argument.info?.type ?? { kind: "void" };
  });
  state.bound.set(parameter.name, types);
}

/** Whether `enable_if` and its like let this instance exist. */
function substitutes(context: Context, declaration: FunctionDeclaration, bound: Substitution): boolean {
  if (!declaration.templateParameters) return true;
  if (mentions(declaration.result, /^enable_if/) && !context.typeFrom(declaration.result, bound)) return false;
  return declaration.templateParameters.every(
    (each) => each.kind !== "value" || !mentions(each.type, /^enable_if/) || context.typeFrom(each.type, bound) !== undefined,
  );
}

function mentions(node: TypeNode, pattern: RegExp): boolean {
  let found = false;
  walk(node, (each) => {
    if (each.kind === "named") found ||= each.name.parts.some((part) => pattern.test(part.text));
    return !found;
  });
  return found;
}

/** How many parts of the parameters' types the declaration fixes. */
function fixedness(declaration: FunctionDeclaration, outer: Substitution | undefined): number {
  const names = new Set((declaration.templateParameters ?? []).map((each) => each.name));
  let fixed = 0;
  for (const parameter of declaration.parameters) {
    walk(parameter.type, (node) => {
      if ("const" in node && node.const) fixed++;
      if (node.kind === "pointer" || node.kind === "array" || node.kind === "builtin") fixed++;
      else if (node.kind === "named" && !names.has(lastName(node.name)) && substituted(lastName(node.name), outer) === undefined) fixed++;
      return true;
    });
    if (parameter.pack) fixed -= 1;
  }
  return fixed;
}

/** The explicit specialisation for the arguments of a chosen template: `template <> float zero<float>()`. */
function specialised(context: Context, functions: readonly FunctionDeclaration[], chosen: Candidate): FunctionDeclaration | undefined {
  const parameters = chosen.function.templateParameters ?? [];
  for (const candidate of functions) {
    if (!candidate.specialisation || !candidate.body || candidate.parameters.length !== chosen.function.parameters.length) continue;
    const written = candidate.name.parts.at(-1)?.templateArguments;
    const values = written && context.templateValues(written, parameters, undefined);
    const fits = values
      ? values.every((value, index) => {
          const name = parameters[index]?.name;
          const own = name === undefined ? undefined : chosen.substitution.values.get(name);
          return own !== undefined && valueKey(own) === valueKey(value);
        })
      : candidate.parameters.every((parameter, index) => {
          const own = chosen.function.parameters[index];
          const [a, b] = [context.typeFrom(parameter.type, undefined), own && context.typeFrom(own.type, chosen.substitution)];
          return a && b && sameType(a, b);
        });
    if (fits && (values !== undefined || sameResult(context, candidate, chosen))) return candidate;
  }
  return undefined;
}

function sameResult(context: Context, candidate: FunctionDeclaration, chosen: Candidate): boolean {
  const [a, b] = [context.typeFrom(candidate.result, undefined), context.typeFrom(chosen.function.result, chosen.substitution)];
  return !a || !b || sameType(a, b);
}
