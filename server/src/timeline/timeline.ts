/** A program's time line: what its host code has the device do, with the times of its simulated launches. */
import type { GpuModel } from "@warplens/sim-engine";
import type { Program } from "../analysis/facts.ts";
import type { SimulatedLaunch } from "../rules/rule.ts";
import type { DeviceTask, ProgramTimeline } from "./program-timeline.ts";
import { schedule } from "./schedule.ts";

/** Undefined where the file has no `main` that has the device do anything. */
export function timelineOf(program: Program, gpu: GpuModel, launches: readonly SimulatedLaunch[]): ProgramTimeline | undefined {
  const { device, reading } = program;
  if (device === undefined || device.events.length === 0) return undefined;
  const { hostLinkBandwidth, hostLinkShare, dramMixedBandwidth, smCount } = gpu.values;
  const linkRate = hostLinkBandwidth * hostLinkShare;
  const made = schedule(device, {
    linkRate,
    memoryRate: dramMixedBandwidth / 2,
    launch({ at, grid, block }) {
      const found = launches.find(({ fact, report }) => fact.expression === at && isSame(report.grid, grid) && isSame(report.block, block));
      const time = found?.report.time;
      if (!found || !time) return undefined;
      const [x, y, z] = found.report.grid;
      const { blocksPerSm } = found.report.occupancy;
      return { ns: time.ns, room: Math.min(1, (x * y * z) / Math.max(1, blocksPerSm * smCount)) };
    },
  });
  const streams = [...new Set(made.spans.map(({ event }) => event.stream ?? 0))].filter((stream) => stream > 0);
  const tasks = made.spans.map(({ event, engine, from, to, times, isUnknown }): DeviceTask => {
    const place = event.isElsewhere ? undefined : reading.locate(event.at.start, event.at.end);
    const text = place === undefined ? "" : reading.textOf(event.at.start, event.at.end);
    return {
      name: event.kind === "launch" ? event.kernel : (/^\w+/.exec(text)?.[0] ?? event.kind),
      engine,
      stream: event.stream === undefined ? 0 : 1 + streams.indexOf(event.stream),
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
    ...made.doubts,
  ];
  const { ns, turns, kernels, copies, overlap } = made;
  return { ns, tasks, turns, kernels, copies, overlap, notes };
}

const isSame = (sides: readonly number[], asked: readonly (number | undefined)[]): boolean => sides.every((side, k) => side === asked[k]);
