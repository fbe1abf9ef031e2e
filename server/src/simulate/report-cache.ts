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

const capacity = 128;
/** Contents longer than this are told apart by samples. */
const longContent = 1 << 20;

interface Origin {
  readonly line: number;
  readonly start: number;
}

/** A report, with what it was made of besides its key. */
interface Kept {
  readonly report: LaunchReport;
  readonly origin: Origin;
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
    const origin = originOf(kernel);
    const key = keyOf(kernel, launch, settings, origin);
    const known = this.#reports.get(key);
    this.#reports.delete(key);
    const kept =
      known && known.earlier === earlierKey(kernel, launch, known.read)
        ? { ...known, origin, report: moved(known.report, origin.line - known.origin.line, origin.start - known.origin.start) }
        : simulated(kernel, launch, origin, simulate);
    this.#reports.set(key, kept);
    const [oldest] = this.#reports.keys();
    if (this.#reports.size > capacity && oldest !== undefined) this.#reports.delete(oldest);
    return kept.report;
  }
}

function simulated(kernel: Kernel, launch: Launch, origin: Origin, simulate: (onContent: (buffer: number) => void) => LaunchReport): Kept {
  const read = new Set<number>();
  const report = simulate((buffer) => read.add(buffer));
  return { report, origin, read: [...read], earlier: earlierKey(kernel, launch, [...read]) };
}

/** What earlier launches stored in these buffers, and in variables of the device. */
function earlierKey({ globals }: Kernel, { buffers }: Launch, read: readonly number[]): string {
  const contents = [...read.map((buffer) => buffers[buffer]?.content), ...globals.map(({ content }) => content)];
  return contents.map(writtenKey).join(" ");
}

function writtenKey(content: Content | undefined): string {
  if (content?.kind === "parts") return content.parts.map((part) => writtenKey(part.content)).join(" ");
  return content?.kind === "written" ? `${content.buffer}+${content.offset} of ${launchKey(content.by)}` : "";
}

const launchKeys = new WeakMap<EarlierLaunch, string>();

/** A launch as far as what it stores depends on it. */
function launchKey(earlier: EarlierLaunch): string {
  const known = launchKeys.get(earlier);
  if (known !== undefined) return known;
  const resolved = earlier.resolve();
  const key = resolved === undefined ? "?" : hash(`${earlier.name} ${storedBy(resolved.kernel, resolved.launch)}`);
  launchKeys.set(earlier, key);
  return key;
}

function storedBy(kernel: Kernel, launch: Launch): string {
  const code = printKernel(kernel).replace(spans, "");
  return `${code} ${launchText(launch)} ${launch.buffers.map(({ content }) => writtenKey(content)).join(" ")}`;
}

/** At the end of each operation: file/line:start-end. */
const spans = / !(\d+)\/(\d+):(\d+)-(\d+)$/gm;

/** The first place of the kernel's own file that it mentions. */
function originOf({ blocks, shared }: Kernel): Origin {
  let [line, start] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const include = (span: { readonly file: number; readonly line: number; readonly start: number }): void => {
    if (span.file !== 0 || span.line === 0) return;
    line = Math.min(line, span.line);
    start = Math.min(start, span.start);
  };
  for (const { span } of shared) include(span);
  for (const { phis, ops, end } of blocks) {
    for (const { span } of phis) include(span);
    for (const { span } of ops) include(span);
    if (end.kind === "branch") include(end.span);
  }
  return Number.isFinite(line) ? { line, start } : { line: 0, start: 0 };
}

function keyOf(kernel: Kernel, launch: Launch, settings: string, origin: Origin): string {
  const text = printKernel(kernel).replace(spans, (whole, file, line, start, end) =>
    file === "0" ? ` !0/${line - origin.line}:${start - origin.start}-${end - origin.start}` : whole,
  );
  return `${settings} ${hash(text)} ${hash(launchText(launch))}`;
}

/** A launch without what earlier ones stored. */
function launchText({ buffers, ...launch }: Launch): string {
  const contents = buffers.map(({ content, ...buffer }) => [buffer, contentKey(content)]);
  return JSON.stringify([launch, contents], (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
}

function contentKey(content: Content): unknown {
  if (content.kind === "written") return "written";
  if (content.kind === "parts") return content.parts.map((part) => ({ ...part, content: contentKey(part.content) }));
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
  return ["values", values.length, sum];
}

/** 53 bits and the length: two texts that differ do not meet by chance. */
function hash(text: string): string {
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

/** The report of a kernel that stands elsewhere in its file. */
function moved(report: LaunchReport, lines: number, offsets: number): LaunchReport {
  if (lines === 0 && offsets === 0) return report;
  const place = <Part extends { readonly file: number; readonly line: number; readonly start?: number; readonly end?: number }>(
    part: Part,
  ): Part =>
    part.file !== 0
      ? part
      : {
          ...part,
          line: part.line + lines,
          ...(part.start === undefined ? {} : { start: part.start + offsets }),
          ...(part.end === undefined ? {} : { end: part.end + offsets }),
        };
  return {
    ...report,
    lines: Object.fromEntries(
      Object.entries(report.lines).map(([line, counters]): [string, LineCounters] => [String(Number(line) + lines), counters]),
    ),
    accesses: report.accesses.map(place),
    branches: report.branches.map(place),
    loops: report.loops.map(place),
  };
}
