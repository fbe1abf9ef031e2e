/**
 * Quick fixes of diagnostics, fix all, suppress, and the rule's page. Everything a fix needs travels in the diagnostic's `data`, what came
 * of trying it too: one that failed is not offered, one that is still being tried cannot be chosen yet.
 */
import {
  type CodeAction,
  type CodeActionContext,
  CodeActionKind,
  type Diagnostic as LspDiagnostic,
  type SnippetTextEdit,
  type TextEdit,
  type WorkspaceEdit,
} from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { DiagnosticFix } from "../lint.ts";
import { formatTime } from "../units.ts";
import { readRange } from "./params.ts";

export const fixAllKind = `${CodeActionKind.SourceFixAll}.warplens`;

/** What `diagnostics.ts` puts into `Diagnostic.data`. */
export interface DiagnosticData {
  readonly ruleId: string;
  readonly fixes: readonly DiagnosticFix[];
}

/** What decides how actions are told, besides the text. */
export interface ActionSettings {
  /** Fixes that have not been tried will be. */
  readonly tries: boolean;
  /** The client inserts snippets. */
  readonly snippets: boolean;
}

/** It comes back from the client: what is not as it was sent is nothing. */
function dataOf({ source, data }: LspDiagnostic): DiagnosticData | undefined {
  const { ruleId, fixes } = (data ?? {}) as Partial<DiagnosticData>;
  if (source !== "warplens" || typeof ruleId !== "string" || !Array.isArray(fixes) || !fixes.every(isFix)) return undefined;
  return { ruleId, fixes };
}

function isFix(fix: unknown): fix is DiagnosticFix {
  const { title, edits, proof } = (fix ?? {}) as Partial<DiagnosticFix>;
  return (
    typeof title === "string" &&
    Array.isArray(edits) &&
    edits.every((edit) => readRange(edit?.range) && typeof edit.newText === "string") &&
    (proof === undefined || isProof(proof))
  );
}

function isProof(proof: unknown): boolean {
  const { verdict, gain } = (proof ?? {}) as {
    readonly verdict?: unknown;
    readonly gain?: { readonly fromNs?: unknown; readonly toNs?: unknown };
  };
  const isGain = gain === undefined || (typeof gain?.fromNs === "number" && typeof gain.toNs === "number");
  return typeof verdict === "string" && /^(proved|unchecked|withheld)$/.test(verdict) && isGain;
}

/** Whether actions of a kind are asked for. */
export const isWanted = (kind: string, { only }: Pick<CodeActionContext, "only">): boolean =>
  !only || only.some((asked) => kind === asked || kind.startsWith(`${asked}.`));

/** @param all every diagnostic of the document, for fix all */
export function codeActions(
  document: TextDocument,
  context: CodeActionContext,
  all: readonly LspDiagnostic[],
  settings: ActionSettings,
): CodeAction[] {
  const { diagnostics } = context;
  const wants = (kind: string): boolean => isWanted(kind, context);
  const actions: CodeAction[] = [];
  if (wants(CodeActionKind.QuickFix)) {
    const asked = diagnostics.flatMap((diagnostic) => {
      const data = dataOf(diagnostic);
      return data ? [{ diagnostic, ...data }] : [];
    });
    const offered = asked.flatMap(({ diagnostic, fixes }) =>
      fixes.filter(({ proof }) => proof?.verdict !== "withheld").map((fix) => ({ diagnostic, fix })),
    );
    const inOrder = offered.sort((a, b) => worthOf(b.fix) - worthOf(a.fix));
    const [best] = inOrder;
    actions.push(
      ...inOrder.map(({ diagnostic, fix }) =>
        quickFix(document, diagnostic, fix, fix === best?.fix && fix.proof?.verdict === "proved", settings),
      ),
      ...asked.map(({ diagnostic, ruleId }) => showRule(diagnostic, ruleId)),
      // Whoever takes the first entry does not silence the rule.
      ...asked.map(({ diagnostic, ruleId }) => suppress(document, diagnostic, ruleId, settings)),
    );
  }
  if (wants(fixAllKind)) {
    const edits = safeEdits(document, all, settings);
    if (edits.length > 0)
      actions.push({ title: "Apply all safe WarpLens fixes", kind: fixAllKind, edit: { changes: { [document.uri]: edits } } });
  }
  return actions;
}

