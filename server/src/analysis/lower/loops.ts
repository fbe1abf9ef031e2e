/** Loops. */
import type { Block, Op } from "@warplens/sim-engine";
import type { Condition, Expression, Statement, Unroll } from "../../syntax/ast.ts";
import { elementOf } from "../sema/ranges.ts";
import { lastName } from "../sema/scope.ts";
import { arrayOf, decay, isClass, pointerTo } from "../sema/type-tools.ts";
import type { Type } from "../sema/types.ts";
import { binary } from "./emit/arithmetic.ts";
import type { Lowering, Place } from "./emit/lowering.ts";
import { copy, load, spaceOf, store } from "./emit/memory.ts";
import { truth } from "./emit/scalars.ts";

/** A condition, or a variable declared in place of one. */
export function branchCondition(lowering: Lowering, condition: Condition, whenTrue: Block, whenFalse: Block): void {
  if (condition.kind !== "variable") {
    lowering.branch(condition, whenTrue, whenFalse);
    return;
  }
  lowering.declare(condition);
  const place = lowering.frame.variables.get(condition) as Place | undefined;
  if (!place || isClass(place.type)) lowering.fail("a declared condition that is no number", condition);
  lowering.builder.branch(truth(lowering, load(lowering, { ...place, node: condition })), whenTrue, whenFalse);
}

/** What `#pragma unroll` says of a loop, for its header. */
function setUnroll(lowering: Lowering, header: Block, unroll: Unroll | undefined): void {
  if (unroll === undefined) return;
  if (unroll === "full") {
    header.unroll = "full";
    return;
  }
  const count = lowering.context.constant(unroll, lowering.frame.substitution);
  if (count !== undefined && Number(count) >= 1) header.unroll = Number(count);
}

export function loop(
  lowering: Lowering,
  statement: { readonly unroll?: Unroll },
  condition: Condition | undefined,
  step: Expression | undefined,
  body: Statement,
): void {
  const { builder, frame } = lowering;
  const header = builder.newBlock();
  const inside = builder.newBlock();
  const next = step ? builder.newBlock() : header;
  const after = builder.newBlock();
  setUnroll(lowering, header, statement.unroll);
  builder.jump(header);
  builder.block = header;
  if (condition) branchCondition(lowering, condition, inside, after);
  else builder.jump(inside);
  builder.block = inside;
  frame.breaks.push(after);
  frame.continues.push(next);
  lowering.statement(body);
  frame.breaks.pop();
  frame.continues.pop();
  builder.jump(next);
  if (step) {
    builder.block = next;
    lowering.effect(step);
    builder.jump(header);
  }
  builder.block = after;
}

export function lowerDo(lowering: Lowering, statement: Statement & { kind: "do" }): void {
  const { builder, frame } = lowering;
  const [body, test, after] = [builder.newBlock(), builder.newBlock(), builder.newBlock()];
  setUnroll(lowering, body, statement.unroll);
  builder.jump(body);
  builder.block = body;
  frame.breaks.push(after);
  frame.continues.push(test);
  lowering.statement(statement.body);
  frame.breaks.pop();
  frame.continues.pop();
  builder.jump(test);
  builder.block = test;
  lowering.branch(statement.condition, body, after);
  builder.block = after;
}

