/** What cannot be compared: what one of two sides lacks because it failed there is neither new nor gone. */
import type { FileResult } from "../report.ts";

export interface LeftOut {
  /** Whether a file failed on either side, by its path as it is afterwards. */
  failed(path: string): boolean;
  /** Whether findings of a file are missing on either side: it failed, or one did that includes it. */
  lacksFindings(path: string): boolean;
}

/** @param renamed a path of before as it is afterwards */
export function leftOut(before: readonly FileResult[], after: readonly FileResult[], renamed: (path: string) => string): LeftOut {
  const sides = [
    { files: before, nameOf: renamed },
    { files: after, nameOf: (path: string) => path },
  ];
  const failed = new Set(
    sides.flatMap(({ files, nameOf }) => files.flatMap(({ input, failures }) => (failures.length > 0 ? nameOf(input.path) : []))),
  );
  const lacking = new Set(
    sides.flatMap(({ files, nameOf }) =>
      files.flatMap(({ input, toldBy = [] }) => ([...toldBy].some((path) => failed.has(nameOf(path))) ? nameOf(input.path) : [])),
    ),
  );
  return { failed: (path) => failed.has(path), lacksFindings: (path) => failed.has(path) || lacking.has(path) };
}
