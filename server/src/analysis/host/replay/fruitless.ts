/**
 * Loops that leave nothing known, as most that hold what a device has computed against what the host has: a count of differences is not
 * known from the first one on that is not, whatever comes later. Going through the rest of their turns tells nothing.
 */

import type { Expression, Statement } from "../../../syntax/ast.ts";
import { termsOf, withoutParentheses } from "../../../syntax/terms.ts";
import { lastName } from "../../sema/scope.ts";
import { mathFunctions } from "../library/math.ts";
import { lookUpLocal } from "../memory/interpreter.ts";
import type { Column } from "./columns.ts";
import type { Machine } from "./machine.ts";

/** Whether what is assigned is known only where what stood there is, as in `bad = max(bad, x)`, or never. */
function isUnknownOnce(machine: Machine, { left, right }: Machine["assigned"][number]): boolean {
  const name = nameOf(left);
  return isStrict(machine, right, (e) => (name !== undefined && nameOf(e) === name) || isNeverKnown(machine, e));
}

/** An element of an array of which nothing is known, as when it was copied from the device, and that the loop does not store to. */
function isNeverKnown({ loads, storedColumns, effects, followed }: Machine, e: Expression): boolean {
  const column = loads.get(e);
  return column !== undefined && effects === followed && !storedColumns.has(column) && column.isNeverKnown;
}

/** Whether an expression is not known where part of it is not. */
function isStrict(machine: Machine, written: Expression, isPart: (e: Expression) => boolean): boolean {
  const { semantics, globals, frame } = machine.host;
  const e = semantics.clarify(withoutParentheses(written));
  const isIn = (inner: Expression): boolean => isStrict(machine, inner, isPart);
  if (isPart(e)) return true;
  switch (e.kind) {
    case "unary":
      return /^[-+~!]$/.test(e.op) && isIn(e.operand);
    case "binary":
      return termsOf(e, (op) => !/^(&&|\|\||,)$/.test(op)).some((term) => term !== e && isIn(term));
    case "conditional":
      return isIn(e.condition);
    case "cast":
      return e.operands.some(isIn);
    case "call": {
      const name = e.callee.kind === "name" ? e.callee.name : undefined;
      const isLibrary = name && mathFunctions.has(lastName(name)) && !lookUpLocal(machine.host, lastName(name));
      return isLibrary === true && globals.functions(name, frame.path).length === 0 && e.arguments.some(isIn);
    }
    default:
      return false;
  }
}

function nameOf(written: Expression): string | undefined {
  const e = withoutParentheses(written);
  return e.kind === "name" && e.name.parts.length === 1 ? lastName(e.name) : undefined;
}

/** Turns that are a power of two: asking costs nothing then, however many there are. */
const isLookedAt = (turn: number): boolean => turn > 0 && (turn & (turn - 1)) === 0;

/** Tells before turns of a loop, once code is made of it, whether nothing that it leaves will be known. */
export function fruitless(machine: Machine, statement: Statement): (turn: number) => boolean {
  const { host, cells, stored, slots, storedColumns, random } = machine;
  const renewed = new Set([...machine.renewed, ...machine.assigned.flatMap((each) => (isUnknownOnce(machine, each) ? [] : [each.to]))]);
  const own = ownVariables(statement).map((name) => lookUpLocal(host, name));
  const left = [...cells].flatMap(([cell, { index }]) => (stored.has(index) && !own.includes(cell) ? [index] : []));
  const isLost = (index: number): boolean => !renewed.has(index) && slots[index] === undefined;
  const isUnknown = (column: Column): boolean => !renewed.has(column) && !column.isKnown;
  const isFollowed = machine.effects === machine.followed;
  const arrays = isFollowed ? [...storedColumns] : [];
  // A loop that is gone through as a whole is of use only where all that it leaves is known.
  if (random) return (turn) => isLookedAt(turn) && (left.some(isLost) || arrays.some(isUnknown));
  if (!isFollowed || left.length + arrays.length === 0) return () => false;
  return (turn) => isLookedAt(turn) && left.every(isLost) && arrays.every(isUnknown);
}

/** What nobody names any more when the loop is behind. */
function ownVariables(s: Statement): readonly string[] {
  const declarations = s.kind === "for" && s.init?.kind === "declaration" ? s.init.declarations : [];
  return declarations.flatMap((declaration) => (declaration.kind === "variable" ? [lastName(declaration.name)] : []));
}
