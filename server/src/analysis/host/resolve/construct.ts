/** Values of declared variables: initialisers, constructors, aggregates, containers. */

import type { Expression, FunctionDeclaration, VariableDeclaration } from "../../../syntax/ast.ts";
import type { Residence } from "../../device-events.ts";
import { lastName } from "../../sema/scope.ts";
import type { RecordInstance } from "../../sema/types.ts";
import { forgetContent, forgetPlace } from "../memory/effects.ts";
import { blank, emptyContainer, hostType, isLibraryRecord } from "../memory/host-types.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { unknownContent, zeroContent } from "../memory/journal.ts";
import { copied, copiedMember, copyOf, read, sizeOf, write } from "../memory/read-write.ts";
import { beginsWithZeros, isCopiedByMembers, isMoveConstructed } from "../memory/record-kinds.ts";
import { convert, dim3, vectorValue } from "../values/convert.ts";
import {
  Allocation,
  Cell,
  type ContainerType,
  type ContainerValue,
  type HostType,
  type Place,
  type RecordValue,
  type Value,
} from "../values/model.ts";
import { sameHostType, typeOfValue } from "../values/type-of-value.ts";
import { int, integerOf, openRecord, pointer, unknown } from "../values/values.ts";
import { vectorComponents } from "../values/vector-types.ts";
import { deducedClass, isDeduced } from "./class-arguments.ts";
import { container, listed } from "./container.ts";
import { isCopyFelt, isFelt, isTakenFrom } from "./felt.ts";
import { basesOf, constructorsOf, instanceOf, isOrDerives } from "./methods.ts";
import { chooseOverload } from "./overload.ts";
import { converted, convertedToClass } from "./overloaded.ts";
import { expandedElements } from "./packs.ts";

type List = Expression & { readonly kind: "list" };

/** The first value of a declared variable. `zeroed`: it has static storage. */
export function initialise(
  host: Interpreter,
  declaration: VariableDeclaration,
  type: HostType | undefined,
  zeroed: boolean,
  residence: Residence = "host",
): Value {
  const { init } = declaration;
  const name = lastName(declaration.name);
  if (type === undefined && init !== undefined && init.style !== "copy" && isDeduced(host, declaration.type)) {
    const args = init.values.map((value) => host.argument(value));
    const made = deducedClass(host, declaration.type, args);
    if (made) return constructFrom(host, made, args, zeroed);
  }
  if (
    type === undefined &&
    isLibraryRecord(declaration.type) &&
    (init === undefined || init.style === "list" || init.values[0]?.kind === "list")
  )
    return openRecord(name);
  if (init === undefined) {
    if (type?.kind === "record") return construct(host, type, [], zeroed);
    const made = blank(host, type, zeroed, `\`${name}\` is not initialised`, name, residence);
    if (type?.kind === "array" && made.kind === "pointer" && made.target instanceof Allocation)
      makeElements(host, made.target, made.target.element, elementsIn(host, made.target));
    return type?.kind === "container" ? withElements(host, made, []) : made;
  }
  const [only] = init.values;
  if (init.style === "list") {
    const list: List = {
      kind: "list",
      start: declaration.start,
      end: declaration.end,
      elements: init.values.map((value) => ({ value })),
    };
    return fromList(host, type, list, name, residence);
  }
  if (init.style === "copy" && only !== undefined) return fromExpression(host, type, only, name, residence);
  const args = init.values.map((value) => host.argument(value));
  const values = args.map(({ value }) => value);
  if (type !== undefined) return constructFrom(host, type, args, zeroed);
  const written = declaration.type.kind === "named" ? lastName(declaration.type.name) : "";
  if (declaration.type.kind === "auto" || /ptr/i.test(written)) return values[0] ?? unknown(`\`${name}\` is not initialised`);
  return openRecord(written);
}

export function fromExpression(
  host: Interpreter,
  type: HostType | undefined,
  expression: Expression,
  name = "",
  residence: Residence = "host",
): Value {
  if (expression.kind === "list" && expression.type === undefined) return fromList(host, type, expression, name, residence);
  const argument = host.argument(expression);
  const { value } = argument;
  if (type?.kind === "array" && value.kind === "string") return stringArray(type, value.text, name);
  if (type?.kind === "container")
    return construct(host, type, [/^(pointer|container)$/.test(value.kind) ? ownOf(host, argument) : value], false);
  return passed(host, ownOf(host, argument), type);
}

