/** Overload resolution: which function a call means, with its template arguments. */
import type { FunctionDeclaration, ParameterDeclaration, TemplateArgument, TypeNode } from "../../syntax/ast.ts";
import { walk } from "../../syntax/walk.ts";
import { bindFunction, friendTemplate, isNull, memberSubstitution, mentionsAuto, ownTemplateParameters } from "./bind-function.ts";
import { isSatisfied } from "./constraints.ts";
import type { Argument, Context, Found, Resolved } from "./context.ts";
import { lastName } from "./scope.ts";
import type { Substitutions } from "./substitutions.ts";
import { packElement } from "./template-values.ts";
import { decay, emptySubstitution, isPack, sameType, substituted, typeKey, unqualified, valueKey } from "./type-tools.ts";
import type { Substitution, Type } from "./types.ts";

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

/** Functions of one name that a call is held against; one of more means nothing that is known. */
export const mostOverloads = 500;

export function overload(
  context: Context,
  substitutions: Substitutions,
  found: Found,
  explicit: readonly TemplateArgument[] | undefined,
  args: readonly Argument[],
  substitution: Substitution | undefined,
): Resolved | undefined {
  let best: Candidate | undefined;
  if (found.entities.length > mostOverloads) {
    context.recursion.end();
    return undefined;
  }
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

/** `f(void)` has none. */
const parametersOf = ({ parameters }: FunctionDeclaration): readonly ParameterDeclaration[] =>
  parameters.length === 1 && isVoid(parameters[0]) ? [] : parameters;

/** Whether a function can be called with so many arguments; its other declarations may say the default ones. */
export function takes(declaration: FunctionDeclaration, count: number, siblings: readonly FunctionDeclaration[]): boolean {
  const parameters = parametersOf(declaration);
  if (count > parameters.length && !declaration.variadic && !parameters.some((each) => each.pack)) return false;
  return parameters.slice(count).every((parameter, k) => parameter.pack || defaultArgument(declaration, siblings, count + k));
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
  if (!takes(declaration, args.length, siblings)) return undefined;
  const parameters = parametersOf(declaration);
  const packAt = parameters.findIndex((each) => each.pack);
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

function elementOf(parameter: ParameterDeclaration, index: number, bound: Substitution): Substitution {
  const packs = [...bound.values].flatMap(([name, values]) =>
    isPack(values) && name !== parameter.name ? [{ name, length: values.length, values }] : [],
  );
  return packElement(packs, index, bound);
}

/** Whether `enable_if` and its like let this instance exist. */
function substitutes(context: Context, declaration: FunctionDeclaration, bound: Substitution): boolean {
  if (!isSatisfied(context, declaration.templateParameters ?? [], declaration.constraint, bound)) return false;
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
