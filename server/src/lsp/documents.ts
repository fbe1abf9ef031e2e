/**
 * The open documents, and how the editor changes them. The library's own `TextDocuments` keeps the texts only: here every change
 * comes with its edits, so that nobody has to compare texts to find out what happened.
 */
import type { Connection, TextDocumentContentChangeEvent } from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { OffsetRange, TextEdit } from "../worker/messages.ts";

/** An edit with what it does to lines: these, 0-based, have become `count` other ones. */
export interface Edit extends TextEdit {
  readonly lines: OffsetRange & { readonly count: number };
}

export interface DocumentEvents {
  opened(document: TextDocument): void;
  /** The document as it is after the edits. */
  edited(document: TextDocument, edits: readonly Edit[]): void;
  saved(document: TextDocument): void;
  closed(document: TextDocument): void;
}

/** What of a connection tells of documents. */
export type DocumentSource = Pick<
  Connection,
  "onDidOpenTextDocument" | "onDidChangeTextDocument" | "onDidSaveTextDocument" | "onDidCloseTextDocument"
>;

export class Documents {
  readonly #open = new Map<string, TextDocument>();

  get(uri: string): TextDocument | undefined {
    return this.#open.get(uri);
  }

  /** In the order in which they were opened. */
  all(): TextDocument[] {
    return [...this.#open.values()];
  }

  listen(source: DocumentSource, events: DocumentEvents): void {
    source.onDidOpenTextDocument(({ textDocument: { uri, languageId, version, text } }) => {
      const document = TextDocument.create(uri, languageId, version, text);
      this.#open.set(uri, document);
      events.opened(document);
    });
    source.onDidChangeTextDocument(({ textDocument: { uri, version }, contentChanges }) => {
      const document = this.#open.get(uri);
      if (!document) return;
      const edits = contentChanges.map((change) => {
        const edit = editOf(document, change);
        TextDocument.update(document, [change], version);
        return edit;
      });
      // A change of the version alone is one all the same.
      if (contentChanges.length === 0) TextDocument.update(document, [], version);
      events.edited(document, edits);
    });
    source.onDidSaveTextDocument(({ textDocument: { uri } }) => {
      const document = this.#open.get(uri);
      if (document) events.saved(document);
    });
    source.onDidCloseTextDocument(({ textDocument: { uri } }) => {
      const document = this.#open.get(uri);
      this.#open.delete(uri);
      if (document) events.closed(document);
    });
  }
}

/** What a change does to a text, before it is done. */
function editOf(document: TextDocument, change: TextDocumentContentChangeEvent): Edit {
  if (!("range" in change)) return withLines(document, smallestEdit(document.getText(), change.text));
  const start = document.offsetAt(change.range.start);
  const end = document.offsetAt(change.range.end);
  return withLines(document, { start: Math.min(start, end), end: Math.max(start, end), text: change.text });
}

/** A line that something is put into is the same line; one that something is put in front of has moved. */
function withLines(document: TextDocument, edit: TextEdit): Edit {
  const start = document.positionAt(edit.start);
  const end = document.positionAt(edit.end);
  const later = start.character > 0 ? 1 : 0;
  const count = edit.text.match(/\r\n|\r|\n/g)?.length ?? 0;
  return { ...edit, lines: { start: start.line + later, end: end.line + later, count } };
}

/** The edit between two texts, less what they have in common at both ends: an editor that sends whole texts changes little of them. */
function smallestEdit(before: string, after: string): TextEdit {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let same = 0;
  while (same < shorter - start && before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)) same++;
  return { start, end: before.length - same, text: after.slice(start, after.length - same) };
}
