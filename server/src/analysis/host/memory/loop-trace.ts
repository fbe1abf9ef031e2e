/** What a loop that is being watched stores into arrays. */
import type { Content } from "@warplens/sim-engine";
import type { Allocation, Value } from "../values/model.ts";
import { numberOf, range } from "../values/values.ts";
import { joinValues } from "./journal.ts";

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
  /** How many loops without launches are around, this one among them. */
  readonly depth: number;
  readonly stores: Map<Allocation, StoreTrace>;
  /** The iteration stands for all that are left: its stores are noted, not done. */
  abstract: boolean;
  /** A `break` or `return` under a condition that is not known was met. */
  mayEnd: boolean;
}

/** A store under way in `loops`, innermost last. */
export function noteStore(loops: readonly LoopTrace[], allocation: Allocation, offset: number | undefined, value: Value): void {
  const loop = loops.at(-1);
  if (loop === undefined) return;
  const abstract = loops.some((outer) => outer.abstract);
  const trace = traceOf(loop, allocation);
  if (offset === undefined) trace.scattered ||= !abstract;
  else {
    trace.direct = true;
    if (!abstract) trace.count += 1;
    trace.lo = Math.min(trace.lo, offset);
    trace.hi = Math.max(trace.hi, offset);
  }
  if (abstract) noteAbstract(trace, value);
}

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
    reread: false,
    extended: false,
    before: allocation.summary.content,
  };
  loop.stores.set(allocation, trace);
  return trace;
}

/** What an inner loop stored is stored by the loop around it too. */
export function passOn(inner: LoopTrace, outer: LoopTrace): void {
  for (const [allocation, store] of inner.stores) {
    const trace = traceOf(outer, allocation);
    trace.lo = Math.min(trace.lo, store.lo);
    trace.hi = Math.max(trace.hi, store.hi);
    trace.count += store.count;
    trace.direct ||= store.direct;
    trace.scattered ||= store.scattered;
    trace.reread ||= store.reread;
    trace.extended ||= store.extended;
    if (store.abstract !== undefined) noteAbstract(trace, store.abstract);
  }
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
