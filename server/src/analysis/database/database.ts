/**
 * The database under everything: what is kept, and why it may be.
 *
 * Inputs are set from outside (texts, settings); everything else is a query, a function of other queries and of inputs. The database
 * remembers what a query gave and what it read to do so. When inputs have changed, what is asked for is looked at again from the
 * bottom: where all that it read is still equal, it stands; else it is computed anew, and where that comes out equal, whoever read
 * it need not be computed anew. So an edit costs what depends on it, and nothing has an invalidation of its own. (This is how salsa
 * works in rust-analyzer.)
 *
 * A computation that throws, because it was cancelled or for a fault, leaves what was known before as it was: it is made again when
 * it is asked for again.
 */
import { Work } from "@warplens/sim-engine";

/** A function whose answers are remembered. */
export interface Query<K, V> {
  /** For those who count or measure. */
  readonly name: string;
  /** `before`: the answer of an earlier revision. Reads what it depends on through `db` alone. */
  compute(db: Database, key: K, before: V | undefined): V;
  /** Whether an answer is as good as the one before it, which then stays; without, the same object or primitive. */
  equal?(before: V, after: V): boolean;
}

/** What is set from outside. */
export interface InputKind<K, V> {
  readonly name: string;
  /** What it is while nothing was set. */
  initial(key: K): V;
  equal?(before: V, after: V): boolean;
}

type Kind<K, V> = Query<K, V> | InputKind<K, V>;

interface Answer {
  readonly kind: Kind<unknown, unknown>;
  readonly key: unknown;
  value: unknown;
  /** In which revision it last became another. */
  changed: number;
  /** In which it was last known to be right; -1 where it never was. */
  verified: number;
  reads: Answer[];
}

export class Database {
  #revision = 0;
  readonly #answers = new Map<Kind<never, never>, Answers>();
  /** Reads of the computations under way, the innermost last. */
  readonly #reading: Set<Answer>[] = [];
  readonly #counts = new Map<string, number>();
  #work = new Work();

  /** The budget of whoever asks; computations that may be long spend of it. */
  get work(): Work {
    return this.#work;
  }

  /** Grows with every input that becomes another. */
  get revision(): number {
    return this.#revision;
  }

  /** Asks within a budget. Throws `Cancelled`. */
  within<T>(work: Work, ask: () => T): T {
    const before = this.#work;
    this.#work = work;
    try {
      return ask();
    } finally {
      this.#work = before;
    }
  }

