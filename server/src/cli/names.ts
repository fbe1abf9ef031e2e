import path from "node:path";

/** How paths are shown: relative to the working directory where they lie below it, `/` separated. */
export const nameOfPath =
  (cwd: string) =>
  (absolute: string): string => {
    const relative = path.relative(cwd, absolute);
    return (relative === "" || relative.startsWith("..") ? absolute : relative).replaceAll(path.sep, "/");
  };
