/** Statements: control flow as blocks and jumps. */
import type { Block } from "@warplens/sim-engine";
import type { Condition, Expression, Statement, Unroll, VariableDeclaration } from "../../syntax/ast.ts";
import { declaresFunction } from "../sema/clarify.ts";
import { lastName } from "../sema/scope.ts";
import { decay, isClass, pointerTo, referred } from "../sema/type-tools.ts";
import type { Type } from "../sema/types.ts";
import { binary } from "./arithmetic.ts";
import { lowerAsm } from "./asm.ts";
import { lowerReturn } from "./calls.ts";
import type { Lowering, Place } from "./lowering.ts";
import { copy, element, load, spaceOf, store } from "./memory.ts";
import { truth } from "./scalars.ts";
import { sharedVariable } from "./statics.ts";
import { lowerSwitch } from "./switch.ts";

export function lowerStatement(lowering: Lowering, statement: Statement): void {
  const { builder, frame } = lowering;
  switch (statement.kind) {
    case "block":
      for (const each of statement.body) lowering.statement(each);
      return;
    case "declaration":
      for (const each of statement.declarations) {
        if (each.kind === "variable") lowering.declare(each);
        else if (each.kind === "statement") lowering.statement(each.statement);
      }
      return;
    case "expression":
      lowering.effect(statement.expression);
      return;
    case "if":
      lowerIf(lowering, statement);
      return;
    case "for":
      if (statement.init) lowering.statement(statement.init);
      loop(lowering, statement, statement.condition, statement.step, statement.body);
      return;
    case "while":
      loop(lowering, statement, statement.condition, undefined, statement.body);
      return;
    case "do":
      lowerDo(lowering, statement);
      return;
    case "range-for":
      lowerRangeFor(lowering, statement);
      return;
    case "switch":
      lowerSwitch(lowering, statement);
      return;
    case "case": {
      const block = frame.cases.at(-1)?.get(statement);
      if (!block) lowering.fail("a `case` outside a switch", statement);
      builder.jump(block);
      builder.block = block;
      return;
    }
    case "break":
    case "continue": {
      const target = (statement.kind === "break" ? frame.breaks : frame.continues).at(-1);
      if (!target) lowering.fail(`a \`${statement.kind}\` outside a loop`, statement);
      leave(lowering, target);
      return;
    }
    case "return":
      lowerReturn(lowering, statement.value, statement);
      return;
    case "goto":
      leave(lowering, labelBlock(lowering, statement.label));
      return;
    case "label": {
      const block = labelBlock(lowering, statement.name);
      builder.jump(block);
      builder.block = block;
      return;
    }
    case "asm":
      lowerAsm(lowering, statement);
      return;
    case "try":
      lowering.statement(statement.body);
      return;
    case "empty":
      return;
    case "throw":
    case "unknown":
      lowering.fail(statement.kind === "throw" ? "exceptions are not thrown on the device" : "a statement could not be parsed", statement);
  }
}

/** What follows a jump is reached from elsewhere or not at all. */
function leave(lowering: Lowering, target: Block): void {
  lowering.builder.jump(target);
  lowering.builder.block = lowering.builder.newBlock();
}

function labelBlock(lowering: Lowering, name: string): Block {
  const { labels } = lowering.frame;
  let block = labels.get(name);
  if (!block) labels.set(name, (block = lowering.builder.newBlock()));
  return block;
}

/** A condition, or a variable declared in place of one. */
function branchCondition(lowering: Lowering, condition: Condition, whenTrue: Block, whenFalse: Block): void {
  if (condition.kind !== "variable") {
    lowering.branch(condition, whenTrue, whenFalse);
    return;
  }
  lowering.declare(condition);
  const place = lowering.frame.variables.get(condition) as Place | undefined;
  if (!place || isClass(place.type)) lowering.fail("a declared condition that is no number", condition);
  lowering.builder.branch(truth(lowering, load(lowering, { ...place, node: condition })), whenTrue, whenFalse);
}

