import { describe, expect, test } from "vitest";
import type { DeviceEvent, DeviceEvents } from "../analysis/device-events.ts";
import type { Expression } from "../syntax/ast.ts";
import { type Durations, schedule, type Timeline } from "./schedule.ts";

const at: Expression = { kind: "bool", start: 0, end: 1, value: true };

/** A kernel of 100 ns takes the whole GPU, `half` of it as long, and so do small ones that keep what they are named after busy. */
const durations: Durations = {
  launch: ({ kernel }) =>
    kernel === "unknown"
      ? undefined
      : {
          ns: 100,
          room: kernel === "k" ? 1 : kernel === "half" ? 0.5 : 0.1,
          work: kernel === "k" || kernel === "half" ? {} : { [kernel]: 60 },
        },
  linkRate: 1,
  memoryRate: 10,
  host: {
    launch: 0,
    copy: 0,
    set: 0,
    event: 0,
    begins: 0,
    returns: 0,
    started: { "to device": 0, "from device": 0, "in device": 0 },
    copyShare: 1,
    bothWays: 1,
    pageableRate: 1,
    takenOver: 0,
  },
};

const launch = (kernel: string, stream?: number): DeviceEvent => ({
  kind: "launch",
  at,
  kernel,
  templateArguments: [],
  grid: [1],
  block: [32],
  ...(stream ? { stream } : {}),
});
const copy = (bytes: number, way: "up" | "down", { async = false, stream = 0, pageable = false } = {}): DeviceEvent => {
  const host = pageable ? "host" : "pinned";
  const [from, to] = way === "up" ? ([host, "device"] as const) : (["device", host] as const);
  return { kind: "copy", at, from, to, bytes, async, ...(stream ? { stream } : {}) };
};
const wait: DeviceEvent = { kind: "wait", at };
const repeat = (times: number | undefined, ...events: DeviceEvents[]): DeviceEvents => ({ kind: "repeat", times, events });

const run = (...events: DeviceEvents[]): Timeline => schedule({ events, independent: new Set([9]), doubts: [] }, durations);
const spans = (...events: DeviceEvents[]): (readonly [number, number])[] => run(...events).spans.map(({ from, to }) => [from, to]);

describe("what host code pays", () => {
  const host = {
    ...durations.host,
    launch: 10,
    copy: 5,
    set: 3,
    event: 1,
    begins: 20,
    returns: 30,
    bothWays: 0.8,
    pageableRate: 0.5,
    takenOver: 64,
  };
  const paid = (...events: DeviceEvent[]): (readonly [number, number])[] =>
    schedule({ events, independent: new Set(), doubts: [] }, { ...durations, host }).spans.map(({ from, to }) => [from, to]);

  test("asking takes time, and so does beginning where the device waits for it", () => {
    expect(paid(launch("k"), launch("k"))).toEqual([
      [30, 130],
      [130, 230],
    ]);
    expect(paid(launch("k", 1), launch("dram", 2))[1]).toEqual([130, 230]);
  });

  test("the host that waits goes on later than what it waits for is done", () => {
    expect(paid(launch("k"), wait, launch("k"))[1]).toEqual([130 + 30 + 10 + 20, 290]);
  });

  test("pageable memory is copied at the host's rate, and waited for, but for what the driver takes over", () => {
    const copied = (bytes: number) => paid(copy(bytes, "up", { async: true, pageable: true }), launch("k"));
    expect(copied(100)).toEqual([
      [25, 225],
      [225 + 30 + 10 + 20, 385],
    ]);
    expect(copied(50)).toEqual([
      [25, 125],
      [125, 225],
    ]);
  });

  test("a copy is slower beside one the other way", () => {
    const [up, down] = paid(copy(100, "up", { async: true, stream: 1 }), copy(100, "down", { async: true, stream: 2 }));
    expect(up).toEqual([25, 125]);
    expect(down?.[0]).toBe(30);
    expect(down?.[1]).toBeCloseTo(130 + 95 * 0.25);
  });
});

