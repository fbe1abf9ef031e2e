/** Figures as engineers write them: three significant digits, SI prefixes, a narrow form for each kind. */
const scale = (value: number, units: readonly string[], step = 1000): string => {
  let at = 0;
  let scaled = value;
  while (Math.abs(scaled) >= step * 0.9995 && at < units.length - 1) {
    scaled /= step;
    at++;
  }
  return `${significant(scaled)} ${units[at]}`;
};

/** Three significant digits, whole numbers from 100 on. */
export function significant(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

/** Decimal multiples, as bandwidths are stated. */
export const bytes = (value: number): string => scale(value, ["B", "kB", "MB", "GB", "TB"]);
/** From GB/s. */
export const bandwidth = (gigabytesPerSecond: number): string => scale(gigabytesPerSecond, ["GB/s", "TB/s"]);
export const time = (nanoseconds: number): string => scale(nanoseconds, ["ns", "µs", "ms", "s"]);
export const percent = (value: number): string => `${significant(value < 10 ? value : Math.round(value))} %`;
export const count = (value: number): string => Math.round(value).toLocaleString("en");
/** `256 × 256`: extents of 1 at the end say nothing. */
export const size = ([x, y = 1, z = 1]: readonly number[]): string =>
  [x, ...(y > 1 || z > 1 ? [y] : []), ...(z > 1 ? [z] : [])].join(" × ");
/** `l2-latency` as `L2 latency`. */
export const words = (name: string): string =>
  name.replaceAll("-", " ").replace(/\b(l1|l2|dram|sfu|fma|alu|fp64|fp32|lsu)\b/g, (unit) => unit.toUpperCase());
