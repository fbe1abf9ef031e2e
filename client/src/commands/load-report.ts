/** Loads what Nsight Compute printed, from files that the user chooses. */
import { label } from "@warplens/server/foreign-text";
import { type Uri, window, workspace } from "vscode";
import type { Measured } from "../measured.ts";

/** Bytes of a file that is read. */
const largest = 64_000_000;

/** @param given files to load; the user is asked where there are none */
export async function loadReport(measured: Measured, given?: readonly Uri[]): Promise<boolean> {
  const chosen =
    given ??
    (await window.showOpenDialog({
      title: "Load Nsight Compute Report",
      openLabel: "Load",
      canSelectMany: true,
      filters: { "Nsight Compute": ["csv", "txt", "log", "ncu-rep"], "All files": ["*"] },
    }));
  if (!chosen || chosen.length === 0) return false;
  const texts: { name: string; text: string }[] = [];
  // These only Nsight Compute can read.
  const isReportFile = (uri: Uri): boolean => uri.scheme === "file" && uri.path.endsWith(".ncu-rep");
  for (const uri of chosen.filter((each) => !isReportFile(each))) {
    const name = uri.path.slice(uri.path.lastIndexOf("/") + 1);
    const text = await textOf(uri).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
    if (text instanceof Error) {
      void window.showErrorMessage(label(`WarpLens: ${name} is not read: ${text.message}`));
      return false;
    }
    texts.push({ name, text });
  }
  return measured.add({ texts, files: chosen.filter(isReportFile).map((uri) => uri.toString()) });
}

async function textOf(uri: Uri): Promise<string> {
  const { size } = await workspace.fs.stat(uri);
  if (size > largest) throw new Error(`it has more than ${largest / 1e6} million bytes`);
  return new TextDecoder().decode(await workspace.fs.readFile(uri));
}
