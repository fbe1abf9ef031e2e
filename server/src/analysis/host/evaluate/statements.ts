/** Running a statement. */

import type { Condition, Declaration, Expression, Statement, VariableDeclaration } from "../../../syntax/ast.ts";
import { lastName } from "../../sema/scope.ts";
import { forgetChanged, forgetContent, forgetNamed } from "../memory/effects.ts";
import { hostType } from "../memory/host-types.ts";
import { type Completion, declareLocal, followed, type Interpreter, lookUpLocal, ownSteps, step } from "../memory/interpreter.ts";
import type { Outcome } from "../memory/journal.ts";
import { noLeaves } from "../memory/loop-trace.ts";
import { copied, elementAt, elementOf, read, sizeOf } from "../memory/read-write.ts";
import { originOf, waited } from "../memory/watch.ts";
import { isDeclaredOnly } from "../program/globals.ts";
import { isExchange, replayWhole } from "../replay/whole.ts";
import { fromList, initialise, ownOf } from "../resolve/construct.ts";
import { isInOrder } from "../resolve/container.ts";
import { callOperator } from "../resolve/overloaded.ts";
import { placeOf } from "../resolve/places.ts";
import { isStatic, keepStatic, localStatic } from "../resolve/statics.ts";
import { Cell, type ContainerValue, type HostType, type Place, type RecordValue, type Value } from "../values/model.ts";
import { typeOfValue } from "../values/type-of-value.ts";
import { int, integerOf, pointer, truth, unknown, voidValue } from "../values/values.ts";
import { eitherWay, follow, settle, speculate, tryOut } from "./branches.ts";
import { destroy, ending, endTemporaries } from "./destroy.ts";
import { runThrow, runTry } from "./exceptions.ts";
import { runLoop } from "./loops.ts";
import { combine } from "./operators.ts";
import type { Loop } from "./turn.ts";

const exit: Completion = { kind: "exit" };
const broken: Completion = { kind: "break" };
const continued: Completion = { kind: "continue" };

export function executeStatement(host: Interpreter, s: Statement): Completion {
  step(host);
  const { final } = host;
  host.final = final && endsWithItsLast(host, s);
  const completion = run(host, s);
  host.final = final;
  return completion;
}

/** Whether nothing that a statement itself does can come behind what it runs last: of expressions, only a call is that. */
function endsWithItsLast(host: Interpreter, s: Statement): boolean {
  switch (s.kind) {
    case "block":
    case "if":
    case "switch":
    case "try":
      return true;
    case "expression":
      return s.expression.kind === "call";
    case "return":
      return s.value?.kind === "call" && !isConverted(host);
    default:
      return false;
  }
}

/** Whether what is returned may be made an object of a class that launches. */
function isConverted({ frame: { result }, unit }: Interpreter): boolean {
  return result?.kind === "named" && unit.sites.launching.has(lastName(result.name));
}

