/** What a run has the device do, as it is met: turns of a loop apart, so that those that do the same are told once. */
import type { DeviceEvent, DeviceEvents, DeviceProgram } from "../../device-events.ts";
import type { Allocation } from "../values/model.ts";

/** Events of a run that are kept. */
const mostEvents = 4096;

/** A loop under way. */
interface Turns {
  readonly around: DeviceEvents[];
  /** What each turn has done; the last is under way. */
  readonly all: DeviceEvents[][];
  /** How often the last turn happens besides: undefined where nobody knows. */
  rest: number | undefined;
  /** How many handles there were before: of those that turns make, each has its own. */
  readonly handles: number;
}

export class EventLog {
  #events: DeviceEvents[] = [];
  readonly #loops: Turns[] = [];
  /** Streams and events of the program, by what handles point to. */
  readonly #numbers = new Map<Allocation, number>();
  readonly #independent = new Set<number>();
  readonly #doubts = new Set<string>();
  #count = 0;
  /** The host has done something by itself since it last asked the device for something. */
  #hasWorked = false;

  add(event: DeviceEvent): void {
    const asked = event.kind === "wait" && this.#hasWorked ? { ...event, afterWork: true as const } : event;
    this.#hasWorked = false;
    if (this.#count++ < mostEvents) this.#events.push(asked);
    else this.doubt(`it has the device do more than ${mostEvents.toLocaleString("en")} things, of which the first are told`);
  }

  doubt(why: string): void {
    this.#doubts.add(why);
  }

  /** The host does something that takes its time. */
  worked(): void {
    this.#hasWorked = true;
  }

  /** A stream's or an event's number. */
  numberOf(handle: Allocation): number {
    const known = this.#numbers.get(handle) ?? this.#numbers.size + 1;
    this.#numbers.set(handle, known);
    return known;
  }

  /** The stream has nothing to do with the default stream. */
  isIndependent(stream: Allocation): void {
    this.#independent.add(this.numberOf(stream));
  }

  beginLoop(): void {
    this.#loops.push({ around: this.#events, all: [], rest: 0, handles: this.#numbers.size });
    this.#events = [];
  }

  /** The next turn begins. */
  turn(): void {
    const loop = this.#loops.at(-1);
    if (loop === undefined) return;
    this.#events = [];
    loop.all.push(this.#events);
  }

  /** The last turn stands for so many more. */
  rest(times: number | undefined): void {
    const loop = this.#loops.at(-1);
    if (loop !== undefined) loop.rest = times;
  }

  endLoop(): void {
    const loop = this.#loops.pop();
    if (loop === undefined) return;
    this.#events = loop.around;
    if (loop.all.length > 0 && loop.all.every((turn) => turn.length === 0)) this.worked();
    for (const { events, times } of this.#told(loop)) {
      if (times === 1) this.#events.push(...events);
      else if (times !== 0 && events.length > 0) this.#events.push({ kind: "repeat", times, events });
    }
  }

  /** Turns by what they do, the last of which stands for `rest` more. */
  #told({ all: turns, rest, handles }: Turns): Told[] {
    if (rest !== 0) this.doubt("of long loops the first turns are followed: the others are taken to do the same");
    const period = [1, 2, 3, 4].find(
      (length) => turns.length >= 2 * length && turns.every((each, k) => isSame(each, turns[k % length] ?? [], handles)),
    );
    if (turns.flat().some((event) => "stream" in event && (event.stream ?? 0) > handles))
      this.doubt("a stream that each turn of a loop makes for itself is taken for the same one");
    const one = turns.slice(0, turns.length === 1 ? 1 : (period ?? 0));
    if (one.length > 0) {
      const all = rest === undefined ? undefined : turns.length + rest;
      const left = all === undefined ? 0 : all % one.length;
      return [
        { events: one.flat(), times: all === undefined ? undefined : Math.floor(all / one.length) },
        ...one.slice(0, left).map((events): Told => ({ events, times: 1 })),
      ];
    }
    const told = turns.map((events): Told => ({ events, times: 1 }));
    return together(rest === 0 || turns.length === 0 ? told : [...told, { events: turns.at(-1) ?? [], times: rest }], handles);
  }

  /** All until now; loops under way end. `isWhole`: the run came to its end. */
  program(isWhole: boolean): DeviceProgram {
    while (this.#loops.length > 0) this.endLoop();
    if (!isWhole) this.doubt("host code is followed only in part");
    return { events: this.#events, independent: this.#independent, doubts: [...this.#doubts] };
  }
}

interface Told {
  readonly events: readonly DeviceEvents[];
  readonly times: number | undefined;
}

/** Turns that follow each other and do the same as one. */
function together(turns: readonly Told[], handles: number): Told[] {
  const all: Told[] = [];
  for (const turn of turns) {
    const last = all.at(-1);
    if (last === undefined || !isSame(last.events, turn.events, handles)) all.push(turn);
    else all.splice(-1, 1, { ...turn, times: last.times === undefined || turn.times === undefined ? undefined : last.times + turn.times });
  }
  return all;
}

/** They ask for the same at the same places: in the same streams, or each in its own of those numbered above `handles`. */
function isSame(a: readonly DeviceEvents[], b: readonly DeviceEvents[], handles: number): boolean {
  const text = (events: readonly DeviceEvents[]): string => {
    const own = new Map<number, string>();
    const numbered = (number: number): number | string => {
      if (number <= handles) return number;
      const name = own.get(number) ?? `own ${own.size}`;
      own.set(number, name);
      return name;
    };
    return JSON.stringify(events, (key, value: unknown) => {
      if (key === "at") return (value as DeviceEvent["at"]).start;
      return (key === "stream" || key === "event") && typeof value === "number" ? numbered(value) : value;
    });
  };
  return a.length === b.length && text(a) === text(b);
}
