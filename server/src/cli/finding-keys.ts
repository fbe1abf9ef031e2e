/** What findings are known by from one text to another: rule, file and the text of their line, not its number. */
import type { Diagnostic } from "../lint.ts";
import type { FileResult } from "./report.ts";

export interface FindingKey {
  /** `/` separated. */
  readonly path: string;
  readonly ruleId: string;
  /** The finding's first line, blanks as one. */
  readonly text: string;
}

export const keyText = ({ path, ruleId, text }: FindingKey): string => JSON.stringify([path, ruleId, text]);

/** The findings of a file, with what each is known by. */
export function keyedFindings(
  { input, diagnostics }: FileResult,
  nameOf: (path: string) => string,
): { readonly key: FindingKey; readonly diagnostic: Diagnostic }[] {
  if (diagnostics.length === 0) return [];
  const lines = input.text.split("\n");
  const path = nameOf(input.path);
  return diagnostics.map((diagnostic) => {
    const text = (lines[diagnostic.range.start.line] ?? "").trim().replace(/\s+/g, " ");
    return { key: { path, ruleId: diagnostic.ruleId, text }, diagnostic };
  });
}

/** How many findings there are by key. */
export function countsOf(files: readonly FileResult[], nameOf: (path: string) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of files.flatMap((file) => keyedFindings(file, nameOf))) counts.set(keyText(key), (counts.get(keyText(key)) ?? 0) + 1);
  return counts;
}

/** The files with those findings alone that are not known: of equal ones in a file as many are known as are counted. */
export function withoutCounted(
  files: readonly FileResult[],
  known: ReadonlyMap<string, number>,
  nameOf: (path: string) => string,
): FileResult[] {
  return files.map((file) => {
    const taken = new Map<string, number>();
    const diagnostics = keyedFindings(file, nameOf).flatMap(({ key, diagnostic }) => {
      const text = keyText(key);
      const count = taken.get(text) ?? 0;
      taken.set(text, count + 1);
      return count < (known.get(text) ?? 0) ? [] : [diagnostic];
    });
    return { ...file, diagnostics };
  });
}
