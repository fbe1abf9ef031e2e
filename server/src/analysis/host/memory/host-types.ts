/** Types of host code: sema's, and library containers that sema does not know. */

import type { Declaration, Name, RecordDeclaration, TemplateArgument, TypeNode } from "../../../syntax/ast.ts";
import type { Residence } from "../../device-events.ts";
import { lastName } from "../../sema/scope.ts";
import { packElement, packNames, templateNamed } from "../../sema/template-values.ts";
import { isPack, isTypeValue } from "../../sema/type-tools.ts";
import type { RecordInstance, Substitution, Type } from "../../sema/types.ts";
import { record } from "../values/convert.ts";
import {
  Allocation,
  Cell,
  type ContainerName,
  type ContainerType,
  type HostType,
  type RecordValue,
  type StringValue,
  type TemplateValue,
  type Value,
} from "../values/model.ts";
import { int, integerOf, nullPointer, openRecord, pointer, unknown } from "../values/values.ts";
import { vectorComponents } from "../values/vector-types.ts";
import { zeroOf } from "./content.ts";
import type { Interpreter } from "./interpreter.ts";
import { unknownContent, zeroContent } from "./journal.ts";

const containers: Readonly<Record<string, ContainerName>> = {
  vector: "vector",
  host_vector: "vector",
  device_vector: "device_vector",
  universal_vector: "device_vector",
  array: "array",
  string: "string",
  unique_ptr: "unique_ptr",
  shared_ptr: "unique_ptr",
  function: "function",
  variant: "variant",
  valarray: "vector",
  initializer_list: "vector",
  set: "set",
  unordered_set: "unordered_set",
  deque: "vector",
  list: "vector",
};

/** What a type node names, containers and aliases of them included; undefined when not known. */
export function hostType(
  host: Interpreter,
  node: TypeNode,
  substitution: Substitution | undefined = host.frame.substitution,
): HostType | undefined {
  // The size of an array may be a variable's value: not to be remembered.
  if (node.kind === "array" || node.start < 0) return resolveType(host, node, substitution);
  const known = host.types.under(substitution);
  if (known.has(node)) return known.get(node);
  // What is asked while it is found out names itself in the end.
  known.set(node, undefined);
  const type = resolveType(host, node, substitution);
  known.set(node, type);
  return type;
}

function resolveType(host: Interpreter, node: TypeNode, substitution: Substitution | undefined): HostType | undefined {
  if (node.kind === "named") {
    const container = containerType(host, node.name, substitution);
    if (container !== undefined) return container;
  }
  if (node.kind === "reference") {
    const to = hostType(host, node.to, substitution);
    if (to?.kind === "container") return to;
  }
  if (node.kind === "array") {
    const of = hostType(host, node.of, substitution);
    const size = node.size === undefined ? undefined : integerOf(host.evaluate(node.size));
    if (of === undefined || of.kind === "container") return undefined;
    return { kind: "array", of, size };
  }
  if (node.kind === "pointer") {
    const to = hostType(host, node.to, substitution);
    if (to === undefined || to.kind === "container") return undefined;
    return { kind: "pointer", to };
  }
  const type = asContainer(host, host.semantics.typeFrom(node, substitution));
  if (type !== undefined || node.kind !== "named") return type;
  const alias = localAlias(host, node.name, substitution) ?? host.globals.alias(node.name);
  if (alias !== undefined) return alias === node ? undefined : hostType(host, alias, substitution);
  return evaluatedInstance(host, node.name, substitution);
}

function localAlias(host: Interpreter, name: Name, substitution: Substitution | undefined): TypeNode | undefined {
  if (name.parts.length > 1) return undefined;
  const alias = host.semantics.context.find(name, substitution).entities.find((entity) => entity.kind === "alias");
  return alias && !alias.declaration.templateParameters ? alias.declaration.type : undefined;
}

