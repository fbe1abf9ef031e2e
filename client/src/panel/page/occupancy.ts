import type { LaunchReport } from "@warplens/server/protocol";
import { formatCapacity, formatCount, formatPercent, formatRatio } from "@warplens/server/units";
import { bar, element, section } from "./dom.ts";

/** Occupancy as a bar with the achieved part marked, and what it is made of. */
export function occupancySection({ occupancy, resources, dynamicSharedBytes }: LaunchReport): HTMLElement {
  const { theoreticalPct, achievedPct, blocksPerSm, activeWarpsPerSm, limiters, wavesPerSm } = occupancy;
  const { registersPerThread, staticSharedBytes, localBytesPerThread } = resources;
  const shared = staticSharedBytes + dynamicSharedBytes;
  const track = bar(theoreticalPct / 100, "occupancy", `Theoretical occupancy ${formatPercent(theoreticalPct)}`);
  if (achievedPct !== undefined) {
    const mark = element("div", { class: "mark", title: `Achieved ${formatPercent(achievedPct)}` });
    mark.style.left = `${achievedPct}%`;
    track.append(mark);
  }
  const rows: [string, string][] = [
    ["Theoretical", formatPercent(theoreticalPct)],
    ...(achievedPct === undefined ? [] : [["Achieved", formatPercent(achievedPct)] as [string, string]]),
    ["Limited by", limiters.join(", ") || "nothing"],
    ["Per SM", `${formatCount(blocksPerSm)} blocks, ${formatCount(activeWarpsPerSm)} warps`],
    ["Waves", formatRatio(wavesPerSm)],
    ["Registers", `${registersPerThread.value} a thread (${registersPerThread.basis})`],
    ...(shared > 0 ? [["Shared memory", `${formatCapacity(shared)} a block`] as [string, string]] : []),
    ...(localBytesPerThread > 0 ? [["Local memory", `${formatCapacity(localBytesPerThread)} a thread`] as [string, string]] : []),
  ];
  return section("Occupancy", track, facts(rows));
}

/** Terms and their values. */
function facts(rows: readonly (readonly [string, string])[]): HTMLElement {
  return element("dl", {}, ...rows.map(([term, value]) => element("div", {}, element("dt", {}, term), element("dd", {}, value))));
}
