/**
 * What the turns of a loop that are not run may do: one turn is run that stands for each of them, from a state in which every variable
 * holds all that it may hold then. What it finds changed that nobody knew to change holds anything, too, and it is run once more.
 */
import type { Condition, Expression } from "../../../syntax/ast.ts";
import { termsOf, withoutParentheses } from "../../../syntax/terms.ts";
import { walk } from "../../../syntax/walk.ts";
import { isUnrounded } from "../memory/content.ts";
import { forgetContent } from "../memory/effects.ts";
import { type Interpreter, ownSteps } from "../memory/interpreter.ts";
import { isSameContent, type Outcome } from "../memory/journal.ts";
import type { LoopTrace } from "../memory/loop-trace.ts";
import { placeOf } from "../resolve/places.ts";
import { isSameObject, sameValue } from "../values/equal.ts";
import { type Allocation, Cell, type ContainerValue, madeByNow, type PointerValue, type Value } from "../values/model.ts";
import { bounds, float, int, isFloat, numberOf, range, truth, unknown } from "../values/values.ts";
import { isOfDevice } from "./branches.ts";
import { type Loop, runTurn } from "./turn.ts";

/** How a variable goes on. */
type Course =
  /** By as much each turn; by 0: each turn leaves it what it was. */
  | { readonly kind: "even"; readonly step: number }
  /** One of two values by turns: `std::swap(from, to)` at the end of each. */
  | { readonly kind: "turns"; readonly other: Value }
  | { readonly kind: "any" };

const any: Course = { kind: "any" };
const still: Course = { kind: "even", step: 0 };

/** What variables held before each of the last three turns. */
export type States = readonly ReadonlyMap<Cell, Value>[];

export interface TurnsLeft {
  /** How many there are; undefined where that is not known. */
  readonly left: number | undefined;
  /** Puts into variables what they hold behind them. */
  readonly commit: () => void;
}

/** Times that more is found to change: what rests on what is seldom longer. */
const mostRounds = 6;

interface Turns {
  readonly host: Interpreter;
  readonly loop: Loop;
  readonly trace: LoopTrace;
  readonly left: number | undefined;
  /** Variables that are not among them go on as they are. */
  readonly courses: Map<Cell, Course>;
  /** Arrays that turns store to. */
  readonly forgotten: Set<Allocation>;
  /** Parts of the condition that tell when the loop ends. */
  readonly telling: readonly Expression[];
}

interface Turn {
  readonly outcome: Outcome;
  /** Cells and allocations that there were before it. */
  readonly age: number;
  /** The condition holds behind it, but for what tells when the loop ends. */
  readonly goesOn: boolean;
}

/**
 * @param states what the variables held that the loop has changed by now; fewer than three: nothing is known of how they go on
 * @param left turns left by the condition's parts in `telling`, if all else holds
 */
export function turnsLeft(
  host: Interpreter,
  loop: Loop,
  trace: LoopTrace,
  states: States,
  left: number | undefined,
  telling: readonly Expression[],
): TurnsLeft {
  const cells = new Set(states.flatMap((state) => [...state.keys()]));
  const ours = countersOf(host);
  const courses = new Map([...cells].map((cell) => [cell, courseOf(states.map((state) => state.get(cell) ?? cell.value))] as const));
  const apart = [...courses].filter(([cell]) => ours.has(cell));
  for (const [cell] of apart) courses.delete(cell);
  const turns: Turns = { host, loop, trace, left, courses, forgotten: new Set(trace.stores.keys()), telling };
  let found = run(turns);
  const once = ownSteps(host);
  for (let round = 1; !isSettled(turns, found) && round < mostRounds; round++) found = run(turns);
  // How far an evaluation gets is not to depend on how often that is.
  host.replays.steps += ownSteps(host) - once;
  const isTold = left !== undefined && !trace.mayEnd && found.every(({ goesOn }) => goesOn) && isToldEvenly(turns);
  const told = isTold ? left : undefined;
  return {
    left: told,
    commit: () => {
      for (const [cell, course] of apart) putCounter(host, cell, course, told);
      for (const [cell, course] of courses) put(turns, cell, course, found, told);
      for (const allocation of turns.forgotten) putArray(turns, allocation, found);
    },
  };
}

