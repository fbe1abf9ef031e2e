/** What an outcome rests on besides its job: what was asked of the disk, and what it answered. */
import { hash } from "node:crypto";
import { statSync } from "node:fs";
import type { FileHost } from "../../analysis/settings.ts";
import type { Host } from "../files.ts";

/** One question and its answer. */
export interface Fact {
  readonly ask: keyof FileHost;
  readonly path: string;
  /** Of the answer; absent where there was none. */
  readonly digest?: string;
  /** Of the file or folder that was read: while it has the same stamp the answer is the same. Absent where that is not so. */
  readonly stamp?: string;
}

/** Milliseconds in which a file may change again and keep the time of the change before: clocks of file systems tick slowly. */
const unsettled = 2000;

/** A host that notes what it answers. Of a revision nothing but what it answers can be noted. */
export function recorded(host: Host): { readonly host: FileHost; facts(): readonly Fact[] } {
  const facts = new Map<string, Fact>();
  const noted = <T>(ask: keyof FileHost, path: string, answer: () => T): T => {
    // Taken first: what changes meanwhile has another one afterwards.
    const isStamped = host.revision === undefined && (ask === "read" || ask === "list");
    const stamp = isStamped ? stampOf(path, Date.now() - unsettled) : undefined;
    const answered = answer();
    const digest = digestOf(answered);
    facts.set(`${ask} ${path}`, { ask, path, ...(digest !== undefined && { digest }), ...(stamp !== undefined && { stamp }) });
    return answered;
  };
  const { list, realPath, repository } = host;
  return {
    host: {
      read: (path) => noted("read", path, () => host.read(path)),
      ...(list && { list: (path: string) => noted("list", path, () => list(path)) }),
      ...(realPath && { realPath: (path: string) => noted("realPath", path, () => realPath(path)) }),
      ...(repository && { repository: (path: string) => noted("repository", path, () => repository(path)) }),
    },
    facts: () => [...facts.values()],
  };
}

/** Whether facts are still so, each file looked at once: for as long as nobody changes any. */
export class FactChecker {
  readonly #host: Host;
  readonly #stamps = new Map<string, string | undefined>();
  readonly #digests = new Map<string, string | undefined>();

  constructor(host: Host) {
    this.#host = host;
  }

  holds({ ask, path, digest, stamp }: Fact): boolean {
    const isStamped = stamp !== undefined && this.#host.revision === undefined;
    return (isStamped && this.#stampOf(path) === stamp) || this.#digestOf(ask, path) === digest;
  }

  #stampOf(path: string): string | undefined {
    return remembered(this.#stamps, path, () => stampOf(path));
  }

  #digestOf(ask: keyof FileHost, path: string): string | undefined {
    return remembered(this.#digests, `${ask} ${path}`, () => digestOf(this.#host[ask]?.(path)));
  }
}

function remembered<T>(known: Map<string, T>, key: string, compute: () => T): T {
  if (!known.has(key)) known.set(key, compute());
  return known.get(key) as T;
}

const digestOf = (answer: unknown): string | undefined =>
  answer === undefined ? undefined : hash("sha256", typeof answer === "string" ? answer : JSON.stringify(answer), "base64url");

/**
 * What the file system says of a file or folder whenever it changes; undefined where there is none.
 * @param settledBefore undefined too where it changed after that time, in milliseconds
 */
function stampOf(path: string, settledBefore = Number.POSITIVE_INFINITY): string | undefined {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    if (!status || Math.max(status.mtimeMs, status.ctimeMs) >= settledBefore) return undefined;
    return [status.size, status.mtimeMs, status.ctimeMs, status.ino].join(" ");
  } catch {
    return undefined;
  }
}