/** `x(e)` of a member: explicit constructors are asked too. */
export function fromDirect(host: Interpreter, type: HostType | undefined, expression: Expression, name = ""): Value {
  if (type?.kind !== "record" || (expression.kind === "list" && !expression.type)) return fromExpression(host, type, expression, name);
  return passed(host, ownOf(host, host.argument(expression)), type, false);
}

/** The value as one of its own: what others have, too, is copied or, where it is given away, taken from them. */
export function ownOf(host: Interpreter, { value, place, isMoved = false, isForwarded = false }: Argument): Value {
  if (value.kind === "pointer") {
    host.frame.temporaries.delete(value);
    // One that owns alone can only be taken over.
    if (value.owner && place && (isMoved || !value.owner.shared)) write(host, place, { ...value, target: undefined });
    return value;
  }
  if (value.kind === "container" && place && !isMoved) return copyOfContainer(host, value);
  if (value.kind !== "record") return copied(value);
  // What a temporary is taken over by is another object.
  if (!isMoved) host.frame.temporaries.delete(value);
  const type = value.type;
  if (isForwarded && type?.kind === "record" && (isCopyFelt(host, type.record) || isTakenFrom(host, type.record))) {
    const reason = "an object that is copied or taken over, nobody knows which";
    if (place) forgetPlace(host, place, reason);
    return unknown(reason, type);
  }
  return place === undefined || type?.kind !== "record" ? copied(value) : copyOfObject(host, type, value, isMoved);
}

function stringArray(type: HostType & { readonly kind: "array" }, text: string, name: string): Value {
  const allocation = new Allocation(name, "host", type.of, { bytes: type.size ?? text.length + 1, content: zeroContent, elementBytes: 1 });
  for (let k = 0; k < text.length; k++) allocation.cells.set(k, new Cell(int(text.charCodeAt(k), "char"), type.of, undefined, true));
  return pointer(allocation, type.of);
}

/** `{a, b, .c = d}` as a value of `type`. */
export function fromList(host: Interpreter, type: HostType | undefined, list: List, name = "", residence: Residence = "host"): Value {
  const elements = expandedElements(host, withoutElision(type, list.elements));
  if (elements === undefined) return unknown("a parameter pack", type);
  switch (type?.kind) {
    case "array": {
      const sized = type.size === undefined ? { ...type, size: elements.length } : type;
      const value = blank(host, sized, true, "", name, residence);
      if (value.kind === "pointer" && value.target instanceof Allocation) fillArray(host, value.target, 0, sized, elements);
      return value;
    }
    case "record": {
      if (vectorComponents(type.record.name) !== undefined || type.record.name === "dim3" || elements.length === 0)
        return construct(
          host,
          type,
          elements.map((element) => host.evaluate(element.value)),
          true,
        );
      if (constructors(host, type).length > 0) {
        const args = elements.map((element) => host.argument(element.value));
        const list = initialiserList(
          host,
          type,
          args.map(({ value }) => value),
        );
        return list ? construct(host, type, list, true) : constructFrom(host, type, args, true);
      }
      return copyOfSame(host, type, elements) ?? filledMap(host, type, elements) ?? aggregate(host, type, elements);
    }
    case "container":
      if (type.name === "variant" && elements.length === 1) return fromExpression(host, type, elements[0]?.value ?? list);
      if (elements.length <= 2 && (type.name === "unique_ptr" || type.name === "string" || elements.length === 0))
        return construct(
          host,
          type,
          elements.map((element) =>
            type.name === "unique_ptr" ? ownOf(host, host.argument(element.value)) : host.evaluate(element.value),
          ),
          true,
        );
      return listed(
        host,
        type,
        elements.map((element) => elementFrom(host, type, element.value)),
      );
    case undefined: {
      const only = elements.length === 1 ? elements[0] : undefined;
      return only === undefined ? listToCome(host, list) : inBraces(host.evaluate(only.value));
    }
    default: {
      const first = elements[0];
      return first === undefined ? blank(host, type, true, "") : convert(host.evaluate(first.value), type);
    }
  }
}

