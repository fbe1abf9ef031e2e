/** Template arguments of a class that are told by what an object of it is made with: `span s{data, n}`, `std::pair p(1, 2.f)`. */
import type { FunctionDeclaration, RecordDeclaration, TypeNode } from "../../../syntax/ast.ts";
import type { Deduction } from "../../sema/deduce.ts";
import { takes } from "../../sema/overload.ts";
import { bindParameters, templateNamed } from "../../sema/template-values.ts";
import { isPack, isTypeValue } from "../../sema/type-tools.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { Cell, type HostType, type RecordValue, type Value } from "../values/model.ts";
import { decayed, deduceFrom, staticType } from "./deduce.ts";

type Parameters = readonly { readonly type: TypeNode }[];

/** The class that a template's name without arguments stands for; undefined where that cannot be told. */
export function deducedClass(host: Interpreter, node: TypeNode, args: readonly Argument[]): HostType | undefined {
  const template = templateOf(host, node);
  if (template === undefined) return undefined;
  const constructors = (template.members ?? []).filter(
    (member): member is FunctionDeclaration => member.kind === "function" && member.role === "constructor",
  );
  const fields = (template.members ?? []).flatMap((member) => (member.kind === "variable" && !member.specifiers.static ? [member] : []));
  const ways: Parameters[] =
    constructors.length === 0 ? [fields] : constructors.filter((fn) => takes(fn, args.length, [fn])).map((fn) => fn.parameters);
  for (const parameters of ways) {
    if (args.length > parameters.length) continue;
    const record = deducedBy(host, template, parameters, args);
    if (record) return { kind: "record", record };
  }
  return undefined;
}

/** A class template is named without arguments, outside of itself: what an object is made with says them. */
export function isDeduced(host: Interpreter, node: TypeNode): boolean {
  const template = templateOf(host, node);
  return template !== undefined && host.semantics.context.currentRecord(template, host.frame.substitution) === undefined;
}

function templateOf(host: Interpreter, node: TypeNode): RecordDeclaration | undefined {
  if (node.kind !== "named" || node.name.parts.at(-1)?.templateArguments) return undefined;
  const template = templateNamed(host.semantics.context, node.name, host.frame.substitution);
  return template?.templateParameters ? template : undefined;
}

function deducedBy(host: Interpreter, template: RecordDeclaration, parameters: Parameters, args: readonly Argument[]) {
  const { context } = host.semantics;
  const own = template.templateParameters ?? [];
  const bound: Deduction["bound"] = new Map();
  const names = new Set(own.flatMap(({ name }) => (name === undefined ? [] : [name])));
  const state: Deduction = { context, names, bound, outer: host.frame.substitution };
  for (const [k, argument] of args.entries()) {
    const parameter = parameters[k];
    if (parameter) deduceFrom(state, parameter.type, staticType(host, argument));
  }
  const given = own.map(({ name }) => (name === undefined ? undefined : bound.get(name)));
  const known = given.slice(0, given.findLastIndex((value) => value !== undefined) + 1);
  if (known.includes(undefined)) return undefined;
  const values = known.flatMap((value) => (value === undefined ? [] : [!isPack(value) && isTypeValue(value) ? decayed(value) : value]));
  return bindParameters(context, own, values, undefined) && context.instantiate(template, values, undefined);
}

/** The name of an object that is called as one of the lambdas which it is made of. */
export const overloads = "overloaded";

/** `overloaded{[](int) {}, [](float) {}}`: a class of which the bases are the arguments' own. */
export function overloadSet(host: Interpreter, node: TypeNode, values: readonly Value[]): RecordValue | undefined {
  const template = templateOf(host, node);
  const [base] = template?.bases ?? [];
  const [parameter] = template?.templateParameters ?? [];
  if (!parameter?.pack || base?.type.kind !== "named" || base.type.name.parts.at(-1)?.text !== parameter.name) return undefined;
  if (values.length === 0 || !values.every(({ kind }) => kind === "lambda")) return undefined;
  const members = new Map(values.map((value, k) => [String(k), new Cell(value)] as const));
  return { kind: "record", name: overloads, type: undefined, members };
}
