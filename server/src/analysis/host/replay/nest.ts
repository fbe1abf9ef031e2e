/**
 * What is noted of a nest of loops as code is made of it, so that the turn that stores an element can be run by itself: which loops are
 * counted, where they store, and that no turn needs what another has left.
 */
import type { FunctionDeclaration } from "../../../syntax/ast.ts";
import type { Allocation, HostType } from "../values/model.ts";
import type { Known } from "./arithmetic.ts";
import { type Counter, type Line, lineText } from "./lines.ts";
import { Unsupported } from "./machine.ts";
import type { Snapshot } from "./snapshot.ts";

/** A place of the code that stores to elements of an array. */
export interface Site {
  readonly allocation: Allocation;
  readonly type: HostType;
  readonly elementBytes: number;
  /** The index of the element. */
  readonly line: Line;
  /** What is stored, where that is a line, too. */
  readonly value: Line | undefined;
  /** The loops around it, outermost first. */
  readonly chain: readonly Counter[];
}

interface OpenLoop {
  /** Undefined where its turns are not counted. */
  readonly counter: Counter | undefined;
  /** What is sure at each of its `continue`s. */
  readonly continues: ReadonlySet<string>[];
  broken: boolean;
}

export class Nest {
  readonly #changing: ReadonlySet<number>;
  readonly sites: Site[] = [];
  /** Arrays as they were before the loop. */
  readonly snapshots = new Map<Allocation, Snapshot>();
  /** Lines along which arrays are read that the nest may store to. */
  readonly reads: { readonly allocation: Allocation; readonly bytes: number; readonly line: Line | undefined }[] = [];
  /** For the text of the formula: what code was made of besides the loop's own. */
  readonly functions: FunctionDeclaration[] = [];
  readonly constants: (string | number)[] = [];
  /** Slots that are stored to, in turn. */
  readonly stores: number[] = [];
  /** Slots that are read before it is sure that the same turn has stored to them. */
  readonly early = new Set<number>();
  /** Slots that are taken to be the line they were made with. */
  readonly lined = new Set<number>();
  readonly lines = new Map<number, Line>();
  /** Slots that the code declares: the first store is their declaration. */
  readonly declared = new Set<number>();
  /** Slots that are counters: stored to by their loop alone. */
  readonly counters = new Set<number>();
  /** Slots and elements that are stored to on every way here, and elements that loops store to whole (`all `). */
  #sure = new Set<string>();
  #frozen = false;
  #calls = 0;
  readonly #open: OpenLoop[] = [];

  // ---- as it runs
  /** Turns that loops are to run alone. */
  readonly aims = new Map<Counter, number>();
  /** The element that is asked for, and what is stored there. */
  wanted: Allocation | undefined;
  wantedIndex = 0;
  found = false;
  value: Known;
  /** What the turn under way has stored, of arrays that it reads, too. */
  readonly own = new Map<Allocation, Map<number, Known>>();

  /** @param changing slots that are known to hold something else than they were declared with */
  constructor(changing: ReadonlySet<number>) {
    this.#changing = changing;
  }

  loads(slot: number): void {
    if (!this.#sure.has(`slot ${slot}`)) this.early.add(slot);
  }

  storesTo(slot: number): void {
    if (this.counters.has(slot)) throw new Unsupported();
    this.stores.push(slot);
    if (!this.#frozen) this.#sure.add(`slot ${slot}`);
  }

  isSure(slot: number): boolean {
    return this.#sure.has(`slot ${slot}`);
  }

  /** The line that a slot holds, which goes by it that nothing else is stored there. */
  lineOf(slot: number): Line | undefined {
    const line = this.lines.get(slot);
    if (line === undefined || this.#changing.has(slot)) return undefined;
    if (!this.counters.has(slot)) this.lined.add(slot);
    return line;
  }

  /** An element is stored to. @throws Unsupported */
  store(site: Omit<Site, "chain" | "line"> & { readonly line: Line | undefined }): void {
    const { allocation, line } = site;
    const chain = this.#open.map(({ counter }) => counter).filter((counter) => counter !== undefined);
    if (line === undefined || this.#calls > 0 || chain.length < this.#open.length) throw new Unsupported();
    this.sites.push({ ...site, line, chain });
    this.#sure.add(this.#elementKey(allocation, line));
    this.#sure.add(`all ${this.#elementKey(allocation, line)}`);
  }

  /** Whether the turn under way has stored what stands there. */
  isOwn(allocation: Allocation, line: Line | undefined): boolean {
    return line !== undefined && this.#sure.has(this.#elementKey(allocation, line));
  }

  /** Whether every turn of the loops around a site stores there. */
  isAlways({ allocation, line }: Site): boolean {
    return this.#sure.has(`all ${this.#elementKey(allocation, line)}`);
  }

  readonly #numbers = new Map<Allocation, number>();
  #elementKey(allocation: Allocation, line: Line): string {
    const number = this.#numbers.get(allocation) ?? this.#numbers.size;
    this.#numbers.set(allocation, number);
    return `${number} ${lineText(line)}`;
  }

  /** Code of which it is not known whether it runs. */
  perhaps<T>(make: () => T): T {
    const before = this.#sure;
    this.#sure = new Set(before);
    const made = make();
    this.#sure = before;
    return made;
  }

  /** Code of which one or the other runs. */
  either<A, B>(one: () => A, other: () => B): readonly [A, B] {
    const before = this.#sure;
    this.#sure = new Set(before);
    const first = one();
    const after = this.#sure;
    this.#sure = new Set(before);
    const second = other();
    this.#sure = both(this.#sure, after);
    return [first, second];
  }

  /** A function that is called: behind a `return` in it nothing is sure. */
  called<T>(fn: FunctionDeclaration, make: () => T): T {
    this.functions.push(fn);
    const frozen = this.#frozen;
    this.#calls += 1;
    const made = make();
    this.#calls -= 1;
    this.#frozen = frozen;
    return made;
  }

  returned(): void {
    this.#frozen = true;
  }

  continued(): void {
    this.#open.at(-1)?.continues.push(new Set(this.#sure));
  }

  broken(): void {
    const loop = this.#open.at(-1);
    if (loop) loop.broken = true;
  }

  /** A loop's body. What all its turns store stays sure behind it, where they are counted. */
  loop<T>(counter: Counter | undefined, make: () => T): T {
    const before = this.#sure;
    const sites = this.sites.length;
    const loop: OpenLoop = { counter, continues: [], broken: false };
    this.#open.push(loop);
    this.#sure = new Set(before);
    const made = make();
    this.#open.pop();
    const end = loop.continues.reduce<ReadonlySet<string>>(both, this.#sure);
    if (loop.broken && (this.sites.length > sites || this.#open.length === 0)) throw new Unsupported();
    const whole = counter && !loop.broken ? [...end].filter((key) => this.#open.length === 0 || key.startsWith("all ")) : [];
    this.#sure = new Set([...before, ...whole]);
    return made;
  }
}

const both = (a: ReadonlySet<string>, b: ReadonlySet<string>): Set<string> => new Set([...a].filter((key) => b.has(key)));