/** `T a{b}` of a class without constructors, where `b` is one of it: a copy. */
function copyOfSame(host: Interpreter, type: HostType & { readonly kind: "record" }, elements: List["elements"]): Value | undefined {
  const [only, more] = elements;
  if (!only || more || only.designator !== undefined || !/^(name|member|subscript)$/.test(only.value.kind)) return undefined;
  const argument = host.argument(only.value);
  const { value } = argument;
  return value.kind === "record" && instanceOf(value)?.name === type.record.name ? ownOf(host, argument) : undefined;
}

/** An element of a container: but of an array it is a copy of the list's, which ends with the expression. */
function elementFrom(host: Interpreter, type: ContainerType, written: Expression): Value {
  const { element } = type;
  const value = fromExpression(host, element, written);
  if (type.name === "array" || value.kind !== "record" || element?.kind !== "record") return value;
  if (!isCopyFelt(host, element.record) && !isFelt(host, element.record)) return value;
  const made = ownOf(host, { value, place: new Cell(value, element) });
  host.frame.temporaries.add(value);
  return made;
}

/** Where a constructor takes an `initializer_list` that the values fit: the list, which goes before other constructors. */
function initialiserList(
  host: Interpreter,
  type: HostType & { readonly kind: "record" },
  values: readonly Value[],
): readonly Value[] | undefined {
  const { functions, substitutionOf } = constructorsOf(host, type.record);
  for (const fn of functions) {
    const [parameter, more] = fn.parameters;
    const node = parameter?.type.kind === "reference" ? parameter.type.to : parameter?.type;
    if (node?.kind !== "named" || node.name.parts.at(-1)?.text !== "initializer_list" || (more && !more.default)) continue;
    const list = hostType(host, node, substitutionOf(fn));
    if (list?.kind !== "container" || !list.element || !values.every((value) => fits(list.element, value))) continue;
    return [
      listed(
        host,
        list,
        values.map((value) => passed(host, value, list.element)),
      ),
    ];
  }
  return undefined;
}

function fits(element: HostType | undefined, value: Value): boolean {
  if (listsToCome.has(value)) return element?.kind === "record" || element?.kind === "container";
  const own = typeOfValue(value);
  const isNumber = (type: HostType | undefined): boolean => type?.kind === "integer" || type?.kind === "floating";
  return sameHostType(element, own) || (isNumber(element) && isNumber(own)) || (value.kind === "string" && element?.kind === "container");
}

/** Braced lists that are arguments: they become values of what takes them. */
const listsToCome = new WeakMap<Value, (type: HostType) => Value>();

/** Numbers that were written in braces by themselves: of a container they are its element. */
const numbersInBraces = new WeakSet<Value>();

function inBraces(value: Value): Value {
  if (!/^(int|float|range)$/.test(value.kind)) return value;
  const own = { ...value };
  numbersInBraces.add(own);
  return own;
}

function listToCome(host: Interpreter, list: List): Value {
  const { frame, unit } = host;
  const value = unknown("a braced list of a type that is not known");
  listsToCome.set(value, (type) => {
    const { frame: inner, unit: innerUnit } = host;
    host.frame = frame;
    host.unit = unit;
    const made = fromList(host, type, list);
    host.frame = inner;
    host.unit = innerUnit;
    return made;
  });
  return value;
}

/** `{{"a", 1}, {"b", 2}}` as a map: pairs that are put in one after the other. Undefined for other classes. */
function filledMap(host: Interpreter, type: HostType & { readonly kind: "record" }, elements: List["elements"]): Value | undefined {
  if (!/^(unordered_)?map</.test(type.record.name)) return undefined;
  const map = blank(host, type, true, "");
  const entries = map.kind === "record" ? map.members.get("entries_")?.value : undefined;
  if (entries?.kind !== "container") return undefined;
  const self = new Cell(map, type);
  for (const { value } of elements) host.callMethod(self, "insert", [{ value: fromExpression(host, entries.type.element, value) }]);
  return self.value;
}

