/** Template argument deduction: what parameters must be for a written type to equal a given one. */
import type { Expression, ParameterDeclaration, TemplateArgument, TypeNode } from "../../syntax/ast.ts";
import type { Context, Info, TemplateValues } from "./context.ts";
import { lastName } from "./scope.ts";
import { decay, isPack, isTypeValue, referenceTo, sameType, unqualified, valueKey } from "./type-tools.ts";
import type { RecordInstance, Substitution, TemplateValue, Type } from "./types.ts";

export interface Deduction {
  readonly context: Context;
  /** The parameters to find. */
  readonly names: ReadonlySet<string>;
  readonly bound: Map<string, TemplateValues>;
  readonly outer: Substitution | undefined;
}

const parameterName = (state: Deduction, node: TypeNode): string | undefined => {
  if (node.kind !== "named" || node.name.parts.length !== 1) return undefined;
  const text = lastName(node.name);
  return state.names.has(text) && !node.name.parts[0]?.templateArguments ? text : undefined;
};

function bind(state: Deduction, name: string, value: TemplateValue): boolean {
  const known = state.bound.get(name);
  if (known === undefined || isPack(known)) {
    state.bound.set(name, value);
    return true;
  }
  return valueKey(known) === valueKey(value);
}

/** From a call's argument to a function's parameter. False only when they cannot fit; a parameter nothing says of stays open. */
export function deduceParameter(state: Deduction, parameter: ParameterDeclaration | TypeNode, argument: Info): boolean {
  const node = "specifiers" in parameter ? parameter.type : parameter;
  if (node.kind === "reference") {
    const name = parameterName(state, node.to);
    // A forwarding reference binds lvalues as references.
    if (node.rvalue && name && !node.to.const) return bind(state, name, argument.lvalue ? referenceTo(argument.type) : argument.type);
    return deduceType(state, node.to, argument.type, true);
  }
  return deduceType(state, node, decay(argument.type), true);
}

/** `loose`: const may be added on the way (a pointer to T given for one to const T). */
export function deduceType(state: Deduction, node: TypeNode, type: Type, loose = false): boolean {
  const name = parameterName(state, node);
  if (name) return bind(state, name, node.const || node.volatile ? unqualified(type) : type);
  switch (node.kind) {
    case "pointer":
      if (type.kind === "pointer") return deduceType(state, node.to, type.to, loose);
      return type.kind !== "integer" && type.kind !== "record" && type.kind !== "floating";
    case "reference":
      return deduceType(state, node.to, type.kind === "reference" ? type.to : type, loose);
    case "array":
      if (type.kind === "pointer") return deduceType(state, node.of, type.to, loose);
      if (type.kind !== "array") return false;
      if (node.size && type.size !== undefined) deduceExpression(state, node.size, BigInt(type.size));
      return deduceType(state, node.of, type.of, loose);
    case "named":
      return deduceNamed(state, node, type);
    default:
      return true;
  }
}

function deduceNamed(state: Deduction, node: TypeNode & { kind: "named" }, type: Type): boolean {
  const given = node.name.parts.at(-1)?.templateArguments;
  // Not a template-id: nothing to deduce. A plain record type must be the same, which overload resolution checks.
  if (type.kind !== "record") return true;
  if (!given) return deduceInjected(state, node, type.record);
  // A template template parameter is whatever the argument is an instance of.
  const wrapper = node.name.parts.length === 1 ? lastName(node.name) : "";
  if (state.names.has(wrapper)) return bind(state, wrapper, type.record.template) && deduceArguments(state, given, type.record);
  const template = state.context.find(node.name, state.outer).entities.find((each) => each.kind === "record" || each.kind === "alias");
  if (template?.kind === "alias") return deduceAlias(state, node, type, template.declaration.templateParameters?.length ?? 0);
  const record = template?.kind === "record" ? instanceOf(state.context, type.record, template.declaration) : type.record;
  return record !== undefined && deduceArguments(state, given, record);
}

/** A class's name inside itself: a friend's `Matrix` is the instance that its arguments say. */
function deduceInjected(state: Deduction, node: TypeNode & { kind: "named" }, record: RecordInstance): boolean {
  const parameters = record.template.templateParameters ?? [];
  if (parameters.length === 0 || node.name.parts.length !== 1 || lastName(node.name) !== lastName(record.template.name)) return true;
  return parameters.every((parameter, index) => {
    const value = record.arguments[index];
    if (!parameter.name || !state.names.has(parameter.name) || value === undefined) return true;
    if (!isPack(value)) return bind(state, parameter.name, value);
    state.bound.set(parameter.name, value);
    return true;
  });
}

