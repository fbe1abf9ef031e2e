import { Uri, window, workspace } from "vscode";

/** Asks where a drawing is to be kept, and writes it there. */
export async function exportDrawing(title: string, svg: string): Promise<void> {
  const folder = workspace.workspaceFolders?.[0]?.uri;
  const name = `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.svg`;
  const target = await window.showSaveDialog({
    title: `Export: ${title}`,
    filters: { "Scalable Vector Graphics": ["svg"] },
    ...(folder ? { defaultUri: Uri.joinPath(folder, name) } : {}),
  });
  if (target) await workspace.fs.writeFile(target, new TextEncoder().encode(svg));
}
