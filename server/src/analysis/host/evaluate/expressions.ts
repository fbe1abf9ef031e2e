/** The value of an expression. */

import type { Expression, TypeNode } from "../../../syntax/ast.ts";
import { leftChain, withoutParentheses } from "../../../syntax/terms.ts";
import { walk } from "../../../syntax/walk.ts";
import { lastName } from "../../sema/scope.ts";
import { tied, tupleElements } from "../library/tuples.ts";
import { forgetContent, forgetNamed, forgetPlace, forgetTarget, forgetTargets } from "../memory/effects.ts";
import { blank, hostType } from "../memory/host-types.ts";
import { type Argument, type Interpreter, step } from "../memory/interpreter.ts";
import { joinValues } from "../memory/journal.ts";
import { read, write } from "../memory/read-write.ts";
import { numbersOf } from "../memory/record-members.ts";
import { accessed, freed } from "../memory/watch.ts";
import { deducedClass, isDeduced, overloadSet } from "../resolve/class-arguments.ts";
import { construct, fromList } from "../resolve/construct.ts";
import { nameValue } from "../resolve/names.ts";
import { isOrderTold } from "../resolve/order.ts";
import { callOperator, scalarOf } from "../resolve/overloaded.ts";
import { evaluatedBefore, evaluateFold } from "../resolve/packs.ts";
import { Character, placeOf } from "../resolve/places.ts";
import { unary } from "../values/arithmetic.ts";
import { convert } from "../values/convert.ts";
import { Cell, type Place, type RecordValue, type Value } from "../values/model.ts";
import { bool, float, int, nullPointer, openRecord, pointer, truth, unknown, unknownOf, voidValue } from "../values/values.ts";
import { argumentOf, evaluateElements } from "./arguments.ts";
import { assignTo } from "./assign.ts";
import { eitherWay } from "./branches.ts";
import { evaluateCall } from "./call-expression.ts";
import { destroyPointee, passing } from "./destroy.ts";
import { evaluateLambda } from "./lambda.ts";
import { evaluateLaunch } from "./launch.ts";
import { combine, stepped } from "./operators.ts";
import { evaluateCast, evaluateNew, evaluateSizeof } from "./type-expressions.ts";

export function evaluateExpression(host: Interpreter, written: Expression): Value {
  step(host);
  const e = host.semantics.clarify(written);
  // What stands behind what is thrown is not done.
  if (host.exited) return unknown("the program ends");
  switch (e.kind) {
    case "name":
      return nameValue(host, e);
    case "integer":
      return integerLiteral(e.value, e.suffix, e.text);
    case "float":
      return float(e.value, e.suffix === "f" ? "float" : "double");
    case "char":
      return int(e.value, "char");
    case "string":
      return { kind: "string", text: e.value };
    case "bool":
      return bool(e.value);
    case "null":
      return nullPointer;
    case "this":
      return host.frame.self === undefined ? unknown("`this`") : pointer(host.frame.self, host.frame.self.type);
    case "parenthesized":
      return host.evaluate(e.inner);
    case "unary":
      return evaluateUnary(host, e);
    case "postfix": {
      const place = placeOf(host, e.operand);
      if (place === undefined) return forgetAround(host, e.operand);
      const before = read(host, place);
      const overloaded = callOperator(host, e.op, [{ value: before, place }, { value: int(0) }]);
      if (overloaded !== undefined) return overloaded;
      write(host, place, stepped(host, before, e.op));
      return before;
    }
    case "binary":
      return evaluateBinary(host, e);
    case "assign":
      return assign(host, e);
    case "conditional": {
      const condition = scalarOf(host, host.evaluate(e.condition));
      const known = truth(condition);
      if (known !== undefined) {
        const value = host.evaluate(known ? e.then : e.else);
        // A number comes out as the type that both have in common.
        const type = value.kind === "int" || value.kind === "float" ? host.semantics.typeOf(e, host.frame.substitution) : undefined;
        return type?.kind === "integer" || type?.kind === "floating" ? convert(value, type) : value;
      }
      return eitherValue(
        host,
        condition,
        () => host.evaluate(e.then),
        () => host.evaluate(e.else),
      );
    }
    case "call":
      return e.launch === undefined ? evaluateCall(host, e) : evaluateLaunch(host, e, e.launch);
    case "subscript":
    case "member": {
      const place = placeOf(host, e);
      accessed(host, place, e, "read");
      return place === undefined
        ? unknown(
            e.kind === "member"
              ? `the member \`${lastName(e.name)}\` of an object that is not known`
              : "an element of an array that is not known",
          )
        : read(host, place);
    }
    case "cast":
      return evaluateCast(host, e);
    case "list":
      return e.type === undefined ? fromList(host, undefined, e) : typedList(host, e, e.type);
    case "sizeof":
      return evaluateSizeof(host, e);
    case "new":
      return evaluateNew(host, e);
    case "delete":
      return evaluateDelete(host, e);
    case "lambda":
      return evaluateLambda(host, e);
    case "pack":
      return unknown("a parameter pack");
    case "fold":
      return evaluateFold(host, e, (op, left, right) => combined(host, op, { value: left }, { value: right }));
    case "requires":
      return unknown("what a `requires` asks for");
    case "unknown":
      return evaluatedBefore(e) ?? unread(host, e.text);
  }
}

