/**
 * When the device does what host code asks for: streams in their order, copies by an engine each way, kernels beside each other as far
 * as the SMs have room. Of host code nothing takes time here but asking, and waiting.
 */
import type { DeviceEvent, DeviceEvents, DeviceProgram } from "../analysis/device-events.ts";
import type { HostCosts } from "../host-costs.ts";
import type { Engine } from "./program-timeline.ts";

/** What takes time. */
type Task = DeviceEvent & { readonly kind: "launch" | "copy" | "set" };

export interface LaunchDuration {
  /** Nanoseconds alone on the GPU. */
  readonly ns: number;
  /** The share of the SMs' room that its blocks take, at most 1. */
  readonly room: number;
  /** By resource of the GPU, nanoseconds that it is all taken up. */
  readonly work: Readonly<Record<string, number>>;
}

/** A kernel that has been given its time. */
interface Placed extends LaunchDuration {
  readonly from: number;
  readonly to: number;
}

/** How long tasks take, by whoever knows. */
export interface Durations {
  /** Of a launch; undefined where it was not simulated. */
  launch(event: Task & { readonly kind: "launch" }): LaunchDuration | undefined;
  /** Bytes a nanosecond between host and device, and of the device's memory, read or written. */
  readonly linkRate: number;
  readonly memoryRate: number;
  readonly host: HostCosts;
}

/** Something that the device does, once or in all turns of a loop that are not told one by one. */
export interface TimelineSpan {
  readonly event: Task;
  readonly engine: Engine;
  /** Nanoseconds from the first thing that host code asks for. */
  readonly from: number;
  readonly to: number;
  /** How often it happens: with the turns of loops that are not told one by one. */
  times: number;
  /** How long it takes is not known: it is left out of all sums. */
  readonly isUnknown?: true;
}

/** Turns of a loop after those that are told one by one, all alike. */
export interface TimelineTurns {
  readonly times: number;
  /** Where all that they do is in one stream: that. */
  readonly stream?: number;
  readonly from: number;
  readonly to: number;
}

export interface Timeline {
  /** Nanoseconds until everything is done. */
  readonly ns: number;
  readonly spans: readonly TimelineSpan[];
  readonly turns: readonly TimelineTurns[];
  /** Nanoseconds in which a kernel runs, in which something is copied from or to the host, and in which both happen. */
  readonly kernels: number;
  readonly copies: number;
  readonly overlap: number;
  /** Why it is more than that, or not in this order. */
  readonly doubts: readonly string[];
}

/** Turns of a loop that are gone through one by one: the first may find the device idle, from then on each is like the one before. */
const turnsTold = 3;
/** Spans of a program that are told, and counted. */
const mostSpans = 5000;
/** Kernels that are looked at for one that might run beside them. */
const mostBeside = 32;

const defaultStream = 0;

/** When the host goes on, and streams, events and the link are done. */
interface Clocks {
  readonly host: number;
  readonly streams: ReadonlyMap<number, number>;
  readonly recorded: ReadonlyMap<number, number>;
  readonly link: Readonly<Record<"to device" | "from device", number>>;
  readonly end: number;
}

interface Sums {
  readonly kernels: number;
  readonly copies: number;
  readonly overlap: number;
}

const sumsOf = (all: readonly Sums[]): Sums =>
  all.reduce(
    (sum, each) => ({ kernels: sum.kernels + each.kernels, copies: sum.copies + each.copies, overlap: sum.overlap + each.overlap }),
    {
      kernels: 0,
      copies: 0,
      overlap: 0,
    },
  );

/** So much of the time of turns is as good as all of it. */
const throughout = 0.999;

/** For how long kernels run, something is copied, and both; turns that do one of them all the time are as one that lasts as long. */
function busyIn(spans: readonly TimelineSpan[], turns: readonly (TimelineTurns & Sums)[]): Sums {
  const all = spans.flatMap(({ engine, from, to }) => (engine === "in device" ? [] : [{ from, to, isKernel: engine === "kernel" }]));
  const rest = { kernels: 0, copies: 0, overlap: 0 };
  for (const { from, to, kernels, copies, overlap } of turns) {
    const [isKernel, isCopy] = [kernels, copies].map((busy) => busy >= throughout * (to - from));
    if (isKernel) all.push({ from, to, isKernel: true });
    else rest.kernels += kernels;
    if (isCopy) all.push({ from, to, isKernel: false });
    else rest.copies += copies;
    if (!isKernel || !isCopy) rest.overlap += overlap;
  }
  return sumsOf([rest, unionOf(all)]);
}

