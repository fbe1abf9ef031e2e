/**
 * Where the time goes, by stage. Off unless the environment says `WARPLENS_TRACE=1`: then each `stage` adds what it took, without
 * the stages inside it, to a total of its name. Each thread has totals of its own.
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

/** Does the work, and when tracing is on adds what it took to the total of `name`; a work that throws is counted as well. */
export function stage<T>(name: string, work: () => T): T {
  if (!on) return work();
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
