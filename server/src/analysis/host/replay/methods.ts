/** Methods of lists and sets in replayed code. */

import type { Expression } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { lastName } from "../../sema/scope.ts";
import { beginsWithZeros } from "../memory/record-kinds.ts";
import { conversion, isWideUnsigned, type Known } from "./arithmetic.ts";
import { beforeBy, isOfPairs, known } from "./comparing.ts";
import { writeAppend } from "./compiled/elements.ts";
import { columnsOf, shorten, writeLength, writePopped } from "./compiled/lists.ts";
import { writeConversion } from "./compiled/numbers.ts";
import type { Writer } from "./compiled/writer.ts";
import { iteratorOf, numberLists, sourcesOf } from "./iterators.ts";
import { listOf } from "./list-targets.ts";
import { lengthOf } from "./lists.ts";
import {
  type AnyList,
  asDecision,
  type Code,
  compilable,
  GivenUp,
  type ListOfLists,
  type Machine,
  type NumberList,
  type NumberSet,
  type RecordList,
  type Run,
  spend,
  Unsupported,
} from "./machine.ts";
import { paired } from "./pairs.ts";
import { lastFirst, partsOf } from "./records.ts";

type Arguments = readonly Expression[];

/** @throws Unsupported */
export function methodCode(machine: Machine, list: AnyList, name: string, args: Arguments): Code {
  const [first] = args;
  switch (name) {
    case "size":
    case "length":
      return {
        type: "ulong",
        run: compilable(
          () => lengthOf(list),
          (w) => writeLength(w, list),
        ),
      };
    case "empty":
      return {
        type: "bool",
        run: compilable(
          () => Number(lengthOf(list) === 0),
          (w) => {
            writeLength(w, list);
            w.op("i64.eqz");
          },
        ),
      };
    case "reserve":
    case "shrink_to_fit":
      return done(first ? machine.code(first).run : () => 0);
    case "clear":
      return changes(
        machine,
        list,
        () => resize(list, 0),
        (w) => shorten(w, list, () => w.i64(0n)),
      );
    default:
  }
  switch (list.kind) {
    case "numbers":
      return numbersMethod(machine, list, name, args);
    case "records":
      return recordsMethod(machine, list, name, args);
    case "lists":
      return listsMethod(machine, list, name, args);
    case "set":
      return setMethod(machine, list, name, args);
  }
}

const done = (run: Run): Code => ({ type: "int", run });

/** Besides, of a method that changes a list. */
const operationsAChange = 3;

/** What makes a list longer or shorter, or exchanges its elements. @param write the same as instructions, which leave nothing */
function changes(machine: Machine, list: AnyList, run: () => unknown, write?: (w: Writer) => void): Code {
  machine.effects += 1;
  for (const source of sourcesOf(list)) {
    machine.random?.flow.stores(source);
    machine.random?.flow.grown.add(source);
  }
  const change = (): Known => {
    machine.left -= operationsAChange;
    spend(machine);
    run();
    return 0;
  };
  if (!write) return done(change);
  const changed = (w: Writer): void => {
    write(w);
    w.i32(0);
  };
  return done(compilable(change, changed));
}

function resize(list: AnyList, length: number): void {
  switch (list.kind) {
    case "numbers":
      list.list().resize(length, 0);
      break;
    case "records":
      for (const { list: field } of list.fields.values()) field().resize(length, 0);
      break;
    case "lists":
      list.rows().resize(length);
      break;
    case "set":
      if (length > 0) throw new GivenUp();
      list.set().clear();
  }
}

/** @throws GivenUp */
function count(value: Known): number {
  if (value === undefined || !(Number.isInteger(value) && value >= 0)) throw new GivenUp();
  return value;
}

function numbersMethod(machine: Machine, target: NumberList, name: string, args: Arguments): Code {
  const { list, type } = target;
  const [first, second] = args;
  const value = (e: Expression): Run => {
    const code = machine.code(e);
    const convert = conversion(code.type, type);
    const converted = (): Known => {
      const made = code.run();
      return made === undefined ? undefined : convert(made);
    };
    return compilable(converted, (w) => {
      w.write(code.run);
      writeConversion(w, code.type, type);
    });
  };
  switch (name) {
    case "push_back":
    case "emplace_back": {
      if (!first || second) throw new Unsupported();
      const run = value(first);
      return changes(
        machine,
        target,
        () => list().append(run()),
        (w) => {
          const [column] = columnsOf(target);
          w.write(run);
          if (column) writeAppend(w, column, type);
        },
      );
    }
    case "pop_back":
      return changes(
        machine,
        target,
        () => list().resize(list().length - 1, 0),
        (w) => writePopped(w, target),
      );
    case "resize": {
      if (!first) throw new Unsupported();
      const length = lengthCode(machine, first);
      const fill = second ? value(second) : () => 0;
      return changes(machine, target, () => {
        const to = count(length());
        machine.left -= Math.max(0, to - list().length);
        list().resize(to, fill());
      });
    }
    case "assign": {
      if (!first || !second) throw new Unsupported();
      const length = lengthCode(machine, first);
      const fill = value(second);
      return changes(machine, target, () => {
        const to = count(length());
        machine.left -= to;
        list().resize(0, 0);
        list().resize(to, fill());
      });
    }
    case "insert":
      return insertion(machine, target, args);
    case "erase":
      return withoutRepeats(machine, target, args);
    case "swap": {
      const other = first && listOf(machine, first, true);
      if (other?.kind !== "numbers" || second) throw new Unsupported();
      return exchange(machine, target, other);
    }
    default:
      throw new Unsupported();
  }
}

