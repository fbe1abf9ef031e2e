/**
 * What the program reads and nobody knows: parameters of functions that nothing here calls, `argv`, files.
 *
 * An unknown integer takes the name of the first variable that holds it and keeps that name through arithmetic. When a launch
 * turns out to depend on it, the evaluation runs again with a value assumed for that name, so that grid, sizes and
 * arguments stay consistent with each other.
 */
import type { HostType, UnknownValue, Value } from "./model.ts";
import { int, unknown } from "./values.ts";

/** Of numbers that stand for ones that the program draws. */
export const drawnReason = "it comes of random numbers, of which nobody knows what they began with";

export class Inputs {
  readonly #assumed: ReadonlyMap<string, number>;
  /** Why each input is not known, by name. */
  readonly reasons = new Map<string, string>();
  /** What an input probably is, by name, where that can be told. */
  readonly likely = new Map<string, number>();
  /** What stands for numbers that the program draws, by name. */
  readonly drawn = new Map<string, number>();
  /** Functions of libraries that were taken to succeed. */
  readonly succeeding = new Set<string>();

  #closed = false;

  constructor(assumed: ReadonlyMap<string, number>) {
    this.#assumed = assumed;
  }

  /** What follows matters to no launch. */
  close(): void {
    this.#closed = true;
  }

  /** A function of a library is taken to succeed. */
  succeeds(name: string): void {
    if (!this.#closed) this.succeeding.add(name);
  }

  /** The value of a variable that was given an unknown value. */
  held(value: UnknownValue, name: string, type: HostType | undefined): Value {
    const known = type ?? value.type;
    if (value.inputs.length > 0 || this.#closed) return value;
    const integer = known?.kind === "integer" ? known.name : known?.kind === "enum" ? known.underlying : undefined;
    if (integer === undefined || integer === "bool") return value;
    const assumed = this.#assumed.get(name);
    // That a variable had no value before says less than what came later.
    if (!this.reasons.has(name) || !value.reason.endsWith("is not initialised")) this.reasons.set(name, value.reason);
    if (value.likely !== undefined) this.likely.set(name, value.likely);
    if (value.likely !== undefined && value.reason === drawnReason) this.drawn.set(name, value.likely);
    if (assumed !== undefined) return int(assumed, integer);
    const named = unknown(value.reason, known, [name]);
    return value.reason === drawnReason && value.likely !== undefined ? { ...named, likely: value.likely } : named;
  }
}
