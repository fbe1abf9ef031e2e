/**
 * Destructors. Most give back what the object has, which nobody sees any more: these are not run. One that changes something besides the
 * object (a counter, a variable that it has a reference to), or that launches, is, where it is known when.
 */
import { lastName } from "../../sema/scope.ts";
import type { RecordInstance } from "../../sema/types.ts";
import { forgetChanged, forgetTargets } from "../memory/effects.ts";
import { blank } from "../memory/host-types.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { elementOf, read } from "../memory/read-write.ts";
import { construct, elementsIn, ownOf } from "../resolve/construct.ts";
import { deepest, destructorOf, isCallFelt, isCopyFelt, isDestructorFelt, isEndFelt, isFelt } from "../resolve/felt.ts";
import { basesOf, instanceOf, methodsOf } from "../resolve/methods.ts";
import { callOperator } from "../resolve/overloaded.ts";
import {
  Allocation,
  Cell,
  type ContainerValue,
  type HostType,
  type Owner,
  type PointerValue,
  type RecordValue,
  type Value,
} from "../values/model.ts";
import { integerOf, pointer, unknown } from "../values/values.ts";
import { tryOut } from "./branches.ts";

/** What a variable, a member or an element holds ends: what destructors change besides it is changed. */
export function destroy(host: Interpreter, self: Cell, depth = 0): void {
  const { value, type } = self;
  if (depth > deepest) return;
  if (value.kind === "record") {
    const record = instanceOf(value);
    if (record && isFelt(host, record)) destroyObject(host, self, value, record, depth);
  } else if (value.kind === "container" && isEndFelt(host, value.type.element))
    destroyElements(host, value.storage, value.type.element, integerOf(value.size), value.type.name === "array", depth);
  else if (value.kind === "pointer" && value.owner) destroyOwned(host, value, value.owner, depth);
  else if (value.kind === "pointer" && type?.kind === "array" && value.target instanceof Allocation)
    destroyElements(host, value.target, value.target.element, elementsIn(host, value.target), true, depth);
}

function destroyObject(host: Interpreter, self: Cell, value: RecordValue, record: RecordInstance, depth: number): void {
  if (depth > deepest) return;
  const fn = isDestructorFelt(host, record) ? destructorOf(host, record) : undefined;
  if (fn?.body)
    host.call({ function: fn, arguments: [], self, substitution: methodsOf(host, record, lastName(fn.name)).substitutionOf(fn) });
  for (const member of membersOf(record, value).reverse()) destroy(host, member, depth + 1);
  for (const base of basesOf(host, record).reverse()) if (isFelt(host, base)) destroyObject(host, self, value, base, depth + 1);
}

/** Members of its own class, but references and those of a union. */
function membersOf({ declaration }: RecordInstance, { members }: RecordValue): Cell[] {
  return (declaration.members ?? []).flatMap((member) => {
    const isOwn = member.kind === "variable" && !member.specifiers.static && member.type.kind !== "reference";
    const cell = isOwn ? members.get(lastName(member.name)) : undefined;
    return cell ? [cell] : [];
  });
}

/** Elements that end one by one. */
const mostElements = 4096;

function destroyElements(
  host: Interpreter,
  storage: Allocation,
  type: HostType | undefined,
  count: number | undefined,
  lastFirst: boolean,
  depth: number,
): void {
  if (!isEndFelt(host, type)) return;
  if (count === undefined || count > mostElements) {
    passing(host, anyOf(host, type));
    return;
  }
  const base = pointer(storage, type);
  for (let k = 0; k < count; k++) {
    const place = elementOf(host, base, lastFirst ? count - 1 - k : k);
    const value = place ? read(host, place) : unknown("an element");
    const cell = place && !(place instanceof Cell) && place.offset !== undefined ? storage.cells.get(place.offset) : undefined;
    destroy(host, cell ?? new Cell(value, type), depth + 1);
  }
}

/** An object as those are that end: a smart pointer has one. */
function anyOf(host: Interpreter, type: HostType | undefined): Value {
  const made = blank(host, type, false, "an element");
  if (type?.kind !== "container" || type.name !== "unique_ptr") return made;
  const { element, deleter } = type;
  const owner: Owner = { shared: type.shared === true, ...(deleter ? { deleterType: deleter } : {}) };
  return { ...pointer(new Cell(blank(host, element, false, "an element"), element), undefined), owner };
}

