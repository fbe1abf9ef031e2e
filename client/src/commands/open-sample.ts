/** A program to try everything on: a copy without a name, that may be spoilt. */
import { Uri, window, workspace } from "vscode";

/** @param extension where the extension is */
export async function openSample(extension: Uri): Promise<void> {
  const bytes = await workspace.fs.readFile(Uri.joinPath(extension, "examples/tour.cu"));
  const document = await workspace.openTextDocument({ language: "cuda-cpp", content: new TextDecoder().decode(bytes) });
  await window.showTextDocument(document);
}
