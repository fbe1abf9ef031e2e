/** Methods of `std::vector` and its kin. */

import { contentOf, joinContents } from "../memory/content.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { unknownContent } from "../memory/journal.ts";
import { copied, elementOf, read, sizeOf, write } from "../memory/read-write.ts";
import { beginsWithZeros } from "../memory/record-kinds.ts";
import { construct } from "../resolve/construct.ts";
import { container, filled, isInOrder, isSet, listed } from "../resolve/container.ts";
import { arithmetic } from "../values/arithmetic.ts";
import { convert } from "../values/convert.ts";
import type { ContainerValue, HostType, Place, Value } from "../values/model.ts";
import { int, integerOf, pointer, unknown, voidValue } from "../values/values.ts";
import { argumentValue } from "./library.ts";
import { ofMembers } from "./sets.ts";

/** Calls `object.name(args)`; `place` is where the object stands, for methods that change it. */
export function callContainer(
  host: Interpreter,
  object: ContainerValue,
  place: Place | undefined,
  name: string,
  args: readonly Argument[],
): Value {
  const { storage, type, size } = object;
  const change = (value: Value) => {
    if (place !== undefined && value.kind === "container") replace(host, place, value);
    return voidValue;
  };
  const known = isSet(object.type) ? ofMembers(host, object, name, args) : undefined;
  if (known) {
    if (known.changed) change(known.changed);
    return known.result ?? voidValue;
  }
  switch (name) {
    case "size":
    case "length":
    case "capacity":
      return size;
    case "empty":
      return arithmetic("==", size, int(0, "ulong"));
    case "data":
    case "begin":
    case "cbegin":
      if (!isInOrder(object)) return unknown("the first of a hash");
      return pointer(storage, type.element);
    case "end":
    case "cend": {
      const bytes = sizeOf(host, type.element) ?? storage.summary.elementBytes;
      const count = integerOf(size);
      return pointer(storage, type.element, count === undefined || bytes === undefined ? undefined : count * bytes);
    }
    case "resize":
      return change(resized(host, object, argumentValue(args, 0), args[1]?.value ?? ofClass(host, type.element)));
    case "assign": {
      const [first, second] = args.map(({ value }) => value);
      if (first?.kind === "container" && second === undefined) return change(first);
      const isRange = first?.kind === "pointer" && second?.kind === "pointer";
      return change(
        isRange
          ? container(host, type, [first, second])
          : second === undefined
            ? ofAnySize(host, object)
            : filled(host, type, argumentValue(args, 0), second),
      );
    }
    case "clear":
      return change(filled(host, type, int(0, "ulong"), undefined));
    case "fill": {
      const { summary } = storage;
      host.journal.summarise(storage, { ...summary, content: contentOf(convert(argumentValue(args, 0), type.element)) }, new Map());
      return voidValue;
    }
    case "push_back":
      return change(appended(host, object, args));
    case "emplace_back": {
      const made = change(appended(host, object, args));
      host.returned = elementOf(host, pointer(storage, type.element), integerOf(size));
      return made;
    }
    case "pop_back":
      return change(resized(host, object, arithmetic("-", size, int(1, "ulong")), undefined));
    case "erase":
    case "insert":
    case "emplace":
      return edited(host, object, place, name === "emplace" ? "insert" : name, args) ?? change(ofAnySize(host, object));
    case "pop_front":
      return edited(host, object, place, "erase", [{ value: pointer(storage, type.element) }]) ?? voidValue;
    case "push_front":
    case "emplace_front":
      return edited(host, object, place, "insert", [{ value: pointer(storage, type.element) }, ...args]) ?? voidValue;
    case "reserve":
    case "shrink_to_fit":
      return voidValue;
    case "swap": {
      const [other] = args;
      if (other?.place === undefined || other.value.kind !== "container") return change(ofAnySize(host, object));
      replace(host, other.place, object);
      return change(other.value);
    }
    // Through such iterators, or by such methods, elements may come to other places, or be taken away.
    case "rbegin":
    case "rend":
    case "sort":
    case "reverse":
    case "unique":
    case "remove":
    case "remove_if":
    case "merge":
    case "splice":
    case "replace":
      change(ofAnySize(host, object));
      return unknown(`the method \`${name}\` of a container`);
    case "operator()":
      return host.apply(object, args);
    default:
      if (!looking.test(name)) change(ofAnySize(host, object));
      return unknown(`the method \`${name}\` of a container`);
  }
}

/** An object as its class makes it of nothing, where that is not just zeros. */
const ofClass = (host: Interpreter, type: HostType | undefined): Value | undefined =>
  type?.kind === "record" && !beginsWithZeros(host, type.record) ? construct(host, type, [], true) : undefined;

/** Methods that change nothing, whatever they are. */
const looking =
  /^(find|count|contains|(lower|upper)_bound|equal_range|max_size|c?r?(begin|end)|get_allocator|top|front|back|at|before_begin)$/;

/** Elements that are moved one by one. */
const mostMoved = 4096;

