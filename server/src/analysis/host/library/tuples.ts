/** `std::tuple`, `std::pair`, `std::array` and `std::variant` taken apart, and calls of what they hold. */
import { hostType, templateValues } from "../memory/host-types.ts";
import type { Argument, CallExpression, Interpreter } from "../memory/interpreter.ts";
import { elementOf, read } from "../memory/read-write.ts";
import { Cell, type HostType, type Place, type RecordValue, type Value } from "../values/model.ts";
import { isOfType, sameHostType, typeOfValue } from "../values/type-of-value.ts";
import { bool, int, integerOf, nullPointer, pointer, unknown } from "../values/values.ts";
import { argumentValue, type LibraryFunction } from "./library.ts";

/** The type that a call names in its first template argument. */
function namedType(host: Interpreter, { callee }: CallExpression): HostType | undefined {
  const [first] = (callee.kind === "name" ? callee.name.parts.at(-1)?.templateArguments : undefined) ?? [];
  return first?.kind === "type" ? hostType(host, first.type) : undefined;
}

function namedIndex(host: Interpreter, { callee }: CallExpression): number | undefined {
  const [first] = callee.kind === "name" ? templateValues(host, callee.name) : [];
  return typeof first === "bigint" ? Number(first) : undefined;
}

/** The type of the place says what a variant may hold; the value, what it holds. */
function alternativesOf({ place }: Argument): readonly (HostType | undefined)[] | undefined {
  return place?.type?.kind === "container" && place.type.name === "variant" ? place.type.alternatives : undefined;
}

/** Whether a variant holds what a call names by its type or its place; undefined where that is not known. */
function holds(host: Interpreter, argument: Argument, call: CallExpression): boolean | undefined {
  const index = namedIndex(host, call);
  return isOfType(argument.value, index === undefined ? namedType(host, call) : alternativesOf(argument)?.[index]);
}

/** `std::get<I>(t)`, `std::get<T>(t)`: an element of a tuple, a pair, an array; what a variant holds. */
const get: LibraryFunction = (host, args, call) => {
  const [argument] = args;
  if (argument === undefined) return unknown("an argument that is missing");
  const { value, place } = argument;
  if (alternativesOf(argument)) {
    if (holds(host, argument, call) !== true) return unknown("what a variant does not hold, or may not");
    host.returned = place;
    return value;
  }
  const found = elementAt(host, value, namedIndex(host, call), namedType(host, call));
  if (found === undefined) return unknown("an element of a tuple that is not known");
  host.returned = found;
  return read(host, found);
};

function elementAt(host: Interpreter, value: Value, index: number | undefined, type: HostType | undefined): Place | undefined {
  if (value.kind === "container" && index !== undefined) return elementOf(host, pointer(value.storage, value.type.element), index);
  if (value.kind !== "record") return undefined;
  const cells = [...value.members.values()];
  return index === undefined ? cells.find((cell) => sameHostType(cell.type, type)) : cells[index];
}

/** The elements of a tuple as arguments; undefined where they are not known. */
export function tupleElements(host: Interpreter, value: Value): Argument[] | undefined {
  if (value.kind === "record" && !value.open) return [...value.members.values()].map((place) => ({ value: place.value, place }));
  const count = value.kind === "container" ? integerOf(value.size) : undefined;
  if (value.kind !== "container" || count === undefined || count > mostElements) return undefined;
  return Array.from({ length: count }, (_, k): Argument => {
    const place = elementOf(host, pointer(value.storage, value.type.element), k);
    return place === undefined ? { value: unknown("an element of an array") } : { value: read(host, place), place };
  });
}
const mostElements = 64;

/** `std::apply(f, tuple)`. */
const applyTo: LibraryFunction = (host, args) => {
  const elements = tupleElements(host, argumentValue(args, 1));
  return elements === undefined ? unknown("a call with a tuple that is not known") : host.apply(argumentValue(args, 0), elements);
};

/** `std::tie(a, b)`: a record whose members are the variables themselves, to be assigned to. */
export const tied = "std::tie";

const tie: LibraryFunction = (_host, args): RecordValue => ({
  kind: "record",
  name: tied,
  type: undefined,
  members: new Map(args.map(({ place, value }, k) => [String(k), place instanceof Cell ? place : new Cell(value)] as const)),
});

/** `std::visit(f, variant...)`: variants are the values that they hold. */
const visit: LibraryFunction = (host, args) => host.apply(argumentValue(args, 0), args.slice(1).map(held));

/** What a variant holds has the type of that value, not of the variant. */
const held = ({ value }: Argument): Argument => ({ value, place: new Cell(value, typeOfValue(value)) });

const getIf: LibraryFunction = (host, args, call) => {
  const where = argumentValue(args, 0);
  if (where.kind !== "pointer" || where.target === undefined) return unknown("a variant that is not known");
  const place = elementOf(host, where, 0);
  const argument = place && { value: read(host, place), place };
  const known = argument && holds(host, argument, call);
  if (known === undefined) return unknown("what a variant holds");
  return known && argument ? pointer(new Cell(argument.value, typeOfValue(argument.value)), typeOfValue(argument.value)) : nullPointer;
};

export const tupleFunctions: ReadonlyMap<string, LibraryFunction> = new Map<string, LibraryFunction>([
  ["get", get],
  ["get_if", getIf],
  [
    "holds_alternative",
    (host, args, call) => {
      const [argument] = args;
      const known = argument && holds(host, argument, call);
      return known === undefined ? unknown("what a variant holds") : bool(known);
    },
  ],
  ["apply", applyTo],
  ["invoke", (host, args) => host.apply(argumentValue(args, 0), args.slice(1))],
  ["tie", tie],
  ["visit", visit],
]);

/** `v.index()`, `v.valueless_by_exception()`. */
export function callVariant(argument: Argument, name: string): Value {
  const index = alternativesOf(argument)?.findIndex((each) => isOfType(argument.value, each)) ?? -1;
  if (name === "index" && index >= 0) return int(index, "ulong");
  return name === "valueless_by_exception" ? bool(false) : unknown(`the method \`${name}\` of a variant`);
}
