/** What rules say of two elements of a list, in replayed code. */

import type { Expression } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { lastName } from "../../sema/scope.ts";
import type { Known } from "./arithmetic.ts";
import { lambdaAt, ownLambda } from "./called.ts";
import { type AnyList, GivenUp, type Machine, newSlot, type RecordList, type Target, Unsupported } from "./machine.ts";

export type Before = (a: number, b: number) => boolean;

/** Pairs, which are compared one member after the other. */
export const isOfPairs = ({ fields }: RecordList): boolean => [...fields.keys()].join() === "first,second";

/** @throws GivenUp */
export function known(value: Known): number {
  if (typeof value !== "number" || Number.isNaN(value)) throw new GivenUp();
  return value;
}

/** Numbers and pairs, which the language compares: a class may say itself what is less. @throws Unsupported */
export function mayBeCompared(list: AnyList): void {
  if (list.kind === "records" && !isOfPairs(list)) throw new Unsupported();
}

/** One member after the other, as `std::pair` has it. */
export const byMembers =
  (columns: readonly (readonly number[])[]): Before =>
  (a, b) => {
    for (const column of columns) {
      const [x = 0, y = 0] = [column[a], column[b]];
      if (x !== y) return x < y;
    }
    return false;
  };

/** A comparison of two elements by their index among some, or what else a rule says of two. @throws Unsupported */
export function beforeBy(machine: Machine, list: AnyList, rule: Expression): (columns: readonly (readonly number[])[]) => Before {
  const e = withoutParentheses(rule);
  if (e.kind === "call" && e.callee.kind === "name" && /^(greater|less)$/.test(lastName(e.callee.name))) {
    const isLess = lastName(e.callee.name) === "less";
    mayBeCompared(list);
    return (columns) => {
      const compare = byMembers(columns);
      return isLess ? compare : (a, b) => compare(b, a);
    };
  }
  const own = e.kind === "lambda" ? ownLambda(machine, e) : undefined;
  const call = own?.kind === "lambda" ? own.call : lambdaAt(machine, e);
  if (!call) throw new Unsupported();
  const sides = ["first of two", "second of two"].map((name) => ({ name, ...element(machine, list) }));
  machine.scopes.push(new Map(sides.map(({ name, target }) => [name, target] as const)));
  const code = call(
    sides.map(({ name }) => ({ kind: "name", start: 0, end: 0, name: { start: 0, end: 0, global: false, parts: [{ text: name }] } })),
  );
  machine.scopes.pop();
  return (columns) => (a, b) => {
    sides[0]?.set(columns, a);
    sides[1]?.set(columns, b);
    return known(code.run()) !== 0;
  };
}

/** An element of a list in slots of its own. */
function element(
  machine: Machine,
  list: AnyList,
): { readonly target: Target; readonly set: (columns: readonly (readonly number[])[], index: number) => void } {
  const fields = list.kind === "records" ? [...list.fields] : list.kind === "numbers" ? [["", list] as const] : [];
  const slots = fields.map(([name, { type }]) => [name, newSlot(machine, type)] as const);
  const [first] = slots;
  if (!first) throw new Unsupported();
  return {
    target:
      list.kind === "numbers"
        ? first[1]
        : { kind: "record", type: list.kind === "records" ? list.type : undefined, members: new Map(slots) },
    set: (columns, index) => {
      for (const [k, [, { index: slot }]] of slots.entries()) machine.slots[slot] = columns[k]?.[index];
    },
  };
}