/** `std::array<int, 2> a = {{1, 2}}`: the braces of the array within, which may be left out; of a vector of numbers those of another vector. */
function withoutElision(type: HostType | undefined, elements: List["elements"]): List["elements"] {
  const [only, ...more] = elements;
  const inner = only?.value;
  const isOfNumbers = type?.kind === "container" && (type.element?.kind === "integer" || type.element?.kind === "floating");
  if (type?.kind !== "container" || !(type.name === "array" || isOfNumbers) || more.length > 0) return elements;
  if (inner?.kind !== "list" || inner.type !== undefined) return elements;
  return inner.elements;
}

function fillArray(
  host: Interpreter,
  allocation: Allocation,
  base: number,
  type: HostType & { readonly kind: "array" },
  elements: List["elements"],
): void {
  const bytes = sizeOf(host, type.of);
  if (bytes === undefined) return;
  let offset = base;
  for (const { value } of elements) {
    if (type.of.kind === "array" && value.kind === "list") fillArray(host, allocation, offset, type.of, value.elements);
    else {
      const element = fromExpression(host, type.of, value);
      if (isLeftOut(type.of, value, element)) {
        allocation.cells.clear();
        allocation.summary = { ...allocation.summary, content: unknownContent, reason: leftOut };
        return;
      }
      allocation.cells.set(offset, new Cell(element, type.of, undefined, true));
    }
    offset += bytes;
  }
}

/** A member that is a reference becomes the variable itself; false where it is none. */
export function refer(host: Interpreter, object: Value, name: string, e: Expression): boolean {
  if (object.kind !== "record" || !object.refers?.has(name)) return false;
  const { place, value } = host.argument(e);
  if (place instanceof Cell) object.members.set(name, place);
  else {
    // An element may be stored to by it, whenever.
    if (place) forgetContent(host, place.allocation, "an object refers to it");
    const cell = object.members.get(name);
    if (cell) write(host, cell, place ? unknown("an object refers to it", cell.type) : value);
  }
  return true;
}

const leftOut = "braces are left out in a list";

/** Whether an object of several numbers is given just one, because its braces are left out. */
function isLeftOut(type: HostType | undefined, written: Expression, value: Value): boolean {
  if (written.kind === "list" || written.kind === "string" || (type?.kind !== "record" && type?.kind !== "array")) return false;
  return type.kind === "array"
    ? value.kind !== "pointer" && value.kind !== "string"
    : value.kind !== "record" && value.kind !== "unknown" && !isPlain(type);
}

function aggregate(host: Interpreter, type: HostType & { readonly kind: "record" }, elements: List["elements"]): Value {
  const made = construct(host, type, [], true);
  if (made.kind !== "record") return made;
  const cells = [...made.members.values()];
  // Braces of a base; those left out around a member leave the elements behind them to others.
  const isNested = type.record.declaration.bases.length > 0 && elements.some(({ value }) => value.kind === "list");
  if (isNested || (elements.length > cells.length && !elements.some(({ designator }) => designator)))
    return blank(host, type, false, leftOut);
  let index = 0;
  for (const { designator, value } of elements) {
    if (designator !== undefined) index = Math.max(0, [...made.members.keys()].indexOf(designator));
    const cell = cells[index];
    index += 1;
    const name = [...made.members.keys()][index - 1] ?? "";
    if (cell === undefined || refer(host, made, name, value)) continue;
    const element = fromExpression(host, cell.type, value);
    if (isLeftOut(cell.type, value, element)) return blank(host, type, false, leftOut);
    write(host, cell, element);
  }
  return made;
}

/** Containers that are made of their elements. */
const holdsSeveral = /^(vector|device_vector|array|set|unordered_set)$/;

/**
 * A value as a parameter of a type gets it: of a class, what its constructor makes of a number or a pointer.
 * @param converts explicit constructors are not asked
 */
