/** From the analysis' words to the protocol's. */
import { DiagnosticSeverity, DiagnosticTag, type Range as LspRange } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { Severity } from "../rules/rule.ts";
import type { OffsetRange } from "../worker/messages.ts";

export const rangeOf = (document: TextDocument, { start, end }: OffsetRange): LspRange => ({
  start: document.positionAt(start),
  end: document.positionAt(end),
});

export const severityOf: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
};

export const tagOf: Readonly<Record<"deprecated" | "unnecessary", DiagnosticTag>> = {
  deprecated: DiagnosticTag.Deprecated,
  unnecessary: DiagnosticTag.Unnecessary,
};
