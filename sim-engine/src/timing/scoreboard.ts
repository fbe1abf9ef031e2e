/** When each warp's registers hold what was last written to them, what it comes from, and how long an instruction waits for its own. */
import type { GpuValues } from "../gpus/figures.ts";
import { pipeNames } from "./code.ts";
import { reasonIndex } from "./memory-path.ts";
import type { TimedInstruction } from "./summary.ts";

/** Between the halves of the float pipe results go as within one: one of IMAD and one of FFMA take eight cycles (h200-pipe-latency.txt). */
const passed = Uint8Array.from(pipeNames, (name, pipe) => (name === "fmaheavy" ? pipeNames.indexOf("fma") : pipe));

export class Scoreboard {
  readonly #gpu: GpuValues;
  /** The most that a value is there later for one reader than for another. */
  readonly #latest: number;
  readonly #registers: number;
  // By slot and register.
  readonly #available: Float64Array;
  readonly #reason: Uint8Array;
  readonly #pipe: Uint8Array;
  readonly #by: Uint32Array;
  readonly #weight: Float64Array;

  /** What the instruction asked about last waits for, the instruction that makes it and how many executions that stands for. */
  reason = 0;
  cause = 0;
  causeWeight = Number.POSITIVE_INFINITY;

  /** @param registers those of a warp */
  constructor(gpu: GpuValues, slots: number, registers: number) {
    this.#gpu = gpu;
    this.#latest = Math.max(gpu.branchConditionLatency, gpu.crossPipeLatency);
    this.#registers = registers;
    this.#available = new Float64Array(slots * registers);
    this.#reason = new Uint8Array(slots * registers);
    this.#pipe = new Uint8Array(slots * registers);
    this.#by = new Uint32Array(slots * registers);
    this.#weight = new Float64Array(slots * registers);
  }

  /** A new warp in a slot has nothing to wait for. */
  clear(slot: number): void {
    this.#available.fill(0, slot * this.#registers, (slot + 1) * this.#registers);
  }

  /**
   * A warp's instruction writes registers.
   * @param at when they can be read, in cycles
   * @param reason what who needs them waits for, of `reasons`
   * @param pipe that makes them
   * @param by the instruction, by number
   * @param weight executions that it stands for
   */
  write(slot: number, registers: readonly number[], at: number, reason: number, pipe: number, by: number, weight: number): void {
    const base = slot * this.#registers;
    for (let k = 0; k < registers.length; k++) {
      const register = base + registers[k]!;
      this.#available[register] = at;
      this.#reason[register] = reason;
      this.#pipe[register] = passed[pipe]!;
      this.#by[register] = by;
      this.#weight[register] = weight;
    }
  }

  /**
   * When a warp's next instruction has its operands, not before `earliest`: cycles. What it waits for stands in `reason` and `cause`, until
   * the next question.
   */
  there(slot: number, index: number, { uses, defs, kind, guards }: TimedInstruction, pipe: number, earliest: number): number {
    const base = slot * this.#registers;
    let at = earliest;
    this.reason = reasonIndex.pipe;
    this.cause = index;
    this.causeWeight = Number.POSITIVE_INFINITY;
    for (let k = 0; k < uses.length; k++) {
      const use = uses[k]!;
      const register = base + use;
      if (this.#available[register]! + this.#latest <= at) continue;
      // Products on the same sums come one after the other by themselves.
      if (kind === "product" && this.#reason[register] === reasonIndex.tensor) continue;
      let there = this.#available[register]!;
      if (kind === "branch" || guards?.includes(use)) there += this.#gpu.branchConditionLatency;
      else if (this.#pipe[register] !== passed[pipe] && this.#reason[register] === reasonIndex.dependence)
        there += this.#gpu.crossPipeLatency;
      if (there > at) {
        at = there;
        this.#blame(register);
      }
    }
    // A register may not be written while a load into it is under way.
    for (let k = 0; k < defs.length; k++) {
      const register = base + defs[k]!;
      if (this.#available[register]! <= at) continue;
      if (kind === "product" && this.#reason[register] === reasonIndex.tensor) continue;
      if (this.#reason[register] !== reasonIndex.dependence) {
        at = this.#available[register]!;
        this.#blame(register);
      }
    }
    return at;
  }

  #blame(register: number): void {
    this.reason = this.#reason[register]!;
    this.cause = this.#by[register]!;
    this.causeWeight = this.#weight[register]!;
  }
}
