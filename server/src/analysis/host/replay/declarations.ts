/** Variables that replayed code declares. */

import type { Declaration, Expression, VariableDeclaration } from "../../../syntax/ast.ts";
import { lastName } from "../../sema/scope.ts";
import { hostType } from "../memory/host-types.ts";
import { initialise } from "../resolve/construct.ts";
import { keepStatic, localStatic } from "../resolve/statics.ts";
import { Cell, type HostType } from "../values/model.ts";

import { conversion, type NumberName } from "./arithmetic.ts";
import { ownLambda } from "./called.ts";
import { declaredDrawer, drawerOf } from "./draws.ts";
import { listIn, listOf, memberTypes, setOf } from "./list-targets.ts";
import { lengthOf, Row } from "./lists.ts";
import {
  compilable,
  type Execute,
  ending,
  GivenUp,
  type Machine,
  type NumberList,
  newSlot,
  type Run,
  type Target,
  Unsupported,
  unsupported,
} from "./machine.ts";
import { valuesBetween } from "./methods.ts";
import { numberType } from "./numbers.ts";
import { newRecord } from "./records.ts";
import { Rows } from "./rows.ts";
import { type Begin, givenTo, noBegin, type Settled, settled } from "./settled.ts";
import { cellSlot, lineTo, loadOf, storeTo, targetOf } from "./targets.ts";

const { normal } = ending;

/** @throws Unsupported */
export function declare(machine: Machine, declaration: Declaration): Execute {
  if (declaration.kind !== "variable") throw new Unsupported();
  const { type, init, bindings } = declaration;
  const name = lastName(declaration.name);
  if (declaration.specifiers.static) {
    machine.scopes.at(-1)?.set(name, staticTarget(machine, declaration, name));
    return executing(noBegin);
  }
  const [value] = init?.values ?? [];
  if (bindings) return declareBindings(machine, declaration, bindings);
  const enter = (target: Target): void => {
    machine.scopes.at(-1)?.set(name, target);
  };
  if (type.kind === "reference") {
    if (!value) throw new Unsupported();
    const { target, begin } = settled(machine, targetAt(machine, value));
    enter(target);
    return executing(begin);
  }
  const known = type.kind === "auto" ? undefined : hostType(machine.host, type);
  if (machine.random) {
    const made = numberType(known) === undefined ? declaredThing(machine, declaration, known) : undefined;
    if (made) {
      enter(made.target);
      return executing(made.begin);
    }
  }
  if ((init?.values.length ?? 0) > 1) throw new Unsupported();
  const code = value && machine.code(value.kind === "list" && !value.type ? onlyOf(value.elements.map((each) => each.value)) : value);
  const number = type.kind === "auto" ? code?.type : numberType(known);
  if (!number) throw new Unsupported();
  const slot = newSlot(machine, number);
  enter(slot);
  const store = storeTo(machine, slot, { type: code?.type ?? number });
  const { nest } = machine;
  if (nest && code) {
    const line = lineTo(code.line, code.type, number);
    nest.declared.add(slot.index);
    if (line) nest.lines.set(slot.index, line);
  }
  return compilable(
    () => {
      store(code?.run());
      return normal;
    },
    (w) => {
      w.declare(slot, code !== undefined);
      if (!code) return;
      w.write(code.run);
      w.write(store);
      w.op("drop");
    },
  );
}

/** A variable that is there from one call to the next. @throws Unsupported */
function staticTarget(machine: Machine, declaration: VariableDeclaration, name: string): Target {
  const { host } = machine;
  if (machine.nest) throw new Unsupported();
  const type = declaration.type.kind === "auto" ? undefined : hostType(host, declaration.type);
  // It is made before the first call: what it is made of must not be the call's.
  if (!(declaration.init?.values ?? []).every(isConstant)) throw new Unsupported();
  const cell = localStatic(host, declaration) ?? new Cell(initialise(host, declaration, type, true), type, name);
  keepStatic(host, declaration, cell);
  if (cell.value.kind === "record") return drawerOf(machine, cell.value) ?? unsupported();
  return listIn(machine, cell) ?? cellSlot(machine, cell);
}

function isConstant(e: Expression): boolean {
  if (e.kind === "binary") return isConstant(e.left) && isConstant(e.right);
  if (e.kind === "unary") return isConstant(e.operand);
  return e.kind === "integer" || e.kind === "float" || e.kind === "bool" || e.kind === "char";
}

function onlyOf(values: readonly Expression[]): Expression {
  const [only, second] = values;
  if (!only || second) throw new Unsupported();
  return only;
}

