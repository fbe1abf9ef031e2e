/** What the tests in the extension host share. They wait for events, never for time. */
import * as assert from "node:assert/strict";
import type { WarpLensApi } from "@warplens/client";
import { type Diagnostic, type Event, extensions, languages, Position, Range, type TextDocument, Uri, window, workspace } from "vscode";

export async function activated(): Promise<WarpLensApi> {
  const extension = extensions.getExtension<WarpLensApi>("warplens.warplens");
  assert.ok(extension, "WarpLens is not installed");
  return extension.activate();
}

export const fileUri = (name: string): Uri => {
  const folder = workspace.workspaceFolders?.[0];
  assert.ok(folder, "no folder is open");
  return Uri.joinPath(folder.uri, name);
};

export async function show(name: string): Promise<TextDocument> {
  const document = await workspace.openTextDocument(fileUri(name));
  await window.showTextDocument(document);
  return document;
}

/** The first thing that `probe` finds, now or after an event. The test's own timeout bounds the wait. */
export function eventually<T>(event: Event<unknown>, probe: () => T | undefined | PromiseLike<T | undefined>): Promise<T> {
  return new Promise((resolve, reject) => {
    const subscription = event(() => void look());
    async function look(): Promise<void> {
      try {
        const found = await probe();
        if (found === undefined) return;
        subscription.dispose();
        resolve(found);
      } catch (error) {
        subscription.dispose();
        reject(error);
      }
    }
    void look();
  });
}

const ruleOf = ({ code }: Diagnostic): string | undefined =>
  typeof code === "object" ? String(code.value) : code === undefined ? undefined : String(code);

/** Diagnostics of a rule, once there are some. */
export const findings = (document: TextDocument, rule: string): Promise<Diagnostic[]> =>
  eventually(languages.onDidChangeDiagnostics, () => {
    const found = languages.getDiagnostics(document.uri).filter((diagnostic) => ruleOf(diagnostic) === rule);
    return found.length > 0 ? found : undefined;
  });

/** Resolves once no diagnostic of a rule is left. */
export const noFindings = (document: TextDocument, rule: string): Promise<true> =>
  eventually(languages.onDidChangeDiagnostics, () =>
    languages.getDiagnostics(document.uri).every((diagnostic) => ruleOf(diagnostic) !== rule) ? true : undefined,
  );

/** Where a text stands in a document: the `nth` time, from 1. */
export function placeOf(document: TextDocument, text: string, nth = 1): Range {
  let offset = -1;
  for (let seen = 0; seen < nth; seen++) offset = document.getText().indexOf(text, offset + 1);
  assert.notEqual(offset, -1, `"${text}" is not in ${document.uri.path}`);
  return new Range(document.positionAt(offset), document.positionAt(offset + text.length));
}

export const wholeOf = (document: TextDocument): Range => new Range(new Position(0, 0), document.lineAt(document.lineCount - 1).range.end);
