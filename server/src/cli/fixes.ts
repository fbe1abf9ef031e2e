/** Applying fixes to files. */

import { type OffsetEdit, offsetEdits, overlap, withEdits } from "../lint/fix-edits.ts";
import type { Diagnostic } from "../lint.ts";
import { wantedFix } from "../proof/together.ts";
import { lineStarts } from "../syntax/lines.ts";

export interface Fixed {
  readonly text: string;
  readonly applied: number;
  /** In the text that was given. */
  readonly edits: readonly OffsetEdit[];
}

/**
 * Applies the wanted fix of each finding, where it is proved. Of fixes that overlap only the first is applied; the next round finds the
 * other one again.
 */
export function applyFixes(text: string, diagnostics: readonly Diagnostic[], unsafe: boolean): Fixed {
  const starts = lineStarts(text);
  const edits: OffsetEdit[] = [];
  let applied = 0;
  for (const diagnostic of diagnostics) {
    const fix = wantedFix(diagnostic, unsafe);
    if (fix?.proof?.verdict !== "proved") continue;
    const wanted = offsetEdits(text, fix, starts);
    if (overlap(wanted, edits)) continue;
    edits.push(...wanted);
    applied++;
  }
  return { text: withEdits(text, edits), applied, edits };
}