  set<K, V>(input: InputKind<K, V>, key: K, value: V): void {
    if (this.#reading.length > 0) throw new Error("an input is set while something is computed");
    const known = this.#known(input, key);
    if (known && same(input, known.value as V, value)) return;
    this.#revision++;
    if (known) Object.assign(known, { value, changed: this.#revision, verified: this.#revision });
    else this.#keep(input, key, { value, changed: this.#revision, verified: this.#revision });
  }

  /** Asks for an answer; whoever is being computed depends on it from then on. */
  get<K, V>(kind: Kind<K, V>, key: K): V {
    const answer = this.#known(kind, key) ?? this.#keep(kind, key, { value: undefined, changed: 0, verified: -1 });
    this.#reading.at(-1)?.add(answer);
    this.#refresh(answer);
    return answer.value as V;
  }

  /**
   * Asks without depending on the answer: for what helps to compute (trees, types already worked out) and of which the result is a
   * function only through what it reads besides.
   */
  peek<K, V>(kind: Kind<K, V>, key: K): V {
    this.#reading.push(new Set());
    try {
      return this.get(kind, key);
    } finally {
      this.#reading.pop();
    }
  }

  /** The answer as it was last computed, right or not. */
  last<K, V>(kind: Kind<K, V>, key: K): V | undefined {
    return this.#known(kind, key)?.value as V | undefined;
  }

  /** The keys that something was asked or set for, those that are texts. */
  keys<K extends string, V>(kind: Kind<K, V>): K[] {
    return [...(this.#answers.get(kind as Kind<never, never>)?.named.keys() ?? [])] as K[];
  }

  /** The keys of a query, or of an input, whose answers this answer rests on, whatever lies between. */
  restsOn<K, V, L, W>(kind: Kind<K, V>, key: K, on: Kind<L, W>): ReadonlySet<L> {
    const first = this.#known(kind, key);
    const seen = new Set<Answer>(first ? [first] : []);
    const found = new Set<L>();
    // A set that grows while it is walked: what is added comes, too.
    for (const answer of seen) {
      if (answer.kind === (on as Kind<never, never>)) found.add(answer.key as L);
      for (const read of answer.reads) seen.add(read);
    }
    return found;
  }

  /**
   * Forgets an answer, to save memory: it is computed again when it is asked for again. Whatever rests on it must be forgotten with
   * it: it would hold on to the old one, and be mixed with the new.
   */
  forget<K, V>(kind: Query<K, V>, key: K): void {
    this.#answers.get(kind as Kind<never, never>)?.delete(key);
  }

  /** Counts, as a query would be, something that is computed and remembered elsewhere. */
  count(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** How often each query was computed since this was last asked. */
  takeCounts(): ReadonlyMap<string, number> {
    const counts = new Map(this.#counts);
    this.#counts.clear();
    return counts;
  }

  #known<K, V>(kind: Kind<K, V>, key: K): Answer | undefined {
    return this.#answers.get(kind as Kind<never, never>)?.get(key);
  }

  #keep<K, V>(kind: Kind<K, V>, key: K, state: Pick<Answer, "value" | "changed" | "verified">): Answer {
    const all = this.#answers.get(kind as Kind<never, never>) ?? new Answers();
    this.#answers.set(kind as Kind<never, never>, all);
    const answer: Answer = { kind: kind as Kind<unknown, unknown>, key, reads: [], ...state };
    all.set(key, answer);
    return answer;
  }

  /** Brings an answer to the present revision. */
  #refresh(answer: Answer): void {
    if (answer.verified === this.#revision) return;
    const { kind, key } = answer;
    if ("initial" in kind) {
      if (answer.verified < 0) answer.value = kind.initial(key);
    } else if (answer.verified < 0 || this.#readsChanged(answer)) this.#compute(answer, kind);
    answer.verified = this.#revision;
  }

  #readsChanged({ reads, verified }: Answer): boolean {
    for (const read of reads) {
      this.#refresh(read);
      if (read.changed > verified) return true;
    }
    return false;
  }

  #compute(answer: Answer, query: Query<unknown, unknown>): void {
    const reads = new Set<Answer>();
    this.#reading.push(reads);
    this.count(query.name);
    let value: unknown;
    try {
      value = query.compute(this, answer.key, answer.value);
    } finally {
      this.#reading.pop();
    }
    answer.reads = [...reads];
    if (answer.verified >= 0 && same(query, answer.value, value)) return;
    answer.value = value;
    answer.changed = this.#revision;
  }
}

/** The answers of one query: those for an object are kept as long as the object is. */
class Answers {
  readonly named = new Map<unknown, Answer>();
  readonly #held = new WeakMap<object, Answer>();

  get(key: unknown): Answer | undefined {
    return typeof key === "object" && key !== null ? this.#held.get(key) : this.named.get(key);
  }

  set(key: unknown, answer: Answer): void {
    if (typeof key === "object" && key !== null) this.#held.set(key, answer);
    else this.named.set(key, answer);
  }

  delete(key: unknown): void {
    if (typeof key === "object" && key !== null) this.#held.delete(key);
    else this.named.delete(key);
  }
}

const same = <K, V>({ equal }: Kind<K, V>, before: V, after: V): boolean => (equal ? equal(before, after) : Object.is(before, after));

/** Whether two lists have the same members. */
export const sameMembers = (before: readonly unknown[], after: readonly unknown[]): boolean =>
  before.length === after.length && before.every((each, index) => Object.is(each, after[index]));
