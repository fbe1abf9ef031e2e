/** Reports that were kept as plain data, read again before they are believed. */
import type { Dim3 } from "@warplens/sim-engine";
import { figureNames, isMeasurable } from "./figures.ts";
import { longestName, mostLaunches } from "./read-report.ts";
import type { Figures, MeasuredDevice, MeasuredFile, MeasuredLaunch, MeasuredLine, MeasuredReport } from "./report.ts";
import { lineFigureNames } from "./sources.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Of a list. */
const mostEntries = 200_000;

/** The report that a value is; undefined where it is none. What is unsound in a launch costs that launch. */
export function readKeptReport(value: unknown): MeasuredReport | undefined {
  const { name, devices, launches, notes } = fieldsOf(value);
  const [title, told] = [textOf(name), listOf(devices).map(deviceOf)];
  if (title === undefined || !Array.isArray(launches)) return undefined;
  const read = listOf(launches, mostLaunches).flatMap((launch) => launchOf(launch, told.length) ?? []);
  return { name: title, devices: told, launches: read, notes: listOf(notes).flatMap((note) => textOf(note) ?? []) };
}

function launchOf(value: unknown, devices: number): MeasuredLaunch | undefined {
  const { kernel, grid, block, device, figures, files } = fieldsOf(value);
  const name = textOf(kernel);
  if (name === undefined || !Number.isSafeInteger(device) || Number(device) < 0 || Number(device) >= devices) return undefined;
  const [blocks, threads] = [dimOf(grid), dimOf(block)];
  return {
    kernel: name,
    ...(blocks ? { grid: blocks } : {}),
    ...(threads ? { block: threads } : {}),
    device: Number(device),
    figures: numbersOf(figures, figureNames, isMeasurable) as Figures,
    ...(Array.isArray(files) ? { files: listOf(files).flatMap((file) => fileOf(file) ?? []) } : {}),
  };
}

function fileOf(value: unknown): MeasuredFile | undefined {
  const { name, lines } = fieldsOf(value);
  const title = textOf(name);
  return title === undefined ? undefined : { name: title, lines: listOf(lines).flatMap((line) => lineOf(line) ?? []) };
}

function lineOf(value: unknown): MeasuredLine | undefined {
  const { line, digest, figures } = fieldsOf(value);
  if (!Number.isSafeInteger(line) || Number(line) < 1) return undefined;
  return {
    line: Number(line),
    ...(Number.isSafeInteger(digest) ? { digest: Number(digest) } : {}),
    figures: numbersOf(figures, lineFigureNames, (_, value) => value >= 0),
  };
}

function deviceOf(value: unknown): MeasuredDevice {
  const { name, computeCapability, multiprocessors } = fieldsOf(value);
  const [title, capability] = [textOf(name), textOf(computeCapability)];
  return {
    ...(title === undefined ? {} : { name: title }),
    ...(capability === undefined ? {} : { computeCapability: capability }),
    ...(Number.isSafeInteger(multiprocessors) && Number(multiprocessors) > 0 ? { multiprocessors: Number(multiprocessors) } : {}),
  };
}

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const listOf = (value: unknown, most = mostEntries): readonly unknown[] => (Array.isArray(value) ? value.slice(0, most) : []);
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value.length <= longestName ? value : undefined);

function numbersOf<Name extends string>(
  value: unknown,
  names: readonly Name[],
  isMeasured: (name: Name, value: number) => boolean,
): Readonly<Partial<Record<Name, number>>> {
  const fields = fieldsOf(value);
  const found = names.filter((name) => {
    const number = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return typeof number === "number" && Number.isFinite(number) && isMeasured(name, number);
  });
  return Object.fromEntries(found.map((name) => [name, fields[name]])) as Partial<Record<Name, number>>;
}

function dimOf(value: unknown): Dim3 | undefined {
  if (!Array.isArray(value) || value.length !== 3 || !value.every(Number.isSafeInteger)) return undefined;
  return value as unknown as Dim3;
}