export function passed(host: Interpreter, value: Value, type: HostType | undefined, converts = true): Value {
  const list = type && listsToCome.get(value);
  if (list && type) return list(type.kind === "reference" ? type.to : type);
  if (type?.kind === "container" && holdsSeveral.test(type.name) && numbersInBraces.has(value))
    return listed(host, type, [converted(host, value, type.element)]);
  const whole = type?.kind === "record" && value.kind === "record" ? sliced(host, value, type) : undefined;
  if (whole) return whole;
  if (type?.kind !== "record") return converted(host, value, type);
  if (isMade(host, value, type)) return construct(host, type, [value], false, { converts });
  return (value.kind === "record" ? convertedToClass(host, value, type) : undefined) ?? converted(host, value, type);
}

/** Of an object of a class that derives from the one that is made of it: its part of that class. */
function sliced(host: Interpreter, value: RecordValue, type: HostType & { readonly kind: "record" }): Value | undefined {
  const record = instanceOf(value);
  const owner = lastName(type.record.declaration.name);
  if (!record || record.declaration === type.record.declaration || isPlain(type) || !isOrDerives(host, record, owner)) return undefined;
  const made = blank(host, type, false, "a part of an object");
  if (made.kind !== "record" || !isCopiedByMembers(type.record)) return made;
  for (const [name, cell] of made.members) cell.value = copied(value.members.get(name)?.value ?? cell.value);
  return made;
}

/** Whether a constructor makes an object of a value of another type. */
function isMade(host: Interpreter, value: Value, type: HostType & { readonly kind: "record" }): boolean {
  if (isPlain(type)) return false;
  if (/^(int|float|range|pointer|string|function|lambda|container)$/.test(value.kind)) return constructors(host, type).length > 0;
  if (value.kind !== "record" || value.open || value.name === type.record.name) return false;
  const record = instanceOf(value);
  if (record && isOrDerives(host, record, lastName(type.record.declaration.name))) return false;
  const { functions, substitutionOf } = constructorsOf(host, type.record);
  return chooseOverload(host, functions, [{ value }], 0, true, substitutionOf) !== undefined;
}

/** How an object is made. */
interface Making {
  /** Its arguments with their places, which a constructor may change. */
  readonly args?: readonly Argument[];
  /** It is a conversion: explicit constructors are not asked. */
  readonly converts?: boolean;
}

/** `T(args...)`. */
export function constructFrom(host: Interpreter, type: HostType, args: readonly Argument[], zeroed: boolean): Value {
  const [only, more] = args;
  const isOfOwner = type.kind === "container" && type.name === "unique_ptr";
  const isCopy = !more && type.kind === "record" && only?.value.kind === "record" && only.value.name === type.record.name;
  if (only && isCopy) return ownOf(host, only);
  const values = args.map((each) => (isOfOwner ? ownOf(host, each) : each.value));
  return construct(host, type, values, zeroed, { args });
}

/** `T(values...)`. */
export function construct(host: Interpreter, type: HostType, values: readonly Value[], zeroed: boolean, making: Making = {}): Value {
  const [first] = values;
  if (type.kind === "container") return withElements(host, container(host, type, values), values);
  if (type.kind !== "record") return first === undefined ? blank(host, type, true, "") : convert(first, type);
  const { name } = type.record;
  if (name === "dim3") {
    if (first?.kind === "record" || (first?.kind === "unknown" && values.length === 1)) return convert(first, type);
    return dim3(...values);
  }
  if (first?.kind === "string" && name === "string") return first;
  if (first?.kind === "record" && values.length === 1 && first.name === name) return copyOfObject(host, type, first, false);
  if (first?.kind === "unknown" && values.length === 1 && first.type?.kind === "record") return first;
  const vector = values.length > 0 ? vectorValue(name, values) : undefined;
  if (vector !== undefined) return vector;
  const made = blank(host, type, zeroed, "a member that is not initialised");
  if (made.kind !== "record") return made;
  defaults(host, made, type);
  runConstructor(host, made, type, values, making);
  return made;
}

/** Elements that are made one by one. */
const mostMade = 4096;

/** Of a container that is given its size alone: its elements begin as their class has it. */
function withElements(host: Interpreter, made: Value, values: readonly Value[]): Value {
  const [size, more] = values;
  if (made.kind !== "container" || more || (size && size.kind !== "int" && size.kind !== "unknown")) return made;
  if (/^(vector|array)$/.test(made.type.name)) makeElements(host, made.storage, made.type.element, integerOf(made.size));
  return made;
}

