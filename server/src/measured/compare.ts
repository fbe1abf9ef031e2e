/** Measured beside estimated: by figure of a launch, and by line of source. */
import type { LaunchReport } from "@warplens/sim-engine";
import { figureNames, figures } from "./figures.ts";
import type { Unit } from "./numbers.ts";
import { digestOf, type FigureName, type LineFigureName, type MeasuredFile, type MeasuredLaunch } from "./report.ts";

export interface ComparedFigure {
  readonly name: FigureName;
  readonly label: string;
  readonly unit: Unit;
  readonly measured: number;
  /** Absent where the simulation does not tell it. */
  readonly estimated?: number;
  /** Of percentages: points between them. Of all else: how much the estimate is more, of what was measured; absent where that is 0. */
  readonly error?: number;
  /** The time: what was measured lies within the error bar; of all else see `close`. */
  readonly isClose?: boolean;
}

/** A figure is told to be close within this error: relative, and in points of percentages. */
const close = { relative: 0.1, points: 5 };

export type LineFigures = Readonly<Partial<Record<LineFigureName, number>>>;

interface SampledShare {
  /** Of the launch's samples, 0 to 1. */
  readonly share?: number;
}

export interface MeasuredLines {
  /** By 1-based line of the present text: counts of the launch. */
  readonly lines: Readonly<Record<string, LineFigures & SampledShare>>;
  /** Lines that were measured and are not in the text any more. */
  readonly lost: number;
}

/** The middle of several; the mean of the two middle ones. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Each figure that was measured, its median over the launches, beside what was estimated. */
export function compareFigures(report: LaunchReport, launches: readonly MeasuredLaunch[]): ComparedFigure[] {
  return figureNames.flatMap((name): ComparedFigure[] => {
    const values = launches.flatMap((launch) => launch.figures[name] ?? []);
    if (values.length === 0) return [];
    const { label, unit } = figures[name];
    const measured = median(values);
    const estimated = figures[name].estimated(report);
    if (estimated === undefined) return [{ name, label, unit, measured }];
    const error = unit === "%" ? estimated - measured : measured === 0 ? (estimated === 0 ? 0 : undefined) : estimated / measured - 1;
    const range = name === "time" ? report.time?.range : undefined;
    const isClose = range
      ? range[0] <= measured && measured <= range[1]
      : error !== undefined && Math.abs(error) <= (unit === "%" ? close.points : close.relative);
    return [{ name, label, unit, measured, estimated, ...(error === undefined ? {} : { error }), isClose }];
  });
}

/**
 * What was measured of the lines of a file, medians over the launches, where they stand in its present text.
 * @param name of the file, without folders
 * @param text undefined where it is not known: then a line is taken to stand where it stood
 * @returns undefined where the launches have no lines of that file
 */
export function compareLines(launches: readonly MeasuredLaunch[], name: string, text: string | undefined): MeasuredLines | undefined {
  const all = launches.flatMap(({ files = [] }) => {
    const file = files.find((each) => each.name === name);
    return file ? [{ file, samples: samplesOf(files) }] : [];
  });
  const [first] = all;
  if (!first) return undefined;
  const places = placesOf(first.file, text);
  const values = new Map<number, Map<LineFigureName | "share", number[]>>();
  const add = (line: number, figure: LineFigureName | "share", value: number): void => {
    const of = values.get(line) ?? new Map<LineFigureName | "share", number[]>();
    values.set(line, of);
    const found = of.get(figure);
    if (found) found.push(value);
    else of.set(figure, [value]);
  };
  for (const { file, samples } of all)
    for (const { line, figures: counted } of file.lines) {
      const place = places.get(line);
      if (place === undefined) continue;
      for (const [figure, value] of Object.entries(counted) as [LineFigureName, number][]) add(place, figure, value);
      if (samples > 0 && counted.samples !== undefined) add(place, "share", counted.samples / samples);
    }
  const lines = [...values].map(([line, of]) => {
    // A launch that does not tell a line's count has none there.
    const medians = [...of].map(([figure, found]) => [
      figure,
      median([...found, ...Array<number>(Math.max(0, all.length - found.length)).fill(0)]),
    ]);
    return [String(line), Object.fromEntries(medians)];
  });
  return { lines: Object.fromEntries(lines), lost: new Set(first.file.lines.map(({ line }) => line)).size - places.size };
}

const samplesOf = (files: readonly MeasuredFile[]): number =>
  files.reduce((sum, { lines }) => sum + lines.reduce((of, { figures: { samples = 0 } }) => of + samples, 0), 0);

/** Where measured lines stand now: those that read as they did, the nearest to where the one before has gone. */
function placesOf({ lines }: MeasuredFile, text: string | undefined): Map<number, number> {
  if (text === undefined) return new Map(lines.map(({ line }) => [line, line]));
  const digests = text.split("\n").map(digestOf);
  const byDigest = new Map<number, number[]>();
  for (const [index, digest] of digests.entries()) {
    const at = byDigest.get(digest);
    if (at) at.push(index + 1);
    else byDigest.set(digest, [index + 1]);
  }
  const places = new Map<number, number>();
  const taken = new Set<number>();
  let moved = 0;
  for (const { line, digest } of lines) {
    const at = digest === undefined ? [line].filter((each) => each <= digests.length) : (byDigest.get(digest) ?? []);
    const nearest = nearestOf(at, line + moved);
    if (nearest === undefined || taken.has(nearest)) continue;
    taken.add(nearest);
    moved = nearest - line;
    places.set(line, nearest);
  }
  return places;
}

/** @param sorted the least first */
function nearestOf(sorted: readonly number[], wanted: number): number | undefined {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) < wanted) from = middle + 1;
    else to = middle;
  }
  const [below, above] = [sorted[from - 1], sorted[from]];
  return below === undefined || (above !== undefined && above - wanted < wanted - below) ? above : below;
}
