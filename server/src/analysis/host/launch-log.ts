/**
 * The launches an evaluation met: one entry for each kernel a site launches (a helper may be given several), with the values of
 * its first execution.
 */
import type { Content } from "@warplens/sim-engine";
import type { Expression, FunctionDeclaration } from "../../syntax/ast.ts";
import type { Substitution } from "../sema/types.ts";
import type { CapturedArguments } from "./capture.ts";
import type { TemplateValue, Value } from "./model.ts";
import { integerOf } from "./values.ts";

export type Triple<T> = readonly [x: T, y: T, z: T];

export interface LaunchEntry {
  /** The launch, or the call that launches. */
  readonly site: Expression;
  /** Which kernel, and of a template which instance: equal for the same one at the same site. */
  readonly instance: string;
  readonly kernelName: string;
  /** Absent when it is not known which kernel is launched, or its definition was not found. */
  readonly kernel?: FunctionDeclaration;
  readonly substitution?: Substitution;
  readonly templateArguments: readonly TemplateValue[];
  readonly grid: Triple<Value>;
  readonly block: Triple<Value>;
  readonly cluster?: Triple<Value>;
  readonly shared: Value;
  readonly captured: CapturedArguments;
  /** What `__constant__` and `__device__` variables hold, by name. */
  readonly globals: ReadonlyMap<string, Content>;
  /** How many conditions that are known to be false stand before it: 0 where the program reaches it. */
  readonly remoteness: number;
  /** Whether it does depends on a condition that is not known. */
  readonly uncertain: boolean;
}

/** Whether grid and block are known. */
export function isConfigured({ grid, block }: Pick<LaunchEntry, "grid" | "block">): boolean {
  return [...grid, ...block].every((side) => integerOf(side) !== undefined);
}

export class LaunchLog {
  readonly #entries = new Map<string, LaunchEntry>();
  /** Executions by instance; NaN once not known. */
  readonly #counts = new Map<string, number>();
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
