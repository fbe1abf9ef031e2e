/**
 * What the analysis does, by stage: which one failed, which one is under way for whoever watches, and where the time goes. Times are
 * off unless the environment says `WARPLENS_TRACE=1`: then each `stage` adds what it took, without the stages inside it, to a total
 * of its name. Each thread has stages of its own.
 */

/** What one stage took since it was last asked for. */
export interface StageTotal {
  readonly name: string;
  readonly calls: number;
  /** Milliseconds on the clock, without those of the stages inside. */
  readonly ms: number;
}

interface Total {
  calls: number;
  ms: number;
}

/** A browser has no process, and with it no environment. */
const { process: here }: { readonly process?: NodeJS.Process } = globalThis;
const on = here?.env.WARPLENS_TRACE === "1";

const totals = new Map<string, Total>();
/** Milliseconds that the stages within the present one took. */
let inside = 0;

let current: string | undefined;
let watcher: ((name: string | undefined) => void) | undefined;
const failed = new WeakMap<object, string>();

/** Does the work as a stage of the analysis. When tracing is on adds what it took to the total of `name`, though it throws. */
export function stage<T>(name: string, work: () => T): T {
  const outer = current;
  enter(name);
  try {
    return on ? timed(name, work) : work();
  } catch (error) {
    if (typeof error === "object" && error !== null && !failed.has(error)) failed.set(error, name);
    throw error;
  } finally {
    enter(outer);
  }
}

function enter(name: string | undefined): void {
  current = name;
  watcher?.(name);
}

/** The innermost stage that an error was thrown in. */
export const failedStage = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null ? failed.get(error) : undefined;

/** Has every stage told when it begins, and the one around it when it goes on; undefined outside of all. */
export function watchStages(told: (name: string | undefined) => void): void {
  watcher = told;
}

function timed<T>(name: string, work: () => T): T {
  const outer = inside;
  inside = 0;
  const started = performance.now();
  try {
    return work();
  } finally {
    const ms = performance.now() - started;
    addStages([{ name, calls: 1, ms: ms - inside }]);
    inside = outer + ms;
  }
}

/** Adds totals of another thread to those of this one. */
export function addStages(others: readonly StageTotal[]): void {
  for (const { name, calls, ms } of others) {
    const total = totals.get(name) ?? { calls: 0, ms: 0 };
    total.calls += calls;
    total.ms += ms;
    totals.set(name, total);
  }
}

/** The totals so far, which start again at nothing; undefined when tracing is off. */
export function takeStages(): readonly StageTotal[] | undefined {
  if (!on) return undefined;
  const taken = [...totals].map(([name, total]) => ({ name, ...total }));
  totals.clear();
  return taken;
}
