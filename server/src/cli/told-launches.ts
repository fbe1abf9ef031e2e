/** Findings of launches that had to be assumed, where another file of the run launches the kernel: what is known goes before. */
import type { FileResult } from "./report.ts";

const configuration: ReadonlySet<string> = new Set(["grid", "block", "dynamicSharedBytes"]);

export function withoutAssumedTwins(files: readonly FileResult[]): FileResult[] {
  const known = new Set(
    files.flatMap(({ simulation }) =>
      (simulation?.launches ?? []).flatMap(({ report }) =>
        report.assumptions.some(({ what }) => configuration.has(what)) ? [] : [report.kernel],
      ),
    ),
  );
  const rests = (assumed: readonly string[] = []): boolean =>
    assumed.some((text) => [...configuration].some((part) => text.startsWith(`\`${part}\` `)));
  return files.map((file) => ({
    ...file,
    diagnostics: file.diagnostics.filter(({ kernel, assumed }) => kernel === undefined || !known.has(kernel) || !rests(assumed)),
  }));
}