describe("the order", () => {
  test("of one stream is the host's", () => {
    expect(spans(copy(50, "up"), launch("k"), copy(30, "down"))).toEqual([
      [0, 50],
      [50, 150],
      [150, 180],
    ]);
  });

  test("streams go beside each other: a copy each way and a kernel at once", () => {
    expect(spans(copy(100, "up", { async: true, stream: 1 }), copy(100, "down", { async: true, stream: 2 }), launch("k", 3))).toEqual([
      [0, 100],
      [0, 100],
      [0, 100],
    ]);
  });

  test("memory of the device is written once to set it, and read as well to copy it", () => {
    expect(spans({ kind: "set", at, bytes: 1000 }, { kind: "copy", at, from: "device", to: "device", bytes: 1000, async: false })).toEqual([
      [0, 100],
      [100, 300],
    ]);
  });

  test("copies of one way follow each other", () => {
    expect(spans(copy(100, "up", { async: true, stream: 1 }), copy(100, "up", { async: true, stream: 2 }))).toEqual([
      [0, 100],
      [100, 200],
    ]);
  });

  test("kernels go beside each other where the SMs have room", () => {
    expect(spans(launch("half", 1), launch("half", 2), launch("half", 3), launch("k", 4))).toEqual([
      [0, 100],
      [0, 100],
      [100, 200],
      [200, 300],
    ]);
  });

  test("kernels beside each other share what both keep busy", () => {
    expect(spans(launch("dram", 1), launch("dram", 2), launch("issue", 3), launch("dram", 4))).toEqual([
      [0, 100],
      [0, 120],
      [0, 100],
      [0, 180],
    ]);
  });

  test("the default stream waits for others, and they for it, but for independent ones", () => {
    expect(spans(launch("half", 1), launch("half"), launch("half", 1))).toEqual([
      [0, 100],
      [100, 200],
      [200, 300],
    ]);
    expect(spans(launch("half", 9), launch("half"))).toEqual([
      [0, 100],
      [0, 100],
    ]);
  });

  test("the host waits for copies, unless they are asynchronous and from page-locked memory", () => {
    const after = (first: DeviceEvent): number | undefined => spans(first, copy(1, "down", { async: true, stream: 9 }))[1]?.[0];
    expect(after(copy(50, "up"))).toBe(50);
    expect(after(copy(50, "up", { async: true }))).toBe(0);
    expect(after(copy(50, "up", { async: true, pageable: true }))).toBe(50);
  });

  test("a stream waits for an event, and the host for the device", () => {
    expect(
      spans(
        launch("half", 1),
        { kind: "record", at, event: 5, stream: 1 },
        { kind: "join", at, event: 5, stream: 2 },
        launch("half", 2),
        wait,
        copy(10, "up", { async: true, stream: 9 }),
      ),
    ).toEqual([
      [0, 100],
      [100, 200],
      [200, 210],
    ]);
  });
});

describe("loops", () => {
  test("take as long as their turns, however many are drawn", () => {
    const { ns, kernels, copies, overlap, spans, turns } = run(repeat(1000, launch("k"), copy(50, "down")), launch("k"));
    expect({ ns, kernels, copies, overlap }).toEqual({ ns: 150_100, kernels: 100_100, copies: 50_000, overlap: 0 });
    expect(spans).toHaveLength(7);
    expect(spans.map(({ times }) => times)).toEqual([1, 1, 1, 1, 998, 998, 1]);
    expect(turns).toMatchObject([{ times: 997, from: 450, to: 150_000, stream: 0 }]);
  });

  test("in loops", () => {
    const { ns, kernels, spans } = run(repeat(10, repeat(20, launch("k")), copy(50, "down")));
    expect({ ns, kernels }).toEqual({ ns: 10 * 2050, kernels: 200 * 100 });
    expect(spans.filter(({ engine }) => engine === "kernel").reduce((sum, { times }) => sum + times, 0)).toBe(200);
  });

  test("that go on beside a stream are as long as what takes longest", () => {
    const { ns, overlap } = run(repeat(100, copy(60, "up", { async: true, stream: 1 }), launch("k", 2)));
    expect(ns).toBe(100 * 100);
    expect(overlap).toBe(6000);
  });
});

test("what loops do in one stream happens at once with what is done in others", () => {
  const busy = run(repeat(10, launch("half", 1)), copy(1200, "up", { async: true, stream: 2 }));
  expect(busy).toMatchObject({ ns: 1200, kernels: 1000, copies: 1200, overlap: 1000 });
});

test("no share is more than all: kernels of two streams, one behind the other in each turn", () => {
  const chain: DeviceEvents[] = [
    launch("half", 1),
    { kind: "record", at, event: 5, stream: 1 },
    { kind: "join", at, event: 5, stream: 2 },
    launch("half", 2),
  ];
  expect(run(repeat(1000, ...chain))).toMatchObject({ ns: 100_100, kernels: 100_100, copies: 0, overlap: 0 });
  const { ns, kernels, overlap } = run(launch("k", 3), repeat(100, copy(10, "up", { async: true, stream: 1 })));
  expect({ ns, kernels, overlap }).toEqual({ ns: 1000, kernels: 100, overlap: 100 });
});

test("two short kernels go beside a long one", () => {
  const long: DeviceEvent = { ...launch("half", 2), kernel: "long" } as DeviceEvent;
  const made = schedule(
    { events: [launch("half", 1), launch("half", 1), long], independent: new Set(), doubts: [] },
    { ...durations, launch: ({ kernel }) => ({ ns: kernel === "long" ? 200 : 100, room: 0.5, work: {} }) },
  );
  expect(made.ns).toBe(200);
});

test("what may happen or not takes no time", () => {
  const made = run({ ...launch("k"), uncertain: true }, launch("k"));
  expect(made.ns).toBe(100);
  expect(made.doubts).toHaveLength(1);
});

test("what is not known is said, and takes no time", () => {
  expect(run(launch("unknown"), launch("k"))).toMatchObject({
    ns: 100,
    spans: [{ isUnknown: true }, {}],
    doubts: ["some launches were not simulated: they are taken to need no time"],
  });
  expect(run(repeat(undefined, launch("k")))).toMatchObject({
    ns: 100,
    doubts: ["how often a loop turns is not known: one turn of it is told"],
  });
});