function run(host: Interpreter, s: Statement): Completion {
  switch (s.kind) {
    case "block":
      return scoped(host, () => runAll(host, s.body));
    case "declaration":
      for (const declaration of s.declarations) {
        declare(host, declaration);
        endTemporaries(host);
      }
      return ended(host);
    case "expression":
      return ended(evaluated(host, s));
    case "if":
      return scoped(host, () => {
        begin(host, s.init);
        const condition = test(host, s.condition);
        const known = truth(condition);
        if (host.exited) return exit;
        if (known === undefined)
          return eitherWay(
            host,
            condition,
            () => host.execute(s.then),
            () => (s.else === undefined ? undefined : host.execute(s.else)),
          );
        // What `if constexpr` passes over is no part of this instance.
        if (!s.constexpr) speculate(host, known ? s.else : s.then);
        return follow(host, known ? s.then : s.else);
      });
    case "for":
      return scoped(host, () => {
        if (s.init !== undefined) host.execute(s.init);
        return loop(host, s, s.condition, false, s.body, s.step);
      });
    case "while":
      return scoped(host, () => loop(host, s, s.condition, false, s.body));
    case "do":
      return scoped(host, () => loop(host, s, s.condition, true, s.body));
    case "range-for":
      return scoped(host, () => rangeFor(host, s));
    case "switch":
      return scoped(host, () => runSwitch(host, s));
    case "break":
      return broken;
    case "continue":
      return continued;
    case "return": {
      if (s.value === undefined) return { kind: "return", value: voidValue };
      const result = host.frame.result;
      if (s.value.kind === "list" && s.value.type === undefined && result !== undefined)
        return { kind: "return", value: fromList(host, hostType(host, result), s.value) };
      const place = result?.kind === "reference" ? placeOf(host, s.value) : undefined;
      const value = place === undefined ? returned(host, s.value) : read(host, place);
      endTemporaries(host);
      return host.exited ? exit : { kind: "return", value, place };
    }
    case "try":
      return runTry(host, s);
    case "throw":
      return runThrow(host, s.value);
    case "goto":
      return { kind: "goto", label: s.label };
    case "unknown":
      forgetNamed(host, s.text);
      return undefined;
    default:
      return undefined;
  }
}

/** What is returned by value is not what others have. */
function returned(host: Interpreter, e: Expression): Value {
  const argument = host.argument(e);
  const { value, place } = argument;
  host.frame.temporaries.delete(value);
  if (place === undefined) return value;
  if (!isOwn(host, e)) return ownOf(host, argument);
  // A variable is the result itself; a parameter is taken over by it.
  return host.frame.scopes[0]?.get(place instanceof Cell ? (place.name ?? "") : "") === place
    ? ownOf(host, { ...argument, isMoved: true })
    : value;
}

function evaluated(host: Interpreter, s: Statement & { readonly kind: "expression" }): Interpreter {
  const attempt = host.loops.length === 0 && isExchange(s) ? replayWhole(host, s) : undefined;
  if (!attempt?.isDone) host.evaluate(s.expression);
  endTemporaries(host);
  attempt?.afterwards();
  return host;
}

/** A variable of the function under way, that nobody has any more when it is left. */
function isOwn(host: Interpreter, e: Expression): boolean {
  if (e.kind !== "name" || e.name.parts.length > 1) return false;
  const place = lookUpLocal(host, e.name.parts[0]?.text ?? "");
  return place instanceof Cell && place.name === e.name.parts[0]?.text && !isStatic(host, place);
}

function ended(host: Interpreter): Completion {
  return host.exited ? exit : undefined;
}

/** From the statement of an index on. */
function runAll(host: Interpreter, body: readonly Statement[], from = 0): Completion {
  const { final } = host;
  // From behind the last launch a jump may lead back to it.
  const isLeft = final && !body.some(({ kind }) => kind === "label");
  const last = isLeft ? body.findLastIndex((statement) => host.holdsLaunch.has(statement)) : -1;
  for (let k = from; k < body.length; k++) {
    const statement = body[k];
    if (statement === undefined) continue;
    host.final = k === last;
    const completion = host.execute(statement);
    host.final = final;
    const label = completion?.kind === "goto" ? labelled(body, completion.label) : -1;
    if (label >= 0) {
      k = label;
      continue;
    }
    if (completion !== undefined) return completion;
    if (k === last && !goesOn(host)) return exit;
  }
  return undefined;
}

const labelled = (body: readonly Statement[], name: string): number =>
  body.findIndex((statement) => statement.kind === "label" && statement.name === name);

/** Steps that what follows the last launch may take: it is run for what it does with memory alone. */
const stepsAfterLast = 20_000;

/** Whether what follows the last launch is run. */
function goesOn(host: Interpreter): boolean {
  if (host.faults === undefined || host.speculation > 0) return false;
  host.afterLast ??= ownSteps(host) + stepsAfterLast;
  host.final = false;
  host.inputs.close();
  return true;
}

