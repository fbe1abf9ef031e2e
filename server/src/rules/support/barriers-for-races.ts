/** Barriers that part the accesses of a race. */
import type { Fix, RuleContext } from "../rule.ts";
import { barrierBetween } from "./barrier-between.ts";
import { placeIn, type Shown } from "./violations.ts";

/** A barrier between the two accesses of each race; undefined where one of them is not mended so. */
export function barriersFor(context: RuleContext, races: readonly Shown<"shared-race">[]): Fix | undefined {
  // A barrier of the block is one of its warps, too.
  const ofWarp = races.every(({ violation }) => violation.sameWarp);
  const fixes = races.map(({ violation, launch, place }) => {
    const first = violation.underWay ? undefined : placeIn(launch, violation.other.at, context.program.reading.files);
    return first && barrierBetween(context, first, place, ofWarp);
  });
  const known = fixes.filter((fix) => fix !== undefined);
  const [one] = known;
  if (one === undefined || known.length < fixes.length) return undefined;
  const edits = [...new Map(known.flatMap((fix) => fix.edits).map((edit) => [edit.span.start, edit])).values()];
  return edits.length === 1 ? one : { ...one, title: "Insert the barriers", edits };
}