/** Written arguments against those of an instance. */
function deduceArguments(state: Deduction, given: readonly TemplateArgument[], record: RecordInstance): boolean {
  const values = record.arguments;
  for (const [index, pattern] of given.entries()) {
    const value = values[index];
    if (value === undefined) continue;
    if (isPack(value)) {
      if (pattern.pack && pattern.kind === "type") {
        const name = parameterName(state, pattern.type);
        if (name) state.bound.set(name, value);
      } else
        for (const [offset, each] of value.entries())
          if (given[index + offset] && !deduceValue(state, given[index + offset] ?? pattern, each)) return false;
      break;
    }
    if (!deduceValue(state, pattern, value)) return false;
  }
  return true;
}

/** `template <class T> using Vec = Matrix<T, 1>`: deduced through what the alias says. */
function deduceAlias(state: Deduction, node: TypeNode & { kind: "named" }, type: Type, count: number): boolean {
  const alias = state.context.find(node.name, state.outer).entities.find((each) => each.kind === "alias");
  const given = node.name.parts.at(-1)?.templateArguments ?? [];
  if (alias?.kind !== "alias" || count !== given.length) return true;
  const parameters = alias.declaration.templateParameters ?? [];
  const inner: Deduction = { ...state, names: new Set(parameters.flatMap((each) => (each.name ? [each.name] : []))), bound: new Map() };
  if (!deduceType(inner, alias.declaration.type, type)) return false;
  for (const [index, parameter] of parameters.entries()) {
    const value = parameter.name === undefined ? undefined : inner.bound.get(parameter.name);
    const pattern = given[index];
    if (value === undefined || !pattern) continue;
    // `index_sequence<I...>` of an alias with a pack.
    const packed = isPack(value) && pattern.pack && pattern.kind === "type" ? parameterName(state, pattern.type) : undefined;
    if (packed && isPack(value)) state.bound.set(packed, value);
    else if (!isPack(value) && !deduceValue(state, pattern, value)) return false;
  }
  return true;
}

/** The record, or the base of it, that is an instance of a template. */
function instanceOf(context: Context, record: RecordInstance, template: object): RecordInstance | undefined {
  if (
    record.template === template ||
    record.declaration === template ||
    lastName(record.template.name) === lastName((template as RecordInstance["template"]).name)
  )
    return record;
  for (const base of record.declaration.bases) {
    const type = context.typeFrom(base.type, record.substitution);
    const found = type?.kind === "record" && type.record !== record ? instanceOf(context, type.record, template) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** One written template argument against one value. */
export function deduceValue(state: Deduction, pattern: TemplateArgument, value: TemplateValue): boolean {
  if (typeof value === "object") {
    if (!isTypeValue(value)) {
      if (pattern.kind !== "type") return true;
      const name = parameterName(state, pattern.type);
      return !name || bind(state, name, value);
    }
    if (pattern.kind === "type") return deduceExact(state, pattern.type, value);
    return true;
  }
  const expression = pattern.kind === "expression" ? pattern.expression : pattern.expression;
  if (expression) return deduceExpression(state, expression, value);
  if (pattern.kind === "type") {
    const name = parameterName(state, pattern.type);
    if (name) return bind(state, name, value);
  }
  return true;
}

/** As in a specialisation: `T*` fits pointers only, `const T` constants only. */
function deduceExact(state: Deduction, node: TypeNode, type: Type): boolean {
  if (node.const && !type.const) return false;
  const name = parameterName(state, node);
  if (name) return bind(state, name, node.const ? unqualified(type) : type);
  switch (node.kind) {
    case "pointer":
      return type.kind === "pointer" && deduceExact(state, node.to, type.to);
    case "reference":
      return type.kind === "reference" && type.rvalue === node.rvalue && deduceExact(state, node.to, type.to);
    case "array":
      if (type.kind !== "array") return false;
      if (node.size && type.size !== undefined && !deduceExpression(state, node.size, BigInt(type.size))) return false;
      return deduceExact(state, node.of, type.of);
    case "named": {
      if (node.name.parts.at(-1)?.templateArguments) return type.kind === "record" && deduceNamed(state, node, type);
      const known = state.context.typeFrom(node, state.outer);
      return !known || sameType(known, type);
    }
    default: {
      const known = state.context.typeFrom(node, state.outer);
      return !known || sameType(known, type);
    }
  }
}

function deduceExpression(state: Deduction, expression: Expression, value: TemplateValue): boolean {
  if (expression.kind === "parenthesized") return deduceExpression(state, expression.inner, value);
  if (expression.kind === "name" && expression.name.parts.length === 1) {
    const text = lastName(expression.name);
    if (state.names.has(text)) return bind(state, text, value);
  }
  const known = state.context.constant(expression, state.outer);
  return known === undefined || typeof value === "object" || valueKey(known) === valueKey(value);
}