function scoped(host: Interpreter, run: () => Completion): Completion {
  const { scopes } = host.frame;
  scopes.push(new Map());
  const completion = run();
  const own = [...(scopes.at(-1)?.values() ?? [])].filter((place): place is Cell => place instanceof Cell);
  scopes.pop();
  // A destructor may wait for the device.
  for (const { value } of own) if (value.kind === "record" && (value.open || value.type?.kind === "record")) waited(host);
  leave(host, own, completion);
  return completion;
}

/** The objects of a scope end, the last first, where it is left but by the program's end. */
function leave(host: Interpreter, objects: readonly Cell[], completion: Completion): void {
  const result = completion?.kind === "return" ? completion.value : undefined;
  ending(host, () => {
    for (const object of objects.toReversed()) if (host.owned.has(object) && object.value !== result) destroy(host, object);
  });
}

/** What stands before a condition: `if (int n = f(); n > 3)`. */
function begin(host: Interpreter, init: Statement | undefined): void {
  if (init !== undefined) followed(host, () => host.execute(init));
}

function test(host: Interpreter, condition: Condition): Value {
  return followed(host, () => tested(host, condition));
}

function tested(host: Interpreter, condition: Condition): Value {
  if (condition.kind !== "variable") {
    const value = host.scalar(host.evaluate(condition));
    endTemporaries(host);
    return value;
  }
  declare(host, condition);
  const name = lastName(condition.name);
  const place = host.frame.scopes.at(-1)?.get(name);
  return place instanceof Cell ? host.scalar(place.value) : unknown("a declared condition");
}

function loop(
  host: Interpreter,
  statement: Statement,
  condition: Condition | undefined,
  testedLast: boolean,
  body: Statement,
  next?: Expression,
): Completion {
  const made: Loop = {
    statement,
    condition,
    testedLast,
    test: () => (condition === undefined ? { kind: "int", type: "bool", value: 1 } : test(host, condition)),
    body: () => host.execute(body),
    advance: () => {
      if (next !== undefined) host.evaluate(next);
      endTemporaries(host);
      if (condition?.kind === "variable") endCondition(host, lastName(condition.name));
    },
  };
  // A body that is not entered may still hold launches.
  const before = host.launches.total;
  const completion = runLoop(host, made);
  if (host.launches.total === before) speculate(host, body);
  return completion;
}

/** What a loop's condition declares ends with each turn. */
function endCondition(host: Interpreter, name: string): void {
  const scope = host.frame.scopes.at(-1);
  const place = scope?.get(name);
  scope?.delete(name);
  if (place instanceof Cell && host.owned.has(place)) ending(host, () => destroy(host, place));
}

function declare(host: Interpreter, declaration: Declaration): void {
  // `extern int n;` within a function is the program's variable.
  if (declaration.kind !== "variable" || isDeclaredOnly(declaration)) return;
  if (declaration.bindings !== undefined) {
    declareBindings(host, declaration, declaration.bindings);
    return;
  }
  const name = lastName(declaration.name);
  declareLocal(host, name, variable(host, declaration, name));
}

/** `auto [a, b] = e`: members in order, or elements of an array. */
function declareBindings(host: Interpreter, { init, type }: VariableDeclaration, names: readonly string[]): void {
  const [first] = init?.values ?? [];
  const place = first === undefined ? undefined : placeOf(host, first);
  const value = first === undefined ? voidValue : place === undefined ? host.evaluate(first) : read(host, place);
  bind(host, type.kind === "reference" ? value : copied(value), names, type.kind !== "reference");
}

/** @param isCopy of an array, too, the elements are copies */
function bind(host: Interpreter, whole: Value, names: readonly string[], isCopy = false): void {
  const members = whole.kind === "record" ? [...whole.members.values()] : [];
  const elementOfIts = (k: number): Place | undefined => {
    const place = elementIn(host, whole, k);
    return place && isCopy && whole.kind === "pointer" ? new Cell(copied(read(host, place)), place.type) : place;
  };
  for (const [k, name] of names.entries())
    declareLocal(host, name, members[k] ?? elementOfIts(k) ?? new Cell(unknown("a structured binding"), undefined, name));
}

