/**
 * Reports of launches already simulated, found again when nothing that matters to them changed. An edit elsewhere in the
 * file moves a kernel without changing it: spans are compared relative to the kernel, and reports moved along.
 */
import {
  type Content,
  type EarlierLaunch,
  type Kernel,
  type Launch,
  type LaunchReport,
  type LineCounters,
  printKernel,
} from "@warplens/sim-engine";
import { reachWithPlacesBy, withPlacesBy } from "./violation-places.ts";

const capacity = 128;
/** Contents longer than this are told apart by samples. */
const longContent = 1 << 20;

/** A report, with what it was made of besides its key. */
interface Kept {
  readonly report: LaunchReport;
  /** The kernel's places, in the order in which its text mentions them. */
  readonly places: Places;
  /** Buffers whose contents decided something, and what earlier launches had stored in them. */
  readonly read: readonly number[];
  readonly earlier: string;
}

export class ReportCache {
  readonly #reports = new Map<string, Kept>();

  /**
   * The report of a launch, from memory or from `simulate`. What earlier launches stored counts only where the report depends on
   * it: `simulate` is to say of which buffers it does.
   * @param settings whatever else the result depends on: the GPU, register counts
   */
  get(kernel: Kernel, launch: Launch, settings: string, simulate: (onContent: (buffer: number) => void) => LaunchReport): LaunchReport {
    const { text, places } = textOf(kernel);
    const key = `${settings} ${hash(text)} ${hash(JSON.stringify(kernel.assumptions))} ${hash(launchText(launch))}`;
    const known = this.#reports.get(key);
    this.#reports.delete(key);
    const kept =
      known && known.earlier === earlierKey(kernel, launch, known.read)
        ? { ...known, places, report: moved(known.report, known.places, places, kernel.files) }
        : simulated(kernel, launch, places, simulate);
    this.#reports.set(key, kept);
    const [oldest] = this.#reports.keys();
    if (this.#reports.size > capacity && oldest !== undefined) this.#reports.delete(oldest);
    return kept.report;
  }
}

function simulated(kernel: Kernel, launch: Launch, places: Places, simulate: (onContent: (buffer: number) => void) => LaunchReport): Kept {
  const read = new Set<number>();
  const report = simulate((buffer) => read.add(buffer));
  return { report, places, read: [...read], earlier: earlierKey(kernel, launch, [...read]) };
}

/** What earlier launches stored in these buffers, in later turns of the host's loop, too, and in variables of the device. */
function earlierKey({ globals }: Kernel, launch: Launch, read: readonly number[]): string {
  const turns = [launch, ...(launch.later ?? [])];
  const contents = turns.flatMap(({ buffers }) => read.map((buffer) => buffers[buffer]?.content));
  return [...contents, ...globals.map(({ content }) => content)].map(writtenKey).join(" ");
}

function writtenKey(content: Content | undefined): string {
  if (content?.kind === "parts") return content.parts.map((part) => writtenKey(part.content)).join(" ");
  return content?.kind === "written" ? `${content.buffer}+${content.offset} of ${launchKey(content.by)}` : "";
}

const kernelKeys = new WeakMap<Kernel, string>();

/** A launch as far as what it stores depends on it. */
function launchKey(earlier: EarlierLaunch): string {
  const resolved = earlier.resolve();
  if (resolved === undefined) return "?";
  const known = kernelKeys.get(resolved.kernel);
  if (known !== undefined) return known;
  // Of what is stored in turns of a loop a launch may depend on itself.
  kernelKeys.set(resolved.kernel, "");
  const key = hash(`${earlier.name} ${storedBy(resolved.kernel, resolved.launch)}`);
  kernelKeys.set(resolved.kernel, key);
  return key;
}

function storedBy(kernel: Kernel, launch: Launch): string {
  const code = printKernel(kernel).replace(spans, "");
  return `${code} ${launchText(launch)} ${launch.buffers.map(({ content }) => writtenKey(content)).join(" ")}`;
}

/** At the end of each operation: file/line:start-end. */
const spans = / !(\d+)\/(\d+):(\d+)-(\d+)$/gm;

/** What a kernel's text says of places: `file/line:start-end` and `file/line`, each once. */
interface Places {
  readonly spans: readonly string[];
  readonly lines: readonly string[];
}

/** The kernel's text without its places: the same wherever it stands. */
export const codeText = (kernel: Kernel): string => textOf(kernel).text;

/** The kernel's text with a number for each place and line, in the order in which they come: the same wherever it stands. */
function textOf(kernel: Kernel): { readonly text: string; readonly places: Places } {
  const numbers = { spans: new Map<string, number>(), lines: new Map<string, number>() };
  const number = (of: Map<string, number>, name: string): number => {
    const known = of.get(name) ?? of.size;
    of.set(name, known);
    return known;
  };
  const text = printKernel(kernel).replace(
    spans,
    (_, file: string, line: string, start: string, end: string) =>
      ` !${number(numbers.lines, `${file}/${line}`)}:${number(numbers.spans, `${file}/${line}:${start}-${end}`)}`,
  );
  return { text, places: { spans: [...numbers.spans.keys()], lines: [...numbers.lines.keys()] } };
}

/** A launch without what earlier ones stored. */
export function launchText({ buffers, ...launch }: Launch): string {
  const contents = buffers.map(({ content, ...buffer }) => [buffer, contentKey(content)]);
  return JSON.stringify([launch, contents], (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
}

function contentKey(content: Content): unknown {
  if (content.kind === "written") return "written";
  if (content.kind === "parts") return content.parts.map((part) => ({ ...part, content: contentKey(part.content) }));
  if (content.kind === "records")
    return [content.bytes, content.members.map((member) => ({ ...member, content: contentKey(member.content) }))];
  if (content.kind !== "values") return content;
  const { values } = content;
  const step = Math.max(1, Math.floor(values.length / longContent));
  let sum = 2166136261;
  const bits = new DataView(new ArrayBuffer(8));
  for (let index = 0; index < values.length; index += step) {
    bits.setFloat64(0, values[index] ?? 0);
    sum = Math.imul(sum ^ bits.getInt32(0), 16777619);
    sum = Math.imul(sum ^ bits.getInt32(4), 16777619);
  }
  return ["values", values.length, sum, ...(content.drawn ? ["drawn"] : [])];
}

/** 53 bits and the length: two texts that differ do not meet by chance. */
export function hash(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return `${text.length}:${(4294967296 * (2097151 & b) + (a >>> 0)).toString(36)}`;
}

/** The report of a kernel that stands elsewhere. */
function moved(report: LaunchReport, from: Places, to: Places, files: readonly string[]): LaunchReport {
  if (from.spans.every((span, index) => span === to.spans[index])) return report;
  const spanOf = new Map(from.spans.map((span, index) => [span, to.spans[index] ?? span]));
  const lineOf = new Map(from.lines.map((line, index) => [line, to.lines[index] ?? line]));
  const place = <Part extends { readonly file: number; readonly line: number; readonly start: number; readonly end: number }>(
    part: Part,
  ): Part => {
    const [file, line, start, end] = (spanOf.get(`${part.file}/${part.line}:${part.start}-${part.end}`) ?? "").split(/[/:-]/).map(Number);
    return file === undefined || line === undefined || start === undefined || end === undefined
      ? part
      : { ...part, file, line, start, end };
  };
  const lines: Record<string, LineCounters> = {};
  const otherLines: Record<string, Record<string, LineCounters>> = {};
  const put = (name: string, counters: LineCounters): void => {
    const [file = 0, line = 0] = (lineOf.get(name) ?? name).split("/").map(Number);
    if (file === 0) lines[line] = counters;
    else (otherLines[files[file] ?? ""] ??= {})[line] = counters;
  };
  for (const [line, counters] of Object.entries(report.lines)) put(`0/${line}`, counters);
  for (const [path, table] of Object.entries(report.otherLines))
    for (const [line, counters] of Object.entries(table)) put(`${files.indexOf(path)}/${line}`, counters);
  return {
    ...report,
    lines,
    otherLines,
    accesses: report.accesses.map(place),
    branches: report.branches.map(place),
    loops: report.loops.map(place),
    ...(report.costs ? { costs: report.costs.map((cost) => ({ ...cost, at: cost.at.map(place) })) } : {}),
    ...(report.reach ? { reach: reachWithPlacesBy(report.reach, place) } : {}),
    ...(report.violations ? { violations: report.violations.map((each) => withPlacesBy(each, place)) } : {}),
  };
}
