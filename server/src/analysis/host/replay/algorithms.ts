/** Algorithms of the standard library on ranges of lists and arrays, in replayed code. */

import type { Expression } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { commonName } from "../../sema/arithmetic-types.ts";
import { lastName } from "../../sema/scope.ts";
import { shuffleSwaps } from "../library/distributions.ts";
import { sortAsLibrary } from "../library/sorting.ts";
import { conversion, type NumberName, type Operation, operation } from "./arithmetic.ts";
import { drawerAt, lambdaAt, ownLambda } from "./called.ts";
import { beforeBy, byMembers, known, mayBeCompared } from "./comparing.ts";
import { columnsOf } from "./compiled/lists.ts";
import type { Writer } from "./compiled/writer.ts";
import { drawn, libraryDraw } from "./draws.ts";
import { iteratorOf, numberLists, readSpan, type Span, sourcesOf, spanOf } from "./iterators.ts";
import { listOf } from "./list-targets.ts";
import { type Code, compilable, GivenUp, type Machine, spend, Unsupported } from "./machine.ts";
import { exchange, methodCode } from "./methods.ts";
import { foundOnce } from "./settled.ts";
import { isSortable, sortInPlace } from "./sorted.ts";
import { loadOf, storeTo, targetOf } from "./targets.ts";
import { narrowed } from "./wide.ts";

function stored(machine: Machine, { list }: Span): void {
  machine.effects += 1;
  for (const source of sourcesOf(list)) machine.random?.flow.stores(source);
}

const nothing = (run: () => void): Code => ({
  type: "int",
  run: () => {
    run();
    return 0;
  },
});

/** Undefined for names that are none of these. @throws Unsupported */
export function algorithmCode(machine: Machine, name: string, args: readonly Expression[]): Code | undefined {
  const made = algorithm(machine, name, args);
  if (made && machine.random) machine.random.flow.isSpecial = true;
  return made;
}

function algorithm(machine: Machine, name: string, args: readonly Expression[]): Code | undefined {
  switch (name) {
    case "sort":
    case "stable_sort":
      return sorting(machine, args, name === "stable_sort");
    case "shuffle":
      return shuffling(machine, args);
    case "reverse":
      return exchanging(machine, args, (a, b, swap) => {
        for (let [lo, hi] = [a, b - 1]; lo < hi; lo++, hi--) swap(lo, hi);
      });
    case "fill":
    case "iota":
      return filling(machine, args, name === "iota");
    case "generate":
      return generating(machine, args);
    case "partial_sum":
    case "inclusive_scan":
    case "exclusive_scan":
      return scanning(machine, args, name === "exclusive_scan");
    case "accumulate":
      return summing(machine, args);
    case "swap":
      return swapping(machine, args);
    case "lower_bound":
    case "upper_bound":
      throw new Unsupported();
    default:
      return undefined;
  }
}

/** `std::find(first, last, value) == last`, `s.find(value) == s.end()`: whether it is not there. @throws Unsupported */
export function searchResult(machine: Machine, written: Expression, end: Expression): Code | undefined {
  const e = withoutParentheses(written);
  if (!machine.random || e.kind !== "call") return undefined;
  const { callee } = e;
  const [first, last, wanted] = e.arguments;
  if (callee.kind === "member" && lastName(callee.name) === "find" && first && !last) {
    const set = listOf(machine, callee.base, true);
    if (set?.kind !== "set" || sourcesOf(iteratorOf(machine, end).list)[0] !== set.source) return undefined;
    const found = methodCode(machine, set, "count", [first]);
    return { type: "bool", run: () => 1 - (found.run() ?? 0) };
  }
  if (callee.kind !== "name" || lastName(callee.name) !== "find" || !first || !last || !wanted) return undefined;
  const span = readSpan(machine, spanOf(machine, e.arguments));
  const { list } = span;
  if (list.kind !== "numbers" || sourcesOf(iteratorOf(machine, end).list)[0] !== list.source) return undefined;
  const value = machine.code(wanted).run;
  return {
    type: "bool",
    run: () => {
      const [from, to] = span.bounds();
      const key = known(narrowed(value)());
      const found = list.list();
      for (let k = from; k < to; k++) if (known(found.read(k)) === key) return 0;
      return 1;
    },
  };
}

