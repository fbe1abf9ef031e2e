/**
 * Loops: run for a bounded number of iterations, then extrapolated.
 *
 * Counters that grow by the same amount each time are carried to their last value; the rest of the loop's effect on arrays
 * is described as a whole (`summarise.ts`); everything else that changed is unknown afterwards.
 */

import type { Condition, Expression, Statement } from "../../../syntax/ast.ts";
import { termsOf, withoutParentheses } from "../../../syntax/terms.ts";
import { forgetContent } from "../memory/effects.ts";
import type { Completion, Interpreter } from "../memory/interpreter.ts";
import { type LoopTrace, passOn } from "../memory/loop-trace.ts";
import { copied } from "../memory/read-write.ts";
import { extendStores, summariseStores } from "../memory/summarise.ts";
import { elementWise, type Past } from "../replay/element-wise.ts";
import { replay } from "../replay/index.ts";
import { replayWhole } from "../replay/whole.ts";
import { sameValue } from "../values/equal.ts";
import type { Cell, ContainerValue, Value } from "../values/model.ts";
import { bounds, float, int, isFloat, numberOf, range, truth, unknown } from "../values/values.ts";
import { tryOut } from "./branches.ts";
import { combine } from "./operators.ts";

export interface Loop {
  readonly statement: Statement;
  readonly condition: Condition | undefined;
  /** Turns left, of a loop that has no condition. */
  readonly left?: () => number | undefined;
  /** The condition is tested after the body. */
  readonly testedLast: boolean;
  readonly test: () => Value;
  readonly body: () => Completion;
  readonly advance: () => void;
}

/** Steps after which a nest of loops is cut short. */
const nestSteps = 12_000;
/** Steps of a turn that holds loops of its own, and turns that are run whatever they hold. */
const longTurn = 500;
const fewTurns = 8;
/**
 * By depth: after `first` iterations the end is foreseen; a loop that has no more than `most` in all is run to it, so that
 * short tables are known element by element.
 */
const patience = [
  { first: 48, most: 4096 },
  { first: 12, most: 256 },
  { first: 8, most: 64 },
] as const;
const patienceInside = { first: 6, most: 16 };
const patienceWithLaunch = { first: 8, most: 24 };
const patienceInPassing = { first: 3, most: 3 };

/** Elements that an inner loop stores one by one at the most, where they can be made when they are asked for. */
const mostApart = 1 << 14;

export function runLoop(host: Interpreter, loop: Loop): Completion {
  const launches = host.holdsLaunch.has(loop.statement);
  const outer = host.loops.at(-1);
  const nested = outer !== undefined && outer.depth > 0;
  const trace: LoopTrace = {
    stores: new Map(),
    abstract: false,
    mayEnd: false,
    since: nested ? outer.since : host.steps,
    depth: launches ? 0 : (outer?.depth ?? 0) + 1,
  };
  const { final } = host;
  host.final = false;
  host.loops.push(trace);
  host.events?.beginLoop();
  const mark = host.journal.hold();
  const hurried = isHurried(host);
  const attempt = hurried || trace.depth !== 1 ? undefined : replayWhole(host, loop.statement);
  const limits = hurried ? patienceInPassing : launches ? patienceWithLaunch : (patience[trace.depth - 1] ?? patienceInside);
  const completion = attempt?.isDone ? undefined : iterate(host, loop, trace, mark, limits);
  host.events?.endLoop();
  host.journal.release(mark);
  if (trace.depth <= 1) summariseStores(host, trace);
  attempt?.afterwards();
  host.loops.pop();
  host.final = final;
  if (outer !== undefined) passOn(trace, outer);
  return completion;
}

/** It is a look at what the code may do, rather than what it does. */
const isHurried = ({ speculation, loops }: Interpreter): boolean => speculation > 0 || loops.some(({ abstract }) => abstract);

interface Patience {
  readonly first: number;
  readonly most: number;
}

