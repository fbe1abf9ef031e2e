/** A program's time line: what its host code has the device do, with the times of its simulated launches. */
import type { GpuModel, Launch } from "@warplens/sim-engine";
import type { DeviceEvents } from "../analysis/device-events.ts";
import type { Program } from "../analysis/facts.ts";
import type { SimulatedLaunch } from "../rules/rule.ts";
import type { DeviceTask, ProgramTimeline } from "./program-timeline.ts";
import { schedule } from "./schedule.ts";

/**
 * Undefined where the file has no `main` that has the device do anything, where what it launches rests on input that is not known, and
 * where no launch was simulated: what is left would say nothing of the program.
 */
export function timelineOf(program: Program, gpu: GpuModel, launches: readonly SimulatedLaunch[]): ProgramTimeline | undefined {
  const { device, reading } = program;
  if (device === undefined || device.events.length === 0) return undefined;
  if (!areKnown(device.events)) return undefined;
  const { hostLinkBandwidth, hostLinkShare, dramMixedBandwidth, smCount } = gpu.values;
  const linkRate = hostLinkBandwidth * hostLinkShare;
  const made = schedule(device, {
    linkRate,
    memoryRate: dramMixedBandwidth,
    launch({ at, kernel, templateArguments, grid, block }) {
      const found = launches.find(
        ({ fact, report }) =>
          fact.expression === at &&
          fact.kernelName === kernel &&
          isSame(fact.templateArguments, templateArguments) &&
          isSame(report.grid, grid) &&
          isSame(report.block, block),
      );
      const time = found?.report.time;
      if (!found || !time) return undefined;
      const [x, y, z] = found.report.grid;
      const { blocksPerSm } = found.report.occupancy;
      return { ns: time.ns, room: Math.min(1, (x * y * z) / Math.max(1, blocksPerSm * smCount)) };
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
      ...(event.kind === "copy" && (event.from === "host" || event.to === "host") ? { isPageable: true as const } : {}),
      ...(isUnknown ? { isUnknown } : {}),
      ...(event.uncertain ? { isUncertain: true as const } : {}),
    };
  });
  const notes = [
    "host code, and asking the device, are taken to need no time",
    ...(tasks.some(({ engine }) => engine === "to device" || engine === "from device")
      ? [
          `copies go at the ${linkRate.toFixed(0)} GB/s that kernels reach over the link of this GPU; from and to pageable memory they are slower`,
        ]
      : []),
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