/** Those that are proved first, of them those that gain most, of equals the safe ones. */
function worthOf({ safe, proof }: DiagnosticFix): number {
  if (proof?.verdict !== "proved") return safe ? -1 : -2;
  const gained = proof.gain ? Math.max(0, proof.gain.fromNs - proof.gain.toNs) : 0;
  return gained + (safe ? 0.5 : 0);
}

function quickFix(
  document: TextDocument,
  diagnostic: LspDiagnostic,
  fix: DiagnosticFix,
  preferred: boolean,
  { tries }: ActionSettings,
): CodeAction {
  const action = { title: titleOf(fix, tries), kind: CodeActionKind.QuickFix, diagnostics: [diagnostic] };
  if (!fix.proof && tries) return { ...action, disabled: { reason: "what it changes is still being simulated" } };
  return {
    ...action,
    isPreferred: preferred,
    edit: { changes: { [document.uri]: fix.edits.map(({ range, newText }) => ({ range, newText })) } },
  };
}

/** "Pad `tile` to [32][33]: 304 to 144 µs". */
export function titleOf({ title, safe, proof }: DiagnosticFix, tries: boolean): string {
  const gain = proof?.verdict === "proved" ? proof.gain : undefined;
  const [now = "", unit] = formatTime(gain?.fromNs ?? 0).split(" ");
  const [then = "", other] = formatTime(gain?.toNs ?? 0).split(" ");
  const times = gain ? `: ${now}${unit === other ? "" : ` ${unit}`} to ${then} ${other}` : "";
  const notes = [
    // Where the title says what may change that is all.
    ...(safe || title.includes("may change") ? [] : ["may change results"]),
    ...(proof?.verdict === "proved" && proof.assumedLaunch ? ["as an assumed launch"] : []),
    ...(proof?.verdict === "unchecked" || (!proof && !tries) ? ["not checked"] : []),
  ];
  return `${title}${times}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
}

function suppress(document: TextDocument, diagnostic: LspDiagnostic, ruleId: string, { snippets }: ActionSettings): CodeAction {
  const { line } = diagnostic.range.start;
  const text = document.getText({ start: { line, character: 0 }, end: { line: line + 1, character: 0 } });
  const indent = /^[ \t]*/.exec(text)?.[0] ?? "";
  const at = { line, character: 0 };
  const range = { start: at, end: at };
  const comment = `${indent}// warplens-disable-next-line ${ruleId} -- `;
  return {
    title: `Disable ${ruleId} for this line`,
    kind: CodeActionKind.QuickFix,
    diagnostics: [diagnostic],
    edit: snippets
      ? snippetEdit(document, { range, snippet: { kind: "snippet", value: `${comment}\${1:reason}\n` } })
      : { changes: { [document.uri]: [{ range, newText: `${comment}reason\n` }] } },
  };
}

/** The editor goes on with the placeholder selected. */
const snippetEdit = ({ uri, version }: TextDocument, edit: SnippetTextEdit): WorkspaceEdit => ({
  documentChanges: [{ textDocument: { uri, version }, edits: [edit] }],
});

const showRule = (diagnostic: LspDiagnostic, ruleId: string): CodeAction => ({
  title: `Show the rule ${ruleId}`,
  kind: CodeActionKind.QuickFix,
  diagnostics: [diagnostic],
  command: { title: "Show the rule", command: "warplens.showRule", arguments: [ruleId] },
});

/** The first safe fix of each diagnostic that is proved, less what would overlap one before it. */
function safeEdits(document: TextDocument, diagnostics: readonly LspDiagnostic[], { tries }: ActionSettings): TextEdit[] {
  const taken: { start: number; end: number }[] = [];
  const edits: TextEdit[] = [];
  for (const diagnostic of diagnostics) {
    const fix = dataOf(diagnostic)?.fixes.find(({ safe, proof }) => safe && (proof ? proof.verdict === "proved" : !tries));
    if (!fix) continue;
    const places = fix.edits.map(({ range }) => ({ start: document.offsetAt(range.start), end: document.offsetAt(range.end) }));
    if (places.some((place) => taken.some((other) => place.start < other.end && other.start < place.end))) continue;
    taken.push(...places);
    edits.push(...fix.edits.map(({ range, newText }) => ({ range, newText })));
  }
  return edits;
}