function elementIn(host: Interpreter, value: Value, index: number): Place | undefined {
  if (value.kind === "container") return elementOf(host, pointer(value.storage, value.type.element), index);
  return value.kind === "pointer" ? elementOf(host, value, index) : undefined;
}

function variable(host: Interpreter, declaration: VariableDeclaration, name: string): Place {
  const { init, specifiers } = declaration;
  const [first] = init?.values ?? [];
  if (declaration.type.kind === "reference" && first !== undefined) {
    const place = placeOf(host, first);
    // An object that is made for it lives as long as the reference.
    if (place instanceof Cell && host.frame.temporaries.delete(place.value)) host.owned.add(place);
    if (place !== undefined) return place;
  }
  const remembered = specifiers.static ? localStatic(host, declaration) : undefined;
  if (remembered !== undefined) return remembered;
  const type =
    declaration.type.kind === "auto" || (declaration.type.kind === "reference" && declaration.type.to.kind === "auto")
      ? undefined
      : hostType(host, declaration.type);
  const value = initialise(host, declaration, type, specifiers.static === true, specifiers.managed ? "managed" : "host");
  const cell = new Cell(unknown("a variable"), type?.kind === "reference" ? type.to : type, name);
  // Not journalled: the cell is younger than every mark.
  cell.value = value;
  if (value.kind === "unknown") cell.value = host.inputs.held(value, name, cell.type);
  if (value.kind === "pointer" && value.target !== undefined && !(value.target instanceof Cell)) {
    value.target.name ||= name;
    if (type?.kind === "array") value.target.origin ??= originOf(host, declaration, false);
  }
  if (value.kind === "container") {
    value.storage.name ||= name;
    // An allocator of the program's may get its memory anywhere.
    const [first] = init?.values ?? [];
    if (value.type.name === "vector")
      value.storage.origin ??= originOf(host, declaration, false, undefined, init?.style === "copy" ? undefined : first);
  }
  if (specifiers.static) keepStatic(host, declaration, cell);
  else if (!host.exited && isObject(value, type)) host.owned.add(cell);
  return cell;
}

/** Something of which a destructor may run. */
const isObject = (value: Value, type: HostType | undefined): boolean =>
  value.kind === "record" ||
  value.kind === "container" ||
  type?.kind === "array" ||
  type?.kind === "container" ||
  (value.kind === "pointer" && value.owner !== undefined);

function rangeFor(host: Interpreter, s: Statement & { readonly kind: "range-for" }): Completion {
  const range = host.evaluate(s.range);
  // What the range is made of lives until the loop ends.
  const { temporaries } = host.frame;
  const kept = [...temporaries];
  temporaries.clear();
  const { bindings } = s.variable;
  const name = lastName(s.variable.name);
  const isCopy = s.variable.type.kind !== "reference";
  const type = s.variable.type.kind === "auto" ? undefined : hostType(host, s.variable.type);
  const elements = rangeElements(host, s.range, range, s.variable.type.kind !== "reference" || s.variable.type.to.const === true);
  const counter = new Cell({ kind: "int", type: "long", value: 0 }, { kind: "integer", name: "long" });
  const size = elements?.size ?? unknown("a range that is not known");
  const enter = (place: Place | undefined): Completion => {
    const element = place ?? new Cell(unknown("an element of a range that is not known", type), type, name);
    const variable = isCopy ? new Cell(ownOf(host, { value: read(host, element), place: element }), element.type, name) : element;
    if (bindings !== undefined) bind(host, read(host, variable), bindings);
    else declareLocal(host, name, variable);
    const completion = host.execute(s.body);
    if (isCopy && variable instanceof Cell) ending(host, () => destroy(host, variable));
    return completion;
  };
  const hash = elements?.inAnyOrder;
  const count = integerOf(size) ?? Number.POSITIVE_INFINITY;
  if (hash && count <= mostOfHash && host.holdsLaunch.has(s)) return inAnyOrder(host, count, (index) => enter(hash.at(int(index, "long"))));
  const made: Loop = {
    statement: s,
    condition: undefined,
    left: () => integerOf(combine(host, "-", size, counter.value)),
    testedLast: false,
    test: () => combine(host, "<", counter.value, size),
    body: () => enter(elements?.at(counter.value)),
    advance: () => host.journal.set(counter, combine(host, "+", counter.value, { kind: "int", type: "long", value: 1 })),
  };
  const completion = runLoop(host, made);
  for (const each of kept) temporaries.add(each);
  endTemporaries(host);
  return completion;
}

