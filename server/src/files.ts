/** Project files on disk, for the desktop's server, its worker and the command line. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import type { FileHost } from "./analysis/settings.ts";

/** Larger than any source a person wrote; generated tables beyond it are left out. */
const largest = 8 * 2 ** 20;

/** Reads UTF-8 files; undefined for what is missing, too large, or not a file. */
export const diskFiles: FileHost = {
  read(path) {
    try {
      const found = statSync(path);
      return found.isFile() && found.size <= largest ? readFileSync(path, "utf8") : undefined;
    } catch {
      return undefined;
    }
  },
  list(folder) {
    try {
      return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [] : [entry.name]));
    } catch {
      return [];
    }
  },
};