export function elementsIn(host: Interpreter, { summary, element }: Allocation): number | undefined {
  const each = sizeOf(host, element);
  return summary.bytes === undefined || !each ? undefined : summary.bytes / each;
}

/** What a class makes of its objects that are given nothing; memory of which is not told otherwise is zeros. */
export function makeElements(host: Interpreter, storage: Allocation, type: HostType | undefined, count: number | undefined): void {
  const bytes = sizeOf(host, type);
  if (type?.kind !== "record" || isPlain(type) || count === 0 || !bytes || beginsWithZeros(host, type.record)) return;
  if (count !== undefined && count <= mostMade) {
    for (let k = 0; k < count; k++) storage.cells.set(k * bytes, new Cell(construct(host, type, [], true), type, undefined, true));
    return;
  }
  storage.summary = { ...storage.summary, content: unknownContent, reason: "objects that their class makes" };
}

/** Elements that are copied one by one. */
const mostCopied = 4096;

function copyOfContainer(host: Interpreter, value: ContainerValue): Value {
  const { element } = value.type;
  const made = { ...value, storage: copyOf(value.storage) };
  if (element?.kind !== "record" || !isCopyFelt(host, element.record)) return made;
  const bytes = sizeOf(host, element);
  const count = integerOf(value.size);
  made.storage.cells = new Map();
  made.storage.summary = { ...made.storage.summary, content: unknownContent, reason: "objects that are copied" };
  if (!bytes || count === undefined || count > mostCopied) return made;
  for (let k = 0; k < count; k++) {
    const place = { allocation: value.storage, offset: k * bytes, type: element };
    made.storage.cells.set(k * bytes, new Cell(ownOf(host, { value: read(host, place), place }), element, undefined, true));
  }
  return made;
}

/** What the copy constructor that a class defines, or the one that takes over, makes of an object; without one its members are copied. */
function copyOfObject(host: Interpreter, type: HostType & { readonly kind: "record" }, from: RecordValue, isMoved: boolean): Value {
  if (from.open || !(isCopyFelt(host, type.record) || (isMoved && isTakenFrom(host, type.record)))) return copied(from);
  const { functions, substitutionOf } = constructorsOf(host, type.record);
  const copies = functions.filter(({ deleted, parameters: [parameter, more] }) => {
    const node = parameter?.type;
    const isOwn = node?.kind === "reference" && node.to.kind === "named";
    return !deleted && !more && isOwn && lastName(node.to.name) === lastName(type.record.declaration.name);
  });
  const fn = copies.find(({ parameters: [parameter] }) => parameter?.type.kind === "reference" && parameter.type.rvalue === isMoved);
  const chosen = fn ?? copies[0];
  const made = blank(host, type, true, "");
  if (made.kind !== "record") return copied(from);
  if (chosen?.body === undefined || chosen.defaulted) {
    const isTaken = isMoved && isMoveConstructed(type.record);
    for (const [name, cell] of from.members)
      made.members.set(name, from.refers?.has(name) ? cell : new Cell(copyOfMember(host, cell, isTaken), cell.type, name));
    return made;
  }
  defaults(host, made, type);
  const place = new Cell(from, type);
  host.call({
    function: chosen,
    arguments: [{ value: from, place, isMoved }],
    self: new Cell(made, type),
    substitution: substitutionOf(chosen),
  });
  return made;
}

/** What is left where a list or a text was taken away: in libstdc++ an empty one. */
export function leaveEmpty(host: Interpreter, place: Place, value: Value): void {
  if (value.kind === "string") write(host, place, { kind: "string", text: "" });
  else if (value.kind === "container" && value.type.name !== "array") write(host, place, emptyContainer(host, value.type));
}

function copyOfMember(host: Interpreter, cell: Cell, isMoved: boolean): Value {
  if (isMoved && /^(container|string)$/.test(cell.value.kind)) {
    const { value } = cell;
    leaveEmpty(host, cell, value);
    return value;
  }
  return /^(record|pointer)$/.test(cell.value.kind) && cell.type?.kind !== "array"
    ? ownOf(host, { value: cell.value, place: cell, isMoved })
    : copiedMember(cell);
}

