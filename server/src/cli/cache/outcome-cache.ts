/** Outcomes kept on disk, by what decides them. A file an entry; what cannot be read or written is as if it were not there. */
import { hash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Files } from "../files.ts";
import type { Answer } from "../jobs/inspector.ts";
import type { Job } from "../jobs/job.ts";
import { makeCacheFolder } from "./cache-folder.ts";
import { type Fact, FactChecker } from "./facts.ts";

/** Bytes of all entries together; beyond them those go that were not used for longest. */
const capacity = 512 * 2 ** 20;
/** Milliseconds after which the use of an entry is noted again. */
const usedAgain = 24 * 3600 * 1000;
/** An entry, or what a run that was ended left of one: nothing else that lies in the folder is removed. */
const entryName = /^[0-9a-f]{64}\.outcome(?:\.\d+)?$/;

/** The first line of an entry; the second is the outcome. */
interface Head {
  readonly facts: readonly Fact[];
  /** Of the outcome: half an entry is none. */
  readonly digest: string;
}

const digestOf = (text: string): string => hash("sha256", text);

/** Nothing that a user asks for rests on it: where it fails, as in a folder that is not to be written to, that is all. */
function tried(work: () => void): void {
  try {
    work();
  } catch {
    return;
  }
}

export class OutcomeCache {
  readonly #folder: string;
  readonly #build: string;
  readonly #checker: FactChecker;
  #hasFolder = false;

  /**
   * @param folder is made when something is kept
   * @param build tells one build of WarpLens from another
   * @param files where the jobs read: must not change while the cache is used
   */
  constructor(folder: string, build: string, files: Files) {
    this.#folder = folder;
    this.#build = build;
    this.#checker = new FactChecker(files);
  }

  /** The outcome of a job, as JSON, where it is known and still the same. */
  get(job: Job): string | undefined {
    const file = this.#fileOf(job);
    try {
      // A pipe would be waited for.
      if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
      const [head = "", outcome = ""] = readFileSync(file, "utf8").split("\n", 2);
      const { facts, digest } = JSON.parse(head) as Head;
      if (digestOf(outcome) !== digest || !facts.every((fact) => this.#checker.holds(fact))) return undefined;
      const now = new Date();
      if (now.getTime() - statSync(file).mtimeMs > usedAgain) utimesSync(file, now, now);
      return outcome;
    } catch {
      return undefined;
    }
  }

  /** Others may write the same entry at the same time: whoever comes last is right, too. */
  put(job: Job, { outcome, facts }: Answer): void {
    const head: Head = { facts, digest: digestOf(outcome) };
    const file = this.#fileOf(job);
    const unfinished = `${file}.${process.pid}`;
    try {
      if (!this.#hasFolder) makeCacheFolder(this.#folder);
      this.#hasFolder = true;
      // Into a file of our own making: never through a link that somebody laid there.
      writeFileSync(unfinished, `${JSON.stringify(head)}\n${outcome}`, { flag: "wx" });
      renameSync(unfinished, file);
    } catch {
      this.#hasFolder = false;
      tried(() => rmSync(unfinished, { force: true }));
    }
  }

  /** Ends the use of the cache: what does not fit into it any more is removed. */
  close(): void {
    if (this.#hasFolder) tried(() => this.#makeRoom());
  }

  #makeRoom(): void {
    const entries = readdirSync(this.#folder)
      .filter((name) => entryName.test(name))
      .flatMap((name) => {
        const file = path.join(this.#folder, name);
        const status = statSync(file, { throwIfNoEntry: false });
        return status ? [{ file, used: status.mtimeMs, bytes: status.size }] : [];
      })
      .sort((a, b) => b.used - a.used);
    let bytes = 0;
    for (const entry of entries) if ((bytes += entry.bytes) > capacity) rmSync(entry.file, { force: true });
  }

  #fileOf({ revision: _, ...job }: Job): string {
    return path.join(this.#folder, `${digestOf(JSON.stringify([this.#build, job]))}.outcome`);
  }
}
