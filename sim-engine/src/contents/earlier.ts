/** What buffers hold after the launches before: each looked at when its results are first asked for. */

import { innerContents, isExact } from "../execute/content.ts";
import { traceAddresses } from "../execute/provenance.ts";
import { type Contents, type MemorySource, sourceOf } from "../execute/sources.ts";
import {
  type Assumption,
  type Content,
  type EarlierLaunch,
  type Kernel,
  type Launch,
  type Op,
  type ScalarType,
  scalarBytes,
} from "../ir/kernel.ts";
import { globalBase } from "../ir/windows.ts";
import { optimised } from "../passes/index.ts";
import { Cancelled, type Work } from "../work.ts";
import { assumeUnknowns, type Origin, type Resolved } from "./assume.ts";
import { DataUses } from "./data-uses.ts";
import { Replay, type Wholes, writersOf } from "./replay.ts";
import { Unvarying } from "./unvarying.ts";

/** Launches one before the other that are looked back at for what a buffer holds throughout. */
const deepest = 8;

/** Steps that earlier launches may take for one simulation; and those of which only all of their blocks tell what they stored. */
const defaultSteps = 300_000;
const wholeSteps = 1_000_000;

interface Replayed {
  readonly replay: Replay;
  readonly origin: Origin;
  /** What the buffer held before that launch, and what decides what it stores; undefined where some of that is made up. */
  readonly inputs: readonly Content[] | undefined;
}

type Known = Replayed | { readonly before: Content } | undefined;

export class EarlierContents implements Contents {
  readonly #assumptions: Assumption[] = [];
  readonly #work: Work;
  /** What running earlier launches may spend. */
  readonly #runs: Work;
  readonly #wholes: Wholes;
  readonly #kernels = new Map<EarlierLaunch, { readonly kernel: Kernel; readonly launch: Launch } | undefined>();
  readonly #known = new Map<EarlierLaunch, Map<number, Known>>();
  readonly #left = new Map<EarlierLaunch, Map<string, number | bigint | undefined>>();

  readonly #alike: boolean;

  /**
   * @param alike blocks of earlier launches that are not run may be taken to store what others do: places that follow from what they
   * stored would come again where they do not
   */
  constructor(work: Work, alike = false, steps = defaultSteps) {
    this.#work = work;
    this.#alike = alike;
    this.#runs = work.share(steps);
    this.#wholes = { work: work.share(wholeSteps), isRunning: false };
  }