/** `Tile<config.threads, config.items>` of a constant object, which sema knows no members of: its arguments are evaluated. */
function evaluatedInstance(host: Interpreter, name: Name, substitution: Substitution | undefined): HostType | undefined {
  if (!name.parts.at(-1)?.templateArguments) return undefined;
  const { context } = host.semantics;
  const template = templateNamed(context, name, substitution);
  if (template === undefined) return undefined;
  const { frame } = host;
  host.frame = { ...frame, substitution };
  const values = templateValues(host, name);
  host.frame = frame;
  const known = values.filter((value) => value !== undefined);
  const record = known.length < values.length ? undefined : context.instantiate(template, known, substitution);
  return record && asContainer(host, { kind: "record", record });
}

const isStandard = (host: Interpreter, record: RecordDeclaration): boolean => host.globals.pathOfRecord(record)[0] === "std";

/** `std::array` and its like, which sema knows as classes: under another name, or in another class, they come as these. */
function asContainer(host: Interpreter, type: Type | undefined): HostType | undefined {
  if (type?.kind !== "record") return type;
  const name = containers[lastName(type.record.template.name)];
  if (name === undefined || name === "string" || !isStandard(host, type.record.template)) return type;
  // Ordered, or told apart, by a rule of the program's.
  const [, rule] = type.record.arguments;
  if (/set$/.test(name) && rule !== undefined && !isPack(rule) && isTypeValue(rule) && rule.kind !== "void") return undefined;
  const [first, count] = type.record.arguments;
  const known = (value: typeof first): HostType | undefined =>
    value !== undefined && !isPack(value) && isTypeValue(value) ? asContainer(host, value) : undefined;
  if (name === "variant")
    return { kind: "container", name, element: undefined, alternatives: first && isPack(first) ? first.map(known) : [] };
  return {
    kind: "container",
    name,
    element: known(first),
    ...(name === "array" && typeof count === "bigint" ? { count: Number(count) } : {}),
    ...(name === "unique_ptr" ? owning(lastName(type.record.template.name), count !== undefined, known(count)) : {}),
  };
}

function containerType(host: Interpreter, name: Name, substitution: Substitution | undefined): ContainerType | undefined {
  const last = name.parts.at(-1);
  const container = last === undefined ? undefined : containers[last.text];
  if (last === undefined || container === undefined) return undefined;
  const qualified = name.parts.length > 1 && ["std", "thrust", "cuda"].includes(name.parts[0]?.text ?? "");
  const own = qualified ? undefined : host.globals.record(name);
  if (own !== undefined && !isStandard(host, own)) return undefined;
  const [first, second] = last.templateArguments ?? [];
  // Ordered, or told apart, by a rule of the program's.
  if (second !== undefined && (container === "set" || container === "unordered_set")) return undefined;
  if (container !== "string" && first === undefined) return undefined;
  if (container === "variant")
    return { kind: "container", name: container, element: undefined, alternatives: alternatives(host, last, substitution) };
  const element = first?.kind === "type" ? hostType(host, first.type, substitution) : undefined;
  if (container === "unique_ptr") {
    const deleter = second?.kind === "type" ? hostType(host, second.type, substitution) : undefined;
    return { kind: "container", name: container, element, ...owning(last.text, second !== undefined, deleter) };
  }
  const size = second === undefined || container !== "array" ? undefined : second.expression;
  const count = size === undefined ? undefined : integerOf(host.evaluate(size));
  return { kind: "container", name: container, element, ...(count === undefined ? {} : { count }) };
}

function owning(name: string, hasDeleter: boolean, deleter: HostType | undefined): Pick<ContainerType, "shared" | "deleter"> {
  if (name === "shared_ptr") return { shared: true };
  return hasDeleter && deleter?.kind !== "void" ? { deleter: deleter ?? { kind: "void" } } : {};
}

function alternatives(
  host: Interpreter,
  { templateArguments }: Name["parts"][number],
  substitution: Substitution | undefined,
): (HostType | undefined)[] {
  return (templateArguments ?? []).map((argument) =>
    argument.kind === "type" && !argument.pack ? hostType(host, argument.type, substitution) : undefined,
  );
}

