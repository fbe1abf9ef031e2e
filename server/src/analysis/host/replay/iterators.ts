/** Iterators and ranges that replayed code gives to algorithms. */

import type { Expression } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { lastName } from "../../sema/scope.ts";
import { listOf } from "./list-targets.ts";
import { type List, lengthOf } from "./lists.ts";
import { type AnyList, GivenUp, type Machine, type NumberList, type RecordList, type Run, spend, Unsupported } from "./machine.ts";
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
    if (list) return { list, at: /begin$/.test(name) ? () => 0 : () => lengthOf(list) };
  }
  if (e.kind === "binary" && (e.op === "+" || e.op === "-")) {
    const from = iteratorOf(machine, e.left);
    const by = narrowed(machine.code(e.right).run);
    const sign = e.op === "+" ? 1 : -1;
    return {
      list: from.list,
      at: () => {
        const [base, steps] = [from.at(), by()];
        return base === undefined || steps === undefined ? undefined : base + sign * steps;
      },
    };
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
}

export function spanOf(machine: Machine, [first, last]: readonly Expression[]): Span {
  if (!first || !last) throw new Unsupported();
  const [from, to] = [iteratorOf(machine, first), iteratorOf(machine, last)];
  if (from.list.kind !== to.list.kind || sourcesOf(from.list)[0] !== sourcesOf(to.list)[0]) throw new Unsupported();
  return {
    list: from.list,
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
