/** For tests: git repositories made on the spot. */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { folderWith, writeInto } from "./command.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;

export interface TestRepository {
  readonly root: string;
  git(...args: readonly string[]): string;
  /** Writes files, commits all that is there, and returns the commit. */
  commit(files: Files, message?: string): string;
  write(files: Files): void;
  remove(name: string): void;
}

/** A new repository, which nobody's settings touch. */
export function repository(): TestRepository {
  const root = folderWith();
  const none = path.join(root, ".git", "none");
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: none,
    GIT_CONFIG_SYSTEM: none,
    ...Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((who) => [
        [`GIT_${who}_NAME`, "A Tester"],
        [`GIT_${who}_EMAIL`, "tester@example.invalid"],
        [`GIT_${who}_DATE`, "2024-01-01T00:00:00Z"],
      ]),
    ),
  };
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: root, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  git("init", "--quiet", "--initial-branch=main");
  return {
    root,
    git,
    write: (files) => writeInto(root, files),
    remove: (name) => rmSync(path.join(root, name)),
    commit(files, message = "change") {
      writeInto(root, files);
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "-m", message);
      return git("rev-parse", "HEAD");
    },
  };
}
