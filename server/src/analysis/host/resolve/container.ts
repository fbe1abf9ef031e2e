/** Values of library containers: what their constructors make. */
import type { Content } from "@warplens/sim-engine";
import { contentOf } from "../memory/content.ts";
import { blank, emptyContainer } from "../memory/host-types.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { unknownContent, zeroContent } from "../memory/journal.ts";
import { copied, copyOf, sizeOf } from "../memory/read-write.ts";
import { shifted } from "../memory/transfer.ts";
import { convert } from "../values/convert.ts";
import { Allocation, Cell, type ContainerType, type ContainerValue, type Owner, type Value } from "../values/model.ts";
import { isOfType, typeOfValue } from "../values/type-of-value.ts";
import { int, integerOf, nullPointer, numberOf, unknown, unknownOf } from "../values/values.ts";

/** `vector<T>(n)`, `(n, value)`, `(first, last)`, a copy; a smart pointer is the pointer it holds. */
export function container(host: Interpreter, type: ContainerType, values: readonly Value[]): Value {
  const [first, second] = values;
  if (type.name === "variant") return first === undefined ? blank(host, type, true, "") : alternative(type, first);
  if (type.name === "unique_ptr") return owning(type, first ?? nullPointer, second);
  if (first?.kind === "lambda" || first?.kind === "function") return first;
  if (first?.kind === "string" || (type.name === "string" && first !== undefined)) return first;
  if (first === undefined) return emptyContainer(host, type);
  if (first.kind === "container") return housed(first, type);
  if (isSet(type) && first.kind === "pointer") return filled(host, type, unknown("a set of a range"), undefined);
  if (first.kind === "pointer" && first.target instanceof Allocation) {
    if (second?.kind === "pointer" && second.target === first.target)
      return copyRange(host, type, first.target, first.offset, second.offset);
  }
  if (first.kind === "unknown" && values.length === 1 && first.type?.kind !== "integer") return { ...first, type };
  return filled(host, type, first, second);
}

/** What a smart pointer holds: the pointer it is given, from another one with its way to end what it points at. */
function owning(type: ContainerType, held: Value, deleter: Value | undefined): Value {
  if (held.kind !== "pointer") return held;
  const owner: Owner = {
    shared: type.shared === true,
    ...(held.owner?.deleter ? { deleter: held.owner.deleter } : {}),
    ...(held.owner?.deleterType ? { deleterType: held.owner.deleterType } : {}),
    ...(type.deleter ? { deleterType: type.deleter } : {}),
    ...(deleter ? { deleter } : {}),
  };
  return { ...held, owner };
}

export const isSet = ({ name }: ContainerType): boolean => name === "set" || name === "unordered_set";

/** Whether its elements stand in the order in which it is gone through: those of a hash do not, nor such of a set as are no numbers. */
export const isInOrder = ({ type, size }: ContainerValue): boolean =>
  !isSet(type) ||
  (integerOf(size) ?? 2) < 2 ||
  (type.name === "set" && (type.element?.kind === "integer" || type.element?.kind === "floating"));

/** What a variant holds: the value as the alternative of its own type, else as the first that it converts to. */
function alternative({ alternatives = [] }: ContainerType, value: Value): Value {
  const own = typeOfValue(value);
  if (alternatives.some((each) => isOfType(value, each))) return value;
  const fits = alternatives.filter((each) => each !== undefined && each.kind === own?.kind);
  const [only] = fits;
  return fits.length === 1 && only ? convert(value, only) : unknown("a variant of which it is not known what it holds");
}

/** The same elements in a container of another kind: device and host vectors are assigned to each other. */
function housed(value: ContainerValue, type: ContainerType): ContainerValue {
  const residence = type.name === "device_vector" ? "device" : "host";
  const copy = copyOf(value.storage);
  const element = type.element ?? value.type.element;
  const storage = new Allocation(copy.name, residence, element, copy.summary);
  storage.cells = copy.cells;
  return { ...value, type: { ...type, element }, storage };
}