/** Over an array by index, or from a record's `begin()` to its `end()` where those are pointers. */
export function lowerRangeFor(lowering: Lowering, statement: Statement & { kind: "range-for" }): void {
  const { builder, frame } = lowering;
  const range = rangePlace(lowering, statement.range);
  const { cursor, step, isInside, current } =
    range.type.kind === "array"
      ? alongArray(lowering, range, range.type, statement.range)
      : alongPointers(lowering, range, statement.range);
  const [header, inside, next, after] = [builder.newBlock(), builder.newBlock(), builder.newBlock(), builder.newBlock()];
  setUnroll(lowering, header, statement.unroll);
  builder.jump(header);
  builder.block = header;
  builder.branch(isInside(), inside, after);
  builder.block = inside;
  const place = current();
  const type =
    lowering.context.declaredType(statement.variable, frame.substitution) ??
    lowering.fail("the type of a loop's variable is not known", statement.variable);
  if (type.kind === "reference") frame.variables.set(statement.variable, { ...place, type: type.to });
  else {
    const variable = lowering.temporary(type, lastName(statement.variable.name), statement.variable);
    copy(lowering, variable, place);
    frame.variables.set(statement.variable, variable);
  }
  frame.breaks.push(after);
  frame.continues.push(next);
  lowering.statement(statement.body);
  frame.breaks.pop();
  frame.continues.pop();
  builder.jump(next);
  builder.block = next;
  store(lowering, cursor, plusOne(lowering, load(lowering, cursor), step, statement.range));
  builder.jump(header);
  builder.block = after;
}

/** Where a range lies: a list of values is an array of its own. */
function rangePlace(lowering: Lowering, range: Expression): Place {
  const element = range.kind === "list" && !range.type ? elementOf(lowering.context, range, lowering.frame.substitution) : undefined;
  if (range.kind !== "list" || !element) return lowering.place(range);
  const place = lowering.temporary(arrayOf(element, range.elements.length), "list", range);
  lowering.initialise(place, range);
  return place;
}

/** How a range is gone along. */
interface Way {
  /** What counts, a number or a pointer, and its type. */
  readonly cursor: Place;
  readonly step: Type;
  readonly isInside: () => Op;
  readonly current: () => Place;
}

const int: Type = { kind: "integer", name: "int" };

const plusOne = (lowering: Lowering, op: Op, type: Type, node: Expression): Op =>
  binary(lowering, "+", { op, type }, { op: lowering.constant("i32", 1), type: int }, node).op;

function alongArray(lowering: Lowering, range: Place, type: Type & { kind: "array" }, node: Expression): Way {
  const cursor = lowering.temporary(int, "cursor", node);
  store(lowering, cursor, lowering.constant("i32", 0));
  const pointer = pointerTo(type.of);
  const count = lowering.constant("i32", type.size ?? 0);
  return {
    cursor,
    step: int,
    isInside: () => lowering.builder.icmp("slt", load(lowering, cursor), count),
    current: () => {
      const index = { op: load(lowering, cursor), type: int };
      return { ...range, pointer: binary(lowering, "+", { op: range.pointer, type: pointer }, index, node).op, type: type.of, node };
    },
  };
}

function alongPointers(lowering: Lowering, range: Place, node: Expression): Way {
  const { first, last, of } = bounds(lowering, range, node);
  const pointer = pointerTo(of);
  const cursor = lowering.temporary(pointer, "cursor", node);
  store(lowering, cursor, first);
  return {
    cursor,
    step: pointer,
    isInside: () => lowering.builder.icmp("ne", load(lowering, cursor), last),
    current: () => {
      const at = load(lowering, cursor);
      return { pointer: at, type: of, space: spaceOf(at), node };
    },
  };
}

function bounds(
  lowering: Lowering,
  range: Place,
  node: Expression,
): { readonly first: Place["pointer"]; readonly last: Place["pointer"]; readonly of: Type } {
  const { type } = range;
  if (type.kind !== "record") return lowering.fail("a loop over something that is no range", node);
  const ends = ["begin", "end"].map((name) => {
    const found = lowering.context.member(type.record, name);
    const resolved = lowering.context.overload(found, undefined, [], lowering.frame.substitution);
    const called = resolved && lowering.invoke(resolved, [], range, node);
    return called?.kind === "value" && resolved
      ? { op: called.op, type: lowering.context.resultType(resolved.function, resolved.substitution) }
      : undefined;
  });
  const [first, last] = ends;
  const pointer = first?.type && decay(first.type);
  return first && last && pointer?.kind === "pointer"
    ? { first: first.op, last: last.op, of: pointer.to }
    : lowering.fail("a loop over something that is no range", node);
}
