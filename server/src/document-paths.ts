/** Where documents are: the paths that the analysis knows them by. */
import { URI } from "vscode-uri";

/**
 * The path of a document, `/` separated. One that is no file (an older revision, a text that was never saved) lies beside the file of
 * that name, which it may include headers from, under a name that no file has: it must not pass for the file.
 * @throws when it is no URI
 */
export function pathOfUri(uri: string): string {
  const parsed = URI.parse(uri, true);
  const { scheme, authority, query, fragment } = parsed;
  // Where paths begin with a slash a backslash is part of a name.
  if (scheme === "file") return parsed.fsPath.startsWith("/") ? parsed.fsPath : parsed.fsPath.replaceAll("\\", "/");
  const path = parsed.path.startsWith("/") ? parsed.path : `/${parsed.path}`;
  const at = path.lastIndexOf("/") + 1;
  const mark = encodeURIComponent([authority, query, fragment].filter(Boolean).join(" "));
  return `${path.slice(0, at)}${scheme}:${mark}:${path.slice(at)}`;
}

/** The URI of a file. */
export const uriOfPath = (path: string): string => URI.file(path).toString();
