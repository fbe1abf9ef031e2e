/** What is done about a server that died, and what is said about it. */

/** So many deaths within so many milliseconds are too many: it would die again. */
const most = 5;
const within = 3 * 60_000;

export interface Verdict {
  readonly startsAgain: boolean;
  /** For the log, and for the user where `isNews`. */
  readonly message: string;
  /** The first for a while, or the last. */
  readonly isNews: boolean;
}

/** Judges deaths of one server as they happen. */
export class Deaths {
  #times: readonly number[] = [];

  /** @param why such as `out of memory` @param now milliseconds */
  judge(why: string, now: number): Verdict {
    this.#times = [...this.#times.filter((time) => now - time < within), now];
    const { length } = this.#times;
    if (length < most)
      return { startsAgain: true, message: `The WarpLens language server ended (${why}) and was started again.`, isNews: length === 1 };
    this.#times = [];
    const message = `The WarpLens language server ended ${length} times within ${within / 60_000} minutes, the last time: ${why}. It is not started again; "WarpLens: Restart Language Server" does so.`;
    return { startsAgain: false, message, isNews: true };
  }
}

/** Why a process ended, from how it did and from what it said last. @param said lines of its standard error */
export function whyEnded(code: number | null, signal: string | null, said: readonly string[]): string {
  const fatal = said.findLast((line) => /heap out of memory|^FATAL ERROR|^\w*Error\b/.test(line))?.trim();
  if (fatal?.includes("out of memory")) return "out of memory";
  const how = signal === null ? `exit code ${code}` : signal;
  return fatal === undefined ? how : `${how}: ${fatal.slice(0, 200)}`;
}
