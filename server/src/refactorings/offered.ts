/** The refactorings of a file where they apply, as the editor shows them. */
import type { Program } from "../analysis/facts.ts";
import { visible } from "../foreign-text.ts";
import { type DiagnosticFix, type PositionRange, rangeAt } from "../lint.ts";
import type { RuleContext, SimulatedLaunch } from "../rules/rule.ts";
import { writtenEdits } from "../rules/support/edits.ts";
import { SyntaxIndex } from "../rules/support/syntax-index.ts";
import type { Place } from "../syntax/reading.ts";
import { stage } from "../trace.ts";
import { refactorings } from "./index.ts";

export interface OfferedRefactoring extends DiagnosticFix {
  /** The refactoring's id. */
  readonly id: string;
  /** Where the cursor may stand, in the opened file. */
  readonly ranges: readonly PositionRange[];
}

/** Of one refactoring, and of a file. */
const mostOffers = 200;

/**
 * Every refactoring where it applies in the opened file, by kind. None is tried: see `Prover`.
 * @param launches the simulated launches
 * @param failed told of a refactoring that threw; its offers are missing, those of the others are not
 */
export function offeredRefactorings(
  program: Program,
  launches: readonly SimulatedLaunch[],
  failed: (id: string, error: unknown) => void = () => undefined,
): OfferedRefactoring[] {
  // Nothing that is known of no launch could be tried.
  if (launches.length === 0) return [];
  const { reading, items, semantics } = program;
  const context: RuleContext = { program, syntax: new SyntaxIndex({ items: () => items, reading, semantics }), launches };
  return refactorings.flatMap((refactoring) => {
    /** What several places offer alike is one. */
    const found = new Map<string, OfferedRefactoring>();
    try {
      stage("refactorings", () => {
        for (const { at, fix } of refactoring.offers(context)) {
          const edits = writtenEdits(reading, fix);
          const places = at.map((each): Place => ("file" in each ? each : reading.locate(each.start, each.end)));
          const ranges = places.filter(({ file }) => file === 0).map((place) => rangeAt(reading, place));
          if (!edits?.every((edit) => edit.at.file === 0) || ranges.length === 0) continue;
          const told = edits.map((edit) => ({ range: rangeAt(reading, edit.at), newText: edit.newText }));
          const key = JSON.stringify(told);
          const title = visible(fix.title);
          const before = found.get(key)?.ranges ?? [];
          found.set(key, { id: refactoring.id, title, safe: fix.safe, edits: told, ranges: [...before, ...ranges] });
          if (found.size >= mostOffers) break;
        }
      });
    } catch (error) {
      failed(refactoring.id, error);
    }
    return [...found.values()];
  });
}
