/** Which launches come first: those the user looks at. */
import type { LaunchFact } from "../analysis/facts.ts";
import type { Place } from "../syntax/reading.ts";
import type { OffsetRange, SimulationOrder } from "./messages.ts";

/** A lower number is earlier: what is at the cursor, what is in view, the rest. */
export function rankBy({ cursor, visible }: SimulationOrder): (launch: Pick<LaunchFact, "at" | "kernel" | "expression">) => number {
  return ({ at, kernel, expression }) => {
    const places = [...(expression ? [at] : []), ...(kernel ? [kernel.at] : [])].filter(({ file }) => file === 0);
    const meets = (range: OffsetRange | undefined): boolean => range !== undefined && places.some((place) => overlap(place, range));
    if (meets(cursor === undefined ? undefined : { start: cursor, end: cursor })) return 0;
    return meets(visible) ? 1 : 2;
  };
}

const overlap = (place: Place, { start, end }: OffsetRange): boolean => place.start <= end && start <= place.end;