function unionOf(spans: readonly { readonly from: number; readonly to: number; readonly isKernel: boolean }[]): Sums {
  const edges = spans.flatMap(({ from, to, isKernel }) => [
    { at: from, by: 1, isKernel },
    { at: to, by: -1, isKernel },
  ]);
  edges.sort((a, b) => a.at - b.at || a.by - b.by);
  const under = { kernels: 0, copies: 0 };
  const sums = { kernels: 0, copies: 0, overlap: 0 };
  let last = 0;
  for (const { at, by, isKernel } of edges) {
    if (under.kernels > 0) sums.kernels += at - last;
    if (under.copies > 0) sums.copies += at - last;
    if (under.kernels > 0 && under.copies > 0) sums.overlap += at - last;
    under[isKernel ? "kernels" : "copies"] += by;
    last = at;
  }
  return sums;
}

class Schedule {
  readonly #durations: Durations;
  readonly #independent: ReadonlySet<number>;
  readonly doubts: Set<string>;
  readonly spans: TimelineSpan[] = [];
  readonly turns: (TimelineTurns & Sums)[] = [];
  #host = 0;
  /** When each stream, each engine, and what events stand for is done. */
  #streams = new Map<number, number>();
  readonly #link = { "to device": 0, "from device": 0 };
  #recorded = new Map<number, number>();
  /** Kernels by when they run, and the room they take. */
  #kernels: Placed[] = [];

  constructor(program: DeviceProgram, durations: Durations) {
    this.#durations = durations;
    this.#independent = program.independent;
    this.doubts = new Set(program.doubts);
  }

