/** Measured figures beside estimated ones, in words: one place for lenses, hovers, the panel and the command line. */
import type { ComparedFigure } from "./measured/compare.ts";
import { formatBandwidth, formatCapacity, formatCount, formatPercent, formatTime, formatTraffic } from "./units.ts";

/** A figure's value, in its unit. */
export function formatFigure({ name, unit }: Pick<ComparedFigure, "name" | "unit">, value: number): string {
  if (name === "staticShared" || name === "dynamicShared") return formatCapacity(value);
  switch (unit) {
    case "ns":
      return formatTime(value);
    case "%":
      return formatPercent(value);
    case "bytes":
      return formatTraffic(value);
    case "GB/s":
      return formatBandwidth(value);
    case "count":
      return formatCount(value);
  }
}

const minus = "\u2212";
/** More than this many times what was measured is told as times. */
const manyTimes = 10;

/** How far an estimate is off: `−3 %`, `+4 points`, `12 times`; undefined where it is not known. */
export function errorText({ unit, error }: Pick<ComparedFigure, "unit" | "error">): string | undefined {
  if (error === undefined) return undefined;
  const [sign, size] = [error < 0 ? minus : "+", Math.abs(error)];
  if (unit === "%") return size < 0.5 ? "0 points" : `${sign}${Math.round(size)} point${Math.round(size) === 1 ? "" : "s"}`;
  if (error + 1 >= manyTimes) return `${Math.round(error + 1).toLocaleString("en")} times`;
  return size < 0.005 ? "0 %" : `${sign}${Math.round(100 * size)} %`;
}

/** Figures to show: that neither side has any of something says nothing. */
export const shownFigures = (figures: readonly ComparedFigure[]): ComparedFigure[] =>
  figures.filter(({ measured, estimated }) => measured !== 0 || (estimated !== undefined && estimated !== 0));

/** `✓` close, `▲` the estimate is too high, `▼` too low; undefined where it is not known. */
export function errorMark({ error, isClose }: Pick<ComparedFigure, "error" | "isClose">): "✓" | "▲" | "▼" | undefined {
  if (error === undefined) return undefined;
  return isClose ? "✓" : error > 0 ? "▲" : "▼";
}

/** The time of a launch: `measured 312 µs · est. 304 µs (−3 %)`; undefined where it was not measured, or not estimated. */
export function measuredTimeText(figures: readonly ComparedFigure[]): string | undefined {
  const time = figures.find(({ name }) => name === "time");
  if (time?.estimated === undefined) return undefined;
  const error = errorText(time);
  return `measured ${formatTime(time.measured)} · est. ${formatTime(time.estimated)}${error === undefined ? "" : ` (${error})`}`;
}