interface Elements {
  readonly size: Value;
  at(index: Value): Place | undefined;
  /** Of a hash: what its elements are, in some order. */
  readonly inAnyOrder?: Elements;
}

function rangeElements(host: Interpreter, expression: Expression, range: Value, keeps: boolean): Elements | undefined {
  if (expression.kind === "list" && expression.type === undefined) {
    const values = expression.elements.map((element) => host.evaluate(element.value));
    return {
      size: { kind: "int", type: "long", value: values.length },
      at: (index) => new Cell(values[integerOf(index) ?? -1] ?? unknown("an element of a list")),
    };
  }
  if (range.kind === "container") {
    const base = pointer(range.storage, range.type.element);
    if (!isInOrder(range)) return unordered(host, range, keeps);
    return { size: range.size, at: (index) => elementAt(host, base, index) };
  }
  if (range.kind === "pointer" && range.target !== undefined && !(range.target instanceof Cell)) {
    const { bytes, elementBytes } = range.target.summary;
    const type = expression.kind === "name" ? placeOf(host, expression)?.type : undefined;
    // A row of an array is no more than its part of the memory.
    const row = type?.kind === "array" ? type.size : undefined;
    const each = sizeOf(host, range.to) ?? elementBytes;
    const count = row ?? (bytes === undefined || !each ? undefined : bytes / each);
    const size = count === undefined ? unknown("an array of a size that is not known") : int(count, "long");
    return { size, at: (index) => elementAt(host, range, index) };
  }
  if (range.kind === "string") {
    const { text } = range;
    return {
      size: { kind: "int", type: "long", value: text.length },
      at: (index) => new Cell({ kind: "int", type: "char", value: text.charCodeAt(integerOf(index) ?? -1) || 0 }),
    };
  }
  if (range.kind !== "record") return undefined;
  const entries = range.members.get("entries_")?.value;
  // Those of `std::unordered_map`.
  if (/^unordered_map</.test(range.name) && entries?.kind === "container" && integerOf(entries.size) !== 1)
    return unordered(host, entries, keeps);
  return elementsOfObject(host, expression, range);
}

/** In which order a hash has its elements is the library's: each may be any of them, and what is stored to one may be in any. */
function unordered(host: Interpreter, { storage, size, type: { element } }: ContainerValue, keeps: boolean): Elements {
  const reason = "an element of a hash";
  return {
    size,
    at: () => {
      if (!keeps) forgetContent(host, storage, reason);
      return new Cell(unknown(reason, element), element);
    },
    inAnyOrder: { size, at: (index) => elementOf(host, pointer(storage, element), integerOf(index)) },
  };
}

/** Elements of a hash that a loop that launches goes through. */
const mostOfHash = 64;

/** Each turn as the first and as any other: of what turns change nothing is known in any of them. */
function inAnyOrder(host: Interpreter, count: number, turn: (index: number) => Completion): Completion {
  const forget = (outcome: Outcome): void => forgetChanged(host, outcome, "an order that is not known");
  const all = (): Completion => {
    for (let k = 0; k < count; k++) {
      const completion = turn(k);
      if (completion && completion.kind !== "continue") return completion;
    }
    return undefined;
  };
  host.speculation += 1;
  const [completion, outcome] = tryOut(host, all);
  host.speculation -= 1;
  forget(outcome);
  // What leaves the loop does so before some turn that is not known.
  if (completion) return completion.kind === "break" ? undefined : completion;
  for (let k = 0; k < count; k++) {
    const mark = host.journal.hold();
    turn(k);
    forget(host.journal.undo(mark));
  }
  return undefined;
}

