/**
 * The launches an evaluation met: one entry for each kernel a site launches (a helper may be given several), each configuration it
 * is launched with (block sizes tried in a loop), and each set of numbers that it is given then (strides), where those are few; with the values
 * of its first execution.
 */
import type { Content, EarlierLaunch, Work } from "@warplens/sim-engine";
import type { GivenNumber } from "../../facts.ts";
import { inputsOf, integerOf } from "../values/values.ts";
import type { CapturedArguments, LaunchEntry, ResolveLaunch } from "./launch-entry.ts";

/** How many launches may lie between what a buffer held at first and what it holds: the engine has to run them all. */
const mostDepth = 8;
/** Launches of one kernel at one site that are told apart: each costs a simulation. */
const mostConfigurations = 8;

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

/** Whether grid and block are known once the inputs are that they come from. */
const isOfInputs = ({ grid, block, shared }: LaunchEntry): boolean =>
  [...grid, ...block, shared].every((side) => integerOf(side) !== undefined || inputsOf(side).length > 0);

/** A launch that is made again: what it is given then is kept, where it is something else. */
function withLater(known: LaunchEntry, again: LaunchEntry): LaunchEntry {
  if (known.uncertain || again.uncertain) return known;
  const key = argumentsKey(again.captured);
  const [next] = known.later ?? [];
  if (key === argumentsKey(known.captured) || (next && key === argumentsKey(next))) return known;
  return { ...known, later: next ? [next, again.captured] : [again.captured] };
}

/** Which values and which places in which buffers are given, whatever those hold. */
function argumentsKey({ arguments: all, buffers }: CapturedArguments): string {
  const of = buffers.map(({ buffer }) => `${buffer.name} ${buffer.bytes}`);
  const given = all.map(({ argument }) => argument);
  return JSON.stringify(given, (key, value: unknown) =>
    typeof value === "bigint" ? `${value}n` : key === "buffer" ? of[Number(value)] : value,
  );
}

/** Grid, block, shared bytes and cluster as text; empty where any of them is not known. */
function configurationKey({ grid, block, shared, cluster }: Pick<LaunchEntry, "grid" | "block" | "shared" | "cluster">): string {
  const sides = [...grid, ...block, shared, ...(cluster ?? [])].map(integerOf);
  return sides.includes(undefined) ? "" : sides.join(" ");
}

/** The numbers that a launch is given. */
const numbersOf = ({ captured }: LaunchEntry): GivenNumber[] =>
  captured.arguments.flatMap(({ name, argument }) => (argument.kind === "scalar" ? [{ name, value: argument.value }] : []));

const numbersKey = (entry: LaunchEntry): string =>
  numbersOf(entry)
    .map(({ name, value }) => `${name}=${value}`)
    .join(" ");

/** What is launched with one configuration, and how often with which numbers, by these, in the order met. */
interface Numbered {
  readonly all: Map<string, { entry: LaunchEntry; count: number }>;
  /** There are more of them than are told apart. */
  isOver: boolean;
}

export class LaunchLog {
  /** By instance: what it is launched with, in the order met. */
  readonly #entries = new Map<string, LaunchEntry[]>();
  /** By instance and configuration. */
  readonly #numbered = new Map<string, Numbered>();
  /** Executions by instance and configuration; NaN once not known. */
  readonly #counts = new Map<string, number>();
  /** By instance: configurations beyond the most that are told apart. */
  readonly #left = new Map<string, Set<string>>();
  #records = 0;
  total = 0;

