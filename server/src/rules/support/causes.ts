/** Violations that one change would mend are told as one: the first, with the places of the others. */
import type { Violation } from "@warplens/sim-engine";
import type { Related } from "../rule.ts";
import { groupBy } from "./group-by.ts";
import { type Of, oncePerPlace, type Shown, tuple } from "./violations.ts";

type Race = Of<"shared-race" | "global-race">;

/** Those of one cause: the one that is told, and the others. */
export interface Cause<K extends Violation["kind"]> {
  readonly first: Shown<K>;
  /** At other places, each once. */
  readonly others: readonly Shown<K>[];
  readonly all: readonly Shown<K>[];
}

/** @param causeOf equal for those of a kernel that one change mends; @param isBetter whether the first is rather told than the second */
export function byCause<K extends Violation["kind"]>(
  all: readonly Shown<K>[],
  causeOf: (violation: Of<K>) => string,
  isBetter: (a: Of<K>, b: Of<K>) => boolean = () => false,
): Cause<K>[] {
  const groups = groupBy(all, ({ violation, launch }) => `${launch.report.kernel} ${causeOf(violation)}`);
  return [...groups.values()].map((group) => {
    const certain = group.filter(({ violation }) => !violation.assumed);
    const candidates = certain.length > 0 ? certain : group;
    const first = candidates.reduce((best, each) => (isBetter(each.violation, best.violation) ? each : best));
    const others = oncePerPlace([first, ...group]).filter((each) => each !== first);
    return { first, others, all: group };
  });
}

/** Places of the same cause, each said in words. */
export const alsoAt = <K extends Violation["kind"]>(others: readonly Shown<K>[], said: (violation: Of<K>) => string): Related[] =>
  others.map(({ place, violation }) => ({ at: place, message: said(violation) }));

/**
 * Want of the barrier that one race has in common with another; of global memory the memory, too, as arrays that blocks share have little
 * to do with each other.
 */
export function causeOfRace({ kind, object, interval, by, other }: Race): string {
  const within = tuple(by.block) === tuple(other.block);
  // Threads that store by one place in the source are not parted by a barrier: that is a matter of the array.
  const isOnePlace = by.at.file === other.at.file && by.at.start === other.at.start && by.at.end === other.at.end;
  const memory = kind === "shared-race" && !isOnePlace ? kind : `${object.kind} ${object.name}`;
  return `${memory} ${within ? interval : "blocks"}`;
}

/** Of one cause such rather as show that the warps of a block must wait for each other. */
export const showsMore = (a: Race, b: Race): boolean => b.sameWarp && !a.sameWarp;

/** " 3 more accesses race for it in the same way." */
export function andMore<K extends Race["kind"]>(first: Shown<K>, others: readonly Shown<K>[]): string {
  if (others.length === 0) return "";
  const names = new Set(others.map(({ violation }) => (violation as Race).object.name));
  names.delete((first.violation as Race).object.name);
  const what = names.size === 0 ? "it" : `it or ${[...names].map((name) => `\`${name}\``).join(", ")}`;
  return ` ${others.length === 1 ? "One more access races" : `${others.length} more accesses race`} for ${what} in the same way.`;
}