/** `std::lower_bound(first, last, value) - first`: the index, from where the list begins. @throws Unsupported */
export function searchIndex(machine: Machine, written: Expression, from: Expression): Code | undefined {
  const e = withoutParentheses(written);
  const name = e.kind === "call" && e.callee.kind === "name" ? lastName(e.callee.name) : "";
  if (e.kind !== "call" || !machine.random || !/^(lower|upper)_bound$/.test(name) || e.arguments.length !== 3) return undefined;
  const span = readSpan(machine, spanOf(machine, e.arguments));
  const base = iteratorOf(machine, from);
  const { list } = span;
  const [, , wanted] = e.arguments;
  if (list.kind !== "numbers" || base.list.kind !== "numbers" || base.list.source !== list.source || !wanted) throw new Unsupported();
  const value = machine.code(wanted).run;
  const isBefore = name === "lower_bound" ? (a: number, b: number) => a < b : (a: number, b: number) => a <= b;
  return {
    type: "long",
    run: () => {
      const start = base.at();
      const before = machine.left;
      let [lo, hi] = span.bounds();
      machine.left = before;
      const key = narrowed(value)();
      const found = list.list();
      if (key === undefined || start === undefined) throw new GivenUp();
      while (lo < hi) {
        spend(machine);
        const middle = (lo + hi) >> 1;
        const element = found.read(middle);
        if (element === undefined) throw new GivenUp();
        if (isBefore(element, key)) lo = middle + 1;
        else hi = middle;
      }
      return lo - start;
    },
  };
}

function swapping(machine: Machine, [a, b]: readonly Expression[]): Code {
  const [one, other] = [a, b].map((each) => (each && machine.random ? listOf(machine, each, true) : undefined));
  if (one?.kind === "numbers" && other?.kind === "numbers") return exchange(machine, one, other);
  if (!a || !b) throw new Unsupported();
  // Arguments are found the last first, and once.
  const right = foundOnce(machine, () => targetOf(machine, b, machine.code));
  const left = foundOnce(machine, () => targetOf(machine, a, machine.code));
  const [first, second] = [loadOf(machine, left.target), loadOf(machine, right.target)];
  const [toLeft, toRight] = [storeTo(machine, left.target, second), storeTo(machine, right.target, first)];
  const { type, run } = nothing(() => {
    right.begin();
    left.begin();
    const [x, y] = [first.run(), second.run()];
    toLeft(y);
    toRight(x);
  });
  const write = (w: Writer): void => {
    w.write(right.begin);
    w.write(left.begin);
    const before = w.valueLocal(first.type);
    w.write(first.run);
    w.set(before);
    w.write(second.run);
    w.write(toLeft);
    w.op("drop");
    w.get(before);
    w.write(toRight);
    w.op("drop");
    w.i32(0);
  };
  return { type, run: compilable(run, write) };
}

function filling(machine: Machine, args: readonly Expression[], counts: boolean): Code {
  const span = spanOf(machine, args);
  const { list } = span;
  const [, , written] = args;
  if (list.kind !== "numbers" || !written) throw new Unsupported();
  const value = machine.code(written);
  const convert = conversion(value.type, list.type);
  const next = adding(value.type, "int");
  stored(machine, span);
  return nothing(() => {
    const [from, to] = span.bounds();
    const made = narrowed(value.run)();
    const found = list.list();
    let now = made;
    for (let k = from; k < to; k++) {
      found.write(k, now === undefined ? undefined : convert(now));
      if (counts) now = now === undefined ? undefined : next(now, 1);
    }
  });
}

function generating(machine: Machine, args: readonly Expression[]): Code {
  const span = spanOf(machine, args);
  const { list } = span;
  const [, , written] = args;
  const e = written && withoutParentheses(written);
  const own = e?.kind === "lambda" ? ownLambda(machine, e) : undefined;
  const call = own?.kind === "lambda" ? own.call : e && lambdaAt(machine, e);
  const value = call ? call([]) : e?.kind === "name" ? libraryDraw(machine, lastName(e.name), []) : undefined;
  if (list.kind !== "numbers" || !value) throw new Unsupported();
  const convert = conversion(value.type, list.type);
  stored(machine, span);
  return nothing(() => {
    const [from, to] = span.bounds();
    const found = list.list();
    for (let k = from; k < to; k++) {
      const made = value.run();
      found.write(k, made === undefined ? undefined : convert(made));
    }
  });
}

/** `sum + element`, as a number of the sum's type. @throws Unsupported */
function adding(sum: NumberName, element: NumberName): Operation {
  const type = commonName(sum, element);
  const [first, second, back, add] = [conversion(sum, type), conversion(element, type), conversion(type, sum), operation("+", type)];
  if (!add) throw new Unsupported();
  return (a, b) => {
    const [left, right] = [first(a), second(b)];
    const made = left === undefined || right === undefined ? undefined : add(left, right);
    return made === undefined ? undefined : back(made);
  };
}

function summing(machine: Machine, args: readonly Expression[]): Code {
  const span = readSpan(machine, spanOf(machine, args));
  const { list } = span;
  const [, , written, more] = args;
  if (list.kind !== "numbers" || !written || more) throw new Unsupported();
  const initial = machine.code(written);
  const add = adding(initial.type, list.type);
  return {
    type: initial.type,
    run: () => {
      const [from, to] = span.bounds();
      const found = list.list();
      let sum = narrowed(initial.run)();
      for (let k = from; k < to && sum !== undefined; k++) {
        const value = found.read(k);
        sum = value === undefined ? undefined : add(sum, value);
      }
      return sum;
    },
  };
}