  /**
   * Notes a launch. The first execution of each configuration counts. Of what is not reached one configuration is enough: that nearest
   * to what is, and of those one that is known before one that is not.
   */
  add(entry: LaunchEntry): void {
    if (entry.remoteness === 0) {
      this.total += 1;
      const counted = countKey(entry);
      this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + 1);
      this.#number(counted, entry);
    }
    const found = this.#entries.get(entry.instance);
    const [first] = found ?? [];
    if (found === undefined || first === undefined || entry.remoteness < first.remoteness) {
      this.#entries.set(entry.instance, [entry]);
      return;
    }
    if (entry.remoteness > first.remoteness) return;
    if (entry.remoteness > 0) {
      if (isConfigured(entry) && !isConfigured(first)) this.#entries.set(entry.instance, [entry]);
      return;
    }
    const configuration = configurationKey(entry);
    if (configuration === "") {
      // One whose size is an input is another: it is known once one is assumed.
      if (isOfInputs(entry) && found.every(isConfigured) && found.length < mostConfigurations) found.push({ ...entry, turn: found.length });
      return;
    }
    const at = found.findIndex((other) => configurationKey(other) === configuration);
    const known = found[at];
    if (known) {
      found[at] = withLater(known, entry);
      return;
    }
    if (found.length < mostConfigurations) found.push({ ...entry, turn: found.length });
    else this.#left.set(entry.instance, (this.#left.get(entry.instance) ?? new Set()).add(configuration));
  }

  #number(key: string, entry: LaunchEntry): void {
    const numbered = this.#numbered.get(key) ?? { all: new Map(), isOver: false };
    this.#numbered.set(key, numbered);
    const numbers = numbersKey(entry);
    const same = numbered.all.get(numbers);
    if (same) {
      same.count++;
      same.entry = withLater(same.entry, entry);
    } else if (numbered.all.size < mostConfigurations) numbered.all.set(numbers, { entry, count: 1 });
    else numbered.isOver = true;
  }

  /** Those of an entry's configuration, where all that are made are known one by one, and are few; else the entry alone. */
  #apart(entry: LaunchEntry, most: number): LaunchEntry[] {
    const key = countKey(entry);
    const { all, isOver } = this.#numbered.get(key) ?? { all: new Map(), isOver: true };
    const each = [...all.values()];
    if (isOver || each.length < 2 || each.length > most || entry.remoteness > 0 || configurationKey(entry) === "") return [entry];
    // Of a loop that was carried to its end not every turn was seen.
    const isWhole = each.reduce((sum, { count }) => sum + count, 0) === this.#counts.get(key);
    return isWhole && !each.some((other) => other.entry.uncertain) ? each.map((other) => other.entry) : [entry];
  }

  /** Configurations that the kernel is launched with at this site besides those that are told apart. */
  besides({ instance }: LaunchEntry): number {
    return this.#left.get(instance)?.size ?? 0;
  }

  /** `entry` as what a buffer may have been written by. */
  record(entry: LaunchEntry, where: string | undefined, resolve: ResolveLaunch): LaunchRecord {
    this.#records += 1;
    return new LaunchRecord(this.#records, entry, `\`${entry.kernelName}\`${where === undefined ? "" : ` of ${where}`}`, resolve);
  }

  get entries(): readonly LaunchEntry[] {
    const reached = new Set([...this.#entries.values()].flat().flatMap(({ site, remoteness }) => (remoteness === 0 ? [site] : [])));
    return [...this.#entries.values()].flatMap((configurations) => {
      const [first] = configurations;
      // A pointer that is null on the way that is not taken is no other kernel.
      if (first && first.kernel === undefined && first.remoteness > 0 && reached.has(first.site)) return [];
      let room = mostConfigurations - configurations.length + 1;
      return configurations.flatMap((entry): LaunchEntry[] => {
        const apart = this.#apart(entry, room);
        if (apart.length === 1) return apart;
        room -= apart.length - 1;
        const all = apart.map(numbersOf);
        const isAlike = ({ name, value }: GivenNumber): boolean =>
          all.every((numbers) => numbers.some((other) => other.name === name && other.value === value));
        return apart.map((each, k) => ({
          ...each,
          // Each has a number of its own at its site.
          turn: entry.turn + k * mostConfigurations,
          given: numbersOf(each).filter((number) => !isAlike(number)),
        }));
      });
    });
  }

  /** 0 for a launch that is not reached; undefined when not known. */
  executions(entry: LaunchEntry): number | undefined {
    if (entry.remoteness > 0) return 0;
    if (entry.given) return this.#numbered.get(countKey(entry))?.all.get(numbersKey(entry))?.count;
    const count = this.#counts.get(countKey(entry));
    return count === undefined || Number.isNaN(count) || entry.uncertain ? undefined : Math.round(count);
  }

  counts(): ReadonlyMap<string, number> {
    return new Map(this.#counts);
  }

  /**
   * What was counted since `before` happens `factor` times as often; undefined: nobody knows how often. Nor does anybody where the
   * configuration has changed meanwhile.
   */
  scaleCounts(before: ReadonlyMap<string, number>, factor: number | undefined, turns = 1): void {
    const grown = [...this.#counts].filter(([key, count]) => count > (before.get(key) ?? 0));
    const configurations = new Map<string, number>();
    for (const [key] of grown) configurations.set(instanceOf(key), (configurations.get(instanceOf(key)) ?? 0) + 1);
    for (const [key, count] of grown) {
      const old = before.get(key) ?? 0;
      // One that not every turn makes may be made in others than those that were seen.
      const isRegular = (count - old) % turns === 0;
      const known = factor !== undefined && (factor === 1 || (isRegular && configurations.get(instanceOf(key)) === 1));
      this.#counts.set(key, known ? old + (count - old) * factor : Number.NaN);
    }
  }

  forgetCounts(before: ReadonlyMap<string, number>): void {
    this.scaleCounts(before, undefined);
  }
}

const between = "\n";
const countKey = (entry: LaunchEntry): string => `${entry.instance}${between}${configurationKey(entry)}`;
const instanceOf = (key: string): string => key.slice(0, key.lastIndexOf(between));
