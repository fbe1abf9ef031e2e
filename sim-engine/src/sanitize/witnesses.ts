/** The violations found, each kind once for each place in the source, and the threads of the block that runs. */
import type { Dim3, Op, Span } from "../ir/kernel.ts";
import type { Actor, Violation } from "../report/violation.ts";

export const placeOf = ({ file, line, start, end }: Span): Actor["at"] => ({ file, line, start, end });

/** Tells places of the source apart. */
export const spotOf = ({ file, start, end }: Pick<Span, "file" | "start" | "end">): string => `${file}:${start}-${end}`;

/** The same of two places, in either order. */
export const spotsOf = (a: Parameters<typeof spotOf>[0], b: Parameters<typeof spotOf>[0]): string =>
  [spotOf(a), spotOf(b)].sort().join(" ");

export const firstLane = (mask: number): number => 31 - Math.clz32(mask & -mask);

export class Witnesses {
  readonly found = new Map<string, Violation>();
  /** The one that runs. */
  block: Dim3 = [0, 0, 0];
  readonly #threads: Dim3;

  /** @param threads of a block */
  constructor(threads: Dim3) {
    this.#threads = threads;
  }

  /** The first at a place stays. */
  keep(key: string, violation: () => Violation): void {
    if (!this.found.has(key)) this.found.set(key, violation());
  }

  thread(warp: number, lane: number): Dim3 {
    const [x, y] = this.#threads;
    const index = warp * 32 + lane;
    return [index % x, Math.floor(index / x) % y, Math.floor(index / (x * y))];
  }

  actor({ span }: Op, operation: Actor["operation"], warp: number, lane: number, block = this.block): Actor {
    return { block, thread: this.thread(warp, lane), at: placeOf(span), operation };
  }
}
