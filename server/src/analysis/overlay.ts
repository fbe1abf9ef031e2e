/** Files some of which are not as they are on disk. */
import type { FileHost } from "./settings.ts";

/** @param textOf the text that goes before what `files` has; undefined where that holds. Asked each time */
export const overlaid = (files: FileHost, textOf: (path: string) => string | undefined): FileHost => ({
  read: (path) => textOf(path) ?? files.read(path),
  ...(files.list ? { list: (folder: string) => files.list?.(folder) ?? [] } : {}),
  ...(files.realPath ? { realPath: (path: string) => files.realPath?.(path) } : {}),
  ...(files.repository ? { repository: (path: string) => files.repository?.(path) } : {}),
});
