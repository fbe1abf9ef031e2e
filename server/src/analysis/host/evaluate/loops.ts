/**
 * Loops: run for a bounded number of iterations, then extrapolated.
 *
 * Counters that grow by the same amount each time are carried to their last value; the rest of the loop's effect on arrays
 * is described as a whole (`summarise.ts`); everything else that changed is unknown afterwards.
 */

import type { Condition, Expression } from "../../../syntax/ast.ts";
import { isPure } from "../../../syntax/pure.ts";
import { forgetContent } from "../memory/effects.ts";
import { type Completion, type Interpreter, ownSteps } from "../memory/interpreter.ts";
import { type LoopTrace, nestSteps, newTrace, passOn } from "../memory/loop-trace.ts";
import { copied } from "../memory/read-write.ts";
import { extendStores, summariseStores } from "../memory/summarise.ts";
import { elementWise, type Past } from "../replay/element-wise.ts";
import { replay } from "../replay/index.ts";
import { replayWhole } from "../replay/whole.ts";
import type { Cell, Value } from "../values/model.ts";
import { numberOf, truth } from "../values/values.ts";
import { settle, tryOut } from "./branches.ts";
import { combine } from "./operators.ts";
import { type Loop, runTurn } from "./turn.ts";
import { conjuncts, turnsLeft } from "./turns-left.ts";

/** Steps of a turn that holds loops of its own, and turns that are run whatever they hold. */
const longTurn = 500;
const fewTurns = 8;
/** One that would end before is not. */
const mostNestSteps = 4 * nestSteps;
/** Steps of a run by which loops may still take as many. */
const earlySteps = 30_000;
/** Turns of the outermost loop from which it is told how many there are. */
const turnsLookedAt = 3;
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
  const trace = newTrace(host, launches ? 0 : (outer?.depth ?? 0) + 1, nested ? outer.since : host.steps);
  const { cases } = host.frame;
  host.frame.cases = undefined;
  const { final } = host;
  host.final = false;
  host.loops.push(trace);
  host.events?.beginLoop();
  const mark = host.journal.hold();
  const hurried = isHurried(host);
  const attempt = hurried || trace.depth !== 1 ? undefined : replayWhole(host, loop.statement);
  const limits = hurried ? patienceInPassing : launches ? patienceWithLaunch : (patience[trace.depth - 1] ?? patienceInside);
  const completion = attempt?.isDone ? undefined : iterate(host, loop, trace, mark, limits);
  host.frame.cases = cases;
  settle(host, trace.breaks, mark);
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
  const nest = host.loops.find(({ depth }) => depth === 1) ?? trace;
  const early: Sample["distances"][] = [];
  // A nest that has run long enough is sampled from the first iteration on: otherwise every level would take some more.
  const late = trace.depth > 2 && host.steps - trace.since > nest.allowance;
  for (let done = 0; ; done++) {
    const known = loop.testedLast && done === 0 ? true : truth(loop.test());
    if (known === false) return undefined;
    if (known === undefined && done > 0) {
      // Sizes that are read back from the device may be others in the next turn: what it would launch is looked at.
      if (trace.depth === 0) tryOut(host, () => runTurn(host, loop, trace));
      widen(host, loop, mark, trace);
      host.launches.forgetCounts(counted);
      host.events?.rest(undefined);
      return undefined;
    }
    if (done > 0 && exhausted(host, trace)) {
      widen(host, loop, mark, trace);
      host.launches.forgetCounts(counted);
      host.events?.rest(undefined);
      return undefined;
    }
    if (trace === nest && done > 0 && done <= turnsLookedAt) {
      early.push(distance(host, loop.condition));
      if (done === turnsLookedAt) trace.isShort = isSoonDone(host, loop, trace, early);
    }
    const tired = (done >= 3 || late) && trace.depth > 0 && host.steps - trace.since > nest.allowance;
    if (tired || done >= limits.most || (done >= limits.first && done < limits.first + 3)) {
      if (lately.at(-1)?.at !== done - 1) lately.length = 0;
      const from = host.steps;
      lately.push({ at: done, values: snapshot(host, mark), distances: distance(host, loop.condition), from, to: host.steps });
      if (lately.length >= 3) {
        const left = trace.mayEnd ? undefined : (loop.left?.() ?? remaining(loop.condition, distancesOf(lately)));
        // A search ends at what it looks for: as long as each turn is known to be taken, so may the end be.
        const isSearch = left === undefined && !trace.mayEnd && !tired && !hurried && trace.depth > 0 && done < limits.most;
        if (!isSearch && (tired || left === undefined || done + left > limits.most || isBeyondNest(host, trace, lately, left))) {
          const mayGoOn = nest.isShort && nest.allowance < mostNestSteps && left !== undefined && done + left <= limits.most;
          if (extrapolate(host, loop, trace, lately.slice(-3), { done, left, counted, mayGoOn })) return undefined;
          nest.allowance = mostNestSteps;
        }
      }
    }
    // Its turns are long, so that it would be carried to its end in any case: the rows that they store need not stand there one by one.
    const turnSteps = host.steps - begun;
    const isCarried = (turns: number): boolean => turns > fewTurns && turns * turnSteps > 2 * nestSteps;
    if (done === 1 && turnSteps > longTurn && !hurried && trace.depth === 1 && isByElements(host, loop, trace, done, isCarried))
      return undefined;
    host.events?.turn();
    const completion = runTurn(host, loop, trace);
    if (completion?.kind === "break") return undefined;
    if (completion !== undefined && completion.kind !== "continue") return completion;
    if (known === undefined || (trace.mayEnd && loop.condition === undefined)) {
      widen(host, loop, mark, trace);
      host.launches.forgetCounts(counted);
      host.events?.rest(undefined);
      return undefined;
    }
    loop.advance();
  }
}