/** How often the device was waited for: bookkeeping of our own, no variables of the program. */
function countersOf({ waits, streams }: Interpreter): ReadonlySet<Cell> {
  return new Set([waits, streams.any, streams.linked, ...streams.waits.values()]);
}

// ---------------------------------------------------------------- one turn for all

/** Variables that take turns hold no more than one value at a time: a turn is run for each. */
function run(turns: Turns): readonly Turn[] {
  const first = anyTurn(turns, false);
  return [...turns.courses.values()].some(({ kind }) => kind === "turns") ? [first, anyTurn(turns, true)] : [first];
}

function anyTurn(turns: Turns, isLast: boolean): Turn {
  const { host, loop, trace, left, courses, forgotten } = turns;
  const age = madeByNow();
  const mark = host.journal.hold();
  const { exited, thrown } = host;
  for (const [cell, course] of courses) begin(host, cell, course, left, isLast);
  for (const allocation of forgotten) forgetContent(host, allocation, storedReason);
  const { uncertainty } = trace;
  trace.abstract = true;
  host.uncertainty += 1;
  trace.uncertainty = host.uncertainty;
  const completion = runTurn(host, loop, trace);
  if (completion === undefined || completion.kind === "continue") {
    loop.advance();
    loop.test();
  } else trace.mayEnd = true;
  if (completion?.kind === "return") host.frame.otherResults.push(completion.value);
  host.exited = exited;
  host.thrown = thrown;
  const goesOn = holds(turns);
  trace.abstract = false;
  host.uncertainty -= 1;
  trace.uncertainty = uncertainty;
  return { outcome: host.journal.undo(mark), age, goesOn };
}

const storedReason = "stored in a loop of which the end is not known";
const changedReason = "it changes in a loop of which the end is not known";

/** Puts into a variable all that it may hold before any of the turns left. */
function begin(host: Interpreter, cell: Cell, course: Course, left: number | undefined, isLast: boolean): void {
  if (course.kind === "any") setAny(host, cell, cell.value);
  else if (course.kind === "turns") host.journal.set(cell, isLast ? course.other : cell.value);
  else host.journal.set(cell, during(cell.value, course.step, left));
}

function during(value: Value, step: number, left: number | undefined): Value {
  if (step === 0) return value;
  if (value.kind === "pointer") return reaching(value, step, left);
  const start = numberOf(value);
  if ((value.kind !== "int" && value.kind !== "float") || start === undefined || left === undefined) return anyNumber(value);
  const end = start + step * Math.max(0, left - 1);
  return range(Math.min(start, end), Math.max(start, end), value.type);
}

/** A pointer that moves on. */
function reaching(value: PointerValue, step: number, left: number | undefined): Value {
  if (value.offset === undefined || left === undefined) return { ...value, offset: undefined, reach: undefined };
  const end = value.offset + step * Math.max(0, left - 1);
  return { ...value, offset: undefined, reach: [Math.min(value.offset, end), Math.max(value.offset, end)] };
}

const anyNumber = (value: Value): Value =>
  (value.kind === "int" || value.kind === "range") && !isFloat(value.type) ? range(...bounds(value.type), value.type) : unknownLike(value);

const unknownLike = (value: Value): Value =>
  unknown(changedReason, "type" in value && typeof value.type === "object" ? value.type : undefined);

/** Anything that a turn may leave. @param last what one has left */
function setAny(host: Interpreter, cell: Cell, last: Value): void {
  const { value } = cell;
  switch (value.kind) {
    case "record":
      if (last.kind !== "record") host.journal.set(cell, unknownLike(value));
      else for (const member of value.members.values()) setAny(host, member, member.value);
      return;
    case "container":
      setAnySize(host, cell, value, last);
      return;
    case "pointer":
      // Buffers of the device take turns with each other: which it is matters little.
      if (last.kind === "pointer" && last.target !== value.target && isOfDevice(value) && isOfDevice(last)) return;
      host.journal.set(cell, isIn(last, value.target) ? { ...value, offset: undefined, reach: undefined } : unknownLike(value));
      return;
    default:
      host.journal.set(cell, anyNumber(value));
  }
}