/** From what an object's `begin` returns to what its `end` does. */
function elementsOfObject(host: Interpreter, expression: Expression, object: RecordValue): Elements | undefined {
  const place = placeOf(host, expression);
  const self = place instanceof Cell ? place : new Cell(object, object.type);
  const [begin, end] = ["begin", "end"].map((name) => host.callMethod(self, name, []));
  if (begin?.kind === "record" && end !== undefined) return elementsOfIterators(host, begin, end);
  if (begin?.kind !== "pointer" || end?.kind !== "pointer" || begin.target === undefined) return undefined;
  return { size: combine(host, "-", end, begin), at: (index) => elementOf(host, begin, integerOf(index)) };
}

/** Elements that iterators of the program's own class lead to. */
const mostIterated = 1024;

/** All of them, found before the loop begins: an iterator's operators are taken to change nothing else. */
function elementsOfIterators(host: Interpreter, begin: RecordValue, end: Value): Elements | undefined {
  const at = new Cell(begin, begin.type);
  const elements: Place[] = [];
  for (;;) {
    const more = truth(host.scalar(callOperator(host, "!=", [{ value: at.value, place: at }, { value: end }]) ?? unknown("an iterator")));
    if (more === undefined || elements.length > mostIterated) return undefined;
    if (!more) break;
    host.returned = undefined;
    const value = callOperator(host, "*", [{ value: at.value, place: at }]);
    if (value === undefined) return undefined;
    elements.push(host.returned ?? new Cell(value, typeOfValue(value)));
    if (callOperator(host, "++", [{ value: at.value, place: at }]) === undefined) return undefined;
  }
  host.returned = undefined;
  return { size: int(elements.length, "long"), at: (index) => elements[integerOf(index) ?? -1] };
}

/** From the matching label on, or each label in turn where the value is not known. */
function runSwitch(host: Interpreter, s: Statement & { readonly kind: "switch" }): Completion {
  begin(host, s.init);
  const value = test(host, s.condition);
  const body = s.body.kind === "block" ? s.body.body : [s.body];
  const labels = body.flatMap((statement, index) => (statement.kind === "case" ? [{ statement, index }] : []));
  const from = (index: number) => (): Completion => {
    const { cases } = host.frame;
    const own = noLeaves();
    host.frame.cases = own;
    const mark = host.journal.hold();
    const completion = runAll(host, body, index);
    settle(host, own, mark);
    host.journal.release(mark);
    host.frame.cases = cases;
    return completion?.kind === "break" ? undefined : completion;
  };
  if (value.kind !== "int") {
    return labels.reduce<() => Completion>(
      (rest, { index }) =>
        () =>
          eitherWay(host, value, from(index), rest),
      () => undefined,
    )();
  }
  const match = labels.find(({ statement }) => {
    if (statement.value === undefined) return false;
    const low = integerOf(host.evaluate(statement.value));
    const high = statement.last === undefined ? low : integerOf(host.evaluate(statement.last));
    const number = Number(value.value);
    return low !== undefined && high !== undefined && number >= low && number <= high;
  });
  const taken = match ?? labels.find(({ statement }) => statement.value === undefined);
  for (const { index } of labels) if (index !== taken?.index) speculateFrom(host, body, index);
  return taken === undefined ? undefined : from(taken.index)();
}

function speculateFrom(host: Interpreter, body: readonly Statement[], index: number): void {
  for (let k = index + 1; k < body.length; k++) {
    const statement = body[k];
    if (statement === undefined || statement.kind === "break" || statement.kind === "case") return;
    speculate(host, statement);
  }
}
