/** Algorithms that go through short ranges element by element, with functions of the program's own. */
import { forgetChanged } from "../memory/effects.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { copied, read, write } from "../memory/read-write.ts";
import { callOperator } from "../resolve/overloaded.ts";
import { arithmetic } from "../values/arithmetic.ts";
import { convert } from "../values/convert.ts";
import { sameValue } from "../values/equal.ts";
import type { Place, Value } from "../values/model.ts";
import { typeOfValue } from "../values/type-of-value.ts";
import { bool, int, pointer, truth, unknown, voidValue } from "../values/values.ts";
import { argumentValue, type LibraryFunction } from "./library.ts";
import { sortAsLibrary } from "./sorting.ts";
import { placesOf, type Span, spanOf } from "./span.ts";

/** Elements that a function of the program's is called with. */
const mostCalls = 256;

const at = ({ allocation, begin, elementBytes, to }: Span, index: number): Value =>
  pointer(allocation, to, (begin ?? 0) + index * (elementBytes ?? 0));

const element = (host: Interpreter, place: Place): Argument => ({ value: read(host, place), place });

/** Values in another order, or fewer: read before any is written. */
function rewrite(host: Interpreter, places: readonly Place[], values: readonly Value[]): void {
  for (const [k, value] of values.entries()) {
    const place = places[k];
    if (place) write(host, place, value);
  }
}

/** Undefined where that is not known. */
type Less = (a: Value, b: Value) => boolean | undefined;

/** Of pairs and tuples the first element that differs decides. */
function isLess(a: Value, b: Value): boolean | undefined {
  if (a.kind === "string" && b.kind === "string") return a.text < b.text;
  if (a.kind !== "record" || b.kind !== "record") return truth(arithmetic("<", a, b));
  const others = [...b.members.values()];
  for (const [k, { value }] of [...a.members.values()].entries()) {
    const other = others[k]?.value;
    if (other === undefined) return undefined;
    const less = isLess(value, other);
    if (less !== false) return less;
    if (isLess(other, value) !== false) return isLess(other, value) === undefined ? undefined : false;
  }
  return false;
}

/** By the program's own operator, where a class has one. */
function isLessBy(host: Interpreter, a: Value, b: Value): boolean | undefined {
  if (a.kind !== "record") return isLess(a, b);
  const said = callOperator(host, "<", [{ value: a }, { value: b }]);
  return said ? truth(host.scalar(said)) : /^(pair|tuple)$/.test(a.name) ? isLess(a, b) : undefined;
}

const lessBy = (host: Interpreter, rule: Value | undefined): Less =>
  rule === undefined ? (a, b) => isLessBy(host, a, b) : (a, b) => truth(host.scalar(host.apply(rule, [{ value: a }, { value: b }])));

/** Sorted by insertion, which leaves equal ones in their order; undefined where a comparison is not known. */
function sorted(values: readonly Value[], less: Less): Value[] | undefined {
  const result: Value[] = [];
  for (const value of values) {
    let k = result.length;
    for (; k > 0; k--) {
      const before = result[k - 1];
      const goesFirst = before && less(value, before);
      if (goesFirst === undefined) return undefined;
      if (!goesFirst) break;
    }
    result.splice(k, 0, value);
  }
  return result;
}
const mostSorted = 64;

/** The same as `std::sort` leaves equal ones. */
function sortedAsLibrary(values: readonly Value[], less: Less): Value[] | undefined {
  const all = [...values];
  let isKnown = true;
  const before = (a: Value, b: Value): boolean => {
    const is = less(a, b);
    if (is === undefined) isKnown = false;
    return is === true;
  };
  return sortAsLibrary(all, before) && isKnown ? all : undefined;
}

/** Sorts a short range of what is known, by a rule or of objects; false where it is another. */
export function sortShort(host: Interpreter, span: Span, rule: Value | undefined, isStable: boolean): boolean {
  const places = placesOf(span);
  if (places === undefined || places.length > mostSorted) return false;
  const held = places.map((place) => copied(read(host, place)));
  const less = lessBy(host, rule);
  const values = isStable ? sorted(held, less) : sortedAsLibrary(held, less);
  if (values) rewrite(host, places, values);
  return values !== undefined;
}

/** An algorithm on the places of a short range; `forget`: what is to be said of another. */
const onPlaces =
  (
    run: (host: Interpreter, places: Place[], span: Span, rest: readonly Argument[]) => Value | undefined,
    forget: LibraryFunction,
  ): LibraryFunction =>
  (host, args, call) => {
    const found = spanOf(host, args);
    const places = found && placesOf(found.span);
    return (found && places && run(host, places, found.span, found.rest)) ?? forget(host, args, call);
  };

/** Whether each fulfils a condition; undefined where that is not known of one. */
function holds(host: Interpreter, places: readonly Place[], condition: Value): boolean[] | undefined {
  if (places.length > mostCalls) return undefined;
  const all = places.map((place) => truth(host.scalar(host.apply(condition, [element(host, place)]))));
  return all.includes(undefined) ? undefined : all.map((each) => each === true);
}

