import { Range, Uri, window } from "vscode";

/** Puts the cursor on a line and scrolls to it. @param line 1-based */
export async function revealLine(uri: string, line: number): Promise<void> {
  const at = new Range(line - 1, 0, line - 1, 0);
  await window.showTextDocument(Uri.parse(uri), { selection: at });
}
