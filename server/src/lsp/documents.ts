/**
 * The open documents, and how the editor changes them. The library's own `TextDocuments` keeps the texts only: here every change
 * comes with its edits, so that nobody has to compare texts to find out what happened.
 */
import type { Connection } from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { visible } from "../foreign-text.ts";
import type { OffsetRange, TextEdit } from "../worker/messages.ts";
import { type Changed, readChanged, readOpened, readUri } from "./params.ts";

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

/** What is no document, and what is said of a document that is not as it should be. */
export interface DocumentRules {
  /** Whether something can be a document. */
  accepts(uri: string): boolean;
  /** For the log. */
  refused(message: string): void;
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

  /** Nothing that a client tells wrongly changes anything: it is refused as a whole. */
  listen(source: DocumentSource, events: DocumentEvents, { accepts, refused }: DocumentRules): void {
    const opened = (params: unknown): TextDocument | undefined => this.#open.get(readUri(params) ?? "");
    source.onDidOpenTextDocument((params) => {
      const told = readOpened(params);
      if (!told || !accepts(told.uri)) return refused(`A document that cannot be one was opened: ${said(params)}`);
      // Never closed before: it starts anew.
      const before = this.#open.get(told.uri);
      if (before) events.closed(before);
      const document = TextDocument.create(told.uri, told.languageId, told.version ?? 0, told.text);
      this.#open.set(told.uri, document);
      events.opened(document);
    });
    source.onDidChangeTextDocument((params) => {
      const document = opened(params);
      if (!document) return refused(`A document that is not open was changed: ${said(params)}`);
      const told = readChanged(params);
      if (!told) return refused(`A change that is none, after which the text is not known until it is sent whole: ${said(params)}`);
      const version = newer(told.version, document);
      const edits = told.changes.map((change) => {
        const edit = editOf(document, change);
        TextDocument.update(document, [change], version);
        return edit;
      });
      // A change of the version alone is one all the same.
      if (told.changes.length === 0) TextDocument.update(document, [], version);
      events.edited(document, edits);
    });
    source.onDidSaveTextDocument((params) => {
      const document = opened(params);
      if (document) events.saved(document);
    });
    source.onDidCloseTextDocument((params) => {
      const document = opened(params);
      if (!document) return;
      this.#open.delete(document.uri);
      events.closed(document);
    });
  }
}

/** The client's version where it grows, as it should; else one more than before: answers are told apart by it. */
const newer = (told: number | undefined, { version }: TextDocument): number => (told !== undefined && told > version ? told : version + 1);

const said = (params: unknown): string => visible(JSON.stringify(params) ?? String(params), 200);

/** What a change does to a text, before it is done. */
function editOf(document: TextDocument, change: Changed["changes"][number]): Edit {
  if (!change.range) return withLines(document, smallestEdit(document.getText(), change.text));
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