function unread(host: Interpreter, text: string): Value {
  forgetNamed(host, text);
  return unknown("source text that could not be read");
}

function evaluateDelete(host: Interpreter, e: Expression & { readonly kind: "delete" }): Value {
  const object = host.evaluate(e.operand);
  if (object.kind === "pointer") destroyPointee(host, object);
  if (e.array) freed(host, object, e);
  return voidValue;
}

/** `T{...}`. */
function typedList(host: Interpreter, e: Expression & { readonly kind: "list" }, node: TypeNode): Value {
  const type = hostType(host, node);
  if (e.elements.length === 0 || !isDeduced(host, node)) return fromList(host, type, e);
  const args = evaluateElements(
    host,
    e.elements.map(({ value }) => value),
  );
  const values = args.map(({ value }) => value);
  const made = deducedClass(host, node, args);
  if (made) return construct(host, made, values, true);
  return (
    overloadSet(host, node, values) ??
    (type ? construct(host, type, values, true) : unknown("a class whose template arguments are not known"))
  );
}

function integerLiteral(value: bigint, suffix: string, text: string): Value {
  const long = suffix.includes("l");
  const unsigned = suffix.includes("u");
  const hex = /^0[xXbB0-7]/.test(text);
  if (!long && value < 0x80000000n && !unsigned) return int(value, "int");
  if (!long && value < 0x100000000n && (unsigned || hex)) return int(value, "uint");
  const name = suffix.includes("ll") ? "longlong" : "long";
  return int(value, unsigned || value > 0x7fffffffffffffffn ? (name === "long" ? "ulong" : "ulonglong") : name);
}

function evaluateUnary(host: Interpreter, e: Expression & { readonly kind: "unary" }): Value {
  if (e.op === "&") return addressOf(host, e.operand);
  if (e.op === "++" || e.op === "--") {
    const place = placeOf(host, e.operand);
    if (place === undefined) return forgetAround(host, e.operand);
    const overloaded = callOperator(host, e.op, [{ value: read(host, place), place }]);
    if (overloaded !== undefined) return overloaded;
    const value = stepped(host, read(host, place), e.op);
    write(host, place, value);
    return read(host, place);
  }
  if (e.op === "*") {
    const place = placeOf(host, e);
    accessed(host, place, e, "read");
    if (place !== undefined) return read(host, place);
    const value = host.evaluate(e.operand);
    return value.kind === "function" || value.kind === "lambda" ? value : unknownOf(value);
  }
  const operand = argumentOf(host, e.operand);
  return callOperator(host, e.op, [operand]) ?? unary(e.op, scalarOf(host, operand.value));
}

/** A number that is a member of an element of an array, or of the object whose method this is. */
function isMember(host: Interpreter, written: Expression, place: Cell): boolean {
  const e = withoutParentheses(written);
  if (place.value.kind === "record" || /^(record|array|pointer|container)$/.test(place.type?.kind ?? "")) return false;
  if (e.kind === "name") {
    const { self } = host.frame;
    // Objects that hold something else besides do not stand in arrays of which anything is told.
    return (
      self?.value.kind === "record" && numbersOf(host, self.value.type) !== undefined && [...self.value.members.values()].includes(place)
    );
  }
  let root: Expression = e;
  while (root.kind === "member" && !root.arrow) root = withoutParentheses(root.base);
  return e.kind === "member" && (root.kind !== "name" || e.arrow);
}

