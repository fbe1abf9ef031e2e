/**
 * Refactorings as code actions. Which apply is known since the file was simulated; what one comes to is tried when somebody asks for
 * refactorings, or, where that has not been done yet, when one is chosen (`codeAction/resolve`).
 */
import type { CodeAction, Position, Range, WorkspaceEdit } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { FixProof } from "../lint.ts";
import type { OfferedRefactoring } from "../refactorings/offered.ts";
import { kindOf } from "../refactorings/refactoring.ts";
import { formatTime } from "../units.ts";
import { titleOf } from "./code-actions.ts";
import { keyOf } from "./known-figures.ts";

/** What the client can do with an action. */
export interface RefactoringClient {
  /** Asks for the edit of an action once it is chosen. */
  readonly resolves: boolean;
  /** Takes edits with words on each, and asks before it makes them. */
  readonly annotates: boolean;
}

/** Names a refactoring of a text, for whoever chose it. */
export interface ChosenRefactoring {
  readonly uri: string;
  readonly version: number;
  readonly key: string;
}

const isBefore = (a: Position, b: Position): boolean => a.line < b.line || (a.line === b.line && a.character < b.character);

/** Whether it is offered where the cursor is, or at what is selected: the ends count. */
export const appliesAt = ({ ranges }: OfferedRefactoring, { start, end }: Range): boolean =>
  ranges.some((range) => !isBefore(end, range.start) && !isBefore(range.end, start));

/**
 * @param offers none of them withheld; those that have not been tried are left out where the client does not ask again
 * @param others what is offered besides: what one of them does already is not offered twice
 */
export function refactoringActions(
  document: TextDocument,
  gpu: string,
  offers: readonly OfferedRefactoring[],
  client: RefactoringClient,
  others: readonly CodeAction[] = [],
): CodeAction[] {
  const made = new Set(others.flatMap(({ edit }) => (edit?.changes?.[document.uri] ? [editsText(edit.changes[document.uri] ?? [])] : [])));
  return offers.flatMap((offer): CodeAction[] => {
    if (made.has(editsText(offer.edits))) return [];
    const action: CodeAction = { title: titleOf(offer, true), kind: kindOf(offer) };
    if (offer.proof) return [{ ...action, edit: refactoringEdit(document, gpu, offer, client) }];
    const data: ChosenRefactoring = { uri: document.uri, version: document.version, key: keyOf(offer) };
    return client.resolves ? [{ ...action, data }] : [];
  });
}

const editsText = (edits: OfferedRefactoring["edits"]): string => JSON.stringify(edits.map(({ range, newText }) => [range, newText]));

/** With a preview that says how it was proved, where the client shows one. */
export function refactoringEdit(
  { uri, version }: TextDocument,
  gpu: string,
  { title, proof, edits }: OfferedRefactoring,
  { annotates }: Pick<RefactoringClient, "annotates">,
): WorkspaceEdit {
  if (!annotates) return { changes: { [uri]: edits.map(({ range, newText }) => ({ range, newText })) } };
  const annotationId = "proof";
  return {
    documentChanges: [{ textDocument: { uri, version }, edits: edits.map(({ range, newText }) => ({ range, newText, annotationId })) }],
    changeAnnotations: { [annotationId]: { label: title, description: proofText(proof, gpu), needsConfirmation: true } },
  };
}

/** "304 to 144 µs on the NVIDIA H200 (simulated); what 2 launches leave in memory is equal". */
export function proofText(proof: FixProof | undefined, gpu: string): string {
  if (proof?.verdict !== "proved") return proof ? `not checked: ${proof.why}` : "not checked";
  const { gain, compared, assumedLaunch } = proof;
  const launches = compared?.launches === 1 ? "1 launch leaves" : `${compared?.launches} launches leave`;
  const results =
    compared === undefined || compared.results === "not compared"
      ? "it parses, and no rule of correctness finds more than before"
      : `what ${launches} in memory is ${compared.results}`;
  const times = gain
    ? `${formatTime(gain.fromNs)} before, ${formatTime(gain.toNs)} then, on the ${gpu}${assumedLaunch ? " as an assumed launch" : ""} (simulated); `
    : "";
  return `${times}${results}`;
}

/** What comes back from the client with an action that was chosen; undefined where it is not as it was sent. */
export function readChosen(data: unknown): ChosenRefactoring | undefined {
  const { uri, version, key } = (data ?? {}) as Partial<Record<string, unknown>>;
  return typeof uri === "string" && typeof version === "number" && typeof key === "string" ? { uri, version, key } : undefined;
}