function copyRange(host: Interpreter, type: ContainerType, from: Allocation, start: number | undefined, end: number | undefined): Value {
  const bytes = sizeOf(host, type.element) ?? from.summary.elementBytes;
  if (start === undefined || end === undefined || bytes === undefined)
    return filled(host, type, unknown("a range between pointers that are not known"), undefined);
  const made = filled(host, type, int((end - start) / bytes, "ulong"), undefined);
  if (made.kind === "container") {
    const { content, objects, numbers } = from.summary;
    const beside = start === 0 ? { ...(objects ? { objects } : {}), ...(numbers ? { numbers } : {}) } : {};
    made.storage.summary = { ...made.storage.summary, content: shifted(content, start, bytes), ...beside };
    for (const [offset, cell] of from.cells)
      if (offset >= start && offset < end)
        made.storage.cells.set(offset - start, new Cell(copied(cell.value), type.element, undefined, true));
  }
  return made;
}

/** `size` elements, all of one value. */
export function filled(host: Interpreter, type: ContainerType, size: Value, value: Value | undefined): Value {
  const made = emptyContainer(host, type);
  if (made.kind !== "container") return made;
  const count = integerOf(size);
  const { elementBytes } = made.storage.summary;
  const content = value === undefined ? zeroContent : contentOf(convert(value, type.element));
  const bytes = count === undefined || elementBytes === undefined ? undefined : count * elementBytes;
  const rows = value?.kind === "container" && count !== undefined ? alike(value, count) : undefined;
  if (rows) {
    const of: Content = { kind: "unknown" };
    made.storage.summary = {
      ...made.storage.summary,
      content: of,
      reason: "elements that are made one by one",
      objects: { of, rows, drawn: false },
    };
    return { ...made, size: int(count ?? 0, "ulong") };
  }
  made.storage.summary = {
    ...made.storage.summary,
    bytes,
    content,
    ...(content === unknownContent ? { reason: "filled with a value that is not known" } : {}),
  };
  // Objects are kept one by one.
  if (value && count !== undefined && count <= mostObjects && elementBytes && (value.kind === "record" || value.kind === "container"))
    for (let k = 0; k < count; k++) made.storage.cells.set(k * elementBytes, new Cell(copied(value), type.element, undefined, true));
  return { ...made, size: count === undefined ? unknownSize(size) : int(count, "ulong") };
}
const mostObjects = 4096;

/** Numbers of containers that are all one. */
const mostAlike = 1 << 20;

/** The rows of a container of equal ones, while they are not too many and hold one number each. */
function alike({ size, storage }: ContainerValue, count: number): readonly ArrayLike<number>[] | undefined {
  const length = integerOf(size);
  const { content } = storage.summary;
  const held = content.kind === "zero" ? 0 : content.kind === "constant" ? content.value : undefined;
  if (length === undefined || held === undefined || storage.cells.size > 0 || count > mostAlike || length > mostAlike) return undefined;
  return new Array<ArrayLike<number>>(count).fill(new Float64Array(length).fill(held));
}

function unknownSize(size: Value) {
  return size.kind === "unknown" ? size : unknownOf(size);
}

/** A container of just these elements. */
export function listed(host: Interpreter, type: ContainerType, elements: readonly Value[]): Value {
  const values = isSet(type) ? inOrder(elements) : elements;
  const made = filled(host, type, int(Math.max(values.length, type.count ?? 0), "ulong"), undefined);
  if (made.kind !== "container") return made;
  const bytes = sizeOf(host, type.element);
  if (bytes !== undefined)
    for (const [k, value] of values.entries()) made.storage.cells.set(k * bytes, new Cell(value, type.element, undefined, true));
  return made;
}

/** Numbers as a set has them, each once; as they are where one is not known. */
function inOrder(values: readonly Value[]): readonly Value[] {
  const numbers = new Map(values.map((value) => [numberOf(value), value]));
  return numbers.has(undefined) ? values : [...numbers].sort(([a = 0], [b = 0]) => a - b).map(([, value]) => value);
}