/** The arguments of a template name, as types and constants; of a pack its elements. */
export function templateValues(host: Interpreter, name: Name): readonly TemplateValue[] {
  return (name.parts.at(-1)?.templateArguments ?? []).flatMap((argument): TemplateValue[] =>
    argument.pack ? packValues(host, argument) : [templateValue(host, argument)],
  );
}

function packValues(host: Interpreter, argument: TemplateArgument): TemplateValue[] {
  const { frame } = host;
  const packs = packNames(argument, frame.substitution);
  const values = Array.from({ length: packs[0]?.length ?? 0 }, (_, k) => {
    host.frame = { ...frame, substitution: packElement(packs, k, frame.substitution) };
    return templateValue(host, argument);
  });
  host.frame = frame;
  return values;
}

function templateValue(host: Interpreter, argument: TemplateArgument): TemplateValue {
  if (argument.kind === "type") {
    // `block()` is a function's type only where `block` is one's.
    const isCall =
      argument.type.kind === "function" && argument.expression !== undefined && hostType(host, argument.type.result) === undefined;
    const type = isCall ? undefined : hostType(host, argument.type);
    if (type !== undefined && type.kind !== "container") return type;
    const template =
      argument.type.kind === "named" ? templateNamed(host.semantics.context, argument.type.name, host.frame.substitution) : undefined;
    if (template !== undefined) return template;
    if (argument.expression === undefined) return undefined;
  }
  const { expression } = argument;
  if (expression === undefined) return undefined;
  const value = host.scalar(host.evaluate(expression));
  if (value.kind === "function") return { kind: "function", declarations: value.candidates };
  if (value.kind === "int") return value.type === "bool" ? Boolean(value.value) : BigInt(value.value);
  return value.kind === "float" ? value.value : host.semantics.constant(expression, host.frame.substitution);
}

/** A value of a type before anything is stored in it: zeroed, or unknown for `reason`. Arrays get their own memory. */
export function blank(
  host: Interpreter,
  type: HostType | undefined,
  zeroed: boolean,
  reason: string,
  name = "",
  residence: Residence = "host",
): Value {
  switch (type?.kind) {
    case "record":
      if (type.record.name === "string") return emptyString;
      return hidesMembers(host, type.record) ? unknown("two members of one name", type) : blankRecord(host, type, zeroed, reason);
    case "container":
      if (type.name === "variant") return blank(host, type.alternatives?.[0], zeroed, reason, name, residence);
      return type.name === "unique_ptr" ? nullPointer : type.name === "string" ? emptyString : emptyContainer(host, type);
    case "array":
      return pointer(arrayOf(host, type, zeroed, reason, name, residence), type.of);
    case "reference":
      return blank(host, type.to, zeroed, reason, name, residence);
    case undefined:
      return unknown(reason);
    default:
      return zeroed ? zeroOf(type) : unknown(reason, type);
  }
}

const hiding = new WeakMap<RecordDeclaration, boolean>();

/** Whether a class has a member of the name that one of a base has. */
function hidesMembers(host: Interpreter, { declaration, substitution }: RecordInstance): boolean {
  const known = hiding.get(declaration);
  if (known !== undefined || declaration.bases.length === 0) return known ?? false;
  hiding.set(declaration, false);
  const names = new Set<string>();
  const add = (own: RecordDeclaration, within: Substitution, depth: number): boolean =>
    own.bases.some((base) => {
      const type = hostType(host, base.type, within);
      return type?.kind === "record" && depth < 8 && add(type.record.declaration, type.record.substitution, depth + 1);
    }) ||
    (own.members ?? []).some((member) => {
      if (member.kind !== "variable" || member.specifiers.static) return false;
      const name = lastName(member.name);
      if (names.has(name)) return true;
      names.add(name);
      return false;
    });
  const hides = add(declaration, substitution, 0);
  hiding.set(declaration, hides);
  return hides;
}

const emptyString: StringValue = { kind: "string", text: "" };