/** Each of two lists holds what the other held. */
export function exchange(machine: Machine, one: NumberList, other: NumberList): Code {
  if (one.type !== other.type) throw new Unsupported();
  for (const { source } of [one, other]) machine.random?.flow.readsList(source);
  changes(machine, other, () => undefined);
  return changes(machine, one, () => {
    const lists = [one, other].map(({ list }) => list());
    const held = lists.map((list) => Array.from({ length: list.length }, (_, k) => list.read(k)));
    machine.left -= (held[0]?.length ?? 0) + (held[1]?.length ?? 0);
    spend(machine);
    for (const [k, list] of lists.entries()) {
      const values = held[1 - k] ?? [];
      list.resize(values.length, 0);
      for (const [at, value] of values.entries()) list.write(at, value);
    }
  });
}

/** How long a list becomes: whatever it rests on decides what follows. */
const lengthCode = (machine: Machine, e: Expression): Run => asDecision(machine, () => machine.code(e)).run;

/** `v.insert(v.end(), first, last)`, `v.insert(v.end(), value)` */
function insertion(machine: Machine, target: NumberList, [at, first, last]: Arguments): Code {
  const { list } = target;
  if (!first || !isEnd(machine, at, target)) throw new Unsupported();
  if (!last) return numbersMethod(machine, target, "push_back", [first]);
  const [from, to] = asDecision(machine, () => [iteratorOf(machine, first), iteratorOf(machine, last)]);
  for (const source of sourcesOf(from.list)) machine.random?.flow.readsList(source);
  return changes(machine, target, () => {
    for (const value of valuesBetween(machine, from.list, from.at(), to.at())) list().append(value);
  });
}

/** Of an element that is copied from one list to another. */
const operationsACopy = 4;

/** Copied, so that a list may be put behind itself. @throws GivenUp */
export function valuesBetween(machine: Machine, list: AnyList, from: Known, to: Known): readonly Known[] {
  const [start, end] = [count(from), count(to)];
  if (end < start || end > lengthOf(list)) throw new GivenUp();
  machine.left -= (end - start) * operationsACopy;
  spend(machine);
  if (list.kind === "set") return inOrder(list);
  if (list.kind !== "numbers") throw new GivenUp();
  const found = list.list();
  return Array.from({ length: end - start }, (_, k) => found.read(start + k));
}

/** The numbers of a set, in the order in which it is gone through. */
export function inOrder({ set }: NumberSet): readonly number[] {
  return [...set()].sort((a, b) => a - b);
}

function isEnd(machine: Machine, written: Expression | undefined, target: AnyList): boolean {
  const e = written && withoutParentheses(written);
  if (e?.kind !== "call" || e.callee.kind !== "member" || !/^c?end$/.test(lastName(e.callee.name))) return false;
  const list = listOf(machine, e.callee.base, true);
  return list?.kind === target.kind && sourcesOf(list)[0] === sourcesOf(target)[0];
}

/** `v.erase(std::unique(v.begin(), v.end()), v.end())`, with a rule or without */
function withoutRepeats(machine: Machine, target: NumberList | RecordList, [written, end]: Arguments): Code {
  const e = written && withoutParentheses(written);
  if (e?.kind !== "call" || e.callee.kind !== "name" || lastName(e.callee.name) !== "unique" || e.arguments.length > 3)
    throw new Unsupported();
  const [first, last, rule] = e.arguments;
  if (!first || !isEnd(machine, end, target) || !isEnd(machine, last, target)) throw new Unsupported();
  const isSame = rule ? asDecision(machine, () => beforeBy(machine, target, rule)) : undefined;
  // A class may say itself what is the same.
  if (!isSame && target.kind === "records" && !isOfPairs(target)) throw new Unsupported();
  const from = asDecision(machine, () => {
    for (const source of sourcesOf(target)) machine.random?.flow.readsList(source);
    return iteratorOf(machine, first);
  });
  return changes(machine, target, () => {
    const lists = numberLists(target);
    const length = lengthOf(target);
    const start = count(from.at());
    let kept = start;
    let last = start;
    machine.left -= length;
    const bySame = isSame?.(lists.map((list) => Array.from({ length }, (_, k) => known(list.read(k)))));
    const repeats = bySame ?? ((_: number, k: number) => lists.every((list) => list.read(k) === list.read(kept - 1)));
    for (let k = start; k < length; k++) {
      if (k > start && repeats(last, k)) continue;
      last = k;
      for (const list of lists) list.write(kept, list.read(k));
      kept++;
    }
    resize(target, kept);
  });
}

