/**
 * Reports of launches already simulated, found again when nothing that matters to them changed. An edit elsewhere in the
 * file moves a kernel without changing it: spans are compared relative to the kernel, and reports moved along.
 */
import { type Content, type Kernel, type Launch, type LaunchReport, type LineCounters, printKernel } from "@warplens/sim-engine";

const capacity = 128;
/** Contents longer than this are told apart by samples. */
const longContent = 1 << 20;

interface Origin {
  readonly line: number;
  readonly start: number;
}

export class ReportCache {
  readonly #reports = new Map<string, { readonly report: LaunchReport; readonly origin: Origin }>();

  /**
   * The report of a launch, from memory or from `simulate`.
   * @param settings whatever else the result depends on: the GPU, register counts
   */
  get(kernel: Kernel, launch: Launch, settings: string, simulate: () => LaunchReport): LaunchReport {
    const origin = originOf(kernel);
    const key = keyOf(kernel, launch, settings, origin);
    const known = this.#reports.get(key);
    this.#reports.delete(key);
    const report = known ? moved(known.report, origin.line - known.origin.line, origin.start - known.origin.start) : simulate();
    this.#reports.set(key, { report, origin });
    const [oldest] = this.#reports.keys();
    if (this.#reports.size > capacity && oldest !== undefined) this.#reports.delete(oldest);
    return report;
  }
}

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

function keyOf(kernel: Kernel, { buffers, ...launch }: Launch, settings: string, origin: Origin): string {
  const text = printKernel(kernel).replace(/ !(\d+)\/(\d+):(\d+)-(\d+)$/gm, (whole, file, line, start, end) =>
    file === "0" ? ` !0/${line - origin.line}:${start - origin.start}-${end - origin.start}` : whole,
  );
  const contents = buffers.map(({ content, ...buffer }) => [buffer, contentKey(content)]);
  const rest = JSON.stringify([launch, contents], (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
  return `${settings} ${hash(text)} ${hash(rest)}`;
}

function contentKey(content: Content): unknown {
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
