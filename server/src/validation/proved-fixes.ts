/** What comes of every fix of a file: its proof, and the text that it makes. */
import { findGpu, Work } from "@warplens/sim-engine";
import { analyze } from "../analysis/analyze.ts";
import type { AnalysisSettings, FileHost } from "../analysis/settings.ts";
import { offsetEdits, withEdits } from "../lint/fix-edits.ts";
import { type FixProof, lint } from "../lint.ts";
import { Prover } from "../proof/prover.ts";
import { rules } from "../rules/index.ts";
import { refusedIn, simulateProgram } from "../simulate.ts";

export interface TriedFix {
  readonly ruleId: string;
  readonly title: string;
  readonly safe: boolean;
  readonly proof: FixProof;
  /** The file with it. */
  readonly fixed: string;
  /** Findings of the same rule left in that, and before. */
  readonly left: readonly [after: number, before: number];
}

/** @param select rules, by id; absent for those that are on */
export function triedFixes(
  path: string,
  text: string,
  files: FileHost,
  settings: AnalysisSettings,
  select: readonly string[] = [],
): TriedFix[] {
  const gpu = findGpu("h200");
  if (!gpu) throw new Error("no H200");
  const prover = new Prover(files);
  const found = (source: string) => {
    const program = analyze(path, source, settings, files);
    const { launches, notSimulated } = simulateProgram(program, gpu);
    return { program, diagnostics: lint(program, launches, { select }, () => undefined, refusedIn(notSimulated)) };
  };
  const { program, diagnostics } = found(text);
  return diagnostics.flatMap(({ ruleId, fixes, path: of }) =>
    fixes.map((fix): TriedFix => {
      const rule = rules.find(({ id }) => id === ruleId);
      const source = program.reading.sources[program.reading.files.indexOf(of)] ?? "";
      const changed = withEdits(source, offsetEdits(source, fix));
      const proof = prover.prove(
        { program, settings, gpu },
        { path: of, text: changed, safe: fix.safe, ...(rule ? { rule } : {}) },
        new Work(),
      );
      const fixed = of === path ? changed : text;
      const count = (all: readonly { readonly ruleId: string }[]): number => all.filter((each) => each.ruleId === ruleId).length;
      const left = [count(found(fixed).diagnostics), count(diagnostics)] as const;
      return { ruleId, title: fix.title, safe: fix.safe, proof, fixed, left };
    }),
  );
}