  /** When all that was asked for is done. */
  get end(): number {
    return Math.max(this.#host, ...this.#streams.values());
  }

  run(events: readonly DeviceEvents[]): void {
    for (const event of events) {
      if (event.kind === "repeat") this.#repeat(event.times, event.events);
      else this.#do(event);
    }
  }

  #repeat(times: number | undefined, events: readonly DeviceEvents[]): void {
    if (times === undefined) this.doubts.add("how often a loop turns is not known: one turn of it is told");
    const told = Math.min(times ?? 1, turnsTold);
    let before = this.#clocks();
    let [first, inner] = [0, 0];
    for (let turn = 0; turn < told; turn++) {
      before = this.#clocks();
      first = this.spans.length;
      inner = this.turns.length;
      this.run(events);
    }
    if (times === undefined || times <= told) return;
    const more = times - told;
    const again = this.spans.slice(first);
    for (const span of again) span.times *= 1 + more;
    const streams = [...new Set(again.map(({ event }) => event.stream ?? defaultStream))];
    // Of its own streams: others may have more to do than the loop.
    const from = Math.max(...streams.map((stream) => this.#streams.get(stream) ?? 0));
    const each = Math.max(...streams.map((stream) => (this.#streams.get(stream) ?? 0) - (before.streams.get(stream) ?? 0)));
    if (again.length > 0 && each > 0) {
      const busy = busyIn(again, this.turns.slice(inner));
      // What its turns do goes beside the turns before and behind: all the time at most, and so much at once at least.
      const [kernels, copies] = [Math.min(each, busy.kernels), Math.min(each, busy.copies)];
      const overlap = Math.max(0, kernels + copies - each);
      const [stream, ...others] = streams;
      this.turns.push({
        times: more,
        from,
        to: from + each * more,
        ...(stream !== undefined && others.length === 0 ? { stream } : {}),
        kernels: kernels * more,
        copies: copies * more,
        overlap: overlap * more,
      });
    }
    this.#pass(before, more);
  }

  #clocks(): Clocks {
    return { host: this.#host, streams: new Map(this.#streams), recorded: new Map(this.#recorded), link: { ...this.#link }, end: this.end };
  }

  /** What has gone on since `before` goes on so often again: each by itself, as copies may run ahead of kernels. */
  #pass(before: Clocks, times: number): void {
    const on = (then: number, now: number): number => now + (now - then) * times;
    const all = (then: ReadonlyMap<number, number>, now: ReadonlyMap<number, number>): Map<number, number> =>
      new Map([...now].map(([key, at]) => [key, on(then.get(key) ?? at, at)]));
    const end = this.end;
    const passed = (end - before.end) * times;
    this.#host = on(before.host, this.#host);
    this.#streams = all(before.streams, this.#streams);
    this.#recorded = all(before.recorded, this.#recorded);
    for (const way of ["to device", "from device"] as const) this.#link[way] = on(before.link[way], this.#link[way]);
    this.#kernels = this.#kernels.map((each) => ({ ...each, from: each.from + passed, to: each.to + passed }));
  }

  #do(event: DeviceEvent): void {
    const stream = "stream" in event && event.stream !== undefined ? event.stream : defaultStream;
    switch (event.kind) {
      case "wait": {
        const { event: recorded, stream: own } = event;
        if (recorded !== undefined) this.#wait(this.#recorded.get(recorded) ?? 0);
        else this.#wait(own === undefined ? this.end : this.#ready(own));
        return;
      }
      case "record":
        this.#host += this.#durations.host.event;
        this.#recorded.set(event.event, this.#ready(stream));
        return;
      case "join":
        this.#host += this.#durations.host.event;
        this.#streams.set(stream, Math.max(this.#ready(stream), this.#recorded.get(event.event) ?? 0));
        return;
      default:
        this.#task(event, stream);
    }
  }

  /** The host waits for what is done at `until`. */
  #wait(until: number): void {
    this.#host = Math.max(this.#host, until + (until > this.#host ? this.#durations.host.returns : 0));
  }

  /** When a stream can go on: the default stream waits for all but the independent ones, and they for it. */
  #ready(stream: number): number {
    const own = Math.max(this.#host, this.#streams.get(stream) ?? 0);
    if (this.#independent.has(stream)) return own;
    if (stream !== defaultStream) return Math.max(own, this.#streams.get(defaultStream) ?? 0);
    return Math.max(own, ...[...this.#streams].flatMap(([other, end]) => (this.#independent.has(other) ? [] : [end])));
  }

  #task(event: Task, stream: number): void {
    const engine = engineOf(event);
    if (engine === undefined) return;
    if (this.spans.length >= mostSpans) {
      this.doubts.add(`only the first ${mostSpans.toLocaleString("en")} things are told and counted`);
      return;
    }
    const { host } = this.#durations;
    const took = this.#durationOf(event, engine);
    if (!event.uncertain) this.#host += host[event.kind];
    const ready = Math.max(this.#ready(stream), this.#host + (event.uncertain ? 0 : host.begins));
    const { ns, room, work } = took ?? { ns: 0, room: 0, work: {} };
    const from = engine === "kernel" ? this.#fits(ready, ns, room) : Math.max(ready, engine === "in device" ? 0 : this.#link[engine]);
    const to = engine === "kernel" ? Math.max(from + ns, this.#done(from, work)) : from + ns + this.#longer(engine, from, ns);
    if (engine === "kernel" && ns > 0) this.#kernels = [...this.#kernels.slice(1 - mostBeside), { from, to, ns, room, work }];
    else if (engine === "to device" || engine === "from device") this.#link[engine] = to;
    this.#streams.set(stream, to);
    this.spans.push({ event, engine, from, to, times: 1, ...(took || event.uncertain ? {} : { isUnknown: true as const }) });
    if (waitsFor(event, engine, host)) this.#wait(to);
  }

  /** How much longer a copy takes beside one the other way that is under way: the earlier one keeps its time. */
  #longer(engine: Engine, from: number, ns: number): number {
    if (engine !== "to device" && engine !== "from device") return 0;
    const other = this.#link[engine === "to device" ? "from device" : "to device"];
    return Math.min(ns, Math.max(0, other - from)) * (1 / this.#durations.host.bothWays - 1);
  }

  /** When a kernel that begins at `from` has done its work at the latest resource, behind what is left of the kernels beside it. */
  #done(from: number, work: LaunchDuration["work"]): number {
    const beside = this.#kernels.filter((other) => other.from <= from && other.to > from);
    const ends = Object.entries(work).map(([resource, ns]) => {
      const left = beside.map((other) => ((other.work[resource] ?? 0) * (other.to - from)) / (other.to - other.from));
      return from + ns + left.reduce((sum, each) => sum + each, 0);
    });
    return Math.max(from, ...ends);
  }

  #durationOf(event: Task, engine: Engine): LaunchDuration | undefined {
    const unknown = (why: string): undefined => void this.doubts.add(why);
    // It may be one of two things of which the other happens.
    if (event.uncertain) return unknown("what may happen or not, as it depends on what is not known, is taken to need no time");
    if (event.kind === "launch")
      return this.#durations.launch(event) ?? unknown("some launches were not simulated: they are taken to need no time");
    if (event.bytes === undefined) return unknown("how much some copies move is not known: they are taken to need no time");
    if (event.kind === "copy" && (event.from === undefined || event.to === undefined))
      return unknown("where some copies lead is not known: they are taken to need no time");
    const { host, linkRate, memoryRate } = this.#durations;
    // A copy on the device reads what it writes.
    const bytes = engine === "in device" && event.kind === "copy" ? 2 * event.bytes : event.bytes;
    const rate = engine === "in device" ? memoryRate : isPageable(event) ? Math.min(linkRate, host.pageableRate) : linkRate;
    return { ns: (engine === "kernel" ? 0 : host.started[engine]) + bytes / rate, room: 0, work: {} };
  }

  /** From when a kernel that needs `room` finds it, until it ends. */
  #fits(ready: number, ns: number, room: number): number {
    const others = this.#kernels.filter(({ to }) => to > ready);
    const starts = [ready, ...others.map(({ to }) => to)].sort((a, b) => a - b);
    const isFree = (at: number): boolean => {
      const beside = others.filter(({ from, to }) => from < at + ns && to > at);
      // The room that is taken changes where one begins.
      return [at, ...beside.map(({ from }) => from)].every((when) => {
        const taken = beside.filter(({ from, to }) => from <= when && to > when).reduce((sum, each) => sum + each.room, 0);
        return when < at || taken === 0 || taken + room <= 1;
      });
    };
    return starts.find(isFree) ?? ready;
  }
}

/** What does it; undefined for copies within the host's memory. */
function engineOf(event: Task): Engine | undefined {
  if (event.kind === "launch") return "kernel";
  if (event.kind === "set") return "in device";
  const isOfHost = (side: typeof event.to): boolean => side === "host" || side === "pinned";
  if (isOfHost(event.from) && isOfHost(event.to)) return undefined;
  if (isOfHost(event.from)) return "to device";
  return isOfHost(event.to) ? "from device" : "in device";
}

/** From or to memory of the host that is not page-locked, which the driver has to copy. */
export const isPageable = (event: DeviceEvent): boolean => event.kind === "copy" && (event.from === "host" || event.to === "host");

/** The host goes on when it is done: also where the driver copies it, but for the little that it takes over at once. */
function waitsFor(event: Task, engine: Engine, { takenOver }: HostCosts): boolean {
  if (event.kind !== "copy" || engine === "in device") return false;
  if (event.from === "host" && event.bytes !== undefined && event.bytes <= takenOver) return false;
  return !event.async || isPageable(event);
}

export function schedule(program: DeviceProgram, durations: Durations): Timeline {
  const made = new Schedule(program, durations);
  made.run(program.events);
  const { spans, turns, doubts, end } = made;
  const busy = busyIn(spans, turns);
  const [kernels, copies] = [Math.min(end, busy.kernels), Math.min(end, busy.copies)];
  return { ns: end, spans, turns, kernels, copies, overlap: Math.min(kernels, copies, busy.overlap), doubts: [...doubts] };
}