function lowerIf(lowering: Lowering, statement: Statement & { kind: "if" }): void {
  const { builder, context, frame } = lowering;
  if (statement.init) lowering.statement(statement.init);
  if (statement.constexpr && statement.condition.kind !== "variable") {
    const known = context.constant(statement.condition, frame.substitution);
    if (known === undefined) lowering.fail("the condition of `if constexpr` is not known", statement.condition);
    const taken = Number(known) ? statement.then : statement.else;
    if (taken) lowering.statement(taken);
    return;
  }
  const then = builder.newBlock();
  const otherwise = statement.else ? builder.newBlock() : undefined;
  const after = builder.newBlock();
  branchCondition(lowering, statement.condition, then, otherwise ?? after);
  builder.block = then;
  lowering.statement(statement.then);
  builder.jump(after);
  if (otherwise && statement.else) {
    builder.block = otherwise;
    lowering.statement(statement.else);
    builder.jump(after);
  }
  builder.block = after;
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

function loop(
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

function lowerDo(lowering: Lowering, statement: Statement & { kind: "do" }): void {
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
function lowerRangeFor(lowering: Lowering, statement: Statement & { kind: "range-for" }): void {
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

/** A local variable; shared ones live elsewhere, references name what they are bound to. */
export function declareVariable(lowering: Lowering, declaration: VariableDeclaration): void {
  const { context, frame } = lowering;
  const { specifiers, init } = declaration;
  if (specifiers.typedef || declaresFunction(context, declaration)) return;
  const name = declaration.bindings ? "binding" : lastName(declaration.name);
  if (specifiers.shared || specifiers.extern) {
    if (specifiers.shared) sharedVariable(lowering, declaration, frame.substitution, declaration);
    return;
  }
  if (specifiers.static && !specifiers.constexpr && !isConstantType(context.declaredType(declaration, frame.substitution)))
    lowering.fail(`${name} is a static variable of the function`, declaration);
  if (specifiers.static) return;
  const type =
    bindingType(lowering, declaration) ??
    context.declaredType(declaration, frame.substitution) ??
    lowering.failType(name, declaration.type, declaration);
  const [first] = init?.values ?? [];
  if (type.kind === "reference") {
    if (!first) lowering.fail(`${name} refers to nothing`, declaration);
    frame.variables.set(declaration, referenceTo(lowering, type, name, first));
    return;
  }
  if (type.kind === "array" && type.size === undefined) lowering.fail(`the size of ${name} is not known`, declaration);
  const place = lowering.temporary(type, name, declaration, specifiers.align && context.constant(specifiers.align, frame.substitution));
  frame.variables.set(declaration, place);
  if (!init) {
    lowering.defaultInitialise(place, declaration);
    return;
  }
  const at: Place = { ...place, node: first ?? declaration };
  if (init.style === "copy" && first) {
    lowering.initialise(at, first);
    return;
  }
  if (type.kind === "record" || type.kind === "lambda") {
    if (init.style === "list" && first?.kind === "list" && init.values.length === 1 && !first.type) {
      lowering.initialise(at, first);
      return;
    }
    lowering.construct(at, init.values, first ?? declaration);
    return;
  }
  if (type.kind === "array") {
    lowering.initialise(
      at,
      init.values.length === 1 && first?.kind === "list"
        ? first
        : { kind: "list", elements: init.values.map((value) => ({ value })), start: declaration.start, end: declaration.end },
    );
    return;
  }
  lowering.construct(
    at,
    init.values.length === 1 && first?.kind === "list" ? first.elements.map((each) => each.value) : init.values,
    declaration,
  );
}

/** `auto [a, b] = e;`: the hidden object's type; a reference binds the object itself. */
function bindingType(lowering: Lowering, declaration: VariableDeclaration): Type | undefined {
  const [first] = declaration.init?.values ?? [];
  if (!declaration.bindings || !first) return undefined;
  const type = lowering.typeOf(first);
  return declaration.type.kind === "reference" ? { kind: "reference", to: type, rvalue: false } : type;
}

function referenceTo(lowering: Lowering, type: Type & { kind: "reference" }, name: string, init: Expression): Place {
  const from = lowering.tryTypeOf(init);
  if (from && lowering.isLvalue(init)) {
    const place = lowering.place(init);
    return { ...place, type: place.type.kind === "array" ? place.type : referred(type) };
  }
  const made = lowering.temporary(type.to, name, init);
  lowering.initialise(made, init);
  return made;
}

const isConstantType = (type: Type | undefined): boolean =>
  type !== undefined && (type.kind === "array" ? isConstantType(type.of) : type.const === true);