/** As long as its first turns the others would not tire it. */
function isSoonDone(
  host: Interpreter,
  { condition, left }: Loop,
  { since }: LoopTrace,
  distances: readonly Sample["distances"][],
): boolean {
  if (ownSteps(host) > earlySteps) return false;
  const turns = left?.() ?? remaining(condition, distances);
  const each = (host.steps - since) / turnsLookedAt;
  return turns !== undefined && each * (turns + turnsLookedAt) < mostNestSteps;
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
  const room = (host.loops.find(({ depth }) => depth === 1) ?? trace).allowance - (host.steps - trace.since);
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
function widen(host: Interpreter, loop: Loop, mark: number, trace: LoopTrace): void {
  const { commit } = turnsLeft(host, loop, trace, [changed(host, mark)], undefined, []);
  forgetStored(host, trace);
  commit();
}

/** What the turns that were run have stored is not all. */
function forgetStored(host: Interpreter, trace: LoopTrace): void {
  for (const allocation of trace.stores.keys()) forgetContent(host, allocation, "stored in a loop of which the end is not known");
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
  /** All of its turns may as well be run. */
  readonly mayGoOn: boolean;
}

/** Carries the loop to its end, from the states before its last three iterations. @returns false where it is to go on instead */
function extrapolate(
  host: Interpreter,
  loop: Loop,
  trace: LoopTrace,
  samples: readonly Sample[],
  { done, left, counted, mayGoOn }: Progress,
): boolean {
  const hurried = isHurried(host) || host.afterLast !== undefined;
  const isLong = trace.depth === 1 || (left !== undefined && left > mostApart);
  if (!hurried && trace.depth > 0 && isLong && isByElements(host, loop, trace, done)) return true;
  // A loop within another leaves its elements one by one: what the outer one does is told by them.
  const replayed = trace.depth === 0 || hurried ? undefined : replay(host, loop.statement, left, trace.depth > 1);
  if (replayed?.whole) {
    replayed.commit();
    return true;
  }
  if (mayGoOn && !hurried && !replayed) return false;
  const telling = tellingEnd(loop.condition, samples);
  const foreseen = turnsLeft(
    host,
    loop,
    trace,
    samples.map(({ values }) => values),
    left,
    telling,
  );
  // One of the turns that were not run may be the last.
  if (trace.mayEnd) forgetStored(host, trace);
  const total = foreseen.left === undefined ? undefined : done + foreseen.left;
  if (!trace.mayEnd) extendStores(trace, done, total, new Set(replayed?.columns.map(({ allocation }) => allocation)));
  foreseen.commit();
  if (!trace.mayEnd) replayed?.commit();
  host.launches.scaleCounts(counted, left === undefined ? undefined : (done + left) / done, done);
  host.events?.rest(left);
  return true;
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

function snapshot(host: Interpreter, mark: number): Map<Cell, Value> {
  host.work?.spend((host.journal.size - mark) >> 3);
  return new Map(
    [...changed(host, mark).keys()].map((cell) => [cell, cell.value.kind === "record" ? copied(cell.value) : cell.value] as const),
  );
}

type Distance = number | undefined;

/** left - right of a comparison that can be evaluated again, for each comparison joined by `&&`. */
function distance(host: Interpreter, condition: Condition | undefined): readonly Distance[] {
  if (condition === undefined || condition.kind === "variable") return [];
  return comparisons(condition).map((comparison) => {
    if (!isTold(comparison.left) || !isTold(comparison.right)) return undefined;
    const [left, right] = [host.evaluate(comparison.left), host.evaluate(comparison.right)];
    if (left.kind === "pointer") return numberOf(combine(host, "-", left, right));
    const [a, b] = [numberOf(left), numberOf(right)];
    return a === undefined || b === undefined ? undefined : a - b;
  });
}

type Comparison = Expression & { readonly kind: "binary" };

const comparisons = (condition: Expression): readonly Comparison[] => conjuncts(condition).filter((each) => each.kind === "binary");

/** The comparisons of a condition that come nearer to their end by as much each turn. */
function tellingEnd(condition: Condition | undefined, samples: readonly Sample[]): readonly Expression[] {
  if (condition === undefined || condition.kind === "variable") return [];
  return comparisons(condition).filter(({ op }, k) => {
    const [a, b, c] = samples.slice(-3).map(({ distances }) => distances[k]);
    return iterationsLeft(op, a, b, c) !== undefined;
  });
}

/** A size that a container is asked for changes nothing either. */
const isTold = (e: Expression): boolean =>
  isPure(e, (call) => call.callee.kind === "member" && call.arguments.length === 0 && isPure(call.callee.base));

const distancesOf = (samples: readonly Sample[]): readonly Sample["distances"][] => samples.map(({ distances }) => distances);

/** How many more iterations the condition allows; undefined when that cannot be told. */
function remaining(condition: Condition | undefined, distances: readonly Sample["distances"][]): number | undefined {
  if (condition === undefined || condition.kind === "variable") return undefined;
  let least: number | undefined;
  for (const [k, { op }] of comparisons(condition).entries()) {
    const [a, b, c] = distances.slice(-3).map((each) => each[k]);
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