function executing(begin: Begin): Execute {
  const execute = (): typeof normal => {
    begin();
    return normal;
  };
  return begin.write ? compilable(execute, begin.write) : execute;
}

/** A list as a whole, or whatever else an expression designates. */
function targetAt(machine: Machine, e: Expression): Target {
  return (machine.random && listOf(machine, e, true)) ?? targetOf(machine, e, machine.code);
}

/** `auto [a, b] = record;` */
function declareBindings(machine: Machine, { type, init }: VariableDeclaration, names: readonly string[]): Execute {
  const [value] = init?.values ?? [];
  if (!machine.random || !value) throw new Unsupported();
  return bindMembers(machine, targetOf(machine, value, machine.code), names, type.kind === "reference");
}

/** Names for the members of a record: its own, or copies. */
export function bindMembers(machine: Machine, target: Target, names: readonly string[], byReference: boolean): Execute {
  if (target.kind !== "record" || target.members.size !== names.length) throw new Unsupported();
  const found = settled(machine, target);
  if (found.target.kind !== "record") throw new Unsupported();
  const members = [...found.target.members.values()];
  const scope = machine.scopes.at(-1);
  const copies = members.map((member, k) => {
    const own = byReference ? member : newSlot(machine, member.type);
    scope?.set(names[k] ?? "", own);
    if (byReference || own.kind !== "slot") return noBegin;
    const code = loadOf(machine, member);
    return givenTo(own, code, storeTo(machine, own, code));
  });
  return compilable(
    () => {
      found.begin();
      for (const copy of copies) copy();
      return normal;
    },
    (w) => {
      w.write(found.begin);
      for (const copy of copies) w.write(copy);
    },
  );
}

/** What is no number; undefined where it is not known what it is. */
function declaredThing(machine: Machine, declaration: VariableDeclaration, type: HostType | undefined): Settled | undefined {
  const { init } = declaration;
  const [value, second] = init?.values ?? [];
  // Else it is an object that is made of one.
  const isLambda =
    declaration.type.kind === "auto" || (declaration.type.kind === "named" && lastName(declaration.type.name) === "function");
  if (value?.kind === "lambda" && !second && isLambda) return { target: ownLambda(machine, value), begin: noBegin };
  const drawer = declaredDrawer(machine, declaration);
  if (drawer) return drawer;
  if (type?.kind === "container" && /set$/.test(type.name)) return declaredSet(machine, type, (init?.values.length ?? 0) > 0);
  if (type?.kind === "container") return declaredList(machine, declaration, type);
  if (type?.kind === "array") return declaredArray(machine, type, init?.values ?? []);
  const members = memberTypes(machine, type);
  if (members) {
    const value = recordValue(declaration);
    return newRecord(machine, members, value, { isDirect: init?.style === "direct" && init.values.length > 1, type });
  }
  // `auto e = edges[i];`
  const isCopied = declaration.type.kind === "auto" && (value?.kind === "subscript" || value?.kind === "call") && init?.style === "copy";
  return isCopied ? copiedThing(machine, value) : undefined;
}

function copiedThing(machine: Machine, value: Expression): Settled | undefined {
  const list = value.kind === "subscript" ? listOf(machine, value, false) : undefined;
  if (list?.kind === "numbers") return copiedList(machine, list, list.type);
  if (value.kind === "call" && value.callee.kind !== "member") return undefined;
  const base =
    value.kind === "subscript" ? value.base : value.kind === "call" && value.callee.kind === "member" ? value.callee.base : undefined;
  if (!base || listOf(machine, base, false)?.kind !== "records") return undefined;
  const target = targetOf(machine, value, machine.code);
  if (target.kind !== "record") return undefined;
  return newRecord(machine, new Map([...target.members].map(([name, { type }]) => [name, type] as const)), value);
}

/** What a record is made of. */
function recordValue({ init }: VariableDeclaration): Expression | undefined {
  const [value] = init?.values ?? [];
  if (!init || !value) return undefined;
  if (init.style === "copy" || (init.values.length === 1 && value.kind === "list")) return value;
  return { kind: "list", start: value.start, end: value.end, elements: init.values.map((each) => ({ value: each })) };
}

function declaredSet(machine: Machine, type: HostType & { readonly kind: "container" }, isGiven: boolean): Settled {
  if (isGiven) throw new Unsupported();
  let now = new Set<number>();
  return {
    target: setOf(machine, type, () => now),
    begin: () => {
      now = new Set();
    },
  };
}

