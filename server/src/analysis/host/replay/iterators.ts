/** Iterators and ranges that replayed code gives to algorithms. */

import type { Expression } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { lastName } from "../../sema/scope.ts";
import type { Known } from "./arithmetic.ts";
import { writeLength } from "./compiled/lists.ts";
import { writeConversion } from "./compiled/numbers.ts";
import type { Writer } from "./compiled/writer.ts";
import { listOf } from "./list-targets.ts";
import { type List, lengthOf } from "./lists.ts";
import {
  type AnyList,
  compilable,
  GivenUp,
  type Machine,
  type NumberList,
  type RecordList,
  type Run,
  spend,
  Unsupported,
} from "./machine.ts";
import { columnFor, numberType } from "./numbers.ts";
import { arrayOf } from "./targets.ts";
import { narrowed } from "./wide.ts";

export const sourcesOf = (list: AnyList): readonly unknown[] =>
  list.kind === "records" ? [...list.fields.values()].map(({ source }) => source) : [list.source];

export const numberLists = (list: NumberList | RecordList): readonly List[] =>
  list.kind === "numbers" ? [list.list()] : [...list.fields.values()].map((field) => field.list());

export interface Iterator {
  readonly list: AnyList;
  readonly at: Run;
}

/** `v.begin()`, `v.end() - 1`, `p + n` @throws Unsupported */
export function iteratorOf(machine: Machine, written: Expression): Iterator {
  const e = withoutParentheses(written);
  if (e.kind === "call" && e.callee.kind === "member" && e.arguments.length === 0) {
    const name = lastName(e.callee.name);
    const list = /^c?(begin|end)$/.test(name) ? listOf(machine, e.callee.base, true) : undefined;
    if (list) {
      const isBegin = /begin$/.test(name);
      const at = compilable(
        () => (isBegin ? 0 : lengthOf(list)),
        (w) => (isBegin ? w.i64(0n) : writeLength(w, list)),
      );
      return { list, at };
    }
  }
  if (e.kind === "binary" && (e.op === "+" || e.op === "-")) {
    const from = iteratorOf(machine, e.left);
    const { type, run } = machine.code(e.right);
    const by = narrowed(run);
    const sign = e.op === "+" ? 1 : -1;
    const at = compilable(
      (): Known => {
        const [base, steps] = [from.at(), by()];
        return base === undefined || steps === undefined ? undefined : base + sign * steps;
      },
      (w) => {
        w.write(from.at);
        w.write(run);
        writeConversion(w, type, "long");
        w.op(e.op === "+" ? "i64.add" : "i64.sub");
      },
    );
    return { list: from.list, at };
  }
  const { allocation, offset, type } = arrayOf(machine, e, machine.code);
  const number = numberType(type);
  if (number === undefined) throw new Unsupported();
  const column = columnFor(machine, allocation, type);
  const at: Run = () => {
    const from = offset();
    return from === undefined ? undefined : from / column.elementBytes;
  };
  return { list: { kind: "numbers", list: () => column, type: number, source: column }, at };
}

/** An array of the host, where it is gone through as a whole. */
export function arrayRange(machine: Machine, e: Expression): AnyList | undefined {
  const { allocation, type } = arrayOf(machine, e, machine.code);
  const number = numberType(type);
  if (number === undefined) return undefined;
  const column = columnFor(machine, allocation, type);
  return { kind: "numbers", list: () => column, column, type: number, source: column };
}

export interface Span {
  readonly list: AnyList;
  /** @throws GivenUp */
  readonly bounds: () => readonly [number, number];
  /** Leaves the same on the stack, with 64 bits each. @throws NotCompiled */
  readonly write: (w: Writer) => void;
}

export function spanOf(machine: Machine, [first, last]: readonly Expression[]): Span {
  if (!first || !last) throw new Unsupported();
  const [from, to] = [iteratorOf(machine, first), iteratorOf(machine, last)];
  if (from.list.kind !== to.list.kind || sourcesOf(from.list)[0] !== sourcesOf(to.list)[0]) throw new Unsupported();
  return {
    list: from.list,
    write: (w) => {
      w.write(from.at);
      w.write(to.at);
    },
    bounds: () => {
      const [start, end] = [from.at(), to.at()];
      if (start === undefined || end === undefined || !(start >= 0 && end >= start && end <= lengthOf(from.list))) throw new GivenUp();
      machine.left -= end - start;
      spend(machine);
      return [start, end];
    },
  };
}

export function readSpan(machine: Machine, span: Span): Span {
  for (const source of sourcesOf(span.list)) machine.random?.flow.readsList(source);
  return span;
}
