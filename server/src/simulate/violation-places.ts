import type { Actor, Reach, Violation } from "@warplens/sim-engine";

type Spot = Actor["at"];

/** A violation with every place in it changed. */
export function withPlacesBy(violation: Violation, place: (at: Spot) => Spot): Violation {
  const actor = (each: Actor): Actor => ({ ...each, at: place(each.at) });
  const by = actor(violation.by);
  switch (violation.kind) {
    case "shared-race":
    case "global-race":
      return { ...violation, by, other: actor(violation.other) };
    case "divergent-barrier":
      return { ...violation, by, ...(violation.instead ? { instead: place(violation.instead) } : {}) };
    default:
      return { ...violation, by };
  }
}

/** The same of the guards of a launch. */
export const reachWithPlacesBy = (reach: Reach, place: (at: Spot) => Spot): Reach => ({
  ...reach,
  guards: reach.guards.map((guard) => ({ ...guard, at: place(guard.at) })),
});