/** @throws Unsupported */
function declaredList(machine: Machine, { init }: VariableDeclaration, type: HostType & { readonly kind: "container" }): Settled {
  const { element } = type;
  const number = numberType(element);
  const [first, second, third] = init?.values ?? [];
  if (third && init?.style !== "list") throw new Unsupported();
  if (type.name !== "vector" && !(type.name === "array" && number)) throw new Unsupported();
  if (!number) {
    const members = memberTypes(machine, element?.kind === "record" ? element : undefined);
    if (members && type.name === "vector") return declaredRecords(members, element, first !== undefined);
    if (element?.kind !== "container" || element.name !== "vector") throw new Unsupported();
    return declaredRows(machine, numberType(element.element), init?.style === "direct" && !second ? first : undefined, first !== undefined);
  }
  if (type.name === "array") return filledList(machine, number, { type: "ulong", run: () => type.count ?? 0 }, elementsIn(init));
  if (init?.style === "list" || first?.kind === "list") return filledList(machine, number, undefined, elementsIn(init));
  const other = first && !second ? listOf(machine, first, true) : undefined;
  if (other?.kind === "numbers") return copiedList(machine, other, number);
  if (init?.style === "copy") throw new Unsupported();
  return filledList(machine, number, first && machine.code(first), second ? [second] : [], second !== undefined);
}

function elementsIn(init: VariableDeclaration["init"]): readonly Expression[] {
  const [first] = init?.values ?? [];
  return first?.kind === "list" && init?.values.length === 1 ? first.elements.map(({ value }) => value) : (init?.values ?? []);
}

/**
 * @param size as many as there are values where it is left out
 * @param isAll the one value is that of every element
 */
function filledList(
  machine: Machine,
  type: NumberName,
  size: { readonly run: Run; readonly type: NumberName } | undefined,
  written: readonly Expression[],
  isAll = false,
): Settled {
  let now = new Row();
  const source = {};
  const values = written.map((each) => {
    const code = machine.code(each);
    const convert = conversion(code.type, type);
    return (): ReturnType<Run> => {
      const value = code.run();
      return value === undefined ? undefined : convert(value);
    };
  });
  machine.random?.flow.stores(source);
  return {
    target: { kind: "numbers", list: () => now, type, source },
    begin: () => {
      const count = size ? size.run() : isAll ? 0 : values.length;
      if (typeof count !== "number") throw new GivenUp();
      machine.left -= count;
      now = new Row();
      now.resize(count, isAll ? values[0]?.() : 0);
      if (!isAll) for (const [k, value] of values.entries()) now.write(k, value());
    },
  };
}

function copiedList(machine: Machine, other: NumberList, type: NumberName): Settled {
  let now = new Row();
  const source = {};
  machine.random?.flow.readsList(other.source);
  machine.random?.flow.stores(source);
  return {
    target: { kind: "numbers", list: () => now, type, source },
    begin: () => {
      now = new Row([...valuesBetween(machine, other, 0, lengthOf(other))]);
    },
  };
}

function declaredRecords(members: ReadonlyMap<string, NumberName>, type: HostType | undefined, isGiven: boolean): Settled {
  if (isGiven) throw new Unsupported();
  const now = new Map([...members.keys()].map((name) => [name, new Row()] as const));
  const fields = [...members].map(([name, type]) => {
    const list = (): Row => now.get(name) ?? new Row();
    return [name, { kind: "numbers", list, type, source: {} }] as const;
  });
  return {
    target: { kind: "records", type, fields: new Map(fields) },
    begin: () => {
      for (const name of members.keys()) now.set(name, new Row());
    },
  };
}

function declaredRows(machine: Machine, type: NumberName | undefined, size: Expression | undefined, isGiven: boolean): Settled {
  if (!type || (isGiven && !size)) throw new Unsupported();
  const length = size ? machine.code(size).run : () => 0;
  let now = new Rows(0, () => []);
  return {
    target: { kind: "lists", rows: () => now, type, source: {} },
    begin: () => {
      now = new Rows(0, () => []);
      now.resize(length() ?? Number.NaN);
    },
  };
}

/** `int count[16] = {0};` */
function declaredArray(machine: Machine, type: HostType & { readonly kind: "array" }, written: readonly Expression[]): Settled {
  const number = numberType(type.of);
  const [first, second] = written;
  const values = first?.kind === "list" && !second ? first.elements.map(({ value }) => value) : written;
  const count = type.size ?? values.length;
  if (!number) throw new Unsupported();
  const made = filledList(machine, number, { type: "int", run: () => count }, values);
  if (written.length > 0) return made;
  // Nothing is known of what it holds before something is stored.
  return {
    target: made.target,
    begin: () => {
      made.begin();
      if (made.target.kind === "numbers") for (let k = 0; k < count; k++) made.target.list().write(k, undefined);
    },
  };
}
