/** Machine code and traces, laid out for the replay. */
import type { GpuValues } from "../gpus/figures.ts";
import { pipes } from "../gpus/files.ts";
import type { Pipe } from "../machine/machine.ts";
import { latencyOn } from "../machine/opcodes.ts";
import type { BlockTrace, ExecutionSummary, TimedInstruction, WarpTrace } from "./summary.ts";

export const pipeNames: readonly Pipe[] = pipes;

/** The static code, flat: instruction p of block b is `instructions[start[b] + p]`. */
export class ReplayCode {
  readonly instructions: readonly TimedInstruction[];
  readonly start: Uint32Array;
  readonly length: Uint32Array;
  /** Index into `pipeNames`, by instruction. */
  readonly pipe: Uint8Array;
  /** Cycles from issue until an instruction that reads a result may issue, by instruction. */
  readonly latency: Float64Array;
  /** How often its pipe's time each instruction takes. */
  readonly work: Float64Array;
  /** Cycles of its scheduler's register file that each takes, for the registers that it reads. */
  readonly reads: Float64Array;
  /** Which of an entry's accesses an instruction made that was looked for last. */
  readonly access: Uint32Array;
  /** By block of the code, the instructions that call the device's runtime. */
  readonly #calling: readonly (readonly number[])[];

  constructor(summary: ExecutionSummary, gpu: GpuValues) {
    this.instructions = summary.code.flat();
    this.length = Uint32Array.from(summary.code, (block) => block.length);
    this.start = new Uint32Array(summary.code.length);
    for (let b = 1; b < this.start.length; b++) this.start[b] = this.start[b - 1]! + this.length[b - 1]!;
    this.latency = Float64Array.from(this.instructions, ({ latency, latencyFigure }) => latencyOn(gpu, latency, latencyFigure));
    this.work = Float64Array.from(this.instructions, ({ work }) => work ?? 1);
    const perRead = gpu.registerReadsPerClock === undefined ? 0 : 1 / gpu.registerReadsPerClock;
    this.reads = Float64Array.from(this.instructions, ({ operands }) => (operands ?? 0) * perRead);
    this.access = new Uint32Array(this.instructions.length);
    this.#calling = summary.code.map((block, b) => block.flatMap(({ call }, at) => (call ? [this.start[b]! + at] : [])));
    this.pipe = Uint8Array.from(this.instructions, (instruction) => pipeNames.indexOf(instruction.pipe));
  }

  /** Warp instructions of a block, each counted as often as it stands for. */
  instructionsOf(block: BlockTrace): number {
    let sum = 0;
    for (const { blocks, weights } of block.warps)
      for (let i = 0; i < blocks.length; i++) sum += this.length[blocks[i]!]! * (weights?.[i] ?? 1);
    return sum;
  }

  /** How often a warp calls the device's runtime, by the calling instruction. */
  callsOf({ blocks, weights }: WarpTrace): ReadonlyMap<number, number> {
    const made = new Map<number, number>();
    if (this.#calling.every((calls) => calls.length === 0)) return made;
    for (const [entry, block] of blocks.entries())
      for (const index of this.#calling[block]!) made.set(index, (made.get(index) ?? 0) + (weights?.[entry] ?? 1));
    return made;
  }

  /** Sectors of a block's global atomic requests. */
  atomicSectorsOf(block: BlockTrace, summary: ExecutionSummary): number {
    const isAtomic = summary.sites.map(
      ({ space, operation }) => space === "global" && (operation === "atomic" || operation === "reduction"),
    );
    if (!isAtomic.includes(true)) return 0;
    let sectors = 0;
    for (const { blocks, weights, accesses, accessStart } of block.warps)
      for (let i = 0; i < blocks.length; i++)
        for (let a = accessStart[i]! * 3; a < accessStart[i + 1]! * 3; a += 3)
          if (isAtomic[accesses[a]!]) sectors += accesses[a + 2]! * (weights?.[i] ?? 1);
    return sectors;
  }
}
