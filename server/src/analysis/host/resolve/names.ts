/** What a name means where it stands: a value, and a place if it is an lvalue. */

import type { Expression, Name, VariableDeclaration } from "../../../syntax/ast.ts";
import { walk } from "../../../syntax/walk.ts";
import type { Entity } from "../../sema/scope.ts";
import { lastName } from "../../sema/scope.ts";
import { valueKey } from "../../sema/type-tools.ts";
import type { TemplateValue as KnownValue, RecordInstance, Substitution } from "../../sema/types.ts";
import { forgetPlace } from "../memory/effects.ts";
import { blank, hostType, templateValues } from "../memory/host-types.ts";
import { type Frame, type Interpreter, libraryVariable, lookUpLocal } from "../memory/interpreter.ts";
import { noLeaves } from "../memory/loop-trace.ts";
import { read } from "../memory/read-write.ts";
import { originOf } from "../memory/watch.ts";
import { type GlobalVariable, isDeclaredOnly } from "../program/globals.ts";
import type { HostUnit } from "../program/unit.ts";
import { libraryConstant } from "../values/constants.ts";
import { Allocation, Cell, type Place, type TemplateValue, type Value } from "../values/model.ts";
import { templateConstant } from "../values/template-constant.ts";
import { float, int, nullPointer, unknown } from "../values/values.ts";
import { initialise } from "./construct.ts";
import { qualifier } from "./methods.ts";

type NameExpression = Expression & { readonly kind: "name" };

export function namePlace(host: Interpreter, name: Name): Place | undefined {
  const text = lastName(name);
  if (name.parts.length === 1 && !name.global) {
    const local = lookUpLocal(host, text) ?? memberOfSelf(host, text) ?? staticAround(host, name);
    if (local !== undefined) return local;
    if (host.frame.substitution !== undefined && substituted(host.frame.substitution, text) !== undefined) return undefined;
  }
  const variable = host.globals.variable(name, host.frame.path);
  if (variable && name.parts.at(-1)?.templateArguments) return variableInstance(host, name);
  const member = variable === undefined || isOfTemplate(host, variable) ? staticMember(host, name) : undefined;
  if (member !== undefined) return member;
  if (variable !== undefined) return globalCell(host, variable);
  const initial = libraryVariables.get(text);
  return initial === undefined ? undefined : libraryVariable(host, text, initial);
}

/** In a method of a local class: a static variable of the function that the class stands in. */
function staticAround(host: Interpreter, name: Name): Cell | undefined {
  const { function: fn, substitution } = host.frame;
  if (fn === undefined || !host.globals.isLocal(fn)) return undefined;
  for (const entity of host.semantics.context.find(name, substitution).entities) {
    const cell = entity.kind === "variable" && entity.home.kind === "block" ? host.statics.get(entity.declaration) : undefined;
    if (cell) return cell;
    // Of which instance of a template it is is not told here.
    if (entity.kind === "variable" && entity.home.kind === "block" && entity.declaration.specifiers.static)
      forgetInstances(host, entity.declaration);
  }
  return undefined;
}

function forgetInstances(host: Interpreter, declaration: VariableDeclaration): void {
  for (const statics of host.localStatics.values()) {
    const cell = statics.get(declaration);
    if (cell) forgetPlace(host, cell, "a local class uses it");
  }
}

/** `block_size<float>`: a constant made for just these arguments. */
function variableInstance(host: Interpreter, name: Name): Cell | undefined {
  const text = lastName(name);
  const all = host.globals.variables(name, host.frame.path);
  const primary = all.find((each) => !written(each));
  const special = all.filter(written);
  const given = templateValues(host, name);
  const exact = special.find((each) => isForArguments(host, each, given));
  if (exact) return globalCell(host, exact);
  if (primary === undefined) return undefined;
  const { declaration, path } = primary;
  const values = new Map<string, KnownValue | readonly KnownValue[]>();
  for (const [k, parameter] of (declaration.templateParameters ?? []).entries()) {
    const value = parameter.pack ? given.slice(k).filter((each) => each !== undefined) : given[k];
    if (parameter.name !== undefined && value !== undefined) values.set(parameter.name, value);
  }
  const { frame } = host;
  host.frame = { ...globalFrame(path), substitution: host.substitutions.of(declaration, values, undefined) };
  const type = hostType(host, declaration.type);
  // Of one that rests on others of its kind, or of which a pattern is specialised, too much is to be told.
  const isOpen = mentionsItself(declaration) || special.some((each) => (each.declaration.templateParameters?.length ?? 0) > 0);
  const cell = new Cell(isOpen ? unknown(`which \`${text}\` is meant`, type) : initialise(host, declaration, type, true), type, text);
  host.frame = frame;
  return cell;
}

