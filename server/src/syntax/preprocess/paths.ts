/** Paths as the host knows them: absolute, `/` between the parts. Works where there is no `node:path`. */

/** What a source or a project says of a file in a folder: it may have been written on Windows. */
export function join(directory: string, said: string): string {
  const relative = said.replaceAll("\\", "/");
  if (/^(\/|[A-Za-z]:\/|[a-z][a-z0-9+.-]+:\/\/)/i.test(relative)) return normalize(relative);
  return normalize(directory.endsWith("/") ? directory + relative : `${directory}/${relative}`);
}

export function directoryOf(path: string): string {
  const at = path.lastIndexOf("/");
  return at < 0 ? "." : at === 0 ? "/" : path.slice(0, at);
}

/** Where there are other separators the host has replaced them: elsewhere a backslash is part of a name. */
export function normalize(path: string): string {
  const scheme = /^(?:[a-z][a-z0-9+.-]+:\/\/[^/]*)?\/?/i.exec(path)?.[0] ?? "";
  const parts: string[] = [];
  for (const part of path.slice(scheme.length).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !scheme) parts.push(part);
  }
  return scheme + parts.join("/");
}
