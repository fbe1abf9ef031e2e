/** A program's time line as plain data: what front ends show of it. */

/** What does something: the SMs, the copy engines, or the device's memory by itself. */
export type Engine = "kernel" | "to device" | "from device" | "in device";

/** Something the device does. */
export interface DeviceTask {
  /** The kernel; of a copy or a fill what is written in the source. */
  readonly name: string;
  readonly engine: Engine;
  /** 0: the default stream; others in the order in which the program uses them. */
  readonly stream: number;
  /** 1-based, in the opened file; absent where it stands in another. */
  readonly line?: number;
  /** Nanoseconds from the first thing that is asked for. */
  readonly from: number;
  readonly to: number;
  /** How often it happens, with those in `turns` that it stands for. */
  readonly times: number;
  readonly bytes?: number;
  /** From or to memory of the host that is not page-locked. */
  readonly isPageable?: true;
  readonly isUnknown?: true;
  readonly isUncertain?: true;
}

export interface ProgramTimeline {
  /** Nanoseconds until everything is done. */
  readonly ns: number;
  readonly tasks: readonly DeviceTask[];
  /** Turns of loops that are not told one by one: so many, between so many nanoseconds; with the stream, where all is in one. */
  readonly turns: readonly { readonly times: number; readonly from: number; readonly to: number; readonly stream?: number }[];
  /** Nanoseconds with a kernel under way, with a copy from or to the host, and with both. */
  readonly kernels: number;
  readonly copies: number;
  readonly overlap: number;
  /** What it rests on, a sentence each. */
  readonly notes: readonly string[];
}

/** Tasks at one place of the source, together. */
export interface TaskRow {
  readonly task: DeviceTask;
  /** How many streams they are in. */
  readonly streams: number;
  readonly times: number;
  /** Nanoseconds of all of them. */
  readonly ns: number;
}

/** Tasks by place, those that take longest first. */
export function rowsOf({ tasks }: ProgramTimeline): TaskRow[] {
  const places = new Map<string, TaskRow & { readonly all: Set<number> }>();
  for (const task of tasks) {
    const { name, line, engine, bytes, stream, from, to, times } = task;
    const key = [name, line, engine, bytes].join(" ");
    const known = places.get(key);
    const all = (known?.all ?? new Set<number>()).add(stream);
    const ns = (known?.ns ?? 0) + (to - from) * times;
    places.set(key, { task: known?.task ?? task, all, streams: all.size, times: (known?.times ?? 0) + times, ns });
  }
  return [...places.values()].map(({ task, streams, times, ns }) => ({ task, streams, times, ns })).sort((a, b) => b.ns - a.ns);
}
