/** Refactorings tried on a program of one file, simulated on the H200. */
import { findGpu, type GpuModel, Work } from "@warplens/sim-engine";
import { analyze } from "../analysis/analyze.ts";
import type { AnalysisSettings } from "../analysis/settings.ts";
import { offsetEdits, withEdits } from "../lint/fix-edits.ts";
import type { FixProof } from "../lint.ts";
import { Prover } from "../proof/prover.ts";
import { type OfferedRefactoring, offeredRefactorings } from "../refactorings/offered.ts";
import type { Refactoring } from "../refactorings/refactoring.ts";
import { simulateProgram } from "../simulate.ts";
import { lineStarts } from "../syntax/lines.ts";

const settings: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };
const files = { read: () => undefined };
const path = "/project/case.cu";

export interface Tried {
  readonly offer: OfferedRefactoring;
  readonly after: string;
  readonly proof: FixProof;
}

/** What a refactoring makes of a program with the cursor at the first place of a text. The grammar must be loaded. */
export function triedAt({ id, changes }: Refactoring, before: string, cursor: string): Tried[] {
  const gpu = findGpu("h200") as GpuModel;
  const program = analyze(path, before, settings, files);
  const at = before.indexOf(cursor);
  if (at < 0) throw new Error(`there is no ${cursor}`);
  const starts = lineStarts(before);
  const failed = (_: string, error: unknown): never => {
    throw error;
  };
  const prover = new Prover(files);
  return offeredRefactorings(program, simulateProgram(program, gpu).launches, failed)
    .filter((offer) => offer.id === id)
    .filter(({ ranges }) =>
      ranges
        .map((range) => offsetEdits(before, { edits: [{ range, newText: "" }] }, starts)[0])
        .some((range) => range && range.start <= at && at <= range.end),
    )
    .map((offer) => {
      const after = withEdits(before, offsetEdits(before, offer, starts));
      const wish = changes ? { changes } : {};
      const proof = prover.prove({ program, settings, gpu }, { path, text: after, safe: offer.safe, wish }, new Work());
      return { offer, after, proof };
    });
}