/** Sums of all elements up to each, without it where it is `exclusive`. */
function scanning(machine: Machine, args: readonly Expression[], exclusive: boolean): Code {
  const span = spanOf(machine, args);
  const { list } = readSpan(machine, span);
  const [, , written, initial, more] = args;
  const to = written && iteratorOf(machine, written);
  if (list.kind !== "numbers" || to?.list.kind !== "numbers" || more || exclusive !== (initial !== undefined)) throw new Unsupported();
  const start = initial && machine.code(initial);
  const type = start?.type ?? list.type;
  const add = adding(type, list.type);
  const store = conversion(type, to.list.type);
  const target = to.list;
  stored(machine, { ...span, list: target });
  return nothing(() => {
    const [from, end] = span.bounds();
    const place = to.at();
    const [source, sums] = [list.list(), target.list()];
    if (place === undefined || !(place >= 0 && place + end - from <= sums.length)) throw new GivenUp();
    let sum = start ? narrowed(start.run)() : 0;
    for (let k = from; k < end; k++) {
      const next = source.read(k);
      const before = sum;
      sum = sum === undefined || next === undefined ? undefined : add(sum, next);
      const value = exclusive ? before : sum;
      sums.write(place + k - from, value === undefined ? undefined : store(value));
    }
  });
}

function exchanging(
  machine: Machine,
  args: readonly Expression[],
  exchange: (from: number, to: number, swap: (a: number, b: number) => void) => void,
): Code {
  const span = readSpan(machine, spanOf(machine, args));
  const { list } = span;
  if (list.kind !== "numbers" && list.kind !== "records") throw new Unsupported();
  stored(machine, span);
  return nothing(() => {
    const [from, to] = span.bounds();
    const lists = numberLists(list);
    exchange(from, to, (a, b) => {
      for (const each of lists) {
        const value = each.read(a);
        each.write(a, each.read(b));
        each.write(b, value);
      }
    });
  });
}

function shuffling(machine: Machine, args: readonly Expression[]): Code {
  const [, , written] = args;
  const engine = written && drawerAt(machine, written);
  if (engine?.kind !== "engine") throw new Unsupported();
  const { run } = exchanging(machine, args, (from, to, swap) => {
    shuffleSwaps(engine.source(), to - from, (a, b) => swap(from + a, from + b));
  });
  return drawn(machine, engine, "int", run);
}

// ---------------------------------------------------------------- sorting

/** Of a sort: n times the logarithm of n. */
const operationsAComparison = 0.5;
const operationsASimpleComparison = 0.1;

function sorting(machine: Machine, args: readonly Expression[], isStable: boolean): Code {
  const span = readSpan(machine, spanOf(machine, args));
  const { list } = span;
  const [, , rule] = args;
  if (list.kind !== "numbers" && list.kind !== "records") throw new Unsupported();
  const before = rule ? beforeBy(machine, list, rule) : undefined;
  if (!before) mayBeCompared(list);
  stored(machine, span);
  const types = list.kind === "numbers" ? [list.type] : [...list.fields.values()].map(({ type }) => type);
  const isSimple = !before && isSortable(types);
  const { type, run } = nothing(() => {
    const [from, to] = span.bounds();
    const lists = numberLists(list);
    machine.left -= Math.ceil((to - from) * Math.log2(to - from + 2) * (isSimple ? operationsASimpleComparison : operationsAComparison));
    spend(machine);
    if (isSimple) {
      const numbers = lists.map((each, k) => ({
        type: types[k] ?? "double",
        values: Float64Array.from({ length: to - from }, (_, at) => known(each.read(from + at))),
      }));
      if (!sortInPlace(numbers)) throw new GivenUp();
      for (const [k, each] of lists.entries()) for (let at = from; at < to; at++) each.write(at, numbers[k]?.values[at - from]);
      return;
    }
    const columns = lists.map((each) => Array.from({ length: to - from }, (_, k) => known(each.read(from + k))));
    const order = Array.from({ length: to - from }, (_, k) => k);
    const compare = before?.(columns) ?? byMembers(columns);
    if (isStable || !before) order.sort((a, b) => (compare(a, b) ? -1 : compare(b, a) ? 1 : a - b));
    else if (!sortAsLibrary(order, compare)) throw new GivenUp();
    for (const [k, each] of lists.entries()) for (const [place, index] of order.entries()) each.write(from + place, columns[k]?.[index]);
  });
  if (!isSimple) return { type, run };
  const write = (w: Writer): void => {
    const columns = columnsOf(list);
    span.write(w);
    w.sort(columns);
    w.i32(0);
  };
  return { type, run: compilable(run, write) };
}