/** `int n = 5;` in a class or a base of it, and members of classes that have a constructor. */
function defaults(host: Interpreter, made: RecordValue, type: HostType & { readonly kind: "record" }, depth = 0): void {
  const { declaration, substitution } = type.record;
  if (declaration === undefined || depth > 8) return;
  for (const { type: node } of declaration.bases) {
    const base = hostType(host, node, substitution);
    if (base?.kind === "record") defaults(host, made, base, depth + 1);
  }
  for (const member of declaration.members ?? []) {
    if (member.kind !== "variable" || member.specifiers.static) continue;
    const cell = made.members.get(lastName(member.name));
    if (cell === undefined) continue;
    if (member.init !== undefined) write(host, cell, initialise(host, member, cell.type, true));
    else if (cell.type?.kind === "record" && cell.value.kind === "record" && !isPlain(cell.type))
      write(host, cell, construct(host, cell.type, [], false));
  }
}

/** A vector type or `dim3`: nothing runs when one is made. */
function isPlain({ record }: HostType & { readonly kind: "record" }): boolean {
  return (
    record.declaration === undefined || record.name === "dim3" || record.name === "string" || vectorComponents(record.name) !== undefined
  );
}

const constructors = (host: Interpreter, { record }: HostType & { readonly kind: "record" }): readonly FunctionDeclaration[] =>
  isPlain({ kind: "record", record }) ? [] : constructorsOf(host, record).functions;

function runConstructor(
  host: Interpreter,
  made: RecordValue,
  type: HostType & { readonly kind: "record" },
  values: readonly Value[],
  { args = values.map((value): Argument => ({ value })), converts = false }: Making,
): void {
  const self = new Cell(made, type);
  if (!isPlain(type) && runConstructorOn(host, self, type.record, args, converts)) return;
  const isPlainly = isPlain(type) || constructors(host, type).length === 0;
  let k = 0;
  for (const cell of made.members.values()) {
    const value = values[k++];
    if (value === undefined) return;
    write(host, cell, isPlainly ? value : unknown("a constructor that cannot be told", cell.type));
  }
}

/**
 * Runs a constructor of a class on an object of it, or of a class that derives from it, and before it those of the bases that it does not
 * name itself. False where no constructor is written that takes the arguments: then nothing runs but those of bases.
 */
export function runConstructorOn(
  host: Interpreter,
  self: Cell,
  record: RecordInstance,
  args: readonly Argument[],
  converts = false,
  depth = 0,
): boolean {
  const methods = constructorsOf(host, record);
  const candidates = methods.functions.filter(({ specifiers }) => !(converts && specifiers.explicit));
  const fn = chooseOverload(host, candidates, args, 0, false, methods.substitutionOf);
  if (depth > 8 || (fn === undefined && methods.functions.length > 0 && !inherits(record))) return false;
  if (fn === undefined && args.length > 0 && inherits(record))
    return basesOf(host, record).some((base) => runConstructorOn(host, self, base, args, converts, depth + 1));
  for (const base of basesOf(host, record)) if (!initialises(fn, base)) runConstructorOn(host, self, base, [], false, depth + 1);
  if (fn === undefined) return false;
  if (!fn.defaulted) host.call({ function: fn, arguments: args, self, substitution: methods.substitutionOf(fn) });
  return true;
}

/** `using Base::Base;` */
const inherits = ({ declaration }: RecordInstance): boolean =>
  (declaration.members ?? []).some((member) => {
    if (member.kind !== "using" || member.namespace) return false;
    const [owner, name] = member.name.parts.slice(-2);
    return owner !== undefined && owner.text === name?.text;
  });

/** Whether a constructor says how a base, or in its stead the object as a whole, is made. */
const initialises = (fn: FunctionDeclaration | undefined, base: RecordInstance): boolean =>
  (fn?.initialisers ?? []).some(({ name }) => {
    const text = name.parts.at(-1)?.text;
    return text === fn?.name.parts.at(-1)?.text || text === base.declaration.name?.parts.at(-1)?.text;
  });