const written = ({ declaration }: GlobalVariable) => declaration.name.parts.at(-1)?.templateArguments;

function isForArguments(host: Interpreter, variable: GlobalVariable, given: readonly TemplateValue[]): boolean {
  const own = (variable.declaration.templateParameters?.length ?? 0) > 0 ? undefined : written(variable);
  const values = own && host.semantics.context.templateValues(own, undefined, undefined);
  return values?.every((value, k) => given[k] !== undefined && valueKey(given[k]) === valueKey(value)) ?? false;
}

function mentionsItself({ init, name }: VariableDeclaration): boolean {
  let found = false;
  for (const value of init?.values ?? [])
    walk(value, (node) => {
      if (node.kind === "name" && lastName(node.name) === lastName(name)) found = true;
      return !found;
    });
  return found;
}

/** A static member of a class template, of which each instance has its own. */
const isOfTemplate = (host: Interpreter, { path }: GlobalVariable): boolean =>
  path.length > 0 && host.globals.isTemplate(path.at(-1) ?? "");

/** `Traits::kernel`, `D::kBlock`, and such a name within the class: a static member of the class that an alias or a template parameter stands for. */
function staticMember(host: Interpreter, name: Name): Cell | undefined {
  const { frame } = host;
  if (name.parts.length < 2 && frame.substitution === undefined) return undefined;
  const { entities, record } = host.semantics.context.find(name, frame.substitution);
  if (record || entities.length > 0 || name.parts.length < 2) return record && staticOf(host, record, entities);
  const owner = qualifier(host, name);
  return owner && staticMemberOf(host, owner, lastName(name));
}

/** The static data member among what a name means in an instance of a class: one cell for each. */
function staticOf(host: Interpreter, record: RecordInstance, entities: readonly Entity[]): Cell | undefined {
  const entity = entities.find((each) => each.kind === "variable" && each.declaration.init !== undefined) ?? entities[0];
  if (entity?.kind !== "variable") return undefined;
  const { declaration } = entity;
  // Of a library's class that is built in only the constants are known.
  if (declaration.start < 0) return undefined;
  const path = [...host.globals.pathOfRecord(record.declaration)];
  if (record.substitution.values.size === 0 && record.substitution.outer === undefined) return globalCell(host, { declaration, path });
  const cells = host.instanceStatics.get(record) ?? new Map<VariableDeclaration, Cell>();
  host.instanceStatics.set(record, cells);
  const known = cells.get(declaration);
  if (known) return known;
  const { frame } = host;
  const text = lastName(declaration.name);
  host.frame = { ...globalFrame(path), substitution: record.substitution };
  const type = hostType(host, declaration.type);
  const cell = new Cell(unknown(`\`${text}\` is defined by itself`), type, text);
  cells.set(declaration, cell);
  cell.value = initialise(host, declaration, type, true);
  host.frame = frame;
  return cell;
}

/** A static member by an object of its class: `config.threads`. */
export function staticMemberOf(host: Interpreter, record: RecordInstance, name: string): Cell | undefined {
  const found = host.semantics.context.member(record, name);
  return found.record && staticOf(host, found.record, found.entities);
}

/** With their first values. */
const libraryVariables: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["optind", int(1)],
  ["optarg", nullPointer],
  ["opterr", int(1)],
]);

