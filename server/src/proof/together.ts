/** Fixes that are applied together are tried one on top of the other: each may be right alone, and two of them wrong. */
import { Cancelled, type GpuModel, type Work } from "@warplens/sim-engine";
import { analyze } from "../analysis/analyze.ts";
import type { Program } from "../analysis/facts.ts";
import { overlaid } from "../analysis/overlay.ts";
import type { AnalysisSettings, FileHost } from "../analysis/settings.ts";
import { type OffsetEdit, offsetEdits, overlap, withEdits } from "../lint/fix-edits.ts";
import type { Diagnostic, DiagnosticFix, FixProof } from "../lint.ts";
import { rules } from "../rules/index.ts";
import { Prover } from "./prover.ts";

export interface Together {
  readonly program: Program;
  readonly settings: AnalysisSettings;
  readonly gpu: GpuModel;
  readonly files: FileHost;
  /** Fixes that are not safe are wanted, too. */
  readonly unsafe: boolean;
}

/** The fix of a finding that is to be applied. */
export const wantedFix = ({ fixes }: Pick<Diagnostic, "fixes">, unsafe: boolean): DiagnosticFix | undefined =>
  fixes.find(({ safe }) => safe) ?? (unsafe ? fixes[0] : undefined);

/**
 * The findings with the proofs of the fixes that are wanted, each tried on what those before it, as far as they are proved, make of the
 * file. One that overlaps those is left for another time.
 * @param work once it is over no further fixes are tried: they have no proof
 */
export function provedTogether(subject: Together, diagnostics: readonly Diagnostic[], work: Work): Diagnostic[] {
  const { settings, gpu, unsafe } = subject;
  let { program } = subject;
  const texts = new Map<string, { readonly original: string; readonly edits: OffsetEdit[] }>();
  const files = overlaid(subject.files, (path) => {
    const changed = texts.get(path);
    return changed && withEdits(changed.original, changed.edits);
  });
  let prover = new Prover(files);
  return diagnostics.map((diagnostic): Diagnostic => {
    const fix = wantedFix(diagnostic, unsafe);
    if (!fix || work.isOver) return diagnostic;
    const { path } = diagnostic;
    const original = texts.get(path)?.original ?? subject.program.reading.sources[subject.program.reading.files.indexOf(path)] ?? "";
    const before = texts.get(path)?.edits ?? [];
    const own = offsetEdits(original, fix);
    if (overlap(own, before)) return diagnostic;
    const rule = rules.find(({ id }) => id === diagnostic.ruleId);
    const text = withEdits(original, [...before, ...own]);
    const proof = tried(() => prover.prove({ program, settings, gpu }, { path, text, safe: fix.safe, ...(rule ? { rule } : {}) }, work));
    if (proof?.verdict === "proved") {
      texts.set(path, { original, edits: [...before, ...own] });
      const opened = program.path === path ? text : (program.reading.sources[0] ?? "");
      program = analyze(program.path, opened, settings, files);
      prover = new Prover(files);
    }
    return proof ? { ...diagnostic, fixes: diagnostic.fixes.map((each) => (each === fix ? { ...each, proof } : each)) } : diagnostic;
  });
}

/** Undefined where the work was ended. */
function tried(prove: () => FixProof): FixProof | undefined {
  try {
    return prove();
  } catch (error) {
    if (error instanceof Cancelled) return undefined;
    throw error;
  }
}
