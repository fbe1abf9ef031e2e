/** Tells the server where the user looks: that is simulated first. */
import { type DidFocusParams, didFocusNotification } from "@warplens/server/protocol";
import { Disposable, languages, type TextEditor, window } from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { documentSelector } from "./language-client.ts";

/** Milliseconds that a cursor or a view has to rest before it is told. */
const rest = 150;

/** Which document it is, at once; where in it, once the user rests there. */
export function tellFocus(client: BaseLanguageClient): Disposable {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = (editor: TextEditor | undefined) => {
    clearTimeout(timer);
    if (!editor || languages.match(documentSelector, editor.document) === 0 || !client.isRunning()) return;
    const { document, selection, visibleRanges } = editor;
    const [first, last] = [visibleRanges[0], visibleRanges.at(-1)];
    const params: DidFocusParams = {
      uri: client.code2ProtocolConverter.asUri(document.uri),
      position: { line: selection.active.line, character: selection.active.character },
      ...(first && last ? { visible: { start: first.start.line, end: last.end.line } } : {}),
    };
    void client.sendNotification(didFocusNotification, params);
  };
  const tellSoon = ({ textEditor }: { readonly textEditor: TextEditor }) => {
    if (textEditor !== window.activeTextEditor) return;
    clearTimeout(timer);
    timer = setTimeout(() => tell(textEditor), rest);
  };
  tell(window.activeTextEditor);
  return Disposable.from(
    window.onDidChangeActiveTextEditor(tell),
    window.onDidChangeTextEditorSelection(tellSoon),
    window.onDidChangeTextEditorVisibleRanges(tellSoon),
    new Disposable(() => clearTimeout(timer)),
  );
}