export function nameValue(host: Interpreter, expression: NameExpression): Value {
  const { name } = expression;
  const text = lastName(name);
  const place = namePlace(host, name);
  if (place !== undefined) return read(host, place);
  if (name.parts.length === 1 && host.frame.substitution !== undefined) {
    const value = substituted(host.frame.substitution, text);
    if (value !== undefined) return templateConstant(value, text);
  }
  const enumerator = host.globals.enumerator(name, host.frame.path);
  if (enumerator !== undefined) return enumeratorValue(host, enumerator.declaration, enumerator.index);
  const candidates = host.globals.functions(name, host.frame.path);
  if (candidates.length > 0) return { kind: "function", candidates, name: text, templateArguments: templateValues(host, name), expression };
  const library = libraryConstant(name);
  if (library !== undefined) return library;
  const constant = host.semantics.constant(expression, host.frame.substitution);
  if (constant !== undefined)
    return typeof constant === "number"
      ? float(constant)
      : int(typeof constant === "boolean" ? Number(constant) : constant, typeof constant === "boolean" ? "bool" : "int");
  return unknown(`\`${text}\` is declared in no file that was found`);
}

function memberOfSelf(host: Interpreter, name: string): Cell | undefined {
  const self = host.frame.self?.value;
  return self?.kind === "record" ? self.members.get(name) : undefined;
}

function substituted(substitution: Substitution, name: string): TemplateValue | readonly unknown[] {
  for (let scope: Substitution | undefined = substitution; scope !== undefined; scope = scope.outer) {
    const value = scope.values.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

function enumeratorValue(
  host: Interpreter,
  declaration: { readonly enumerators: readonly { readonly value?: Expression }[] },
  index: number,
): Value {
  for (let k = index; k >= 0; k--) {
    const written = declaration.enumerators[k]?.value;
    if (written === undefined) continue;
    const base = host.evaluate(written);
    return base.kind === "int" ? int(Number(base.value) + index - k) : base;
  }
  return int(index);
}

/** The frame of code at namespace scope. */
export function globalFrame(path: readonly string[]): Frame {
  return {
    function: undefined,
    result: undefined,
    substitution: undefined,
    scopes: [new Map()],
    self: undefined,
    path,
    depth: 0,
    otherResults: [],
    returns: noLeaves(),
    uncertainty: 0,
    cases: undefined,
    temporaries: new Set(),
  };
}

/** The variable of a declaration at namespace scope, made at first use. */
export function globalCell(host: Interpreter, named: GlobalVariable): Cell {
  const known = host.statics.get(named.declaration);
  if (known !== undefined) return known;
  const name = lastName(named.declaration.name);
  const linked = isDeclaredOnly(named.declaration) ? host.linker?.variable(name) : undefined;
  const { declaration, path } = linked?.variable ?? named;
  const made = host.statics.get(declaration) ?? makeGlobal(host, declaration, path, linked?.unit ?? host.unit);
  host.statics.set(named.declaration, made);
  return made;
}

/** A variable that stands at nothing until some function sets it: which may have been called before the one that is run. */
const isToBeSet = ({ init, specifiers, type }: VariableDeclaration, initial: Value): boolean =>
  !type.const && !specifiers.constexpr && (init === undefined || (initial.kind === "pointer" && initial.target === undefined));

function makeGlobal(host: Interpreter, declaration: VariableDeclaration, path: readonly string[], unit: HostUnit): Cell {
  const { frame, unit: outer } = host;
  const name = lastName(declaration.name);
  host.frame = globalFrame(path);
  host.unit = unit;
  const type = hostType(host, declaration.type, undefined);
  const cell = new Cell(unknown(`\`${name}\` is defined by itself`), type, name);
  host.statics.set(declaration, cell);
  const { device, constant, managed } = declaration.specifiers;
  const residence = device || constant ? "device" : managed ? "managed" : "host";
  const initial = isDeclaredOnly(declaration) ? undefined : initialise(host, declaration, type, true, residence);
  const reason = isDeclaredOnly(declaration) ? "is defined in another file" : "may have been set before";
  cell.value =
    initial === undefined || (!host.fromStart && residence === "host" && isToBeSet(declaration, initial))
      ? blank(host, type, false, `\`${name}\` ${reason}`, name, residence)
      : initial;
  if (type?.kind === "array" && cell.value.kind === "pointer" && cell.value.target instanceof Allocation)
    cell.value.target.origin = originOf(
      host,
      declaration,
      false,
      undefined,
      declaration.type.kind === "array" ? declaration.type.size : undefined,
    );
  host.frame = frame;
  host.unit = outer;
  return cell;
}