/** What a smart pointer owns. Where others own it, too, nobody knows when it ends: what that changes may be changed then or not. */
function destroyOwned(host: Interpreter, value: PointerValue, owner: Owner, depth: number): void {
  const { deleter, deleterType, shared } = owner;
  const pointee = value.target instanceof Cell ? value.target.type : value.to;
  const isSeen = deleter || deleterType?.kind === "record" ? isCallFelt(host, deleter, deleterType) : isEndFelt(host, pointee);
  if (!isSeen || (value.target === undefined && !shared)) return;
  const { owner: _owner, ...raw } = value;
  const end = (): void => {
    const call = deleter ?? (deleterType?.kind === "record" && construct(host, deleterType, [], true));
    if (call) host.apply(call, [{ value: raw }]);
    else destroyPointee(host, raw, depth + 1);
  };
  if (shared) forgetting(host, end);
  else end();
}

/** `delete p`, `delete[] p` */
export function destroyPointee(host: Interpreter, { target, to }: PointerValue, depth = 0): void {
  if (target instanceof Cell) destroy(host, target, depth);
  else if (target && isEndFelt(host, to)) destroyElements(host, target, to, elementsIn(host, target), true, depth);
}

/** Of what is done at a time that is not known: nothing is known any more of what it changes. */
function forgetting(host: Interpreter, run: () => void, own: ReadonlySet<Cell> = new Set()): void {
  const [, outcome] = tryOut(host, () => {
    run();
    return undefined;
  });
  for (const cell of own) outcome.cells.delete(cell);
  forgetChanged(host, outcome, "an object that ends changes it");
}

/** Something that ends at a time that is not followed: it is not known what its destructor has changed. */
export function passing(host: Interpreter, value: Value): void {
  const own = value.kind === "record" ? new Set(value.members.values()) : undefined;
  forgetting(host, () => destroy(host, new Cell(value)), own);
}

/** Elements of a container end, or are copied, nobody knows which. */
export function elementsPass(host: Interpreter, container: ContainerValue): void {
  const type = container.type.element;
  if (type?.kind !== "record" && type?.kind !== "container") return;
  if (isEndFelt(host, type)) passing(host, container);
  if (type.kind === "record") copiesPass(host, type);
}

/** Objects of a class are copied, nobody knows which. */
function copiesPass(host: Interpreter, type: HostType & { readonly kind: "record" }): void {
  if (!isCopyFelt(host, type.record)) return;
  const [value, from] = [blank(host, type, false, "an element"), blank(host, type, false, "an element")];
  for (const isMoved of [false, true]) {
    const argument: Argument = { value: from, place: new Cell(from, type), isMoved };
    forgetting(host, () => {
      ownOf(host, argument);
      callOperator(host, "=", [{ value, place: new Cell(value, type) }, argument]);
    });
  }
}

/** An algorithm moves objects of a class that says how, nobody knows in which steps. */
export function elementsMove(host: Interpreter, args: readonly Argument[]): void {
  for (const argument of args) {
    const { value } = argument;
    const type = value.kind === "pointer" && value.target instanceof Allocation ? value.target.element : undefined;
    if (type?.kind !== "record" || !isCopyFelt(host, type.record)) continue;
    forgetTargets(host, [argument], "objects that an algorithm moves");
    copiesPass(host, type);
  }
}

/** The members of an object whose constructor has thrown end, as far as they have been made. */
export function membersPass(host: Interpreter, self: Cell, areMade: boolean): void {
  const record = instanceOf(self.value);
  if (record === undefined || self.value.kind !== "record" || host.thrown === undefined || !isFelt(host, record)) return;
  const members = membersOf(record, self.value).reverse();
  const end = (): void => {
    for (const member of members) destroy(host, member);
  };
  ending(host, () => (areMade ? end() : forgetting(host, end)));
}

/** An object that an expression has made: it ends with the expression, where nothing takes it over. */
export function temporary(host: Interpreter, value: Value): Value {
  if (!host.exited && ((value.kind === "record" && instanceOf(value)) || (value.kind === "pointer" && value.owner)))
    host.frame.temporaries.add(value);
  return value;
}

/** Those end that nothing has taken over, the last first. */
export function endTemporaries(host: Interpreter): void {
  const { temporaries } = host.frame;
  if (temporaries.size === 0) return;
  const all = [...temporaries].reverse();
  temporaries.clear();
  ending(host, () => {
    for (const value of all) destroy(host, new Cell(value));
  });
}

/** Runs what ends objects, on the way out of a program's exception too. */
export function ending(host: Interpreter, run: () => void): void {
  const { exited, thrown } = host;
  if (exited && thrown === undefined) return;
  host.exited = false;
  host.thrown = undefined;
  run();
  host.exited = exited;
  host.thrown = thrown;
}
