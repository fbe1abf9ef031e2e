/** Template arguments of a call, from what was written and from the values of the arguments. */
import type { FunctionDeclaration, ParameterDeclaration, TypeNode } from "../../../syntax/ast.ts";
import { autoKey, mentionsAuto, ownTemplateParameters } from "../../sema/bind-function.ts";
import { type Deduction, deduceParameter } from "../../sema/deduce.ts";
import { packElement, packNames } from "../../sema/template-values.ts";
import { isPack, isTypeValue, unqualified, voidType } from "../../sema/type-tools.ts";
import type { TemplateValue as Bound, Substitution, Type } from "../../sema/types.ts";
import { hostType } from "../memory/host-types.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { Cell, type HostType, type TemplateValue } from "../values/model.ts";
import { typeOfValue } from "../values/type-of-value.ts";

/** What the template parameters of `fn`, and those declared `auto`, stand for; parameters that cannot be told are left out. */
export function deduce(
  host: Interpreter,
  fn: FunctionDeclaration,
  written: readonly TemplateValue[],
  args: readonly Argument[],
  outer: Substitution | undefined,
): Substitution | undefined {
  const parameters = ownTemplateParameters(fn, outer);
  const values = autoValues(host, fn.parameters, args);
  if (parameters.length === 0) return values.size === 0 ? outer : host.substitutions.of(fn, values, outer);
  const scope = (): Substitution => (outer === undefined ? { values } : { values, outer });
  const given = new Set<string>();
  for (const [k, parameter] of parameters.entries()) {
    const value = written[k];
    if (parameter.name === undefined || value === undefined) continue;
    given.add(parameter.name);
    if (parameter.pack) {
      const all = written.slice(k).filter((v): v is Bound => v !== undefined);
      // What follows may be deduced; where one is not known the number of them would be wrong.
      if (all.length === written.length - k) values.set(parameter.name, all);
      break;
    }
    values.set(parameter.name, value);
  }
  const names = new Set(parameters.flatMap(({ name }) => (name === undefined || given.has(name) ? [] : [name])));
  const state: Deduction = { context: host.semantics.context, names, bound: values, outer: scope() };
  for (const [k, parameter] of fn.parameters.entries()) {
    if (parameter.pack) {
      deducePack(host, state, parameter, args.slice(k));
      break;
    }
    const argument = args[k];
    if (argument === undefined) break;
    deduceFrom(state, parameter.type, staticType(host, argument));
  }
  // What an argument points at may be constant where the parameter's does not say so: instances are not told apart by it.
  for (const [name, value] of values) if (!given.has(name) && !isPack(value) && isTypeValue(value)) values.set(name, decayed(value));
  for (const parameter of parameters) {
    if (parameter.name === undefined || values.has(parameter.name) || parameter.kind === "template" || parameter.default === undefined)
      continue;
    const made =
      parameter.kind === "type" ? hostType(host, parameter.default, scope()) : host.semantics.constant(parameter.default, scope());
    if (made !== undefined && !(typeof made === "object" && made.kind === "container")) values.set(parameter.name, made);
  }
  return host.substitutions.of(fn, values, outer);
}

/** What parameters declared `auto` are given, under the keys that sema asks for. */
export function autoValues(
  host: Interpreter,
  parameters: readonly ParameterDeclaration[],
  args: readonly Argument[],
): Map<string, Bound | readonly Bound[]> {
  const values = new Map<string, Bound | readonly Bound[]>();
  for (const [k, parameter] of parameters.entries()) {
    if (!mentionsAuto(parameter.type)) continue;
    const types = (parameter.pack ? args.slice(k) : args.slice(k, k + 1)).map((argument) => semaType(staticType(host, argument)));
    if (types.length === 0 || types.includes(undefined)) continue;
    const known = types.filter((type) => type !== undefined);
    if (!parameter.pack) values.set(autoKey(parameter), known[0] ?? voidType);
    else for (const key of [autoKey(parameter), ...(parameter.name === undefined ? [] : [parameter.name])]) values.set(key, known);
  }
  return values;
}

const semaType = (type: HostType | undefined): Type | undefined => (type?.kind === "container" ? undefined : type && unqualified(type));

/** `Args... args`: each argument on its own; nothing where the type of one is not known. */
function deducePack(host: Interpreter, state: Deduction, parameter: ParameterDeclaration, args: readonly Argument[]): void {
  const elements = args.map((argument) => {
    const bound: Deduction["bound"] = new Map();
    deduceFrom({ ...state, bound }, parameter.type, staticType(host, argument));
    return bound;
  });
  for (const name of state.names) {
    const all = elements.map((bound) => bound.get(name));
    if (args.length === 0 ? !mentions(parameter.type, name) : !all.every((value) => value !== undefined && !isPack(value))) continue;
    state.bound.set(
      name,
      all.flatMap((value): Bound[] => (value === undefined || isPack(value) ? [] : [isTypeValue(value) ? decayed(value) : value])),
    );
  }
  if (parameter.name === undefined) return;
  // Sema asks for the elements' types by the parameter's name.
  const packs = packNames(parameter.type, { values: state.bound });
  const types = args.map((_, k) =>
    state.context.typeFrom(parameter.type, packElement(packs, k, { values: state.bound, ...(state.outer && { outer: state.outer }) })),
  );
  const known = types.filter((type) => type !== undefined);
  if (packs[0]?.length === args.length && known.length === types.length) state.bound.set(parameter.name, known);
}

function mentions(node: TypeNode, name: string): boolean {
  if (node.kind === "pointer" || node.kind === "reference") return mentions(node.to, name);
  return node.kind === "named" && node.name.parts.length === 1 && node.name.parts[0]?.text === name;
}

/** What the argument's place or value says its type is. */
export function staticType(host: Interpreter, { value, place }: Argument): HostType | undefined {
  const declared = place?.type;
  if (declared !== undefined && declared.kind !== "array") return declared;
  if (place instanceof Cell && declared?.kind === "array") return { kind: "pointer", to: declared.of };
  const own = typeOfValue(value);
  if (own !== undefined || value.kind !== "record" || value.open) return own;
  // `dim3` and vectors that were made on the spot.
  return host.semantics.context.namedType({ start: 0, end: 0, global: true, parts: [{ text: value.name }] }, undefined);
}

/** `std::vector<T>` against a container, which sema has no type for; everything else as sema deduces. */
export function deduceFrom(state: Deduction, node: TypeNode, type: HostType | undefined): void {
  if (type === undefined) return;
  if (type.kind !== "container") {
    deduceParameter(state, node, { type: unqualified(type), lvalue: false });
    return;
  }
  const written = node.kind === "reference" ? node.to : node;
  const [first] = written.kind === "named" ? (written.name.parts.at(-1)?.templateArguments ?? []) : [];
  if (first?.kind === "type") deduceFrom(state, first.type, type.element);
}

export function decayed(type: Type): Type {
  if (type.kind === "reference") return decayed(type.to);
  if (type.kind === "array") return { kind: "pointer", to: type.of };
  if (type.const === undefined && type.volatile === undefined) return type;
  const { const: _const, volatile: _volatile, ...rest } = type;
  return rest as Type;
}