function iterate(host: Interpreter, loop: Loop, trace: LoopTrace, mark: number, limits: Patience): Completion {
  const counted = host.launches.counts();
  const begun = host.steps;
  const hurried = isHurried(host) || host.afterLast !== undefined;
  const lately: Sample[] = [];
  // A nest that has run long enough is sampled from the first iteration on: otherwise every level would take some more.
  const late = trace.depth > 2 && host.steps - trace.since > nestSteps;
  for (let done = 0; ; done++) {
    const known = loop.testedLast && done === 0 ? true : truth(loop.test());
    if (known === false) return undefined;
    if (known === undefined && done > 0) {
      // Sizes that are read back from the device may be others in the next turn: what it would launch is looked at.
      if (trace.depth === 0) tryOut(host, loop.body);
      widen(host, mark, trace);
      host.launches.forgetCounts(counted);
      host.events?.rest(undefined);
      return undefined;
    }
    if (done > 0 && exhausted(host, trace)) {
      widen(host, mark, trace);
      host.launches.forgetCounts(counted);
      host.events?.rest(undefined);
      return undefined;
    }
    const tired = (done >= 3 || late) && trace.depth > 0 && host.steps - trace.since > nestSteps;
    if (tired || done >= limits.most || (done >= limits.first && done < limits.first + 3)) {
      if (lately.at(-1)?.at !== done - 1) lately.length = 0;
      const from = host.steps;
      lately.push({ at: done, values: snapshot(host, mark), distances: distance(host, loop.condition), from, to: host.steps });
      if (lately.length >= 3) {
        const left = trace.mayEnd ? undefined : (loop.left?.() ?? remaining(loop.condition, lately));
        if (tired || left === undefined || done + left > limits.most || isBeyondNest(host, trace, lately, left)) {
          extrapolate(host, loop, trace, lately.slice(-3), { done, left, counted });
          // One of the turns that were not run may be the last.
          if (trace.mayEnd) widen(host, mark, trace);
          return undefined;
        }
      }
    }
    // Its turns are long, so that it would be carried to its end in any case: the rows that they store need not stand there one by one.
    const turnSteps = host.steps - begun;
    const isCarried = (turns: number): boolean => turns > fewTurns && turns * turnSteps > 2 * nestSteps;
    if (done === 1 && turnSteps > longTurn && !hurried && trace.depth === 1 && isByElements(host, loop, trace, done, isCarried))
      return undefined;
    host.events?.turn();
    const completion = loop.body();
    if (completion?.kind === "break") return undefined;
    if (completion !== undefined && completion.kind !== "continue") return completion;
    if (known === undefined || (trace.mayEnd && loop.condition === undefined)) {
      widen(host, mark, trace);
      host.launches.forgetCounts(counted);
      host.events?.rest(undefined);
      return undefined;
    }
    loop.advance();
  }
}

/**
 * The iterations left would tire the nest before the last of them, so that the loop would be carried to its end from there: it may
 * as well be from here. Their steps are counted as if they had been taken, as how far an evaluation gets is not to depend on this.
 */
function isBeyondNest(host: Interpreter, trace: LoopTrace, lately: readonly Sample[], left: number): boolean {
  const [first, second, third] = lately.slice(-3);
  if (trace.depth === 0 || first === undefined || second === undefined || third === undefined) return false;
  const each = third.from - second.to;
  if (each !== second.from - first.to || each <= 0) return false;
  const room = nestSteps - (host.steps - trace.since);
  const more = Math.floor(room / each) + 1;
  // The end is told from three samples in a row.
  const sampled = more === 1 ? 1 : more + 2;
  if (sampled >= left) return false;
  host.steps += sampled * each + (more === 1 ? 1 : 3) * (third.to - third.from);
  return true;
}

/** A nest in which even its first iterations and their stand-ins, level upon level, are too many: one of each has to do. */
function exhausted(host: Interpreter, trace: LoopTrace): boolean {
  return trace.depth > 2 && host.steps - trace.since > 4 * nestSteps;
}