  /** What was assumed of the earlier launches that were looked at, so far. */
  get assumptions(): readonly Assumption[] {
    const cut = [...this.#known].flatMap(([{ name }, buffers]) =>
      [...buffers.values()].flatMap((known) =>
        known && "replay" in known && known.replay.rest
          ? [
              {
                what: `what ${name} stored`,
                value: wordsOfRest(known.replay, known.replay.rest),
                why: "to run more of its blocks takes too long",
              },
            ]
          : [],
      ),
    );
    return [...this.#assumptions, ...cut];
  }

  source(content: Content, element: ScalarType, seed: number): MemorySource {
    if (content.kind !== "written") return sourceOf(content, element, seed, this);
    const { by, buffer, offset } = content;
    // Looked at only if something reads it: most buffers of a launch hold plain data.
    let source: MemorySource | undefined;
    const open = (): MemorySource => {
      const known = this.#find(by, buffer);
      if (known === undefined) return this.source({ kind: "unknown" }, element, seed);
      return "before" in known ? this.source(known.before, element, seed) : known.replay;
    };
    return {
      read: (at, type) => {
        source ??= open();
        return source.read(at + offset, type);
      },
      isFresh: (at) => {
        source ??= open();
        return content.since !== true && source.isFresh?.(at + offset) === true;
      },
    };
  }

  /** What a content comes to. What an earlier launch stored stays so where its warps are to be run for each element. */
  resolve(content: Content): Resolved {
    if (content.kind === "parts") {
      const parts = content.parts.map((part) => ({ part, resolved: this.resolve(part.content) }));
      return {
        content: { kind: "parts", parts: parts.map(({ part, resolved }) => ({ ...part, content: resolved.content })) },
        origins: parts.flatMap(({ resolved }) => resolved.origins),
      };
    }
    if (content.kind !== "written") return { content, origins: [] };
    const known = this.#find(content.by, content.buffer);
    if (known === undefined) return { content: { kind: "unknown" }, origins: [] };
    if ("before" in known) {
      const resolved = this.resolve(known.before);
      return { ...resolved, content: shifted(resolved.content, content.offset, resolved.element) };
    }
    const { replay, origin } = known;
    if (replay.found === "on demand" || replay.found === "whole") return { content, origins: [origin] };
    if (replay.content.kind === "unknown") return { content: replay.content, origins: [] };
    // A launch that stored nothing leaves what was there before.
    const { content: left, element = replay.element, origins } = this.resolve(replay.content);
    return { content: shifted(left, content.offset, element), element, origins: [origin, ...origins] };
  }

  /** Whether something was made up for it: what decides what an earlier launch stored, or what blocks stored that were not run. */
  isMadeUp(content: Content, seen = new Set<Content>()): boolean {
    if (seen.has(content)) return false;
    seen.add(content);
    if (content.kind !== "written") return innerContents(content).some((inner) => this.isMadeUp(inner, seen));
    const asked = this.#known.get(content.by);
    const known = asked?.get(content.buffer);
    if (known === undefined) return asked?.has(content.buffer) === true;
    if ("before" in known) return this.isMadeUp(known.before, seen);
    return known.replay.rest !== undefined || known.inputs === undefined || known.inputs.some((input) => this.isMadeUp(input, seen));
  }

  /**
   * The numbers of those operations that have one and the same in all threads of a launch, all through it (see `Unvarying`).
   * @param asked told of each buffer whose contents before the launch they may follow from
   */
  unvarying(kernel: Kernel, launch: Launch, ops: readonly Op[], asked: (buffer: number) => void): ReadonlyMap<Op, number | bigint> {
    return ops.length === 0 ? new Map() : this.#valuesIn(kernel, launch, 0, asked).of(ops);
  }

  #valuesIn(kernel: Kernel, launch: Launch, depth: number, asked?: (buffer: number) => void): Unvarying {
    const before = (buffer: number, type: ScalarType): number | bigint | undefined => {
      asked?.(buffer);
      const { content, element } = launch.buffers[buffer] ?? {};
      return content && this.#heldBy(content, element ?? type, type, depth);
    };
    return new Unvarying(kernel, launch, traceAddresses(kernel, launch, this.#work), before, this.#work);
  }

  /** The number that all of a content is, read as a type. */
  #heldBy(content: Content, element: ScalarType, type: ScalarType, depth: number): number | bigint | undefined {
    switch (content.kind) {
      case "zero":
        return 0;
      case "bytes":
        return sourceOf(content, element, 0, this).read(0, type);
      case "constant":
        return element === type || content.value === 0 ? content.value : undefined;
      case "parts": {
        const [first, ...rest] = content.parts.map((part) => this.#heldBy(part.content, element, type, depth));
        return rest.every((value) => value === first) ? first : undefined;
      }
      case "written":
        return content.since === true || depth > deepest ? undefined : this.#leftBy(content.by, content.buffer, type, depth + 1);
      default:
        return undefined;
    }
  }

  /** The number that all of a buffer holds behind an earlier launch, read as a type. */
  #leftBy(by: EarlierLaunch, buffer: number, type: ScalarType, depth: number): number | bigint | undefined {
    const found = this.#left.get(by) ?? new Map<string, number | bigint | undefined>();
    this.#left.set(by, found);
    const key = `${buffer} ${type}`;
    if (!found.has(key)) {
      // A launch that is asked for while it is looked at would depend on itself.
      found.set(key, undefined);
      const earlier = this.#optimised(by);
      found.set(key, earlier && this.#valuesIn(earlier.kernel, earlier.launch, depth).leftIn(buffer, type));
    }
    return found.get(key);
  }

  #find(by: EarlierLaunch, buffer: number): Known {
    const known = this.#known.get(by) ?? new Map<number, Known>();
    this.#known.set(by, known);
    if (!known.has(buffer)) {
      // A launch that is asked for while it is looked at would depend on itself.
      known.set(buffer, undefined);
      known.set(buffer, this.#replayed(by, buffer));
    }
    return known.get(buffer);
  }

  #replayed(by: EarlierLaunch, buffer: number): Known {
    const found = this.#optimised(by);
    const before = found?.launch.buffers[buffer]?.content;
    if (!found || !before) return undefined;
    const { kernel, launch } = found;
    const provenance = traceAddresses(kernel, launch, this.#work);
    if (writersOf(kernel, buffer, provenance).length === 0) return { before };
    try {
      const complete = assumeUnknowns(kernel, launch, this, this.#work, buffer);
      const { assumptions, decisive, invented, madeUp } = complete;
      const isKnown =
        assumptions.length === 0 && invented.size === 0 && [...decisive].every((index) => isExact(complete.launch.buffers[index]?.content));
      const replay = new Replay(kernel, complete.launch, buffer, this, this.#runs, {
        before: isKnown ? before : undefined,
        alike: this.#alike,
        whole: this.#wholes,
      });
      for (const assumption of complete.assumptions) this.#assumptions.push({ ...assumption, what: `${assumption.what} (of ${by.name})` });
      const inputs = madeUp.size > 0 ? undefined : [before, ...[...decisive].flatMap((index) => launch.buffers[index]?.content ?? [])];
      return { replay, origin: originOf(by, replay, before), inputs };
    } catch (error) {
      if (error instanceof Cancelled) throw error;
      return undefined;
    }
  }

  #optimised(by: EarlierLaunch): { readonly kernel: Kernel; readonly launch: Launch } | undefined {
    if (!this.#kernels.has(by)) {
      const resolved = by.resolve(this.#work);
      this.#kernels.set(by, resolved && { kernel: optimised(resolved.kernel, this.#work).kernel, launch: resolved.launch });
    }
    return this.#kernels.get(by);
  }
}

/** What a kernel's buffers hold, as far as earlier launches say: of blocks that are not run what others stored, where no address follows from that. */
export const contentsFor = (kernel: Kernel, work: Work): EarlierContents =>
  new EarlierContents(work, !new DataUses(kernel).decideAddresses);

function originOf({ name }: EarlierLaunch, { found, content }: Replay, before: Content): Origin {
  const rest = before.kind === "unknown" ? "; what it does not store is taken to be zero" : "";
  switch (found) {
    case "simple":
      return { value: inWords(content), why: `what ${name} stores to each element` };
    case "sampled":
      if (content === before) return { value: "what it held before", why: `${name} stored nothing in the blocks of it that were run` };
      return { value: inWords(content), why: `what ${name} stored in the blocks of it that were run` };
    default:
      return { value: `as ${name} stored it`, why: `what that launch stores was computed where it is read${rest}` };
  }
}

/** What is taken of the blocks that were not run. */
function wordsOfRest({ tookLike, filled }: Replay, rest: Content): string {
  if (tookLike) return `as blocks like the others did that were run, and elsewhere ${inWords(rest)}`;
  return filled === undefined ? inWords(rest) : `${inWords(rest)} in ${Math.round(100 * filled)} % of the elements`;
}

function inWords(content: Content): string {
  switch (content.kind) {
    case "constant":
      return String(content.value);
    case "linear":
      if (content.start >= globalBase) return "memory of its own for each pointer";
      return `${content.start} + ${content.stride} * index`;
    case "cyclic":
      return `(${content.start} + ${content.stride} * index) % ${content.modulus}`;
    case "uniform":
      return `uniform(${content.lo}, ${content.hi})`;
    default:
      return content.kind;
  }
}

/** A content seen from `bytes` further on. */
function shifted(content: Content, bytes: number, element: ScalarType = "i32"): Content {
  if (bytes === 0 || /^(zero|constant|uniform|bytes|unknown)$/.test(content.kind)) return content;
  if (content.kind === "linear") return { ...content, start: content.start + (content.stride * bytes) / scalarBytes[element] };
  if (content.kind === "written") return { ...content, offset: content.offset + bytes };
  return { kind: "parts", parts: [{ from: 0, to: Number.POSITIVE_INFINITY, origin: -bytes, content }] };
}