/** `erase(at)`, `erase(first, last)`, `insert(at, value)`, `insert(at, first, last)`; undefined where it is not known which elements these are. */
function edited(
  host: Interpreter,
  object: ContainerValue,
  place: Place | undefined,
  name: "erase" | "insert",
  args: readonly Argument[],
): Value | undefined {
  const { storage, type, size } = object;
  const bytes = sizeOf(host, type.element) ?? storage.summary.elementBytes;
  const count = integerOf(size);
  const [from, second, third] = args.map(({ value }) => value);
  if (place === undefined || !bytes || count === undefined || count > mostMoved || from?.kind !== "pointer" || from.target !== storage)
    return undefined;
  if (from.offset === undefined) return undefined;
  const at = from.offset / bytes;
  const base = pointer(storage, type.element);
  const valueAt = (first: typeof base, k: number): Value => {
    const element = elementOf(host, first, k);
    return element === undefined ? unknown("an element of a container") : copied(read(host, element));
  };
  const all = Array.from({ length: count }, (_, k) => valueAt(base, k));
  if (name === "erase") {
    const last =
      second?.kind === "pointer" && second.target === storage ? second.offset : second === undefined ? from.offset + bytes : undefined;
    if (last === undefined) return undefined;
    all.splice(at, last / bytes - at);
  } else if (second?.kind === "pointer" && third?.kind === "pointer") {
    const length = second.offset === undefined || third.offset === undefined ? undefined : (third.offset - second.offset) / bytes;
    if (second.target !== third.target || length === undefined || length < 0 || length > mostMoved) return undefined;
    all.splice(at, 0, ...Array.from({ length }, (_, k) => valueAt(second, k)));
    // A value that is not known may be a list of several.
  } else if (second !== undefined && second.kind !== "unknown" && third === undefined)
    all.splice(at, 0, convert(copied(second), type.element));
  else return undefined;
  const made = listed(host, type, all);
  if (made.kind !== "container") return undefined;
  made.storage.name = storage.name;
  replace(host, place, made);
  return pointer(made.storage, type.element, at * bytes);
}

/** The container is changed in place: its storage is not copied. */
function replace(host: Interpreter, place: Place, value: ContainerValue): void {
  if ("offset" in place) {
    const cell = place.offset === undefined ? undefined : place.allocation.cells.get(place.offset);
    if (cell !== undefined) host.journal.set(cell, value);
    return;
  }
  host.journal.set(place, value);
}

/** Of which nobody knows what it holds. */
function ofAnySize(host: Interpreter, object: ContainerValue): Value {
  const { storage } = object;
  const reason = "elements were put into a container, or taken out of it";
  host.journal.summarise(storage, { ...storage.summary, bytes: undefined, content: unknownContent, reason }, new Map());
  return { ...object, size: unknown("the size of a container that elements were put into, or taken out of") };
}

function resized(host: Interpreter, object: ContainerValue, size: Value, value: Value | undefined): Value {
  const made = filled(host, object.type, size, value);
  if (made.kind !== "container") return made;
  const old = object.storage;
  const count = integerOf(object.size);
  if (count === 0) {
    made.storage.name = old.name;
    return made;
  }
  const limit = made.storage.summary.bytes ?? Number.POSITIVE_INFINITY;
  made.storage.cells = new Map([...old.cells].filter(([offset]) => offset < limit));
  const grown = integerOf(size) === undefined || count === undefined || (integerOf(size) ?? 0) > count;
  const { elementBytes } = old.summary;
  const content = grown
    ? joinContents(
        old.summary.content,
        made.storage.summary.content,
        object.type.element?.kind !== "floating",
        elementBytes === undefined || count === undefined ? undefined : count,
      )
    : old.summary.content;
  const { objects, numbers } = old.summary;
  const kept = grown ? { content } : { content, ...(objects ? { objects } : {}), ...(numbers ? { numbers } : {}) };
  made.storage.summary = { ...made.storage.summary, ...kept };
  return made;
}

function appended(host: Interpreter, object: ContainerValue, args: readonly Argument[]): Value {
  const { storage, type, size } = object;
  const count = integerOf(size);
  const bytes = sizeOf(host, type.element) ?? storage.summary.elementBytes;
  const next = arithmetic("+", size, int(1, "ulong"));
  const abstract = host.loops.some((loop) => loop.abstract);
  const summary = {
    ...storage.summary,
    bytes: count === undefined || bytes === undefined ? undefined : (count + 1) * bytes,
    content: count === 0 ? unknownContent : storage.summary.content,
  };
  if (!abstract) host.journal.summarise(storage, summary);
  // How many are added in all is known less well than the loop's end.
  else storage.origin = undefined;
  const place = elementOf(host, pointer(storage, type.element), count);
  const value = args.length === 1 ? argumentValue(args, 0) : unknown("an element made in place", type.element);
  if (place !== undefined) write(host, place, value);
  return { ...object, size: next.kind === "int" ? next : unknown("the size after a loop") };
}