/** Variables of before the loop that it changed. */
const changed = (host: Interpreter, mark: number): Map<Cell, Value> => host.journal.changedVariables(mark);

/** After a loop whose number of iterations is not known. */
function widen(host: Interpreter, mark: number, trace: LoopTrace): void {
  // What the turns that were run have stored is not all.
  for (const [allocation, { scattered, lo, hi }] of trace.stores)
    if (scattered || lo < hi || (trace.depth > 0 && (allocation.summary.bytes ?? 0) > (allocation.summary.elementBytes ?? 0)))
      forgetContent(host, allocation, "stored in a loop of which the end is not known");
  for (const [cell, before] of changed(host, mark)) {
    if (isGrown(before, cell.value)) host.journal.set(cell, ofAnySize(host, cell.value));
    else if (!isExchanged(before, cell.value)) host.journal.set(cell, afterLoop(cell.value));
  }
}

/** A container that the loop has added to or taken from. */
function isGrown(before: Value, now: Value): now is ContainerValue {
  return before.kind === "container" && now.kind === "container" && !sameValue(before.size, now.size);
}

function ofAnySize(host: Interpreter, { storage, ...value }: ContainerValue): ContainerValue {
  host.journal.summarise(storage, { ...storage.summary, bytes: undefined });
  return { ...value, storage, size: unknown("the size after a loop of which the end is not known") };
}

/** Pointers that buffers take turns with lead to one of them, and which matters little. */
function isExchanged(before: Value, now: Value): boolean {
  return before.kind === "pointer" && now.kind === "pointer" && before.target !== now.target && now.offset !== undefined;
}

function afterLoop(value: Value): Value {
  if (value.kind === "pointer") return { ...value, offset: undefined };
  if (value.kind === "record" || value.kind === "container" || value.kind === "lambda" || value.kind === "function") return value;
  return unknown(
    "it changes in a loop of which the end is not known",
    "type" in value && typeof value.type === "object" ? value.type : undefined,
  );
}

/** The state before iteration `at`. */
interface Sample {
  readonly at: number;
  readonly values: Map<Cell, Value>;
  readonly distances: readonly Distance[];
  /** Steps the evaluation had taken by then, and after it was looked at. */
  readonly from: number;
  readonly to: number;
}

interface Progress {
  readonly done: number;
  /** Iterations left; undefined when not known. */
  readonly left: number | undefined;
  readonly counted: ReadonlyMap<string, number>;
}

/** Carries the loop to its end, from the states before its last three iterations. */
function extrapolate(host: Interpreter, loop: Loop, trace: LoopTrace, samples: readonly Sample[], { done, left, counted }: Progress): void {
  const hurried = isHurried(host) || host.afterLast !== undefined;
  const isLong = trace.depth === 1 || (left !== undefined && left > mostApart);
  if (!hurried && trace.depth > 0 && isLong && isByElements(host, loop, trace, done)) return;
  // A loop within another leaves its elements one by one: what the outer one does is told by them.
  const replayed = trace.depth === 0 || hurried ? undefined : replay(host, loop.statement, left, trace.depth > 1);
  if (replayed?.whole) {
    replayed.commit();
    return;
  }
  const cells = new Set(samples.flatMap(({ values }) => [...values.keys()]));
  const steps = new Map([...cells].map((cell) => [cell, regular(samples.map(({ values }) => values.get(cell) ?? cell.value))] as const));
  const total = left === undefined ? undefined : done + left;
  const finals = abstractIteration(host, loop, trace, steps, left);
  for (const [cell, value] of finals) {
    if (isGrown(samples[0]?.values.get(cell) ?? value, cell.value)) {
      host.journal.set(cell, ofAnySize(host, cell.value));
      continue;
    }
    const [, second, third] = samples.map(({ values }) => values.get(cell) ?? cell.value);
    const turns = steps.get(cell) === undefined && alternates(samples, cell);
    host.journal.set(cell, (turns ? ((left ?? 0) % 2 === 0 ? third : second) : undefined) ?? value);
  }
  extendStores(trace, done, total, new Set(replayed?.columns.map(({ allocation }) => allocation)));
  replayed?.commit();
  host.launches.scaleCounts(counted, total === undefined ? undefined : total / done, done);
  host.events?.rest(left);
}

