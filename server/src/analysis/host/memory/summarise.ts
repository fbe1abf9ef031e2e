/** What arrays hold after a loop of which only the first iterations were run. */
import type { Content } from "@warplens/sim-engine";
import type { Allocation } from "../values/model.ts";
import { reasonOf } from "../values/values.ts";
import {
  bandOf,
  contentInterval,
  contentOf,
  cyclicPattern,
  exactPattern,
  isUnrounded,
  joinContents,
  rangeOf,
  type Samples,
  samplesOf,
} from "./content.ts";
import type { Interpreter } from "./interpreter.ts";
import { unknownContent } from "./journal.ts";
import type { LoopTrace, StoreTrace } from "./loop-trace.ts";

/**
 * Notes how far the stores of a loop reach; `total` iterations in all, of which `done` were run.
 * @param complete arrays of which all stores are known
 */
export function extendStores(trace: LoopTrace, done: number, total: number | undefined, complete: ReadonlySet<Allocation>): void {
  for (const [allocation, store] of trace.stores) {
    if (complete.has(allocation)) continue;
    store.extended = true;
    if (store.hi < store.lo) continue;
    store.count *= total === undefined ? Number.POSITIVE_INFINITY : total / done;
    const { bytes, elementBytes = 1 } = allocation.summary;
    const end = (bytes ?? Number.POSITIVE_INFINITY) - elementBytes;
    const span = ((store.hi - store.lo + elementBytes) / done) * (total ?? Number.POSITIVE_INFINITY);
    store.hi = Math.max(store.hi, Math.min(end, store.lo + span - elementBytes));
    // What has no room upwards went downwards.
    store.lo = Math.min(store.lo, Math.max(0, store.hi - span + elementBytes));
  }
}

/** At the end of a nest of loops: describes every array of which not all stores were run. */
export function summariseStores(host: Interpreter, trace: LoopTrace): void {
  if (host.loops.some((loop) => loop.abstract)) return;
  for (const [allocation, store] of trace.stores) if (store.extended) summarise(host, allocation, store);
}

function summarise(host: Interpreter, allocation: Allocation, store: StoreTrace): void {
  const { summary, cells } = allocation;
  const { elementBytes } = summary;
  if (elementBytes === undefined || store.hi < store.lo) return;
  const inside = new Map([...cells].filter(([offset]) => offset >= store.lo && offset <= store.hi));
  const samples = samplesOf(inside, elementBytes);
  const elements = summary.bytes === undefined ? undefined : summary.bytes / elementBytes;
  const integral =
    samples?.integral ??
    (store.abstract?.kind !== "float" && !(store.abstract?.kind === "range" && ["float", "double"].includes(store.abstract.type)));
  const band = samples === undefined ? bandOf(inside, elementBytes) : undefined;
  const isCounted = counts(store, contentInterval(summary.content, integral, elements)) || growsAnyhow(store, elementBytes);
  const written = isCounted ? unknownContent : (band?.content ?? describe(store, samples, elements, elementBytes));
  const share = elements === undefined ? 1 : store.count / elements;
  const replaced = isCounted || share >= 1 / 2 || (share >= 1 / 8 && store.before.kind === "unknown");
  const content = replaced ? written : joinContents(store.before, written, integral, elements);
  const reason =
    content.kind === "unknown" ? { reason: store.abstract === undefined ? "values computed in a loop" : reasonOf(store.abstract) } : {};
  const rest = new Map([...cells].filter(([offset]) => offset < store.lo || offset > store.hi));
  host.journal.summarise(allocation, { ...summary, content, ...(band === undefined ? {} : { band }), ...reason }, rest);
}

/** What stands at indices that are not known is counted on (`count[key]++`): how far it gets the first turns do not tell. */
function counts({ scattered, abstract }: StoreTrace, held: readonly [number, number] | undefined): boolean {
  if (!scattered || held === undefined || abstract?.kind !== "range") return false;
  const [lo, hi] = held;
  return abstract.hi > hi && abstract.lo > lo && abstract.hi - abstract.lo <= hi - lo;
}

/** Turns read what others have stored, and store to the same elements more often than once: where that leads the first do not tell. */
function growsAnyhow({ reread, abstract, count, lo, hi }: StoreTrace, elementBytes: number): boolean {
  return reread && abstract?.kind === "range" && count > 2 * ((hi - lo) / elementBytes + 1);
}

function describe(store: StoreTrace, samples: Samples | undefined, elements: number | undefined, elementBytes: number): Content {
  if (samples !== undefined && samples.values.length > 0) {
    const exact = exactPattern(samples);
    const isSure = exact?.kind !== "linear" || samples.integral || isUnrounded(exact, store.hi / elementBytes, samples.single);
    if (exact !== undefined && isSure && staysWithin(exact, store, store.hi / elementBytes)) return exact;
    const cyclic = store.abstract === undefined ? undefined : cyclicPattern(samples, store.abstract);
    if (cyclic !== undefined) return cyclic;
    if (isIdentity(store.before) && elements !== undefined && isShuffle(samples)) return { kind: "permutation", n: elements };
  }
  const stored = store.abstract === undefined ? unknownContent : contentOf(store.abstract);
  const swapped =
    store.direct && store.scattered && elements !== undefined && (isIdentity(store.before) || store.before.kind === "permutation");
  if (swapped && stored.kind === "uniform" && stored.lo === 0 && stored.hi <= elements) return { kind: "permutation", n: elements };
  // That every value of the range comes equally often is a lie of row pointers, say, whose entries follow each other.
  if ((stored.kind === "uniform" || stored.kind === "unknown") && samples !== undefined && isAscending(samples)) return unknownContent;
  if (stored.kind !== "unknown") return stored;
  const span = samples !== undefined && samples.values.length > 0 ? rangeOf(samples) : unknownContent;
  // That the first are all the same says nothing of others.
  return span.kind === "uniform" ? span : unknownContent;
}

/** Values from which it shows that they are in order. */
const fewValues = 8;

const isAscending = ({ values }: Samples): boolean =>
  values.length >= fewValues &&
  values.some((value) => value !== values[0]) &&
  values.every((value, k) => k === 0 || value >= (values[k - 1] ?? 0));

/** What the first elements follow has to hold for the rest: `i % 1000` looks linear for a while. */
function staysWithin(content: Content, store: StoreTrace, last: number): boolean {
  const { abstract } = store;
  // The first elements alone do not tell what no turn is known to store.
  if (abstract?.kind === "unknown") return false;
  if (abstract?.kind !== "range" && abstract?.kind !== "int" && abstract?.kind !== "float") return true;
  const [lo, hi] = abstract.kind === "range" ? [abstract.lo, abstract.hi] : [Number(abstract.value), Number(abstract.value)];
  if (content.kind === "zero" || content.kind === "constant") return lo === hi;
  if (content.kind !== "linear") return true;
  const end = content.start + content.stride * last;
  const slack = 1e-6 * Math.max(1, Math.abs(end));
  return end >= lo - slack && end <= hi + slack;
}

function isIdentity(content: Content): boolean {
  return content.kind === "linear" && content.stride === 1 && content.start === 0;
}

/** The touched elements hold each other's indices. */
function isShuffle({ indices, values }: Samples): boolean {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.every((value, k) => value === indices[k]);
}
