/**
 * The launches an evaluation met: one entry for each kernel a site launches (a helper may be given several), with the values of
 * its first execution.
 */
import type { Content, EarlierLaunch, Work } from "@warplens/sim-engine";
import { integerOf } from "../values/values.ts";
import type { LaunchEntry, ResolveLaunch } from "./launch-entry.ts";

/** How many launches may lie between what a buffer held at first and what it holds: the engine has to run them all. */
const mostDepth = 8;

/** One execution of a launch, that what it left in memory is known by. */
export class LaunchRecord implements EarlierLaunch {
  readonly entry: LaunchEntry;
  readonly name: string;
  /** One more than of the launches that wrote what it found. */
  readonly depth: number;
  readonly #id: number;
  readonly #resolve: ResolveLaunch;

  constructor(id: number, entry: LaunchEntry, name: string, resolve: ResolveLaunch) {
    this.#id = id;
    this.entry = entry;
    this.name = name;
    this.#resolve = resolve;
    this.depth = 1 + Math.max(0, ...entry.captured.buffers.map(({ buffer }) => depthOf(buffer.content)));
  }

  get tooDeep(): boolean {
    return this.depth > mostDepth;
  }

  /** As the kernel is now. Throws `Cancelled`. */
  resolve(work?: Work): ReturnType<ResolveLaunch> {
    return this.#resolve(this.entry, work);
  }

  /** Contents are compared as text. */
  toJSON(): string {
    return `launch ${this.#id}`;
  }
}

function depthOf(content: Content): number {
  if (content.kind === "parts") return Math.max(0, ...content.parts.map((part) => depthOf(part.content)));
  return content.kind === "written" && content.by instanceof LaunchRecord ? content.by.depth : 0;
}

/** Whether grid and block are known. */
export function isConfigured({ grid, block }: Pick<LaunchEntry, "grid" | "block">): boolean {
  return [...grid, ...block].every((side) => integerOf(side) !== undefined);
}

export class LaunchLog {
  readonly #entries = new Map<string, LaunchEntry>();
  /** Executions by instance; NaN once not known. */
  readonly #counts = new Map<string, number>();
  #records = 0;
  total = 0;

  /**
   * Whether an entry is still wanted: the first execution counts, of those nearest to what is reached. Of what is not reached,
   * one that is `known` goes before one that is not.
   */
  wants(instance: string, remoteness: number, known: boolean): boolean {
    const found = this.#entries.get(instance);
    if (found === undefined || remoteness < found.remoteness) return true;
    return remoteness > 0 && remoteness === found.remoteness && known && !isConfigured(found);
  }

  add(entry: LaunchEntry): void {
    this.#entries.set(entry.instance, entry);
  }

  count(instance: string): void {
    this.total += 1;
    this.#counts.set(instance, (this.#counts.get(instance) ?? 0) + 1);
  }

  /** `entry` as what a buffer may have been written by. */
  record(entry: LaunchEntry, where: string | undefined, resolve: ResolveLaunch): LaunchRecord {
    this.#records += 1;
    return new LaunchRecord(this.#records, entry, `\`${entry.kernelName}\`${where === undefined ? "" : ` of ${where}`}`, resolve);
  }

  get entries(): readonly LaunchEntry[] {
    return [...this.#entries.values()];
  }

  /** 0 for a launch that is not reached; undefined when not known. */
  executions(entry: LaunchEntry): number | undefined {
    if (entry.remoteness > 0) return 0;
    const count = this.#counts.get(entry.instance);
    return count === undefined || Number.isNaN(count) || entry.uncertain ? undefined : Math.round(count);
  }

  counts(): ReadonlyMap<string, number> {
    return new Map(this.#counts);
  }

  /** What was counted since `before` happens `factor` times as often; undefined: nobody knows how often. */
  scaleCounts(before: ReadonlyMap<string, number>, factor: number | undefined): void {
    for (const [instance, count] of this.#counts) {
      const old = before.get(instance) ?? 0;
      if (count > old) this.#counts.set(instance, factor === undefined ? Number.NaN : old + (count - old) * factor);
    }
  }

  forgetCounts(before: ReadonlyMap<string, number>): void {
    this.scaleCounts(before, undefined);
  }
}