/** Whether all that the loop does is told by the elements that it stores, each made when somebody asks for it. */
function isByElements(host: Interpreter, { statement }: Loop, { stores }: LoopTrace, done: number, isWorth?: Past["isWorth"]): boolean {
  const partly = new Set([...stores].flatMap(([allocation, { extended }]) => (extended ? [allocation] : [])));
  const commit = elementWise(host, statement, { done, partly, ...(isWorth ? { isWorth } : {}) });
  for (const allocation of commit?.() ?? []) {
    const store = stores.get(allocation);
    if (store) store.extended = false;
  }
  return commit !== undefined;
}

/** Takes one of two values by turns: `std::swap(from, to)` at the end of each iteration. */
function alternates(samples: readonly Sample[], cell: Cell): boolean {
  const [first, second, third] = samples.map(({ values }) => values.get(cell));
  if (first === undefined || second === undefined || third === undefined) return false;
  return sameValue(first, third) && !sameValue(first, second);
}

function snapshot(host: Interpreter, mark: number): Map<Cell, Value> {
  host.work?.spend((host.journal.size - mark) >> 3);
  return new Map(
    [...changed(host, mark).keys()].map((cell) => [cell, cell.value.kind === "record" ? copied(cell.value) : cell.value] as const),
  );
}

/** By how much a value grows each iteration; undefined when not regularly. */
function regular(values: readonly Value[]): number | undefined {
  const [a, b, c] = values;
  if (a === undefined || b === undefined || c === undefined) return undefined;
  const [x, y, z] = [place(a), place(b), place(c)];
  if (x === undefined || y === undefined || z === undefined) return undefined;
  if (a.kind === "pointer" && !(b.kind === "pointer" && c.kind === "pointer" && a.target === b.target && b.target === c.target))
    return undefined;
  const step = z - y;
  const tolerance = c.kind === "float" ? 1e-6 * Math.max(1, Math.abs(step)) : 0;
  return Math.abs(y - x - step) <= tolerance ? step : undefined;
}

function place(value: Value): number | undefined {
  return value.kind === "pointer" ? value.offset : numberOf(value);
}

/** Runs one iteration that stands for all that are left, and says what the variables are afterwards. */
function abstractIteration(
  host: Interpreter,
  loop: Loop,
  trace: LoopTrace,
  steps: ReadonlyMap<Cell, number | undefined>,
  left: number | undefined,
): Map<Cell, Value> {
  const starts = new Map([...steps.keys()].map((cell) => [cell, cell.value] as const));
  const mark = host.journal.hold();
  for (const [cell, step] of steps) host.journal.set(cell, during(cell.value, step, left));
  trace.abstract = true;
  loop.body();
  trace.abstract = false;
  const after = new Map([...steps.keys()].map((cell) => [cell, cell.value] as const));
  host.journal.undo(mark);
  const finals = new Map<Cell, Value>();
  for (const [cell, step] of steps) {
    const start = starts.get(cell) ?? cell.value;
    const last = after.get(cell);
    // What stays for some turns stays only if no turn may change it.
    const stays = step === 0 && last !== undefined && sameValue(last, start);
    if (step === 0 ? stays : step !== undefined && left !== undefined) finals.set(cell, moved(start, (step ?? 0) * (left ?? 0)));
    else finals.set(cell, last?.kind === "range" ? last : afterLoop(start));
  }
  return finals;
}

