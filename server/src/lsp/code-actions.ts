/** Quick fixes of diagnostics, fix all, suppress, and the rule's page. Everything a fix needs travels in the diagnostic's `data`. */
import {
  type CodeAction,
  type CodeActionContext,
  CodeActionKind,
  type Diagnostic as LspDiagnostic,
  type TextEdit,
} from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { DiagnosticFix } from "../lint.ts";
import { readRange } from "./params.ts";

export const fixAllKind = `${CodeActionKind.SourceFixAll}.warplens`;

/** What `diagnostics.ts` puts into `Diagnostic.data`. */
export interface DiagnosticData {
  readonly ruleId: string;
  readonly fixes: readonly DiagnosticFix[];
}

/** It comes back from the client: what is not as it was sent is nothing. */
function dataOf({ source, data }: LspDiagnostic): DiagnosticData | undefined {
  const { ruleId, fixes } = (data ?? {}) as Partial<DiagnosticData>;
  if (source !== "warplens" || typeof ruleId !== "string" || !Array.isArray(fixes) || !fixes.every(isFix)) return undefined;
  return { ruleId, fixes };
}

function isFix(fix: unknown): fix is DiagnosticFix {
  const { title, edits } = (fix ?? {}) as Partial<DiagnosticFix>;
  return (
    typeof title === "string" && Array.isArray(edits) && edits.every((edit) => readRange(edit?.range) && typeof edit.newText === "string")
  );
}

/** @param all every diagnostic of the document, for fix all */
export function codeActions(document: TextDocument, { diagnostics, only }: CodeActionContext, all: readonly LspDiagnostic[]): CodeAction[] {
  const wants = (kind: string): boolean => !only || only.some((asked) => kind === asked || kind.startsWith(`${asked}.`));
  const actions: CodeAction[] = [];
  if (wants(CodeActionKind.QuickFix)) {
    for (const diagnostic of diagnostics) {
      const data = dataOf(diagnostic);
      if (!data) continue;
      actions.push(...data.fixes.map((fix, index) => quickFix(document, diagnostic, fix, index === 0 && fix.safe)));
      actions.push(suppress(document, diagnostic, data.ruleId), showRule(diagnostic, data.ruleId));
    }
  }
  if (wants(fixAllKind)) {
    const edits = safeEdits(document, all);
    if (edits.length > 0)
      actions.push({ title: "Apply all safe WarpLens fixes", kind: fixAllKind, edit: { changes: { [document.uri]: edits } } });
  }
  return actions;
}

function quickFix(document: TextDocument, diagnostic: LspDiagnostic, fix: DiagnosticFix, preferred: boolean): CodeAction {
  return {
    title: fix.safe ? fix.title : `${fix.title} (may change results)`,
    kind: CodeActionKind.QuickFix,
    diagnostics: [diagnostic],
    isPreferred: preferred,
    edit: { changes: { [document.uri]: fix.edits.map(({ range, newText }) => ({ range, newText })) } },
  };
}

function suppress(document: TextDocument, diagnostic: LspDiagnostic, ruleId: string): CodeAction {
  const { line } = diagnostic.range.start;
  const text = document.getText({ start: { line, character: 0 }, end: { line: line + 1, character: 0 } });
  const indent = /^[ \t]*/.exec(text)?.[0] ?? "";
  const at = { line, character: 0 };
  const newText = `${indent}// warplens-disable-next-line ${ruleId} -- reason\n`;
  return {
    title: `Disable ${ruleId} for this line`,
    kind: CodeActionKind.QuickFix,
    diagnostics: [diagnostic],
    edit: { changes: { [document.uri]: [{ range: { start: at, end: at }, newText }] } },
  };
}

const showRule = (diagnostic: LspDiagnostic, ruleId: string): CodeAction => ({
  title: `Show the rule ${ruleId}`,
  kind: CodeActionKind.QuickFix,
  diagnostics: [diagnostic],
  command: { title: "Show the rule", command: "warplens.showRule", arguments: [ruleId] },
});

/** The first safe fix of each diagnostic, less what would overlap one before it. */
function safeEdits(document: TextDocument, diagnostics: readonly LspDiagnostic[]): TextEdit[] {
  const taken: { start: number; end: number }[] = [];
  const edits: TextEdit[] = [];
  for (const diagnostic of diagnostics) {
    const fix = dataOf(diagnostic)?.fixes.find(({ safe }) => safe);
    if (!fix) continue;
    const places = fix.edits.map(({ range }) => ({ start: document.offsetAt(range.start), end: document.offsetAt(range.end) }));
    if (places.some((place) => taken.some((other) => place.start < other.end && other.start < place.end))) continue;
    taken.push(...places);
    edits.push(...fix.edits.map(({ range, newText }) => ({ range, newText })));
  }
  return edits;
}
