/** Where outcomes are kept. */
import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Io, UsageError } from "../io.ts";
import type { Given } from "../options.ts";

/** https://bford.info/cachedir: tells programs that make backups to pass over the folder. */
const tag = { name: "CACHEDIR.TAG", text: "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of WarpLens.\n" };
const ignored = { name: ".gitignore", text: "# Made by WarpLens.\n*\n" };

/** Where a user's programs keep what they can make again, as the system has it. */
export function cacheHome(env: Io["env"], platform: NodeJS.Platform): string | undefined {
  const below = (variable: string, ...folders: readonly string[]): string | undefined => {
    const base = env[variable] ?? "";
    return path.isAbsolute(base) ? path.join(base, ...folders) : undefined;
  };
  if (platform === "win32") return below("LOCALAPPDATA");
  if (platform === "darwin") return below("HOME", "Library", "Caches");
  return below("XDG_CACHE_HOME") ?? below("HOME", ".cache");
}

/**
 * The folder that the user names, else the user's own; undefined where nothing is to be kept. Never one that the project holds unless the user
 * names it: whoever wrote the project could have written outcomes there. Throws a UsageError when what the user names holds something else or
 * cannot be made.
 * @param near a folder in the project
 */
export function cacheFolder({ cache, "no-cache": without }: Given, io: Pick<Io, "cwd" | "cacheHome">, near: string): string | undefined {
  if (without && cache !== undefined) throw new UsageError("--cache and --no-cache contradict each other: give one");
  if (without) return undefined;
  if (cache !== undefined) {
    const folder = path.resolve(io.cwd, cache);
    if (!isOurs(folder)) throw new UsageError(`--cache: ${cache} holds something else; name a new folder`);
    try {
      makeCacheFolder(folder);
    } catch (error) {
      throw new UsageError(`--cache: ${cache} cannot be made: ${error instanceof Error ? error.message : String(error)}`);
    }
    return folder;
  }
  const folder = io.cacheHome && path.join(io.cacheHome, "warplens");
  const isSafe = folder !== undefined && ![io.cwd, near].some((project) => isWithin(folder, project));
  return isSafe && isOurs(folder) ? folder : undefined;
}

/** Makes the folder, where it is not there. */
export function makeCacheFolder(folder: string): void {
  makeFolders(folder);
  for (const file of [tag, ignored]) {
    const place = path.join(folder, file.name);
    if (!existsSync(place)) writeFileSync(place, file.text);
  }
}

/** One after the other: `recursive` of Node.js never ends where the system makes no folder in one that is there, as in /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another run may have made it since.
    if (!existsSync(folder)) throw error;
  }
}

/** Not there, empty, or made by us: no link that leads somewhere else. */
function isOurs(folder: string): boolean {
  try {
    const status = lstatSync(folder, { throwIfNoEntry: false });
    if (!status) return true;
    return status.isDirectory() && (existsSync(path.join(folder, tag.name)) || readdirSync(folder).length === 0);
  } catch {
    return false;
  }
}

function isWithin(folder: string, project: string): boolean {
  const relative = path.relative(project, folder);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
