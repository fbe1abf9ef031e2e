/** Paths as the host knows them: absolute, `/` between the parts. Works where there is no `node:path`. */
export function join(directory: string, relative: string): string {
  if (/^(\/|[A-Za-z]:[\\/]|[a-z][a-z0-9+.-]+:\/\/)/i.test(relative)) return normalize(relative);
  return normalize(directory.endsWith("/") ? directory + relative : `${directory}/${relative}`);
}

export function directoryOf(path: string): string {
  const at = path.lastIndexOf("/");
  return at < 0 ? "." : at === 0 ? "/" : path.slice(0, at);
}

export function normalize(path: string): string {
  const scheme = /^(?:[a-z][a-z0-9+.-]+:\/\/[^/]*)?\/?/i.exec(path)?.[0] ?? "";
  const parts: string[] = [];
  for (const part of path.slice(scheme.length).replaceAll("\\", "/").split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !scheme) parts.push(part);
  }
  return scheme + parts.join("/");
}
