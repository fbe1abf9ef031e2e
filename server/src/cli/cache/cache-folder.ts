/** Where outcomes are kept. */
import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { repositoryOf } from "../../files.ts";
import { UsageError } from "../io.ts";
import type { Given } from "../options.ts";

const name = ".warplens_cache";
/** https://bford.info/cachedir: tells programs that make backups to pass over the folder. */
const tag = { name: "CACHEDIR.TAG", text: "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of WarpLens.\n" };
const ignored = { name: ".gitignore", text: "# Made by WarpLens.\n*\n" };

/**
 * The folder that the user names, else one in the project; undefined where nothing is to be kept. Throws a UsageError when what
 * the user names holds something else.
 * @param near a folder in the project
 */
export function cacheFolder({ cache, "no-cache": without }: Given, cwd: string, near: string): string | undefined {
  if (without && cache !== undefined) throw new UsageError("--cache and --no-cache contradict each other: give one");
  if (without) return undefined;
  if (cache !== undefined) {
    const folder = path.resolve(cwd, cache);
    if (!isOurs(folder)) throw new UsageError(`--cache: ${cache} holds something else; name a new folder`);
    return folder;
  }
  const root = projectRoot(near);
  const folder = root && path.join(root, name);
  return folder !== undefined && isOurs(folder) ? folder : undefined;
}

/** Makes the folder, where it is not there. */
export function makeCacheFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const file of [tag, ignored]) {
    const place = path.join(folder, file.name);
    if (!existsSync(place)) writeFileSync(place, file.text);
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

/** The nearest folder above that has a `warplens.json`, or is a repository. */
function projectRoot(folder: string): string | undefined {
  const repository = repositoryOf(path.join(folder, name));
  if (existsSync(path.join(folder, "warplens.json")) || (repository !== undefined && path.resolve(repository) === folder)) return folder;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : projectRoot(parent);
}