function recordsMethod(machine: Machine, target: RecordList, name: string, args: Arguments): Code {
  const names = [...target.fields.keys()];
  const [first] = args;
  switch (name) {
    case "push_back":
    case "emplace_back": {
      if (!first) throw new Unsupported();
      const parts =
        name === "emplace_back" && args.length === names.length
          ? partsOf(machine, { kind: "list", start: 0, end: 0, elements: args.map((value) => ({ value })) }, names, target.type, true)
          : partsOf(machine, first, names, target.type);
      const runs = [...target.fields.values()].map(({ list, type }, k) => {
        const part = parts[k];
        if (!part) throw new Unsupported();
        return { list, run: part.run, from: part.type, type, convert: conversion(part.type, type) };
      });
      const write = (w: Writer): void => {
        const columns = columnsOf(target);
        // All are found before one is added: they may be of the list itself.
        const values = runs.map(({ run, from, type }) => {
          const local = w.valueLocal(type);
          w.write(run);
          writeConversion(w, from, type);
          w.set(local);
          return { local, type };
        });
        for (const [k, { local, type }] of values.entries()) {
          const column = columns[k];
          w.get(local);
          if (column) writeAppend(w, column, type);
        }
      };
      const run = (): void => {
        const values = runs.map(({ run }) => run());
        for (const [k, { list, convert }] of runs.entries()) {
          const value = values[k];
          list().append(value === undefined ? undefined : convert(value));
        }
      };
      return changes(machine, target, run, write);
    }
    case "pop_back":
      return changes(
        machine,
        target,
        () => resize(target, count(lengthOf(target) - 1)),
        (w) => writePopped(w, target),
      );
    case "resize": {
      if (!first || args.length > 1 || target.type?.kind !== "record" || !beginsWithZeros(machine.host, target.type.record))
        throw new Unsupported();
      const length = lengthCode(machine, first);
      return changes(machine, target, () => resize(target, count(length())));
    }
    case "erase":
      return withoutRepeats(machine, target, args);
    default:
      throw new Unsupported();
  }
}

function listsMethod(machine: Machine, target: ListOfLists, name: string, args: Arguments): Code {
  const [first] = args;
  switch (name) {
    case "resize": {
      if (!first || args.length > 1) throw new Unsupported();
      const length = lengthCode(machine, first);
      return changes(machine, target, () => target.rows().resize(count(length())));
    }
    case "push_back":
    case "emplace_back": {
      const isEmpty = !first || (first.kind === "list" && first.elements.length === 0);
      const from = isEmpty ? undefined : listOf(machine, first, true);
      if (!isEmpty && from?.kind !== "numbers") throw new Unsupported();
      if (from?.kind === "numbers") machine.random?.flow.readsList(from.source);
      return changes(machine, target, () => {
        const rows = target.rows();
        const values = from ? valuesBetween(machine, from, 0, lengthOf(from)) : [];
        rows.resize(rows.length + 1);
        const row = rows.row(rows.length - 1);
        for (const value of values) row.append(value);
      });
    }
    default:
      throw new Unsupported();
  }
}

/** What an argument is in a set. */
function keyOf(machine: Machine, { type, pair }: NumberSet, args: Arguments): () => number {
  const [first, second] = args;
  if (!first || (second && !pair)) throw new Unsupported();
  const types = pair ? pair.map(([, member]) => member) : [type];
  const codes = second
    ? lastFirst(args.map((each) => machine.code(each)))
    : pair
      ? partsOf(
          machine,
          first,
          pair.map(([name]) => name),
        )
      : [machine.code(first)];
  const values = codes.map(({ type: from, run }, k): Run => {
    const convert = conversion(from, types[k] ?? type);
    return () => {
      const value = run();
      return value === undefined ? undefined : convert(value);
    };
  });
  const [one, other] = values;
  return () => {
    if (pair) return paired(one?.(), other?.());
    const made = one?.();
    // A set of ours has no negative zero.
    if (typeof made !== "number" || Object.is(made, -0) || Number.isNaN(made) || (made < 0 && isWideUnsigned(type))) throw new GivenUp();
    return made;
  };
}

function setMethod(machine: Machine, target: NumberSet, name: string, args: Arguments): Code {
  const { set, source } = target;
  const isChange = name !== "count" && name !== "contains";
  const key = isChange ? asDecision(machine, () => keyOf(machine, target, args)) : keyOf(machine, target, args);
  switch (name) {
    case "insert":
    case "emplace":
      return changes(machine, target, () => set().add(key()));
    case "erase":
      return changes(machine, target, () => set().delete(key()));
    case "count":
    case "contains":
      machine.random?.flow.readsList(source);
      return {
        type: "int",
        run: () => {
          spend(machine);
          return Number(set().has(key()));
        },
      };
    default:
      throw new Unsupported();
  }
}