function positionOf(span: Span, index: number, length: number): Value {
  return at(span, index < 0 ? length : index);
}

/** @param untold what an algorithm that writes nothing gives where that cannot be told here */
export const sequenceAlgorithms = (forget: LibraryFunction, untold: LibraryFunction): readonly (readonly [string, LibraryFunction])[] => [
  [
    "for_each",
    (host, args, call) => {
      const found = spanOf(host, args);
      const places = found && placesOf(found.span);
      const run = (found?.rest ?? args).at(-1)?.value ?? unknown("a function");
      if (places && places.length <= mostCalls) for (const place of places) host.apply(run, [element(host, place)]);
      // Once for all, so that what it launches is seen.
      else {
        const mark = host.journal.hold();
        host.apply(run, [{ value: forget(host, args, call) }]);
        forgetChanged(host, host.journal.undo(mark), "what a function changes that is called for each element");
      }
      return voidValue;
    },
  ],
  [
    "reverse",
    onPlaces((host, places) => {
      rewrite(host, places, places.map((place) => copied(read(host, place))).reverse());
      return voidValue;
    }, forget),
  ],
  [
    "remove_if",
    onPlaces((host, places, span, rest) => {
      const removed = holds(host, places, argumentValue(rest, 0));
      const kept = removed && places.filter((_, k) => !removed[k]).map((place) => copied(read(host, place)));
      if (kept) rewrite(host, places, kept);
      return kept && at(span, kept.length);
    }, forget),
  ],
  [
    "find_if",
    onPlaces((host, places, span, rest) => {
      const all = holds(host, places, argumentValue(rest, 0));
      return all && positionOf(span, all.indexOf(true), all.length);
    }, untold),
  ],
  [
    "find",
    onPlaces((host, places, span, rest) => {
      const wanted = argumentValue(rest, 0);
      const values = places.map((place) => read(host, place));
      const index = values.findIndex((value) => sameValue(value, wanted) || truth(arithmetic("==", value, wanted)) === true);
      const isKnown = [...values, wanted].every(({ kind }) => kind === "int" || kind === "string" || kind === "float");
      return index >= 0 || isKnown ? positionOf(span, index, places.length) : undefined;
    }, untold),
  ],
  [
    "count_if",
    onPlaces((host, places, _span, rest) => {
      const all = holds(host, places, argumentValue(rest, 0));
      return all && int(all.filter(Boolean).length, "long");
    }, untold),
  ],
  ...(["any_of", "all_of", "none_of"] as const).map((name): readonly [string, LibraryFunction] => [
    name,
    onPlaces((host, places, _span, rest) => {
      const all = holds(host, places, argumentValue(rest, 0));
      return all && bool(name === "any_of" ? all.includes(true) : name === "all_of" ? !all.includes(false) : !all.includes(true));
    }, untold),
  ]),
  ...(["max_element", "min_element"] as const).map((name): readonly [string, LibraryFunction] => [
    name,
    onPlaces((host, places, span, rest) => {
      const values = places.map((place) => read(host, place));
      const less = lessBy(host, rest[0]?.value);
      if (rest.length > 0 && places.length > mostCalls) return undefined;
      let best = 0;
      for (const [k, value] of values.entries()) {
        const top = values[best];
        if (k === 0 || top === undefined) continue;
        const isBetter = name === "max_element" ? less(top, value) : less(value, top);
        if (isBetter === undefined) return undefined;
        if (isBetter) best = k;
      }
      return at(span, best);
    }, untold),
  ]),
  ...["accumulate", "reduce"].map((name): readonly [string, LibraryFunction] => [
    name,
    onPlaces((host, places, _span, rest) => {
      const [first, rule] = rest;
      if (rule !== undefined && places.length > mostCalls) return undefined;
      // The sum is of the type that it begins as.
      const type = first && typeOfValue(first.value);
      return places.reduce<Value>((total, place) => {
        const next = element(host, place);
        const [a, b] = [{ value: total }, next];
        const made = rule ? host.apply(rule.value, [a, b]) : (callOperator(host, "+", [a, b]) ?? arithmetic("+", total, next.value));
        return convert(made, type);
      }, first?.value ?? int(0));
    }, untold),
  ]),
  [
    "transform",
    (host, args, call) => {
      const found = spanOf(host, args);
      const places = found && placesOf(found.span);
      const [to, rule] = found?.rest ?? [];
      if (
        !places ||
        to?.value.kind !== "pointer" ||
        to.value.target === undefined ||
        rule === undefined ||
        found.rest.length !== 2 ||
        places.length > mostCalls
      )
        return forget(host, args, call);
      const made = places.map((place) => host.apply(rule.value, [element(host, place)]));
      const target = spanOf(host, [to, { value: int(made.length) }]);
      const places2 = target && placesOf(target.span);
      if (!places2) return forget(host, args, call);
      rewrite(host, places2, made);
      return at(target.span, made.length);
    },
  ],
];