const isIn = (value: Value, target: Allocation | Cell | undefined): boolean =>
  value.kind === "pointer" && value.target === target && target !== undefined;

function setAnySize(host: Interpreter, cell: Cell, { storage, ...value }: ContainerValue, last: Value): void {
  if (last.kind !== "container" || last.storage !== storage) forgetContent(host, storage, changedReason);
  host.journal.summarise(storage, { ...storage.summary, bytes: undefined });
  host.journal.set(cell, { ...value, storage, size: unknown("the size after a loop of which the end is not known") });
}

// ---------------------------------------------------------------- what it tells

/** Whether all goes on as it was taken to; what does not is noted to change, for the next try. */
function isSettled({ host, trace, courses, forgotten, left }: Turns, found: readonly Turn[]): boolean {
  const ours = countersOf(host);
  // A variable with static storage is made where it is met first: what is done to it shows in the next turn.
  const statics = [
    ...host.statics.values(),
    ...[...host.localStatics.values(), ...host.instanceStatics.values()].flatMap((all) => [...all.values()]),
  ];
  let isSettled = found.every(({ age }) => statics.every((cell) => cell.age <= age));
  for (const allocation of trace.stores.keys()) {
    if (forgotten.has(allocation) || found.some(({ age }) => allocation.age > age)) continue;
    forgotten.add(allocation);
    isSettled = false;
  }
  for (const [k, { outcome, age }] of found.entries()) {
    for (const [cell, value] of outcome.cells) {
      const course = courses.get(cell) ?? still;
      if (cell.age > age || ours.has(cell) || goesAs(cell, value, course, left, k > 0)) continue;
      courses.set(cell, any);
      isSettled = false;
    }
    for (const [allocation, { summary, cells }] of outcome.allocations) {
      const isKept = summary.bytes === allocation.summary.bytes && isSameContent(summary.content, allocation.summary.content);
      const isBlank = summary.content.kind === "unknown" && allocation.summary.content.kind === "unknown" && allocation.cells.size === 0;
      if (allocation.age > age || forgotten.has(allocation) || isBlank || (isKept && cells === allocation.cells)) continue;
      forgotten.add(allocation);
      isSettled = false;
    }
  }
  return isSettled;
}

function goesAs(cell: Cell, after: Value, course: Course, left: number | undefined, isLast: boolean): boolean {
  if (course.kind === "any") return true;
  if (course.kind === "turns") return sameValue(after, isLast ? cell.value : course.other);
  if (course.step === 0) return isSameObject(after, cell.value);
  const before = during(cell.value, course.step, left);
  if (before.kind === "pointer" && (after.kind !== "pointer" || before.target !== after.target)) return false;
  const [from, to] = [intervalOf(before), intervalOf(after)];
  return from !== undefined && to !== undefined && to[0] === from[0] + course.step && to[1] === from[1] + course.step;
}

function intervalOf(value: Value): readonly [number, number] | undefined {
  if (value.kind === "range") return [value.lo, value.hi];
  if (value.kind === "pointer") return value.reach;
  const number = numberOf(value);
  return number === undefined ? undefined : [number, number];
}

/** Whether the rest of the condition holds behind any turn. */
function holds({ host, loop: { condition }, telling }: Turns): boolean {
  if (condition === undefined || condition.kind === "variable") return true;
  return conjuncts(condition).every((term) => telling.includes(term) || truth(host.scalar(host.evaluate(term))) === true);
}

export const conjuncts = (condition: Exclude<Condition, { readonly kind: "variable" }>): readonly Expression[] =>
  termsOf(condition, (op) => op === "&&").map(withoutParentheses);

/** Whether nothing that stands in what tells the loop's end changes but evenly. */
function isToldEvenly({ host, courses, forgotten, telling }: Turns): boolean {
  let isEven = true;
  const look = (place: ReturnType<typeof placeOf>): void => {
    if (place === undefined) return;
    if (!(place instanceof Cell)) isEven &&= !forgotten.has(place.allocation);
    else isEven &&= (courses.get(place) ?? still).kind === "even";
  };
  for (const term of telling)
    walk(term, (node) => {
      if (node.kind === "name" || node.kind === "member" || node.kind === "subscript") look(placeOf(host, node));
      return true;
    });
  return isEven;
}

