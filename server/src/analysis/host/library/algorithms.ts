/** Algorithms of the standard library and Thrust on ranges, and helpers that only pass values on. */

import type { Content } from "@warplens/sim-engine";
import { lastName } from "../../sema/scope.ts";
import { contentOf, isUnrounded, overlaid, wholeContent } from "../memory/content.ts";
import { forgetChanged, forgetPlace, forgetTargets } from "../memory/effects.ts";
import { hostType } from "../memory/host-types.ts";
import type { Argument, CallExpression, Interpreter } from "../memory/interpreter.ts";
import { unknownContent, zeroContent } from "../memory/journal.ts";
import { newTrace } from "../memory/loop-trace.ts";
import { read, sizeOf, write } from "../memory/read-write.ts";
import { copyMemory } from "../memory/transfer.ts";
import { constructFrom, makeElements } from "../resolve/construct.ts";
import { isCopyFelt } from "../resolve/felt.ts";
import { instanceOf } from "../resolve/methods.ts";
import { chooseOverload } from "../resolve/overload.ts";
import { arithmetic } from "../values/arithmetic.ts";
import { convert, vectorValue } from "../values/convert.ts";
import { Allocation, Cell, type ContainerValue, type HostType, type Line, type Owner, type Value } from "../values/model.ts";
import { bitsOf, bounds, float, hasBothZeros, int, integerOf, numberOf, pointer, range, unknown, voidValue } from "../values/values.ts";
import { appending, backInserter } from "./appending.ts";
import { shuffleSwaps } from "./distributions.ts";
import { argumentValue, type LibraryFunction } from "./library.ts";
import { drawn, engineOf } from "./random.ts";
import { sequenceAlgorithms, sortShort } from "./sequences.ts";
import { type Span, spanOf } from "./span.ts";

/** The whole range holds `content` now. */
function setSpan(host: Interpreter, { allocation, begin, bytes, elementBytes }: Span, content: Content, reason?: string): void {
  const { summary } = allocation;
  const whole = begin === 0 && (bytes === undefined || summary.bytes === undefined || bytes * 2 >= summary.bytes);
  const why = content.kind === "unknown" ? { reason: reason ?? "values computed by an algorithm" } : {};
  const shape = elementBytes === undefined ? {} : { elementBytes };
  const isPart = begin !== undefined && bytes !== undefined && summary.bytes !== undefined && (begin > 0 || bytes < summary.bytes);
  const part = (): Content => {
    const held = elementBytes === undefined ? summary.content : wholeContent(allocation, elementBytes);
    const [from, to] = [begin ?? 0, (begin ?? 0) + (bytes ?? 0)];
    return overlaid(held, { from, to, origin: from, content }, summary.bytes);
  };
  const all = isPart && isSure(content) ? part() : whole || summary.content.kind === "unknown" ? content : unknownContent;
  host.journal.summarise(allocation, { ...summary, ...shape, ...why, content: all }, new Map());
}

/** Not random: what is random stands for most of an array, too, so that it stays simple. */
const isSure = ({ kind }: Content): boolean => kind !== "uniform" && kind !== "permutation" && kind !== "unknown";

const fill: LibraryFunction = (host, args) => {
  const found = spanOf(host, args);
  if (found !== undefined) setSpan(host, found.span, contentOf(elementOf(found.span, argumentValue(found.rest, 0))));
  return voidValue;
};

function elementOf(span: Span, value: Value): Value {
  return convert(value, span.to ?? span.allocation.element);
}

/** A range that is not understood holds other elements than before. */
function changedSomehow(host: Interpreter, args: readonly Argument[]): Value {
  forgetTargets(host, args, "a range that is not followed was changed");
  return voidValue;
}

/** Elements that are counted one by one. */
const mostCounted = 1 << 20;

/** Counted up in the type of the first value, whatever the elements are. */
const iota: LibraryFunction = (host, args) => {
  const found = spanOf(host, args);
  if (found === undefined) return changedSomehow(host, args);
  const { allocation, bytes, elementBytes, to } = found.span;
  const count = bytes === undefined || !elementBytes ? Number.POSITIVE_INFINITY : bytes / elementBytes;
  const content = countedUp(argumentValue(found.rest, 0), count, to ?? allocation.element);
  setSpan(host, found.span, content ?? unknownContent);
  return voidValue;
};

