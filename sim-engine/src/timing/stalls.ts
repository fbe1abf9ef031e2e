/** Where a replay's warps spend their time, by instruction: as a profiler that looks now and then which instruction each warp is at. */
import { reasons } from "./memory-path.ts";

/** Beside the reasons: the warp issues, or is ready to and another is issued in its place. */
export const othersTurn = reasons.length;
const columns = reasons.length + 1;

export class Stalls {
  /** Cycles of warps, `columns` numbers an instruction. */
  readonly #at: Float64Array;
  /** Cycles that warps wait, anywhere, for what an instruction makes or brings; and in its own queue. */
  readonly #for: Float64Array;

  constructor(instructions: number) {
    this.#at = new Float64Array(instructions * columns);
    this.#for = new Float64Array(instructions);
  }

  /** Waits at an instruction for what another, the `cause`, makes. */
  wait(instruction: number, reason: number, cycles: number, cause: number): void {
    this.#at[instruction * columns + reason]! += cycles;
    this.#for[cause]! += cycles;
  }

  /** Waits at an instruction for what it needs itself: a pipe, a barrier. */
  queue(instruction: number, reason: number, cycles: number): void {
    this.#at[instruction * columns + reason]! += cycles;
    this.#for[instruction]! += cycles;
  }

  issue(instruction: number, cycles: number): void {
    this.#at[instruction * columns + othersTurn]! += cycles;
  }

  /** All there is takes this share of the time: for the rest, a warp waits at an instruction. */
  end(instruction: number, reason: number, share: number): void {
    this.queue(instruction, reason, (1 / share - 1) * this.#at.reduce((sum, cycles) => sum + cycles, 0));
  }

  /** Shares of all warps' time, by instruction: the whole, and by kind of wait. */
  shares(): StallShares {
    const total = this.#at.reduce((sum, cycles) => sum + cycles, 0);
    const scale = total > 0 ? 1 / total : 0;
    return {
      at: (instruction) => {
        const found: Partial<Record<WaitKind, number>> = {};
        for (let column = 0; column < columns; column++) {
          const cycles = this.#at[instruction * columns + column]!;
          const kind = kinds[column]!;
          if (cycles > 0) found[kind] = (found[kind] ?? 0) + cycles * scale;
        }
        return found;
      },
      causedBy: (instruction) => this.#for[instruction]! * scale,
    };
  }
}

export interface StallShares {
  /** Of the time of all warps, what they spend at an instruction, 0 to 1, by what they wait for. */
  at(instruction: number): Partial<Record<WaitKind, number>>;
  /** Of the time of all warps, what they wait for an instruction: for its result, wherever it is read, and for its own turn. */
  causedBy(instruction: number): number;
}

const kindOf = {
  dependence: "dependence",
  shared: "shared",
  constant: "constant",
  l1: "memory",
  l2: "memory",
  dram: "memory",
  host: "memory",
  atomic: "atomics",
  shuffle: "shared",
  barrier: "barrier",
  call: "call",
  pipe: "pipe",
  tensor: "pipe",
  start: "code",
} as const satisfies Record<(typeof reasons)[number], string>;

/**
 * What a warp waits for at an instruction: global and local memory, or room in the queue to it; shared memory and shuffles; constants;
 * atomics; a barrier; a function of the device's runtime; a pipe that is busy; the result of arithmetic; code that is not there yet; `issue`: nothing, it issues, or another
 * warp of its scheduler does.
 */
export type WaitKind = (typeof kindOf)[keyof typeof kindOf] | "issue";
const kinds: readonly WaitKind[] = [...reasons.map((reason) => kindOf[reason]), "issue"];
