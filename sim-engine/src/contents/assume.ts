/** Fills in what the source does not say, so that a launch can be run, and says what was filled in where it matters. */

import { innerContents, withInner } from "../execute/content.ts";
import { type Provenance, traceAddresses } from "../execute/provenance.ts";
import { type Slice, sliceForAddresses, sliceForStores } from "../execute/slice.ts";
import { unknownImage } from "../execute/texels.ts";
import {
  type Argument,
  type Assumption,
  type Buffer,
  type Content,
  type Kernel,
  type Launch,
  type Op,
  type ScalarType,
  scalarBytes,
} from "../ir/kernel.ts";
import { madeOf } from "../ir/origins.ts";
import { globalBase } from "../ir/windows.ts";
import type { Work } from "../work.ts";
import { DataUses } from "./data-uses.ts";
import { type End, Searches, searchedTable } from "./searched.ts";

/** A loop bound that nothing tells. */
const unknownCount = 64;
/** Values of data that decides something, when nothing tells their range. */
const unknownRange = 256;
/**
 * Where pointers that nobody knows point to, above all buffers: each to memory of its own. Bytes that those of one table share out, the most
 * that one of them has, and what each has where their number is not known; all begin at multiples of 512, as what is allocated does.
 */
const unknownMemory = globalBase + 2 ** 35;
const ofOneTable = 2 ** 31;
const mostTables = 16;
const ofOnePointer = 2 ** 24;
const ofSomePointer = 2 ** 20;
const allocated = 512;
const pointerBytes = 8;
/** Elements of a row of a sparse matrix, of a vertex's edges. */
const unknownRow = 16;

/** A content in which nothing earlier is left that can be said in a few words. */
export interface Resolved {
  readonly content: Content;
  /** Type of its elements, where it is not the buffer's. */
  readonly element?: ScalarType;
  /** Where it comes from, for the user. */
  readonly origins: readonly Origin[];
}

export interface Origin {
  readonly value: string;
  readonly why: string;
}

/** Knows what earlier launches stored. */
export interface KnownContents {
  resolve(content: Content): Resolved;
}

export interface AssumedLaunch {
  readonly launch: Launch;
  readonly assumptions: readonly Assumption[];
  /** What buffers hold by what earlier launches stored. */
  readonly origins: readonly Assumption[];
  /** Buffers whose contents decide something. */
  readonly decisive: ReadonlySet<number>;
  /** Parameters that nobody gives a value, or only part of one. */
  readonly invented: ReadonlySet<number>;
  /** Buffers of which nobody says what they hold, though it decides something. */
  readonly madeUp: ReadonlySet<number>;
}

/**
 * The launch without unknown arguments and contents. Assumptions are listed only for what decides a branch or an address, or
 * what the launch leaves in its buffer `result`, where that is asked for.
 */
export function assumeUnknowns(kernel: Kernel, launch: Launch, contents: KnownContents, work: Work, result?: number): AssumedLaunch {
  const completion = new Completion(kernel, launch, contents, work, result);
  const { assumptions, origins, decisive, invented, madeUp } = completion;
  return { launch: completion.complete(), assumptions, origins, decisive, invented, madeUp };
}

/** Some of it is unknown. */
const isOpenArgument = (argument: Argument): boolean =>
  argument.kind === "unknown" || (argument.kind === "aggregate" && argument.fields.some(({ value }) => isOpenArgument(value)));

/** Some of it is unknown. */
const isOpen = (content: Content): boolean => content.kind === "unknown" || innerContents(content).some(isOpen);

/** Some of it is drawn in place of numbers that the program draws. */
const isDrawn = (content: Content): boolean =>
  (content.kind === "values" && content.drawn === true) || innerContents(content).some(isDrawn);
/** The bounds of what it holds, where nothing more is known of some of it. */
function boundsOf(content: Content): Content | undefined {
  if (content.kind === "uniform") return content.bounds && content;
  return innerContents(content)
    .map(boundsOf)
    .find((inner) => inner !== undefined);
}
const boundsWhy = "between which numbers what the program stores lies is all that is known of it, and it decides addresses or branches";
const drawnWhy = "the program draws it, of a generator that nobody knows what it began with";

/** With something in the place of what is unknown. */
function closed(content: Content, assumed: Content): Content {
  return content.kind === "unknown" ? assumed : withInner(content, (inner) => closed(inner, assumed));
}

const inWords = (end: End, hi: number): string =>
  `${end} in every other place, else ${end === "its index" ? "an index before" : `uniform(0, ${hi})`}`;