/** `value`, `++value` and so on as elements of a type; undefined where that is not known. */
function countedUp(first: Value, count: number, of: HostType | undefined): Content | undefined {
  if ((first.kind !== "int" && first.kind !== "float") || (of?.kind !== "integer" && of?.kind !== "floating")) return undefined;
  const start = numberOf(first);
  if (start === undefined || !Number.isFinite(start)) return undefined;
  const line: Line = { start, stride: 1 };
  const isExact = (name: string): boolean => isUnrounded(line, count, name !== "double");
  const [least, most] = first.kind === "int" ? bounds(first.type) : [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  // Of how many elements that is not known: there is no memory for as many as an integer can count.
  const last = count === Number.POSITIVE_INFINITY && first.kind === "int" && bitsOf(first.type) >= 32 ? start : start + count;
  const isWhole = first.kind === "int" ? last <= Math.min(most, Number.MAX_SAFE_INTEGER) : isExact(first.type);
  const isKept = of.kind === "floating" ? isExact(of.name) : Number.isInteger(start);
  if (isWhole && isKept) return { kind: "linear", ...line };
  if (count > mostCounted || (first.kind === "int" && bitsOf(first.type) === 64)) return undefined;
  const round = first.kind === "float" && first.type === "float" ? Math.fround : (value: number): number => value;
  const values = new Float64Array(count);
  for (let k = 0, value = start; k < count; k++, value = value === most ? least : round(value + 1)) {
    const element = numberOf(convert(first.kind === "int" ? int(value, first.type) : float(value, first.type), of));
    if (element === undefined) return undefined;
    values[k] = element;
  }
  return { kind: "values", values };
}

/** `thrust::sequence(first, last, start = 0, step = 1)` */
const sequence: LibraryFunction = (host, args) => {
  const found = spanOf(host, args);
  if (found === undefined) return changedSomehow(host, args);
  const start = found.rest[0] === undefined ? 0 : numberOf(argumentValue(found.rest, 0));
  const stride = found.rest[1] === undefined ? 1 : numberOf(argumentValue(found.rest, 1));
  const { elementBytes = 1, bytes = Number.POSITIVE_INFINITY, to } = found.span;
  const of = to ?? found.span.allocation.element;
  const isSure = (line: Line): boolean => of?.kind !== "floating" || isUnrounded(line, bytes / elementBytes, of.name !== "double");
  const line = start === undefined || stride === undefined ? undefined : { start, stride };
  setSpan(host, found.span, line && isSure(line) ? { kind: "linear", ...line } : unknownContent);
  return voidValue;
};

const generate: LibraryFunction = (host, args) => {
  const found = spanOf(host, args);
  if (found === undefined) return changedSomehow(host, args);
  const generator = argumentValue(found.rest, 0);
  const made = generator.kind === "function" && generator.name === "rand" ? range(0, 2147483647, "int") : anyOf(host, generator);
  const random = made.kind === "range" ? made : unknown("values of a generator");
  setSpan(host, found.span, contentOf(elementOf(found.span, random)));
  return voidValue;
};

/** What a call may give, whichever of many it is; what it changes is not known behind them. */
function anyOf(host: Interpreter, generator: Value): Value {
  const mark = host.journal.hold();
  host.loops.push({ ...newTrace(host, 1, host.steps), abstract: true });
  const made = host.apply(generator, []);
  host.loops.pop();
  forgetChanged(host, host.journal.undo(mark), "what a generator changes with each call");
  return made;
}

const shuffle: LibraryFunction = (host, args) => {
  const found = spanOf(host, args);
  if (found === undefined) return changedSomehow(host, args);
  const { allocation, elementBytes, bytes } = found.span;
  const content = elementBytes === undefined ? unknownContent : wholeContent(allocation, elementBytes);
  const n = elementBytes === undefined || bytes === undefined ? undefined : bytes / elementBytes;
  const identity = content.kind === "linear" && content.stride === 1 && content.start === 0;
  if ((identity || content.kind === "permutation") && n !== undefined) {
    const numbers = shuffled(host, found.span, argumentValue(found.rest, 0));
    setSpan(host, found.span, { kind: "permutation", n });
    const { summary } = allocation;
    if (numbers && summary.content.kind === "permutation" && summary.bytes === bytes)
      host.journal.summarise(allocation, { ...summary, numbers: { of: summary.content, values: numbers } });
  } else if (content.kind === "linear" && n !== undefined)
    setSpan(host, found.span, { kind: "uniform", lo: content.start, hi: content.start + content.stride * n });
  else setSpan(host, found.span, unknownContent, "elements in an order that is not known");
  return voidValue;
};

/** The elements in the order that an engine brings them to; undefined where that is not known. */
function shuffled(host: Interpreter, span: Span, engine: Value): Float64Array | undefined {
  const stream = engine.kind === "record" ? engineOf(engine) : undefined;
  const numbers = stream && numbersOf(host, span);
  const order =
    stream &&
    numbers &&
    drawn(host, stream, (source) => {
      shuffleSwaps(source, numbers.length, (a, b) => {
        const value = numbers[a] ?? 0;
        numbers[a] = numbers[b] ?? 0;
        numbers[b] = value;
      });
      return numbers;
    });
  return order;
}

const sort: LibraryFunction = (host, args, { callee }) => {
  const found = spanOf(host, args);
  if (found === undefined) return changedSomehow(host, args);
  const { allocation, elementBytes, bytes } = found.span;
  const content = elementBytes === undefined ? unknownContent : wholeContent(allocation, elementBytes);
  const n = elementBytes === undefined || bytes === undefined ? undefined : bytes / elementBytes;
  const isOfObjects = found.span.to?.kind === "record" || found.span.to?.kind === "container";
  if (
    (found.rest.length > 0 || isOfObjects) &&
    sortShort(host, found.span, found.rest[0]?.value, callee.kind === "name" && lastName(callee.name) === "stable_sort")
  )
    return voidValue;
  if (found.rest.length > 0 || isOfObjects) setSpan(host, found.span, unknownContent, "sorted by a rule of the program's own");
  else if (content.kind === "permutation" && content.n === n) setSpan(host, found.span, { kind: "linear", start: 0, stride: 1 });
  else if (content.kind === "uniform" && allocation.summary.numbers?.of !== content && n !== undefined && n > 1)
    setSpan(host, found.span, { kind: "linear", start: content.lo, stride: (content.hi - content.lo) / n });
  else if (content.kind === "linear" && content.stride < 0 && n !== undefined)
    setSpan(host, found.span, { kind: "linear", start: content.start + content.stride * (n - 1), stride: -content.stride });
  else if (!isInOrder(content)) {
    const values = numbersOf(host, found.span);
    const isTold = values !== undefined && !hasBothZeros(values);
    setSpan(host, found.span, isTold ? { kind: "values", values: values.sort() } : unknownContent);
  }
  return voidValue;
};

const isInOrder = ({ kind }: Content): boolean => kind === "zero" || kind === "constant" || kind === "linear" || kind === "bytes";

/** Numbers that are sorted at the most, and how many of them in the time of a step. */
const mostSorted = 1 << 20;
const sortedAStep = 64;

/** The elements of a span; undefined where some is not known, or there are too many. */
function numbersOf(host: Interpreter, { allocation, begin, bytes, elementBytes, to }: Span): Float64Array | undefined {
  if (begin === undefined || bytes === undefined || elementBytes === undefined || bytes / elementBytes > mostSorted) return undefined;
  const values = new Float64Array(bytes / elementBytes);
  host.work?.spend(Math.ceil(values.length / sortedAStep));
  host.steps += Math.ceil(values.length / sortedAStep);
  for (let k = 0; k < values.length; k++) {
    const value = numberOf(read(host, { allocation, offset: begin + k * elementBytes, type: to ?? allocation.element }));
    if (value === undefined || Number.isNaN(value)) return undefined;
    values[k] = value;
  }
  return values;
}

const copy: LibraryFunction = (host, args) => {
  const found = spanOf(host, args);
  if (found === undefined) return changedSomehow(host, args);
  const { span, rest } = found;
  copyMemory(
    host,
    argumentValue(rest, 0),
    pointer(span.allocation, span.to, span.begin),
    span.bytes === undefined ? unknown("a range") : int(span.bytes, "ulong"),
  );
  return voidValue;
};

const swap: LibraryFunction = (host, args) => {
  const [a, b] = args;
  if (a?.place === undefined || b?.place === undefined) return voidValue;
  const record = instanceOf(a.value);
  if (record && isCopyFelt(host, record)) {
    const name = { start: 0, end: 0, global: false, parts: [{ text: "std" }, { text: "__warplens_exchange" }] };
    const fn = host.globals.functions(name, [])[0];
    return fn ? host.call({ function: fn, arguments: [a, b] }) : changedSomehow(host, args);
  }
  write(host, a.place, b.value);
  write(host, b.place, a.value);
  return voidValue;
};

/** `make_unique<T>(...)`, `make_unique<T[]>(n)`: the pointer. */
const makeOwned: LibraryFunction = (host, args, call) => {
  const name = call.callee.kind === "name" ? call.callee.name.parts.at(-1) : undefined;
  const written = name?.templateArguments?.[0];
  const node = written?.kind === "type" ? written.type : undefined;
  const type = node === undefined ? undefined : hostType(host, node);
  if (type === undefined) return unknown("a pointer to an object of a class of a library");
  const owner: Owner = { shared: name?.text === "make_shared" };
  if (type.kind !== "array") {
    return { ...pointer(new Cell(constructFrom(host, type, args, true), type), type), owner };
  }
  const elementBytes = sizeOf(host, type.of);
  const count = integerOf(argumentValue(args, 0));
  const bytes = count === undefined || elementBytes === undefined ? undefined : count * elementBytes;
  const shape = elementBytes === undefined ? {} : { elementBytes };
  const summary = { bytes, why: argumentValue(args, 0), content: zeroContent, ...shape };
  const made = new Allocation("", "host", type.of, summary);
  makeElements(host, made, type.of, count);
  return { ...pointer(made, type.of), owner };
};

const same: LibraryFunction = (_host, args) => argumentValue(args, 0);

/** Who is given it may change the variable, whenever; of an object, whose members are changed then, that is followed. */
const referred: LibraryFunction = (host, args) => {
  const value = argumentValue(args, 0);
  const place = args[0]?.place;
  if (place && !/^(record|lambda|function)$/.test(value.kind)) forgetPlace(host, place, "a reference to it was given away");
  return value;
};

/** The same memory, nobody knows where in it. */
const anywhere = (value: Value): Value =>
  value.kind === "pointer" ? { ...value, offset: undefined, reach: undefined } : unknown("a place in a range");

/** Algorithms that tell a place in the range that they are given. */
const placing =
  /^(find|find_if|find_if_not|find_first_of|find_end|search|adjacent_find|(lower|upper)_bound|(max|min)_element|remove|remove_if|unique|partition|stable_partition|partition_point|rotate|is_sorted_until)$/;

/** What comes of an algorithm that is not followed. */
function untold(args: readonly Argument[], { callee }: CallExpression): Value {
  const name = callee.kind === "name" ? lastName(callee.name) : "";
  return placing.test(name) ? anywhere(argumentValue(args, 0)) : unknown("the result of an algorithm");
}

/** What is moved away may leave anything behind. */
const moved: LibraryFunction = (host, args, call) => {
  const [only, more] = args;
  // An algorithm of that name.
  if (more) return computes(host, args, call);
  const { place, value } = only ?? { value: unknown("an argument that is missing") };
  if (place !== undefined && value.kind === "pointer" && value.owner) write(host, place, { ...value, target: undefined });
  else if (place !== undefined && (value.kind === "container" || value.kind === "string" || place.type?.kind === "container"))
    write(host, place, value.kind === "container" ? emptied(value) : unknown("what was moved from", place.type));
  return value;
};

/** A container with memory of its own, of which nothing is known. */
const emptied = ({ type, storage }: ContainerValue): ContainerValue => ({
  kind: "container",
  type,
  size: unknown("what was moved from"),
  storage: new Allocation(storage.name, storage.residence, storage.element, {
    bytes: undefined,
    content: unknownContent,
    reason: "what was moved from",
  }),
});

/** Elements that an algorithm of the header is run on. */
const mostRun = 1 << 20;

/** As the header of ours has it, where it has it and the range is known; undefined elsewhere. */
const byHeader = (host: Interpreter, args: readonly Argument[], { callee }: CallExpression): Value | undefined => {
  const name = callee.kind === "name" ? callee.name : undefined;
  if (name === undefined || (name.parts.length > 1 && name.parts[0]?.text !== "std")) return undefined;
  const span = args[0]?.value.kind === "pointer" ? spanOf(host, args)?.span : undefined;
  if (span?.begin === undefined || !span.elementBytes || (span.bytes ?? Number.POSITIVE_INFINITY) > mostRun * span.elementBytes)
    return undefined;
  const first = read(host, { allocation: span.allocation, offset: span.begin, type: span.to ?? span.allocation.element });
  if (first.kind === "unknown") return undefined;
  const named = { ...name, parts: [{ text: "std" }, { text: lastName(name) }] };
  const fn = chooseOverload(host, host.globals.functions(named, []), args);
  return fn?.body === undefined ? undefined : host.call({ function: fn, arguments: args });
};

/** Writes through its range what cannot be followed. */
const computes: LibraryFunction = (host, args, call) => {
  const made = byHeader(host, args, call);
  if (made) return made;
  forgetTargets(host, args, "values computed by an algorithm");
  return untold(args, call);
};

/** Writes nothing. */
const looks: LibraryFunction = (host, args, call) => byHeader(host, args, call) ?? untold(args, call);

const distance: LibraryFunction = (host, args) => {
  const a = argumentValue(args, 0);
  const b = argumentValue(args, 1);
  const bytes =
    a.kind === "pointer" ? (sizeOf(host, a.to) ?? (a.target instanceof Allocation ? a.target.summary.elementBytes : undefined)) : undefined;
  if (a.kind !== "pointer" || b.kind !== "pointer" || a.offset === undefined || b.offset === undefined || bytes === undefined)
    return unknown("a distance of iterators");
  return int((b.offset - a.offset) / bytes, "long");
};

const table = new Map<string, LibraryFunction>([
  ["fill", fill],
  ["fill_n", fill],
  ["uninitialized_fill", fill],
  ["iota", iota],
  ["sequence", sequence],
  ["generate", generate],
  ["generate_n", generate],
  ["shuffle", shuffle],
  ["random_shuffle", shuffle],
  ["sort", sort],
  ["stable_sort", sort],
  ["copy", copy],
  ["swap", swap],
  [
    "exchange",
    (host, args) => {
      const place = args[0]?.place;
      if (place !== undefined) write(host, place, argumentValue(args, 1));
      return argumentValue(args, 0);
    },
  ],
  ["make_unique", makeOwned],
  ["make_shared", makeOwned],
  ["raw_pointer_cast", same],
  ["device_pointer_cast", same],
  ["move", moved],
  ["forward", same],
  ["ref", referred],
  ["begin", (_host, args) => begin(argumentValue(args, 0))],
  ["cbegin", (_host, args) => begin(argumentValue(args, 0))],
  ["end", (host, args) => end(host, argumentValue(args, 0))],
  ["cend", (host, args) => end(host, argumentValue(args, 0))],
  ["size", (host, args) => countOf(host, argumentValue(args, 0))],
  ["data", (_host, args) => begin(argumentValue(args, 0))],
  ["distance", distance],
  // Where a hash begins.
  ["__warplens_anywhere", (_host, args) => anywhere(argumentValue(args, 0))],
  ...sequenceAlgorithms(computes, looks),
  ["back_inserter", backInserter],
  ["copy_if", computes],
  [
    "addressof",
    (_host, args) => {
      const place = args[0]?.place;
      return place instanceof Cell ? pointer(place, place.type) : unknown("an address");
    },
  ],
  ["divup", (_host, args) => ceilingDivision(argumentValue(args, 0), argumentValue(args, 1))],
  ["ceil_div", (_host, args) => ceilingDivision(argumentValue(args, 0), argumentValue(args, 1))],
]);

function begin(value: Value): Value {
  return value.kind === "container" ? pointer(value.storage, value.type.element) : value;
}

/** How many elements a container or an array has. */
function countOf(host: Interpreter, value: Value): Value {
  if (value.kind === "container") return value.size;
  if (value.kind !== "pointer" || !(value.target instanceof Allocation)) return unknown("the size of a range");
  const { bytes, elementBytes } = value.target.summary;
  const each = sizeOf(host, value.to) ?? elementBytes;
  return bytes === undefined || !each ? unknown("the size of an array that is not known") : int(bytes / each, "ulong");
}

function end(host: Interpreter, value: Value): Value {
  const first = begin(value);
  const count = integerOf(countOf(host, value));
  if (first.kind !== "pointer") return first;
  const each = sizeOf(host, first.to) ?? (first.target instanceof Allocation ? first.target.summary.elementBytes : undefined);
  return { ...first, offset: count === undefined || each === undefined ? undefined : count * each };
}

/** `cuda::ceil_div`, and helpers of that name whose definition was not found. */
function ceilingDivision(a: Value, b: Value): Value {
  return arithmetic("/", arithmetic("-", arithmetic("+", a, b), int(1)), b);
}

for (const name of ["copy", "copy_if", "transform", "generate_n", "fill_n"]) table.set(name, appending(name, table.get(name) ?? computes));

export const algorithms: ReadonlyMap<string, LibraryFunction> = table;

/** `make_float4(...)` and its kin. */
export function maker(name: string): LibraryFunction | undefined {
  const match = /^make_([a-z]+[1-4])$/.exec(name);
  const type = match?.[1];
  if (type === undefined) return undefined;
  return (_host, args) =>
    vectorValue(
      type,
      args.map(({ value }) => value),
    ) ?? unknown(`\`${name}\``);
}
