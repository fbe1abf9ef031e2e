/** Whether figures are those of a kernel that does what it is meant to: one that goes wrong takes other time than one that does not. */
import type { Diagnostic } from "../lint.ts";

type Finding = Pick<Diagnostic, "ruleId" | "severity" | "kernel" | "witness" | "range" | "message">;

/** The first error of a kernel that threads of it show; undefined where none is known. */
export function faultOf<D extends Finding>(diagnostics: readonly D[], kernel: string): D | undefined {
  return diagnostics.find((each) => each.witness !== undefined && each.severity === "error" && each.kernel === kernel);
}

/** "out of bounds access, line 12" */
export const faultText = ({ ruleId, range }: Pick<Finding, "ruleId" | "range">): string =>
  `${ruleId.replaceAll("-", " ")}, line ${range.start.line + 1}`;
