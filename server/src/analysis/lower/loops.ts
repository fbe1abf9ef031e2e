/** Loops. */
import type { Block } from "@warplens/sim-engine";
import type { Condition, Expression, Statement, Unroll } from "../../syntax/ast.ts";
import { lastName } from "../sema/scope.ts";
import { decay, isClass, pointerTo } from "../sema/type-tools.ts";
import type { Type } from "../sema/types.ts";
import { binary } from "./emit/arithmetic.ts";
import type { Lowering, Place } from "./emit/lowering.ts";
import { copy, element, load, spaceOf, store } from "./emit/memory.ts";
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

/** Over an array, or from a record's `begin()` to its `end()` where those are pointers. */
export function lowerRangeFor(lowering: Lowering, statement: Statement & { kind: "range-for" }): void {
  const { builder, frame } = lowering;
  const range = lowering.place(statement.range);
  const { first, last, of } = bounds(lowering, range, statement.range);
  const pointer = pointerTo(of);
  const cursor = lowering.temporary(pointer, "cursor", statement.range);
  store(lowering, cursor, first);
  const [header, inside, next, after] = [builder.newBlock(), builder.newBlock(), builder.newBlock(), builder.newBlock()];
  setUnroll(lowering, header, statement.unroll);
  builder.jump(header);
  builder.block = header;
  builder.branch(builder.icmp("ne", load(lowering, cursor), last), inside, after);
  builder.block = inside;
  const at = load(lowering, cursor);
  const current: Place = { pointer: at, type: of, space: range.type.kind === "array" ? range.space : spaceOf(at), node: statement.range };
  const type =
    lowering.context.declaredType(statement.variable, frame.substitution) ??
    lowering.fail("the type of a loop's variable is not known", statement.variable);
  if (type.kind === "reference") frame.variables.set(statement.variable, { ...current, type: type.to });
  else {
    const variable = lowering.temporary(type, lastName(statement.variable.name), statement.variable);
    copy(lowering, variable, current);
    frame.variables.set(statement.variable, variable);
  }
  frame.breaks.push(after);
  frame.continues.push(next);
  lowering.statement(statement.body);
  frame.breaks.pop();
  frame.continues.pop();
  builder.jump(next);
  builder.block = next;
  const one = lowering.constant("i32", 1);
  store(
    lowering,
    cursor,
    binary(
      lowering,
      "+",
      { op: load(lowering, cursor), type: pointer },
      { op: one, type: { kind: "integer", name: "int" } },
      statement.range,
    ).op,
  );
  builder.jump(header);
  builder.block = after;
}

function bounds(
  lowering: Lowering,
  range: Place,
  node: Expression,
): { readonly first: Place["pointer"]; readonly last: Place["pointer"]; readonly of: Type } {
  const { type } = range;
  if (type.kind === "array") return { first: range.pointer, last: element(lowering, range, type.size ?? 0, type.of).pointer, of: type.of };
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