class Completion {
  readonly assumptions: Assumption[] = [];
  readonly origins: Assumption[] = [];
  readonly #kernel: Kernel;
  readonly #launch: Launch;
  readonly #buffers: Buffer[];
  readonly #arguments: Argument[];
  readonly #uses: DataUses;
  readonly #searches: Searches;
  readonly #contents: KnownContents;
  readonly #result: number | undefined;
  readonly #work: Work;
  readonly decisive = new Set<number>();
  readonly invented = new Set<number>();
  readonly madeUp = new Set<number>();

  constructor(kernel: Kernel, launch: Launch, contents: KnownContents, work: Work, result: number | undefined) {
    this.#contents = contents;
    this.#result = result;
    this.#work = work;
    this.#kernel = kernel;
    this.#launch = launch;
    this.#buffers = [...launch.buffers];
    this.#arguments = [...launch.arguments];
    this.#uses = new DataUses(kernel);
    this.#searches = new Searches(kernel);
  }

  *#ops(): Generator<Op> {
    for (const block of this.#kernel.blocks) {
      this.#work.ask(block.ops.length);
      yield* block.phis;
      yield* block.ops;
    }
  }

  complete(): Launch {
    const scalars: { index: number; reason: string }[] = [];
    for (const [index, parameter] of this.#kernel.parameters.entries()) {
      const argument = this.#arguments[index] ?? { kind: "unknown", reason: "no argument" };
      if (isOpenArgument(argument)) this.invented.add(index);
      if (argument.kind === "unknown" && parameter.type && parameter.type !== "ptr") scalars.push({ index, reason: argument.reason });
      this.#arguments[index] = this.#known(argument, parameter.type ?? "i32", parameter.name);
    }
    const launch = (): Launch => ({ ...this.#launch, arguments: this.#arguments, buffers: this.#buffers });
    const provenance = traceAddresses(this.#kernel, launch(), this.#work);
    const slice =
      this.#result === undefined
        ? sliceForAddresses(this.#kernel, provenance, this.#work)
        : sliceForStores(this.#kernel, provenance, new Set([`buffer ${this.#result}` as const]), this.#work);
    for (const { index, reason } of scalars) this.#assumeScalar(index, reason, slice);
    /** By buffer, the loads that decide something. */
    const deciding = new Map<number, Op[]>();
    const variables = new Set<number>();
    for (const op of this.#ops()) {
      if (op.action.kind === "unknown" && slice.needs(op)) this.assumptions.push({ what: "a value", value: 1, why: op.action.reason });
      if (op.action.kind === "matrix" && slice.needs(op))
        this.assumptions.push({
          what: "results of matrix products",
          value: 0,
          why: "they are not computed, and decide addresses or branches",
        });
      const [address] = op.args;
      if (op.action.kind !== "load" || op.type === "void" || !address || !slice.needs(op)) continue;
      for (const object of provenance.of(address)) {
        const [kind, index] = object.split(" ");
        if (kind === "buffer") deciding.set(Number(index), [...(deciding.get(Number(index)) ?? []), op]);
        if (kind === "global") variables.add(Number(index));
      }
    }
    for (const index of variables) this.#assumeVariable(index);
    this.#assumeEmpty(provenance, slice, deciding);
    for (const [buffer, loads] of deciding) this.#assumeContent(buffer, loads, (place) => this.#extent(provenance.of(place)));
    this.#assumeImages(provenance);
    return launch();
  }

  /** Variables of the device of which nobody says what they hold are taken to hold zeros, as they do until somebody stores to them. */
  #assumeVariable(index: number): void {
    const { name, content } = this.#kernel.globals[index] ?? {};
    if (name === undefined || !content || !isOpen(content)) return;
    const why = "what it holds is not known, and decides addresses or branches";
    this.assumptions.push({ what: `contents of ${name}`, value: 0, why });
  }

  /** Tables that the kernel only puts something into where nothing is yet: taken to be empty, where nobody says what they hold. */
  #assumeEmpty(provenance: Provenance, slice: Slice, deciding: ReadonlyMap<number, readonly Op[]>): void {
    for (const op of this.#ops()) {
      const [address] = op.args;
      if (op.action.kind !== "atomic" || op.action.op !== "cas" || op.type === "void" || !address || !slice.needs(op)) continue;
      const end = this.#searches.endOf(op);
      for (const object of typeof end === "number" ? provenance.of(address) : []) {
        const [kind, number] = object.split(" ");
        const index = Number(number);
        const buffer = kind === "buffer" && !deciding.has(index) ? this.#buffers[index] : undefined;
        const content = buffer && this.#contents.resolve(buffer.content).content;
        if (!buffer || !content || !isOpen(content) || this.madeUp.has(index)) continue;
        this.decisive.add(index);
        this.madeUp.add(index);
        const empty: Content = { kind: "constant", value: Number(end) };
        this.#buffers[index] = { ...buffer, content: closed(content, empty), element: op.type, guessed: true };
        this.assumptions.push({
          what: `contents of ${buffer.name}`,
          value: `${end}`,
          why: "what it holds is not known, and decides addresses or branches: an empty table, as the kernel reads it",
        });
      }
    }
  }

  /** Textures and surfaces of which nobody says what they are bound to. */
  #assumeImages(provenance: Provenance): void {
    let tiled = false;
    for (const op of this.#ops()) {
      const { action } = op;
      if (action.kind !== "texel") continue;
      const [object] = provenance.of(op);
      const [kind, index] = object?.split(" ") ?? [];
      const buffer = kind === "buffer" ? this.#buffers[Number(index)] : undefined;
      tiled ||= buffer?.image?.pitch === undefined;
      if (buffer?.image) continue;
      if (buffer) this.#buffers[Number(index)] = { ...buffer, image: unknownImage(action) };
      const name = buffer?.name ?? "a texture";
      if (this.assumptions.some(({ what }) => what === `texels of ${name}`)) continue;
      this.assumptions.push({
        what: `texels of ${name}`,
        value: "all the kernel reaches",
        why: "what it is bound to is not known; its coordinates are taken to count texels",
      });
    }
    if (tiled)
      this.assumptions.push({
        what: "layout of textures",
        value: "tiles of 64 bytes by 8 rows",
        why: "NVIDIA documents it for Tegra only; each fetch reads the texel nearest to its coordinates",
      });
  }

  #known(argument: Argument, type: string, name: string): Argument {
    switch (argument.kind) {
      case "unknown":
        if (type !== "ptr") return { kind: "scalar", value: type === "i64" ? 1n : 1, assumed: true };
        this.#buffers.push({ name, content: { kind: "unknown" } });
        return { kind: "pointer", buffer: this.#buffers.length - 1, offset: 0 };
      case "aggregate":
        return {
          kind: "aggregate",
          fields: argument.fields.map((field) => ({ ...field, value: this.#known(field.value, field.type, name) })),
        };
      default:
        return argument;
    }
  }

  /** A size: as many as the threads it is compared with; for a loop bound that has nothing to do with threads, some number. */
  #assumeScalar(index: number, reason: string, slice: Slice): void {
    const parameter = this.#kernel.parameters[index];
    const uses = [...this.#ops()].filter((op) => op.action.kind === "param" && op.action.index === index);
    if (!parameter?.type || !uses.some((op) => slice.needs(op))) return;
    const { grid, block } = this.#launch;
    const dimensions = new Set<number>();
    for (const use of uses) for (const each of this.#comparedWith(use)) this.#threadDimensions(each, dimensions);
    let value = [...dimensions].reduce((product, k) => product * (grid[k] ?? 1) * (block[k] ?? 1), 1);
    if (dimensions.size === 0) value = /^(f|bf)/.test(parameter.type) ? 1 : unknownCount;
    this.#arguments[index] = { kind: "scalar", value: parameter.type === "i64" ? BigInt(value) : value, assumed: true };
    this.assumptions.push({ what: parameter.name, value, why: reason });
  }

  /** What an operation, or what is computed of it and constants, is compared with. */
  #comparedWith(op: Op, depth = 0): Op[] {
    if (depth > 4) return [];
    return this.#uses.of(op).flatMap((user) => {
      if (user.action.kind === "icmp") return user.args.filter((arg) => arg !== op);
      const derived = user.action.kind === "convert" || (user.action.kind === "int" && /^(add|sub)$/.test(user.action.op));
      return derived ? this.#comparedWith(user, depth + 1) : [];
    });
  }

  #threadDimensions(value: Op, found: Set<number>): void {
    for (const { action } of madeOf(value, (op) => (op.action.kind === "load" ? [] : op.args))) {
      if (action.kind !== "special") continue;
      const [name, axis = ""] = action.register.split(".");
      if (name === "ctaid" || name === "tid") found.add("xyz".indexOf(axis));
    }
  }

  /**
   * What earlier launches stored, as far as it is known. Else indices reach all of what they index; other data is some small number. Where
   * several members of a structure decide, one range holds for all: the least, or what is made up of one would be past belief as another.
   */
  #assumeContent(index: number, loads: readonly Op[], extent: (place: Op) => number | undefined): void {
    const buffer = this.#buffers[index];
    if (!buffer) return;
    this.decisive.add(index);
    const { content, element = buffer.element, origins } = this.#contents.resolve(buffer.content);
    for (const origin of origins) this.origins.push({ what: `contents of ${buffer.name}`, ...origin });
    if (isDrawn(content)) {
      this.madeUp.add(index);
      this.assumptions.push({ what: `contents of ${buffer.name}`, value: "drawn at random", why: drawnWhy });
    }
    const bounds = boundsOf(content);
    if (bounds?.kind === "uniform")
      this.assumptions.push({ what: `contents of ${buffer.name}`, value: `uniform(${bounds.lo}, ${bounds.hi})`, why: boundsWhy });
    if (!isOpen(content)) {
      this.#buffers[index] = { ...buffer, content, ...(element ? { element } : {}) };
      return;
    }
    this.madeUp.add(index);
    const what = `contents of ${buffer.name}`;
    const why = "what it holds is not known, and decides addresses or branches";
    const integers = loads.filter(({ type }) => /^i/.test(type));
    const type = (integers[0] ?? loads[0])?.type;
    if (type === undefined || type === "void") return;
    if (type === "ptr") {
      const count = buffer.bytes === undefined ? undefined : Math.max(1, buffer.bytes / pointerBytes);
      const share = count === undefined ? ofSomePointer : Math.min(ofOnePointer, ofOneTable / count);
      const stride = Math.max(allocated, Math.floor(share / allocated) * allocated);
      const start = unknownMemory + (index % mostTables) * ofOneTable;
      this.#buffers[index] = { ...buffer, content: closed(content, { kind: "linear", start, stride }), element: type, guessed: true };
      this.assumptions.push({ what, value: "memory of its own for each pointer", why });
      return;
    }
    for (const load of integers) {
      const stride = this.#rowStride(load, buffer, extent);
      if (stride === undefined) continue;
      this.#buffers[index] = { ...buffer, content: closed(content, { kind: "linear", start: 0, stride }), element: type };
      this.assumptions.push({ what, value: `${stride} * index`, why: `${why}: where rows begin and end, as the kernel reads it` });
      return;
    }
    const end = integers.map((load) => this.#searches.endOf(load)).find((found) => found !== undefined);
    const isOfSearch = (comparison: Op): boolean => this.#searches.isOfSearch(comparison);
    const counts = integers.flatMap((load) => {
      if (this.#uses.boundsLoop(load, isOfSearch)) return unknownCount;
      const indexed = this.#uses.indexedCount(load, extent, this.#numberOf);
      // Where a search begins, and where it goes on, is told by what it goes through.
      return indexed ?? (this.#searches.hasAny ? this.#uses.countLooped(load, extent) : undefined) ?? [];
    });
    const hi = !/^i/.test(type) ? 1 : counts.length === 0 ? unknownRange : Math.min(...counts);
    if (integers.some((load) => this.#uses.isKeyOfRun(load))) {
      const elements = buffer.bytes === undefined ? hi * unknownRow : buffer.bytes / scalarBytes[type];
      this.#buffers[index] = {
        ...buffer,
        content: closed(content, { kind: "linear", start: 0, stride: Math.min(1, hi / elements) }),
        element: type,
        guessed: true,
      };
      this.assumptions.push({ what, value: `0 to ${hi}, ascending`, why: `${why}: keys, of which the kernel compares each with the next` });
      return;
    }
    const assumed: Content = end === undefined ? { kind: "uniform", lo: 0, hi } : searchedTable(end, hi);
    this.#buffers[index] = { ...buffer, content: closed(content, assumed), element: type, guessed: true };
    if (end === undefined) this.assumptions.push({ what, value: `uniform(0, ${hi})`, why });
    else this.assumptions.push({ what, value: inWords(end, hi), why: `${why}: ${end} ends a search, as the kernel reads it` });
  }

  readonly #numberOf = ({ action }: Op): number | undefined => {
    if (action.kind === "const") return Number(action.value);
    const argument = action.kind === "param" ? this.#arguments[action.index] : undefined;
    return argument?.kind === "scalar" ? Number(argument.value) : undefined;
  };

  /** Elements a row has, where a loop goes from one element of the buffer to the next: as many as share out what is indexed. */
  #rowStride(load: Op, buffer: Buffer, extent: (place: Op) => number | undefined): number | undefined {
    if (load.type === "void" || !this.#uses.isRowBound(load)) return undefined;
    const rows = buffer.bytes === undefined ? undefined : buffer.bytes / scalarBytes[load.type] - 1;
    const all = this.#uses.countLooped(load, extent);
    return all === undefined || rows === undefined || rows < 1 ? unknownRow : Math.max(1, Math.floor(all / rows));
  }

  /** Bytes of the one memory object an address points into. */
  #extent(objects: ReadonlySet<string>): number | undefined {
    if (objects.size !== 1) return undefined;
    const [kind, index] = [...objects][0]?.split(" ") ?? [];
    if (kind === "buffer") return this.#buffers[Number(index)]?.bytes;
    if (kind === "global") return this.#kernel.globals[Number(index)]?.bytes;
    if (kind === "shared") return this.#kernel.shared[Number(index)]?.bytes ?? this.#launch.dynamicSharedBytes;
    return undefined;
  }
}