function addressOf(host: Interpreter, operand: Expression): Value {
  const place = placeOf(host, operand);
  if (place === undefined) {
    const value = host.evaluate(operand);
    return value.kind === "function" ? value : unknown("an address that is not known");
  }
  if (place instanceof Character) return { kind: "string", text: place.text };
  // Others are reached from it that lie beside it.
  if (place instanceof Cell && isMember(host, operand, place)) host.holdsMembers = true;
  if (place instanceof Cell) {
    // The address of an array is the address of its first element.
    if (place.type?.kind === "array" && place.value.kind === "pointer") return { ...place.value, to: place.type };
    return pointer(place, place.type);
  }
  return { kind: "pointer", to: place.type, target: place.allocation, offset: place.offset };
}

function evaluateBinary(host: Interpreter, e: Expression & { readonly kind: "binary" }): Value {
  if (e.op === "&&" || e.op === "||") return logical(host, e.op, e.left, e.right);
  // A long sum stands to the left, as deep as it has terms.
  const sums = leftChain(e, ({ op }) => op !== "&&" && op !== "||");
  let value = argumentOf(host, (sums[0] ?? e).left);
  for (const sum of sums) {
    if (sum !== e) step(host);
    const right = argumentOf(host, sum.right);
    const { place } = value;
    // What stands on the left may be read before or behind what the right does to it.
    if (place instanceof Cell && place.value !== value.value && sum.op !== ",")
      value = { value: unknown("it is read and changed in one expression", place.type) };
    host.returned = undefined;
    const made = combined(host, sum.op, value, right, sum);
    // An operator of a class may return the object itself: `stream >> a >> b`.
    value = { value: made, expression: sum, ...(host.returned === undefined ? {} : { place: host.returned }) };
  }
  return value.value;
}

/** `e`: where it is written out. */
function combined(host: Interpreter, op: string, first: Argument, second: Argument, e?: Expression & { readonly kind: "binary" }): Value {
  const left = first.value;
  const right = second.value;
  if (op === ",") return right;
  const overloaded = callOperator(host, op, [first, second]);
  if (overloaded !== undefined) return overloaded;
  if (op === ">>" && e && isStream(e.left, left)) return extracted(host, left, e.right);
  return combine(host, op, scalarOf(host, left), scalarOf(host, right));
}

function isStream(e: Expression, value: Value): boolean {
  if (value.kind === "record") return true;
  let first = e;
  while (first.kind === "binary" && first.op === ">>") first = first.left;
  return first.kind === "name" && first.name.parts.at(-1)?.text === "cin";
}

/** `stream >> variable`: what is read is not known. */
function extracted(host: Interpreter, stream: Value, target: Expression): Value {
  const place = placeOf(host, target);
  if (place !== undefined)
    forgetTargets(
      host,
      [
        {
          value:
            place instanceof Cell
              ? pointer(place, place.type)
              : { kind: "pointer", to: place.type, target: place.allocation, offset: place.offset },
        },
      ],
      "read from input",
    );
  return stream;
}

function logical(host: Interpreter, op: "&&" | "||", leftSide: Expression, rightSide: Expression): Value {
  const left = scalarOf(host, host.evaluate(leftSide));
  const known = truth(left);
  if (known === (op === "||")) return bool(known);
  if (known === undefined) {
    const right = eitherValue(
      host,
      left,
      () => host.evaluate(rightSide),
      () => voidValue,
    );
    return truth(right) === (op === "||") ? bool(op === "||") : unknownOf(left, right);
  }
  const right = scalarOf(host, host.evaluate(rightSide));
  const value = truth(right);
  return value === undefined ? unknownOf(right) : bool(value);
}

