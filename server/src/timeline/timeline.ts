/** A program's time line: what its host code has the device do, with the times of its simulated launches. */
import type { GpuModel, Launch } from "@warplens/sim-engine";
import type { DeviceEvents } from "../analysis/device-events.ts";
import type { Program } from "../analysis/facts.ts";
import { hostCosts } from "../host-costs.ts";
import type { SimulatedLaunch } from "../rules/rule.ts";
import { formatTime } from "../units.ts";
import type { DeviceTask, ProgramTimeline } from "./program-timeline.ts";
import { isPageable, schedule } from "./schedule.ts";

/**
 * Undefined where the file has no `main` that has the device do anything, where what it launches rests on input that is not known, and
 * where no launch was simulated: what is left would say nothing of the program.
 */
export function timelineOf(program: Program, gpu: GpuModel, launches: readonly SimulatedLaunch[]): ProgramTimeline | undefined {
  const { device, reading } = program;
  if (device === undefined || device.events.length === 0) return undefined;
  if (!areKnown(device.events)) return undefined;
  const { hostLinkBandwidth, dramMixedBandwidth, smCount } = gpu.values;
  const linkRate = hostLinkBandwidth * hostCosts.copyShare;
  const made = schedule(device, {
    linkRate,
    memoryRate: dramMixedBandwidth,
    host: hostCosts,
    launch({ at, kernel, templateArguments, grid, block }) {
      return inTheMean(
        launches
          .filter(
            ({ fact, report }) =>
              fact.expression === at &&
              fact.kernelName === kernel &&
              isSame(fact.templateArguments, templateArguments) &&
              isSame(report.grid, grid) &&
              isSame(report.block, block),
          )
          .flatMap((launch) => costOf(launch, smCount) ?? []),
      );
    },
  });
  const isLaunched = made.spans.filter(({ engine }) => engine === "kernel");
  if (isLaunched.length > 0 && isLaunched.every(({ isUnknown, event }) => isUnknown || event.uncertain)) return undefined;
  const streamOf = (stream: number | undefined): number => (stream ? 1 + streams.indexOf(stream) : 0);
  const streams = [...new Set(made.spans.map(({ event }) => event.stream ?? 0))].filter((stream) => stream > 0);
  const tasks = made.spans.map(({ event, engine, from, to, times, isUnknown }): DeviceTask => {
    const place = event.isElsewhere ? undefined : reading.locate(event.at.start, event.at.end);
    const text = place === undefined ? "" : reading.textOf(event.at.start, event.at.end);
    return {
      name:
        event.kind === "launch"
          ? `${event.kernel}${event.templateArguments.length > 0 ? `<${event.templateArguments.join(", ")}>` : ""}`
          : (/^\w+/.exec(text)?.[0] ?? event.kind),
      engine,
      stream: streamOf(event.stream),
      ...(place?.file === 0 ? { line: reading.position(0, place.start).line + 1 } : {}),
      from,
      to,
      times,
      ...(event.kind !== "launch" && event.bytes !== undefined ? { bytes: event.bytes } : {}),
      ...(isPageable(event) ? { isPageable: true as const } : {}),
      ...(isUnknown ? { isUnknown } : {}),
      ...(event.uncertain ? { isUncertain: true as const } : {}),
    };
  });
  const notes = [
    `host code takes no time but for asking: ${formatTime(hostCosts.launch)} a launch, ${formatTime(hostCosts.begins + hostCosts.returns)} to begin and to be waited for, as measured on one host`,
    "launches find nothing of their data in the caches, as under the profiler",
    ...(tasks.some(({ engine }) => engine === "to device" || engine === "from device") ? [`copies go at ${linkRate.toFixed(0)} GB/s`] : []),
    ...(tasks.some((task) => task.isPageable)
      ? [`from and to pageable memory at ${hostCosts.pageableRate} GB/s: 7 to 13 were measured, by host`]
      : []),
    ...(areBeside(tasks) ? ["kernels beside each other slow each other only where one resource has more to do than it can"] : []),
    ...(launches.some(({ fact }) => isOtherLater(fact.launch))
      ? ["a launch that is made with other arguments later is taken to need as long as with the first"]
      : []),
    ...made.doubts,
  ];
  const { ns, kernels, copies, overlap } = made;
  const turns = made.turns.map(({ times, from, to, stream }) => ({
    times,
    from,
    to,
    ...(stream === undefined ? {} : { stream: streamOf(stream) }),
  }));
  return { ns, tasks, turns, kernels, copies, overlap, notes };
}

interface Cost {
  readonly ns: number;
  readonly room: number;
  readonly work: Readonly<Record<string, number>>;
}

/** What one launch takes, and how often it is made. */
function costOf({ fact, report }: SimulatedLaunch, smCount: number): { readonly cost: Cost; readonly times: number } | undefined {
  const { time, grid, occupancy } = report;
  if (!time) return undefined;
  const blocks = grid[0] * grid[1] * grid[2];
  const work = time.parts.map(({ name, ns }): [string, number] => [name, ns * (ofAll.has(name) ? 1 : Math.min(1, blocks / smCount))]);
  const room = Math.min(1, blocks / Math.max(1, occupancy.blocksPerSm * smCount));
  return { cost: { ns: time.ns, room, work: Object.fromEntries(work) }, times: fact.executions ?? 1 };
}

/** Turns of a loop that give a kernel other numbers are told as one that is made so often: each takes what they all take in the mean. */
function inTheMean(all: readonly { readonly cost: Cost; readonly times: number }[]): Cost | undefined {
  const [first] = all;
  if (!first || all.length === 1) return first?.cost;
  const times = all.reduce((sum, each) => sum + each.times, 0);
  const mean = (of: (cost: Cost) => number): number => all.reduce((sum, each) => sum + each.times * of(each.cost), 0) / Math.max(1, times);
  const names = new Set(all.flatMap(({ cost }) => Object.keys(cost.work)));
  return {
    ns: mean(({ ns }) => ns),
    room: first.cost.room,
    work: Object.fromEntries([...names].map((name) => [name, mean(({ work }) => work[name] ?? 0)])),
  };
}

/** Resources that all SMs have in common; others have as much of them as they are. */
const ofAll: ReadonlySet<string> = new Set(["dram", "l2", "host-link", "atomics", "device-calls", "block-launch"]);

/** Whether two kernels run at one time. */
function areBeside(tasks: readonly DeviceTask[]): boolean {
  let until = 0;
  for (const { engine, from, to } of tasks.toSorted((a, b) => a.from - b.from)) {
    if (engine !== "kernel") continue;
    if (from < until) return true;
    until = Math.max(until, to);
  }
  return false;
}

/** A later execution is given other numbers: where its buffers begin matters little. */
const isOtherLater = (launch: Launch | undefined): boolean =>
  (launch?.later ?? []).some((later) =>
    later.arguments.some((each, k) => {
      const first = launch?.arguments[k];
      return each.kind === "scalar" && (first?.kind !== "scalar" || first.value !== each.value);
    }),
  );

/** Grid and block of all that is certainly launched. */
const areKnown = (events: readonly DeviceEvents[]): boolean =>
  events.every((event) =>
    event.kind === "repeat"
      ? areKnown(event.events)
      : event.kind !== "launch" || event.uncertain || ![...event.grid, ...event.block].includes(undefined),
  );

const isSame = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((each, k) => each === others[k]);