function arrayOf(
  host: Interpreter,
  type: HostType & { readonly kind: "array" },
  zeroed: boolean,
  reason: string,
  name: string,
  residence: Residence,
): Allocation {
  const element = innermost(type);
  const bytes = host.semantics.sizeOf(type);
  const elementBytes = element.kind === "container" ? undefined : host.semantics.sizeOf(element);
  const content = zeroed ? { content: zeroContent } : { content: unknownContent, reason };
  return new Allocation(name, residence, element, { bytes, ...content, ...(elementBytes === undefined ? {} : { elementBytes }) });
}

function innermost(type: HostType): HostType {
  return type.kind === "array" ? innermost(type.of) : type;
}

/** A container without elements; `std::array<T, N>` with its N. */
export function emptyContainer(host: Interpreter, type: ContainerType): Value {
  const elementBytes = type.element === undefined || type.element.kind === "container" ? undefined : host.semantics.sizeOf(type.element);
  const count = type.count ?? 0;
  const summary = {
    bytes: elementBytes === undefined ? undefined : count * elementBytes,
    content: zeroContent,
    ...(elementBytes === undefined ? {} : { elementBytes }),
  };
  const storage = new Allocation("", type.name === "device_vector" ? "device" : "host", type.element, summary);
  return { kind: "container", type, size: int(count, "ulong"), storage };
}

function blankRecord(host: Interpreter, type: HostType & { readonly kind: "record" }, zeroed: boolean, reason: string): RecordValue {
  const { name, declaration } = type.record;
  const value = zeroed ? int(0) : unknown(reason);
  const members = name === "dim3" ? { count: 3, component: { kind: "integer", name: "uint" } as const } : vectorComponents(name);
  if (members !== undefined) {
    const names = ["x", "y", "z", "w"].slice(0, members.count);
    const made = record(
      name,
      names.map((member) => [member, name === "dim3" ? int(1) : value, members.component] as const),
      type,
    );
    return made;
  }
  const made: RecordValue = { kind: "record", name, type, members: new Map() };
  if (declaration !== undefined) fillMembers(host, made, declaration, type.record.substitution, zeroed, reason, 0);
  return made;
}

function fillMembers(
  host: Interpreter,
  made: RecordValue,
  declaration: RecordDeclaration,
  substitution: Substitution,
  zeroed: boolean,
  reason: string,
  depth: number,
): void {
  if (depth > 8) return;
  for (const base of declaration.bases) {
    const type = hostType(host, base.type, substitution);
    if (type?.kind === "record" && type.record.declaration !== undefined)
      fillMembers(host, made, type.record.declaration, type.record.substitution, zeroed, reason, depth + 1);
  }
  for (const member of declaration.members ?? []) addMember(host, made, member, substitution, zeroed, reason, depth);
}

/** A class, or an array of them, that no file found declares: `cudaLaunchConfig_t`. */
export function isLibraryRecord(type: TypeNode): boolean {
  if (type.kind === "array") return isLibraryRecord(type.of);
  return type.kind === "named";
}

function addMember(
  host: Interpreter,
  made: RecordValue,
  member: Declaration,
  substitution: Substitution,
  zeroed: boolean,
  reason: string,
  depth: number,
): void {
  if (member.kind === "record" && member.name === undefined) {
    fillMembers(host, made, member, substitution, zeroed, reason, depth + 1);
    return;
  }
  if (member.kind === "statement" && member.statement.kind === "declaration") {
    for (const inner of member.statement.declarations) addMember(host, made, inner, substitution, zeroed, reason, depth);
    return;
  }
  if (member.kind !== "variable" || member.specifiers.static) return;
  const name = member.name.parts.at(-1)?.text;
  if (name === undefined) return;
  const whole = hostType(host, member.type, substitution);
  const type = member.bitWidth && whole?.kind === "integer" ? { ...whole, bits: integerOf(host.evaluate(member.bitWidth)) ?? 0 } : whole;
  const value = type === undefined && isLibraryRecord(member.type) ? openRecord(name) : blank(host, type, zeroed, reason, name);
  made.members.set(name, new Cell(value, type, name));
  if (member.type.kind === "reference" || type?.kind === "reference") made.refers = new Set([...(made.refers ?? []), name]);
}
