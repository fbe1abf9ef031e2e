/** Says in a comment above a kernel what a parameter is, in the place of what is assumed. */
import { withValue } from "@warplens/server/directive-text";
import { Position, Range, type TextDocument, Uri, WorkspaceEdit, window, workspace } from "vscode";

/** Arguments of the hint's command: the document and its version, the kernel's line (0-based), the parameter, and what is assumed of it. */
export async function assume(uri: unknown, version: unknown, line: unknown, name: unknown, value: unknown): Promise<void> {
  if (typeof uri !== "string" || typeof name !== "string" || !Number.isSafeInteger(line)) return;
  const document = await workspace.openTextDocument(Uri.parse(uri));
  const said = await window.showInputBox({
    title: `The value of ${name}`,
    prompt: "A number or an expression such as 1<<20, written above the kernel as a directive",
    value: String(value),
    validateInput: (text) => (text.trim() === "" ? "Say a value, or press Escape." : undefined),
  });
  if (said === undefined) return;
  if (document.version !== version || Number(line) >= document.lineCount) {
    window.showInformationMessage("The text has changed meanwhile: nothing was written.");
    return;
  }
  if (!(await workspace.applyEdit(directiveEdit(document, Number(line), name, said.trim()))))
    window.showWarningMessage(`${document.uri.path} cannot be written to.`);
}

function directiveEdit(document: TextDocument, line: number, name: string, value: string): WorkspaceEdit {
  const edit = new WorkspaceEdit();
  const above = line > 0 ? document.lineAt(line - 1) : undefined;
  const replaced = above && withValue(above.text, name, value);
  if (above && replaced !== undefined) edit.replace(document.uri, above.range, replaced);
  else {
    const { text, firstNonWhitespaceCharacterIndex: column } = document.lineAt(line);
    const end = new Position(line, 0);
    edit.replace(document.uri, new Range(end, end), `${text.slice(0, column)}// warplens: ${name}=${value}\n`);
  }
  return edit;
}
