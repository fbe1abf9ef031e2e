/** Reports by what they were made from: found without lowering the kernel again, where nothing of that has changed. */
import type { Kernel, LaunchReport } from "@warplens/sim-engine";
import { sameMembers } from "../analysis/database/database.ts";
import type { LaunchFact } from "../analysis/facts.ts";

type Stamp = NonNullable<LaunchFact["stamp"]>;

interface Stamped {
  readonly stamp: Stamp;
  /** Without its code, which takes the most memory and is not needed any more. */
  readonly kernel: Kernel;
  /** By GPU and registers. Places in them are labels. */
  readonly reports: Map<string, LaunchReport>;
}

/** Launches of one kernel that are remembered, and GPUs of each. */
const mostLaunches = 16;
const mostSettings = 4;

export class StampedReports {
  readonly #byKernel = new WeakMap<object, Stamped[]>();

  get(stamp: Stamp): Stamped | undefined {
    return this.#of(stamp).find((known) => sameMembers(known.stamp, stamp));
  }

  keep(stamp: Stamp, kernel: Kernel, settings: string, report: LaunchReport): void {
    const all = this.#of(stamp);
    const known = this.get(stamp) ?? { stamp, kernel: { ...kernel, blocks: [] }, reports: new Map<string, LaunchReport>() };
    known.reports.set(settings, report);
    const [oldest] = known.reports.keys();
    if (known.reports.size > mostSettings && oldest !== undefined) known.reports.delete(oldest);
    if (all.includes(known)) return;
    all.push(known);
    if (all.length > mostLaunches) all.shift();
  }

  /** A stamp's last members are the items the kernel is made of; whichever comes first of them serves as the key. */
  #of(stamp: Stamp): Stamped[] {
    const key = stamp.find((member) => typeof member === "object" && member !== null);
    if (key === undefined) return [];
    const known = this.#byKernel.get(key as object) ?? [];
    this.#byKernel.set(key as object, known);
    return known;
  }
}
