/** What arrays hold after a loop of which only the first iterations were run. */
import type { Content } from "@warplens/sim-engine";
import type { Allocation } from "../values/model.ts";
import { numberOf, reasonOf } from "../values/values.ts";
import {
  bandOf,
  contentInterval,
  contentOf,
  cyclicPattern,
  exactPattern,
  isUnrounded,
  joinContents,
  overlaid,
  rangeOf,
  type Samples,
  samplesOf,
} from "./content.ts";
import { forgetContent } from "./effects.ts";
import type { Interpreter } from "./interpreter.ts";
import { unknownContent } from "./journal.ts";
import type { Foreseen, LoopTrace, StoreTrace } from "./loop-trace.ts";

/**
 * Notes how far the stores of a loop reach; `total` iterations in all, of which `done` were run.
 * @param complete arrays of which all stores are known
 */
export function extendStores(trace: LoopTrace, done: number, total: number | undefined, complete: ReadonlySet<Allocation>): void {
  for (const [allocation, store] of trace.stores) {
    // What only the turns that were run store is there.
    if (complete.has(allocation) || store.abstract === undefined) continue;
    store.extended = true;
    store.count *= total === undefined ? Number.POSITIVE_INFINITY : total / done;
    const { bytes, elementBytes = 1 } = allocation.summary;
    const end = (bytes ?? Number.POSITIVE_INFINITY) - elementBytes;
    const reaches = store.foreseen?.map(({ reach }) => reach) ?? [[0, end] as const];
    store.lo = Math.max(0, Math.min(store.lo, ...reaches.map(([lo]) => lo)));
    store.hi = Math.min(end, Math.max(store.hi, ...reaches.map(([, hi]) => hi)));
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
  if (elementBytes === undefined) {
    forgetContent(host, allocation, "values computed in a loop");
    return;
  }
  if (store.hi < store.lo) return;
  const inside = new Map([...cells].filter(([offset]) => offset >= store.lo && offset <= store.hi));
  const samples = samplesOf(inside, elementBytes);
  const elements = summary.bytes === undefined ? undefined : summary.bytes / elementBytes;
  const integral =
    samples?.integral ??
    (store.abstract?.kind !== "float" && !(store.abstract?.kind === "range" && ["float", "double"].includes(store.abstract.type)));
  const band = samples === undefined ? bandOf(inside, elementBytes) : undefined;
  const isCounted = counts(store, contentInterval(summary.content, integral, elements)) || growsAnyhow(store, elementBytes);
  const exact = samples && !isCounted ? exactly(store, samples, summary.content, elementBytes) : undefined;
  const written = isCounted ? unknownContent : (exact ?? band?.content ?? describe(store, samples, elements));
  const share = elements === undefined ? 1 : store.count / elements;
  const replaced = isCounted || share >= 1 / 2 || (share >= 1 / 8 && store.before.kind === "unknown");
  // What is known exactly, or not at all, is so of what was stored alone.
  const isPart = elements !== undefined && (store.lo > 0 || store.hi + elementBytes < (summary.bytes ?? 0));
  const alone = (exact !== undefined || written.kind === "unknown") && isPart;
  const part = { from: store.lo, to: store.hi + elementBytes, origin: 0, content: written };
  const content = alone
    ? overlaid(summary.content, part, summary.bytes)
    : exact || (replaced && !isNumber(written))
      ? written
      : joinContents(joinContents(store.before, summary.content, integral, elements), written, integral, elements);
  const reason =
    content.kind === "unknown" || alone
      ? { reason: store.abstract === undefined ? "values computed in a loop" : reasonOf(store.abstract) }
      : {};
  const rest = new Map([...cells].filter(([offset]) => offset < store.lo || offset > store.hi));
  host.journal.summarise(allocation, { ...summary, content, ...(band === undefined ? {} : { band }), ...reason }, rest);
}

/** That all are the same is said of those that are stored alone. */
const isNumber = ({ kind }: Content): boolean => kind === "zero" || kind === "constant";

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

/** What all elements are that the loop stores, where those that it has stored by now say it and what turns left store holds to it. */
function exactly(
  { foreseen, conditional, count, lo, hi, abstract }: StoreTrace,
  samples: Samples,
  held: Content,
  elementBytes: number,
): Content | undefined {
  const { indices, values, integral, single } = samples;
  if (foreseen === undefined || conditional) return undefined;
  if (values.length === 0) {
    // What the turns before have stored is described by now.
    const stored = levelAt(held, lo, Math.min(hi, ...foreseen.map(({ reach }) => reach[0])));
    return stored && Math.round(count) > (hi - lo) / elementBytes && foreseen.every((each) => isOn(stored, each, elementBytes))
      ? stored
      : undefined;
  }
  // There are no gaps between them.
  if ((indices[1] ?? indices[0] ?? 0) - (indices[0] ?? 0) > 1 || Math.round(count) <= (hi - lo) / elementBytes) return undefined;
  const exact = exactPattern(samples);
  const isSure = exact?.kind !== "linear" || integral || isUnrounded(exact, hi / elementBytes, single);
  if (exact !== undefined && isSure && foreseen.every((each) => isOn(exact, each, elementBytes))) return exact;
  return abstract === undefined ? undefined : cyclicPattern(samples, abstract);
}

/** What all elements of a stretch are, where that is one number. */
function levelAt(content: Content, from: number, to: number): Content | undefined {
  const part = content.kind === "parts" ? content.parts.find((each) => each.from <= from && from < each.to && to <= each.to) : { content };
  return part && isNumber(part.content) ? part.content : undefined;
}

/** What the first elements follow has to hold for the rest: `i % 1000` looks linear for a while. */
function isOn(content: Content, { reach, value }: Foreseen, elementBytes: number): boolean {
  const at = (offset: number): number | undefined => {
    if (content.kind === "zero") return 0;
    if (content.kind === "constant") return content.value;
    return content.kind === "linear" ? content.start + content.stride * (offset / elementBytes) : undefined;
  };
  const number = numberOf(value);
  const stored = value.kind === "range" ? [value.lo, value.hi] : number === undefined ? undefined : [number, number];
  const [first, last] = reach.map(at);
  if (stored === undefined || first === undefined || last === undefined) return false;
  return Object.is(stored[0], first < last ? first : last) && Object.is(stored[1], first < last ? last : first);
}

function describe(store: StoreTrace, samples: Samples | undefined, elements: number | undefined): Content {
  if (samples !== undefined && samples.values.length > 0 && isIdentity(store.before) && elements !== undefined && isShuffle(samples))
    return { kind: "permutation", n: elements };
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

function isIdentity(content: Content): boolean {
  return content.kind === "linear" && content.stride === 1 && content.start === 0;
}

/** The touched elements hold each other's indices. */
function isShuffle({ indices, values }: Samples): boolean {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.every((value, k) => value === indices[k]);
}