// ---------------------------------------------------------------- what is left

function putCounter(host: Interpreter, cell: Cell, course: Course, left: number | undefined): void {
  const isEven = course.kind === "even" && (course.step === 0 || left !== undefined);
  host.journal.set(cell, isEven ? moved(cell.value, course.step, left) : unknownLike(cell.value));
}

function put({ host, trace }: Turns, cell: Cell, course: Course, found: readonly Turn[], left: number | undefined): void {
  const { value } = cell;
  if (course.kind === "even" && (left !== undefined || (course.step === 0 && !trace.mayEnd))) {
    host.journal.set(cell, moved(value, course.step, left));
    return;
  }
  if (course.kind === "turns" && left !== undefined) {
    host.journal.set(cell, left % 2 === 0 ? value : course.other);
    return;
  }
  const [last = value, other] = found.map(({ outcome }) => outcome.cells.get(cell) ?? value);
  // What every turn leaves the last one does.
  const isLast = left !== undefined && left > 0 && (other === undefined || sameValue(last, other));
  if (isLast && /^(int|float|range)$/.test(last.kind) && /^(int|float|range|unknown)$/.test(value.kind)) host.journal.set(cell, last);
  else putAny(host, cell, course.kind === "turns" ? course.other : last);
}

/** Behind the loop a number that may be any of its type is not known. */
function putAny(host: Interpreter, cell: Cell, last: Value): void {
  const { value } = cell;
  if (value.kind === "record" && last.kind === "record") for (const member of value.members.values()) putAny(host, member, member.value);
  else if (value.kind === "int" || value.kind === "range") host.journal.set(cell, unknownLike(value));
  else setAny(host, cell, last);
}

/** Of what turns store one by one the trace tells more. */
function putArray({ host, trace }: Turns, allocation: Allocation, found: readonly Turn[]): void {
  const store = trace.stores.get(allocation);
  const states = found.map(({ outcome }) => outcome.allocations.get(allocation));
  const isFilled = states.some((state) => state && (state.summary.content.kind !== "unknown" || state.cells.size > 0));
  if (store && !isFilled) return;
  const isSame = states.every(
    (state) =>
      state && state.cells.size === 0 && allocation.cells.size === 0 && isSameContent(state.summary.content, allocation.summary.content),
  );
  if (!isSame) forgetContent(host, allocation, storedReason);
  // All of it is filled in each turn.
  if (store) store.extended = false;
}

// ---------------------------------------------------------------- numbers

/** How a variable has gone on in the last three turns. */
function courseOf(values: readonly Value[]): Course {
  const [a, b, c] = values;
  if (a === undefined || b === undefined || c === undefined) return any;
  if (isSameObject(a, b) && isSameObject(b, c)) return still;
  if (sameValue(a, c)) return { kind: "turns", other: b };
  const [x, y, z] = [place(a), place(b), place(c)];
  if (x === undefined || y === undefined || z === undefined) return any;
  if (a.kind === "pointer" && !(b.kind === "pointer" && c.kind === "pointer" && a.target === b.target && b.target === c.target)) return any;
  const step = z - y;
  return y - x === step ? { kind: "even", step } : any;
}

/** A number that a double holds, or where a pointer leads. */
function place(value: Value): number | undefined {
  if (value.kind === "pointer") return value.target === undefined ? undefined : value.offset;
  const number = numberOf(value);
  return value.kind === "int" && !Number.isSafeInteger(number) ? undefined : number;
}

/** So many turns on; what is rounded on the way comes out otherwise. */
function moved(value: Value, step: number, turns = 1): Value {
  if (step === 0 || turns === 0) return value;
  if (value.kind === "pointer") return { ...value, offset: value.offset === undefined ? undefined : value.offset + step * turns };
  if (value.kind === "int") return int(BigInt(value.value) + BigInt(step) * BigInt(turns), value.type);
  if (value.kind !== "float") return value;
  const isExact = /^(float|double)$/.test(value.type) && isUnrounded({ start: value.value, stride: step }, turns, value.type === "float");
  return isExact ? float(value.value + step * turns, value.type) : unknown(changedReason);
}
