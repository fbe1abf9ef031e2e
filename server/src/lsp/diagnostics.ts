/** From findings to the editor's squiggles. */
import type { Diagnostic as LspDiagnostic } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { Diagnostic } from "../lint.ts";
import type { FileDiagnostic } from "../worker/messages.ts";
import type { DiagnosticData } from "./code-actions.ts";
import { rangeOf, severityOf, tagOf } from "./convert.ts";
import type { Drift } from "./drift.ts";

/** @param uriOf the URI of a path, for related places in other files */
export function toLsp(diagnostic: Diagnostic, uriOf: (path: string) => string): LspDiagnostic {
  const { ruleId, severity, message, range, fixes, related, tags, url } = diagnostic;
  const data: DiagnosticData = { ruleId, fixes };
  return {
    source: "warplens",
    code: ruleId,
    severity: severityOf[severity],
    message,
    range,
    data,
    codeDescription: { href: url },
    tags: tags.map((tag) => tagOf[tag]),
    relatedInformation: related.map((place) => ({ message: place.message, location: { uri: uriOf(place.path), range: place.range } })),
  };
}

/** A diagnostic of an older text, where it stands now; undefined where the edit touched it. Its fixes were for that text, so they go. */
export function carryDiagnostic(diagnostic: FileDiagnostic, now: TextDocument, offsets: Drift): FileDiagnostic | undefined {
  const place = diagnostic.place && offsets.carry(diagnostic.place);
  return place && { ...diagnostic, fixes: [], place, range: rangeOf(now, place) };
}