/** One of two values, depending on a condition that is not known. */
function eitherValue(host: Interpreter, condition: Value, then: () => Value, otherwise: () => Value): Value {
  let a: Value = voidValue;
  let b: Value = voidValue;
  const runThen = () => {
    a = then();
    return undefined;
  };
  const runElse = () => {
    b = otherwise();
    return undefined;
  };
  const before = new Set(host.frame.temporaries);
  eitherWay(host, condition, runThen, runElse);
  // Which of the two made its objects is not known.
  for (const made of host.frame.temporaries) {
    if (before.has(made)) continue;
    host.frame.temporaries.delete(made);
    passing(host, made);
  }
  if (b.kind === "void") return a;
  return joinValues(a, b, "it depends on a condition that is not known", condition.kind === "unknown" ? condition.inputs : []);
}

/** `config = {}` for a record of a library empties it. */
function listFor(host: Interpreter, place: Place | undefined, list: Expression & { readonly kind: "list" }): Value {
  const old = place === undefined ? undefined : read(host, place);
  return old?.kind === "record" && old.open && list.elements.length === 0 ? openRecord(old.name) : fromList(host, place?.type, list);
}

/** A store to a part of something, nobody knows of which: all that it may be is not known any more. */
function forgetAround(host: Interpreter, written: Expression): Value {
  const made = unknown("what is stored somewhere that is not known");
  let e = withoutParentheses(written);
  while (e.kind === "member" && !e.arrow) e = withoutParentheses(e.base);
  const base = e.kind === "member" || e.kind === "subscript" ? e.base : e.kind === "unary" && e.op === "*" ? e.operand : undefined;
  if (host.exited) return made;
  if (e.kind === "unknown") {
    forgetNamed(host, e.text);
    return made;
  }
  if (base === undefined) {
    walk(e, (node) => {
      const place = node.kind === "name" ? placeOf(host, node) : undefined;
      if (place !== undefined) forgetPlace(host, place, made.reason);
      return true;
    });
    return made;
  }
  const mark = host.journal.hold();
  const place = placeOf(host, base);
  const value = place === undefined ? host.evaluate(base) : read(host, place);
  host.journal.undo(mark);
  if (value.kind === "container") forgetContent(host, value.storage, made.reason);
  else if (value.kind === "pointer") forgetTarget(host, value, made.reason);
  else if (place !== undefined) forgetAround(host, base);
  return made;
}

/** What a list is assigned to, as far as it takes to tell what it is: nothing is done to find it. */
function placeFor(host: Interpreter, e: Expression): Place | undefined {
  const mark = host.journal.hold();
  const place = placeOf(host, e);
  host.journal.undo(mark);
  return place;
}

/** `std::tie(a, b) = pair`. */
function assignEach(host: Interpreter, target: RecordValue, value: Value): Value {
  const elements = tupleElements(host, value) ?? [];
  for (const [k, cell] of [...target.members.values()].entries())
    write(host, cell, elements[k]?.value ?? unknown("an element of a tuple that is not known", cell.type));
  return value;
}

function assign(host: Interpreter, e: Expression & { readonly kind: "assign" }): Value {
  // What stands on the right comes first.
  if (e.op === "") {
    const list = e.right.kind === "list" && e.right.type === undefined ? e.right : undefined;
    const sought = list && placeFor(host, e.left);
    const right = list ? { value: listFor(host, sought, list) } : host.argument(e.right);
    const { value } = right;
    const place = placeOf(host, e.left);
    if (place === undefined) forgetAround(host, e.left);
    if (place === undefined || host.exited) return value;
    const target = e.left.kind === "call" ? read(host, place) : undefined;
    if (target?.kind === "record" && target.name === tied) return assignEach(host, target, value);
    accessed(host, place, e.left, "written");
    const type = place.type;
    if (type?.kind === "record" && !isOrderTold(e.left, e.right)) {
      write(host, place, blank(host, type, false, "it is changed and read in one expression"));
      return read(host, place);
    }
    assignTo(host, place, right);
    return read(host, place);
  }
  const right = host.argument(e.right);
  const place = placeOf(host, e.left);
  if (place === undefined) forgetAround(host, e.left);
  if (place === undefined || host.exited) return unknown("an assignment to what is not known");
  accessed(host, place, e.left, "read");
  const overloaded = callOperator(host, `${e.op}=`, [{ value: read(host, place), place }, right]);
  if (overloaded !== undefined) return overloaded;
  write(host, place, combine(host, e.op, read(host, place), right.value));
  return read(host, place);
}
