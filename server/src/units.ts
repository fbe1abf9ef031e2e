/** Figures as people read them: three significant digits, SI steps of 1000 for rates and counts, steps of 1024 for sizes of memory. */
function scaled(value: number, step: number, units: readonly string[]): string {
  let index = 0;
  let rest = Math.abs(value);
  // 999.5 would print as 1000: it belongs to the next unit.
  while (rest >= step - 0.5 && index < units.length - 1) {
    rest /= step;
    index++;
  }
  return `${value < 0 ? "-" : ""}${significant(rest)} ${units[index] ?? ""}`.trim();
}

/** Three significant digits without trailing zeros: 2.47, 51, 329, 1040. */
export function significant(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0 || Math.abs(value) >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

/** Nanoseconds as ns, µs, ms or s. */
export const formatTime = (ns: number): string => scaled(ns, 1000, ["ns", "µs", "ms", "s"]);
interface Estimate {
  readonly ns: number;
  readonly range: readonly [lo: number, hi: number];
}

/** The error bar of a time: `± 40 %`; `within 2.1 times`, where it may be less than half or more than twice. */
export const formatErrorBar = ({ ns, range: [, hi] }: Estimate): string =>
  hi < 2 * ns ? `± ${formatPercent(100 * (hi / ns - 1))}` : `within ${(hi / ns).toFixed(1)} times`;
/** A time with its error bar: `690 µs ± 40 %`. */
export const formatEstimate = (time: Estimate): string => `${formatTime(time.ns)} ${formatErrorBar(time)}`;
/** GB/s (10^9 bytes a second) as MB/s, GB/s or TB/s. */
export const formatBandwidth = (gigabytesPerSecond: number): string => scaled(gigabytesPerSecond * 1000, 1000, ["MB/s", "GB/s", "TB/s"]);
/** 10^9 floating-point operations a second as MFLOP/s to PFLOP/s. */
export const formatOperations = (gflops: number): string => scaled(gflops * 1000, 1000, ["MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"]);
/** Bytes moved: B, kB, MB, GB, of 1000. */
export const formatTraffic = (bytes: number): string => scaled(bytes, 1000, ["B", "kB", "MB", "GB", "TB"]);
/** Bytes of a memory's size: B, KB, MB, GB, of 1024, as CUDA's limits are counted. */
export const formatCapacity = (bytes: number): string => scaled(bytes, 1024, ["B", "KB", "MB", "GB", "TB"]);
/** Counts: plain to 9,999, then k, M, G. */
export const formatCount = (count: number): string =>
  Math.abs(count) < 10_000 ? significant(count) : scaled(count, 1000, ["", "k", "M", "G", "T"]).replace(" ", "");
/** 0 to 100 as `51 %`. */
export const formatPercent = (percent: number): string => `${percent > 0 && percent < 1 ? "< 1" : Math.round(percent)} %`;
/** Relative changes below this are none: an edit that moves code changes the last digits. */
const noChange = 0.01;

/** "−53 %", "+4 %", "up" from nothing, or undefined where it is the same. */
export function formatChange(from: number, to: number): string | undefined {
  if (from === 0) return to === 0 ? undefined : "up";
  const change = to / from - 1;
  if (Math.abs(change) < noChange) return undefined;
  return `${change < 0 ? "\u2212" : "+"}${formatPercent(100 * Math.abs(change))}`;
}
/** `, stride = 8`: the numbers that tell a launch from others; nothing where none do. */
export const formatGiven = (given: readonly { readonly name: string; readonly value: number }[] = []): string =>
  given.map(({ name, value }) => `, ${name} = ${Number.isInteger(value) ? value : value.toPrecision(4)}`).join("");

/** (256, 1, 1) as `256`, (32, 8, 1) as `32 × 8`. */
export function formatDim([x, y, z]: readonly [number, number, number]): string {
  return [x, y, z].slice(0, z > 1 ? 3 : y > 1 ? 2 : 1).join(" × ");
}
/** A ratio such as `4` or `1.5`: one decimal where it is not whole. */
export const formatRatio = (value: number): string => (value > 0 && value < 0.05 ? "< 0.1" : String(Math.round(value * 10) / 10));
/** What bounds a launch, `l2-latency`, as `L2 latency`. */
export const formatBound = (name: string): string =>
  name.replaceAll("-", " ").replace(/\b(l1|l2|dram|fma|alu|xu|adu|cbu|lsu|fp16|fp32|fp64)\b/g, (unit) => unit.toUpperCase());
/** "n = 1024", "contents of index as `fill` of line 12 stored it", "the launch taken to be reached" */
export const formatAssumption = (what: string, value: number | string): string =>
  `${what} ${/^(?:as|taken) /.test(String(value)) ? "" : "= "}${value}`;

/** Text that is wrapped, its percent signs kept with their numbers. */
export const unbroken = (text: string): string => text.replaceAll(" %", "\u00a0%");
/** What limits occupancy, `shared_mem` as `shared memory`. */
export const formatLimiters = (limiters: readonly string[]): string =>
  limiters.map((name) => name.replace("_mem", " memory")).join(", ") || "nothing";
/** A GPU's name where there is little room: `NVIDIA GeForce GTX 980` as `GTX 980`. */
export const shortGpuName = (name: string): string => name.replace(/^NVIDIA (GeForce |Tesla )?/, "");
