/** Occupancy by block size as one row of bars: what a launch's block size costs, at a glance. */
import { type GpuModel, type LaunchReport, occupancy } from "@warplens/sim-engine";

const sizes = [32, 64, 96, 128, 192, 256, 384, 512, 640, 768, 1024] as const;
const levels = "▁▂▃▄▅▆▇█";

/** Markdown. The launch's own size stands out, or stands for itself when it is none of the usual. */
export function occupancyByBlockSize(report: LaunchReport, gpu: GpuModel): string {
  const threads = report.block[0] * report.block[1] * report.block[2];
  const shown = [...new Set([...sizes, threads])].sort((a, b) => a - b);
  const percents = shown.map(
    (blockSize) =>
      occupancy(gpu.values, {
        blockSize,
        registers: report.resources.registersPerThread.value,
        staticShared: report.resources.staticSharedBytes,
        dynamicShared: report.dynamicSharedBytes,
      }).occupancyPct,
  );
  const bar = (percent: number): string => (percent <= 0 ? "·" : (levels[Math.min(7, Math.floor((percent / 100) * 7.99))] ?? "·"));
  const head = shown.map((size) => (size === threads ? `**${size}**` : size)).join(" | ");
  return [
    `Occupancy by block size`,
    "",
    `| ${head} |`,
    `|${" :-: |".repeat(shown.length)}`,
    `| ${percents.map(bar).join(" | ")} |`,
    `| ${percents.map((percent) => Math.round(percent)).join(" | ")} |`,
  ].join("\n");
}