/** All values a variable takes in the iterations left. */
function during(value: Value, step: number | undefined, left: number | undefined): Value {
  if (step === 0) return value;
  if (value.kind === "pointer") return { ...value, offset: undefined };
  const start = numberOf(value);
  if ((value.kind === "int" || value.kind === "float") && start !== undefined && step !== undefined && left !== undefined) {
    const end = start + step * Math.max(0, left - 1);
    return range(Math.min(start, end), Math.max(start, end), value.type);
  }
  if (value.kind === "int" || (value.kind === "range" && !isFloat(value.type)))
    return isFloat(value.type) ? value : range(...bounds(value.type), value.type);
  return value.kind === "range" ? value : afterLoop(value);
}

function moved(value: Value, by: number): Value {
  if (by === 0) return value;
  if (value.kind === "pointer") return { ...value, offset: value.offset === undefined ? undefined : value.offset + by };
  if (value.kind === "int") return int(Number(value.value) + by, value.type);
  return value.kind === "float" ? float(value.value + by, value.type) : value;
}

type Distance = number | undefined;

/** left - right of a comparison that can be evaluated again, for each comparison joined by `&&`. */
function distance(host: Interpreter, condition: Condition | undefined): readonly Distance[] {
  if (condition === undefined || condition.kind === "variable") return [];
  return comparisons(condition).map((comparison) => {
    if (!isPure(comparison.left) || !isPure(comparison.right)) return undefined;
    const [left, right] = [host.evaluate(comparison.left), host.evaluate(comparison.right)];
    if (left.kind === "pointer") return numberOf(combine(host, "-", left, right));
    const [a, b] = [numberOf(left), numberOf(right)];
    return a === undefined || b === undefined ? undefined : a - b;
  });
}

type Comparison = Expression & { readonly kind: "binary" };

function comparisons(e: Expression): readonly Comparison[] {
  return termsOf(e, (op) => op === "&&")
    .map(withoutParentheses)
    .filter((each) => each.kind === "binary");
}

function isPure(e: Expression): boolean {
  switch (e.kind) {
    case "name":
    case "integer":
    case "float":
    case "sizeof":
      return true;
    case "parenthesized":
      return isPure(e.inner);
    case "unary":
      return e.op !== "++" && e.op !== "--" && isPure(e.operand);
    case "binary":
      return termsOf(e, () => true).every(isPure);
    case "cast":
      return e.operands.every(isPure);
    case "member":
      return isPure(e.base);
    case "subscript":
      return isPure(e.base) && e.indices.every(isPure);
    case "call":
      return e.callee.kind === "member" && e.arguments.length === 0 && isPure(e.callee.base);
    default:
      return false;
  }
}

/** How many more iterations the condition allows; undefined when that cannot be told. */
function remaining(condition: Condition | undefined, samples: readonly Sample[]): number | undefined {
  if (condition === undefined || condition.kind === "variable") return undefined;
  let least: number | undefined;
  for (const [k, { op }] of comparisons(condition).entries()) {
    const [a, b, c] = samples.slice(-3).map(({ distances }) => distances[k]);
    const count = iterationsLeft(op, a, b, c);
    if (count !== undefined) least = least === undefined ? count : Math.min(least, count);
  }
  return least;
}

function iterationsLeft(op: string, a: Distance, b: Distance, c: Distance): number | undefined {
  if (a === undefined || b === undefined || c === undefined) return undefined;
  const step = c - b;
  if (Math.abs(b - a - step) > 1e-9 || step === 0) return undefined;
  const count = -c / step;
  switch (op) {
    case "<":
    case ">":
      return step > 0 === (op === "<") ? Math.ceil(count) : undefined;
    case "<=":
    case ">=":
      return step > 0 === (op === "<=") ? Math.floor(count) + 1 : undefined;
    case "!=":
      return Number.isInteger(count) && count >= 0 ? count : undefined;
    default:
      return undefined;
  }
}
