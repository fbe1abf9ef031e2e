/**
 * A kernel as the hardware runs it: SASS-like instructions over virtual registers, block by block. Control flow and
 * memory behaviour are the IR's; this says what each block costs to issue, where, and how long results take.
 */
import type { InstructionRow } from "../gpus/files.ts";
import type { Block, Kernel, Op, Span } from "../ir/kernel.ts";

/**
 * Execution pipes of a sub-partition, Nsight Compute's names: `fma` and `fmaheavy` (FFMA, FMUL; IMAD goes to the heavy half),
 * `alu` (integer, logic, compare, select), `fp64`, `fp16` (HFMA2.MMA; other halves go to `fma`, on 8.0 and 9.0 to `fmaheavy`), `xu` (MUFU, conversions), `lsu` (memory and
 * shuffles), `tex` (textures and surfaces), `tensor` (matrix products), `cbu` (branches, barriers), `adu` (constant loads, S2R), `uniform` (the warp-wide datapath).
 */
export type Pipe = InstructionRow["pipe"];

/** Register files. Only `R` counts as registers per thread. */
export type RegisterFile = "R" | "P" | "UR" | "UP";

/** A virtual register: `words` consecutive 32-bit registers (1 for predicates). */
export interface Register {
  readonly id: number;
  readonly file: RegisterFile;
  readonly words: 1 | 2 | 3 | 4;
}

export interface Instruction {
  /** SASS mnemonic with the modifiers that matter: `IMAD.WIDE`, `LDG.E.64`. */
  readonly opcode: string;
  readonly pipe: Pipe;
  /** Cycles from issue until a dependent instruction may issue; for memory, of a hit without contention. */
  readonly latency: number;
  /** Of a warp group's product, done later than it is issued. */
  readonly product?: ProductTime;
  /** How often the pipe's time for one instruction this one takes; absent: once. */
  readonly work?: number;
  /** How often the integer pipe's time for one instruction it takes besides; absent: not at all. */
  readonly integerWork?: number;
  readonly span: Span;
  /** The IR operation it carries out; for memory instructions always the load, store, atomic or copy itself. */
  readonly op?: Op;
  readonly defs: readonly Register[];
  readonly uses: readonly Register[];
  /** Words of registers that a function called on rare operands takes, beside all that is live across the call. */
  readonly callee?: number;
  /** The branch past that function, or what runs between it and where both ways meet, of a sequence whose slow path is known. */
  readonly guarded?: Guarded;
  /** The operation that it is a part of a turn of, if that takes turns (`spins.ts`). */
  readonly spin?: Op;
  /** Runs under a predicate that stands for a branch: issued for the warp, done only by the lanes of `Instruction.op`'s block. */
  readonly predicated?: true;
  /** Of its operands, the predicates that it runs under. */
  readonly guards?: readonly Register[];
}

/** Of a sequence in which operands are looked at (`slow-paths.ts`). */
export interface Guarded {
  readonly op: Op;
  /** Its name in the compiler's file, behind the type. */
  readonly name: string;
  readonly part: "branch" | "rest";
}

/** Of a warp's part of its group's product: cycles its tensor core takes, from its last one until it may begin, and whether it ends a group. */
export interface ProductTime {
  readonly cycles: number;
  readonly gap: number;
  readonly commits: boolean;
}

export interface MachineBlock {
  readonly block: Block;
  /** Issued each time a warp runs the block, in order, the branch at the end included. Empty for a predicated block. */
  readonly instructions: readonly Instruction[];
  /**
   * The block is predicated: it has no branch, and its instructions stand in `home`, which every warp issues in full,
   * whether or not any lane takes this block.
   */
  readonly home?: Block;
}

export interface RegisterEstimate {
  /** Registers per thread, as `-Xptxas -v` or `launch__registers_per_thread` would say, and the interval it may lie in. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** The registers it would take, where it may have fewer and some of its values are therefore likely to lie in local memory. */
  readonly wanted?: number;
}

export interface MachineKernel {
  readonly kernel: Kernel;
  /** 90 for 9.0. */
  readonly computeCapability: number;
  readonly blocks: ReadonlyMap<Block, MachineBlock>;
  readonly registers: RegisterEstimate;
  /** Bytes of local memory a thread has: arrays that could not live in registers, and spills. */
  readonly localBytesPerThread: number;
  /** The operands of divisions and roots that are known, and by which slow paths are in the code. */
  readonly known?: ReadonlyMap<Op, number | bigint>;
  /** Turns by which loops of compare-and-swap are written out in the code. */
  readonly turns?: ReadonlyMap<Op, number>;
}
