/** What a loop that is being watched stores into arrays. */
import type { Content } from "@warplens/sim-engine";
import { sameValue } from "../values/equal.ts";
import type { Allocation, Reach, Value } from "../values/model.ts";
import { numberOf, range } from "../values/values.ts";
import type { Interpreter } from "./interpreter.ts";
import { joinValues, type Mark, type Outcome } from "./journal.ts";

/** What turns that are not run store, and where that may be. */
export interface Foreseen {
  readonly reach: Reach;
  readonly value: Value;
}

/** Stores of turns that are not run of which each is kept. */
const mostForeseen = 16;

export interface StoreTrace {
  /** Least and greatest byte offset stored to, as far as known. */
  lo: number;
  hi: number;
  /** Stores at known offsets, those not run among them. */
  count: number;
  /** What an iteration with unknown counter stores. */
  abstract: Value | undefined;
  /** Stored to at offsets that are known, and at ones that are not. */
  direct: boolean;
  scattered: boolean;
  /** Of turns that are not run; undefined where one of them may store anywhere, or they are too many. */
  foreseen: Foreseen[] | undefined;
  /** Some stores depend on what is not known. */
  conditional: boolean;
  /** The iteration with unknown counter has read some of it. */
  reread: boolean;
  /** Some of its stores were not run. */
  extended: boolean;
  /** What it held before the loop. */
  readonly before: Content;
}

export interface LoopTrace {
  /** The step count at which the outermost loop around began. */
  readonly since: number;
  /** Steps after which it and the loops in it are cut short. */
  allowance: number;
  /** It takes not much longer, as far as its first turns tell. */
  isShort: boolean;
  /** How many loops without launches are around, this one among them. */
  readonly depth: number;
  readonly stores: Map<Allocation, StoreTrace>;
  /** Above which `Interpreter.uncertainty` lies where a turn may do something or not. */
  uncertainty: number;
  /** What `Interpreter.speculation` is of what it does: what is only looked at is undone. */
  readonly speculation: number;
  /** Ways on which the turn under way may have ended, and the loop. */
  readonly skips: Leaves;
  readonly breaks: Leaves;
  /** Calls around the function it stands in. */
  readonly frame: number;
  /** The iteration stands for all that are left: its stores are noted, not done. */
  abstract: boolean;
  /** A `break` or `return` under a condition that is not known was met. */
  mayEnd: boolean;
}

/** Ways on which a turn, a loop or a function may have been left: what is done behind them is done or not. */
export interface Leaves {
  /** Where each branched off, and what it had done there, the first first. */
  readonly ways: { readonly mark: Mark; readonly outcome: Outcome }[];
  /** There are others, which branched off on ways that were undone. */
  others: boolean;
}

export const noLeaves = (): Leaves => ({ ways: [], others: false });

/** Steps after which a nest of loops is cut short. */
export const nestSteps = 12_000;

export const newTrace = ({ uncertainty, speculation, frame }: Interpreter, depth: number, since: number): LoopTrace => ({
  stores: new Map(),
  skips: noLeaves(),
  breaks: noLeaves(),
  abstract: false,
  mayEnd: false,
  since,
  allowance: nestSteps,
  isShort: false,
  depth,
  uncertainty,
  speculation,
  frame: frame.depth,
});

/** A store under way in the loops around, at `offset`; undefined: somewhere in `reach`. */
export function noteStore(host: Interpreter, allocation: Allocation, offset: number | undefined, value: Value, reach?: Reach): void {
  const { loops } = host;
  const loop = loops.at(-1);
  if (loop === undefined || host.speculation > loop.speculation) return;
  const abstract = loops.some((outer) => outer.abstract);
  const trace = traceOf(loop, allocation);
  trace.conditional ||= host.uncertainty > loop.uncertainty || loop.skips.others || loop.skips.ways.length > 0;
  if (offset === undefined) trace.scattered ||= !abstract;
  else {
    trace.direct = true;
    if (!abstract) {
      trace.count += 1;
      trace.lo = Math.min(trace.lo, offset);
      trace.hi = Math.max(trace.hi, offset);
    }
  }
  if (!abstract) return;
  noteAbstract(trace, value);
  foresee(trace, offset === undefined ? reach : [offset, offset], value);
}

function foresee(trace: StoreTrace, reach: Reach | undefined, value: Value): void {
  const { foreseen } = trace;
  if (reach === undefined || foreseen === undefined) {
    trace.foreseen = undefined;
    return;
  }
  // One number is the same wherever it is stored.
  const isNumber = numberOf(value) !== undefined;
  const at = foreseen.findIndex((each) => sameValue(each.value, value) && (isNumber || isSame(each.reach, reach)));
  const found = foreseen[at];
  if (found) foreseen[at] = { value, reach: [Math.min(found.reach[0], reach[0]), Math.max(found.reach[1], reach[1])] };
  else if (foreseen.push({ reach, value }) > mostForeseen) trace.foreseen = undefined;
}

const isSame = (a: Reach, b: Reach): boolean => a[0] === b[0] && a[1] === b[1];

function noteAbstract(trace: StoreTrace, value: Value): void {
  trace.abstract = trace.abstract === undefined ? value : spanned(trace.abstract, value);
}

function traceOf(loop: LoopTrace, allocation: Allocation): StoreTrace {
  const found = loop.stores.get(allocation);
  if (found !== undefined) return found;
  const trace: StoreTrace = {
    lo: Number.POSITIVE_INFINITY,
    hi: Number.NEGATIVE_INFINITY,
    count: 0,
    abstract: undefined,
    direct: false,
    scattered: false,
    foreseen: [],
    conditional: false,
    reread: false,
    extended: false,
    before: allocation.summary.content,
  };
  loop.stores.set(allocation, trace);
  return trace;
}

/** What an inner loop stored is stored by the loop around it too. */
export function passOn(inner: LoopTrace, outer: LoopTrace): void {
  if (inner.speculation > outer.speculation) return;
  for (const [allocation, store] of inner.stores) {
    const trace = traceOf(outer, allocation);
    trace.lo = Math.min(trace.lo, store.lo);
    trace.hi = Math.max(trace.hi, store.hi);
    trace.count += store.count;
    trace.direct ||= store.direct;
    trace.scattered ||= store.scattered;
    trace.conditional ||= store.conditional || inner.uncertainty > outer.uncertainty;
    trace.reread ||= store.reread;
    trace.extended ||= store.extended;
    if (store.abstract !== undefined) noteAbstract(trace, store.abstract);
    if (store.foreseen === undefined) trace.foreseen = undefined;
    else for (const { reach, value } of store.foreseen) foresee(trace, reach, value);
  }
}

/** An element that a loop under way stores in turns that were not run. */
export function isLeftOpen({ loops }: Interpreter, allocation: Allocation): boolean {
  return loops.some(({ stores }) => stores.get(allocation)?.extended);
}

/** Both as one range where they are numbers. */
export function spanned(a: Value, b: Value): Value {
  const left = interval(a);
  const right = interval(b);
  if (left === undefined || right === undefined) return joinValues(a, b, "stored from several places");
  const type = a.kind === "int" || a.kind === "float" || a.kind === "range" ? a.type : "double";
  return range(Math.min(left[0], right[0]), Math.max(left[1], right[1]), type);
}

function interval(value: Value): readonly [number, number] | undefined {
  if (value.kind === "range") return [value.lo, value.hi];
  const number = numberOf(value);
  return number === undefined ? undefined : [number, number];
}
