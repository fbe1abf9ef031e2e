/** Fixes tried one by one, each on the file as it is: what may be chosen of them is one. */
import type { Program } from "../analysis/facts.ts";
import { offsetEdits, withEdits } from "../lint/fix-edits.ts";
import type { Diagnostic, FixProof } from "../lint.ts";
import { rules } from "../rules/index.ts";
import type { Proposal } from "./prover.ts";

export interface TriedFix {
  /** The place of its finding among those that were given, and its own among the finding's fixes. */
  readonly diagnostic: number;
  readonly fix: number;
  readonly proof: FixProof;
}

/**
 * What comes of every fix, in the order of the findings.
 * @param diagnostics findings with their places among all
 * @param prove tries one; nothing more is tried than is asked for
 */
export function* triedEach(
  { reading }: Program,
  diagnostics: Iterable<readonly [number, Diagnostic]>,
  prove: (proposal: Proposal) => FixProof,
): Generator<TriedFix, void, void> {
  for (const [diagnostic, { ruleId, path, fixes }] of diagnostics) {
    const source = reading.sources[reading.files.indexOf(path)];
    const rule = rules.find(({ id }) => id === ruleId);
    if (source === undefined) continue;
    for (const [fix, { safe, ...edits }] of fixes.entries()) {
      const text = withEdits(source, offsetEdits(source, edits));
      yield { diagnostic, fix, proof: prove({ path, text, safe, ...(rule ? { rule } : {}) }) };
    }
  }
}

/** Fixes that were not come to. */
export const notTried: FixProof = { verdict: "withheld", why: "trying the fixes before it took the last of their steps" };

/** Findings with what came of their fixes. */
export function withProofs<Found extends Diagnostic>(diagnostics: readonly Found[], tried: Iterable<TriedFix>): Found[] {
  const proofs = new Map([...tried].map(({ diagnostic, fix, proof }) => [`${diagnostic} ${fix}`, proof]));
  return diagnostics.map((each, at) => ({
    ...each,
    fixes: each.fixes.map((fix, k) => {
      const proof = proofs.get(`${at} ${k}`);
      return proof ? { ...fix, proof } : fix;
    }),
  }));
}
