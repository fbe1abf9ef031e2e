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
}

export class EventLog {
  #events: DeviceEvents[] = [];
  readonly #loops: Turns[] = [];
  /** Streams and events of the program, by what handles point to. */
  readonly #numbers = new Map<Allocation, number>();
  readonly #independent = new Set<number>();
  readonly #doubts = new Set<string>();
  #count = 0;

  add(event: DeviceEvent): void {
    if (this.#count++ < mostEvents) this.#events.push(event);
    else this.doubt(`it has the device do more than ${mostEvents.toLocaleString("en")} things, of which the first are told`);
  }

  doubt(why: string): void {
    this.#doubts.add(why);
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
    this.#loops.push({ around: this.#events, all: [], rest: 0 });
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
    const turns = loop.all.filter((events) => events.length > 0);
    for (const { events, times } of this.#told(turns, loop.rest)) {
      if (times === 1) this.#events.push(...events);
      else if (times !== 0) this.#events.push({ kind: "repeat", times, events });
    }
  }

  /** Turns by what they do, the last of which happens `rest` times besides. */
  #told(turns: readonly (readonly DeviceEvents[])[], rest: number | undefined): Told[] {
    const period = [1, 2, 3, 4].find(
      (length) => turns.length >= 2 * length && turns.every((each, k) => isSame(each, turns[k % length] ?? [])),
    );
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
    if (rest !== 0 && turns.length > 0) {
      this.doubt("turns of a loop that differ from each other are taken to go on as the last one");
      told.push({ events: turns.at(-1) ?? [], times: rest });
    }
    return together(told);
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
function together(turns: readonly Told[]): Told[] {
  const all: Told[] = [];
  for (const turn of turns) {
    const last = all.at(-1);
    if (last === undefined || !isSame(last.events, turn.events)) all.push(turn);
    else all.splice(-1, 1, { ...turn, times: last.times === undefined || turn.times === undefined ? undefined : last.times + turn.times });
  }
  return all;
}

/** They ask for the same, at the same places. */
function isSame(a: readonly DeviceEvents[], b: readonly DeviceEvents[]): boolean {
  const text = (events: readonly DeviceEvents[]): string =>
    JSON.stringify(events, (key, value: unknown) => (key === "at" ? (value as DeviceEvent["at"]).start : value));
  return a.length === b.length && text(a) === text(b);
}
