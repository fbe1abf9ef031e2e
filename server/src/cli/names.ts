import path from "node:path";
import { visible } from "../foreign-text.ts";
import type { Io } from "./io.ts";

/** How paths are shown: relative to a folder, the working directory, where they lie below it; `/` separated. */
export const nameOfPath =
  (folder: string) =>
  (absolute: string): string => {
    const relative = path.relative(folder, absolute);
    const above = relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
    return (relative === "" || above ? absolute : relative).replaceAll(path.sep, "/");
  };

/** What GitHub takes paths to be relative to: the checkout that the working directory lies in; elsewhere the working directory. */
export function repositoryRoot({ cwd, env }: Pick<Io, "cwd" | "env">): string {
  const { GITHUB_WORKSPACE: workspace = "" } = env;
  return workspace !== "" && !path.isAbsolute(nameOfPath(workspace)(path.join(cwd, "x"))) ? workspace : cwd;
}

/** A path for an annotation: as it is where a runner reads it, which finds the file by it; a terminal would obey what stands in it. */
export const annotatedName = (root: string, { isTerminal }: Pick<Io, "isTerminal">): ((absolute: string) => string) => {
  const nameOf = nameOfPath(root);
  return isTerminal ? (absolute) => visible(nameOf(absolute)) : nameOf;
};

/** Whether a file or folder is a place or lies below it; both absolute, `/` separated. */
export const isIn = (place: string, file: string): boolean => file === place || file.startsWith(`${place.replace(/\/$/, "")}/`);
