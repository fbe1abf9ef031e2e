/** The shape of the data files in `sim-engine/compilers`. */
import type { Citation, Figure, Source } from "../figures/figure.ts";

/**
 * `documented`: NVIDIA says so. `upstream`: LLVM's source has it, on which NVVM is built. `measured`: recorded probes show it.
 * `fitted`: the value with which estimates of compiled kernels come out nearest; probes may differ, as `at` says. `assumed`: no
 * measurement shows it.
 */
export type CompilerFigureBasis = "documented" | "upstream" | "measured" | "fitted" | "assumed";

export type CompilerFigure = Figure<CompilerFigureBasis>;

/**
 * Kinds of operands that are not divided, or whose root is not taken, the usual way: by what comes of it (`zero`, `infinite`; `invalid`: no
 * number), `nan` operands, `negative` ones of roots, and the others, that are brought to scale first: `tiny` (of floats denormal ones)
 * or `scaled`.
 */
export type SlowCase = "zero" | "infinite" | "invalid" | "nan" | "negative" | "tiny" | "scaled";

/** What an operation that the hardware lacks becomes. */
export interface Sequence {
  /** Opcodes in order, `FFMA*5` for five in a row. */
  readonly code: string;
  /** Words of registers of the function that takes over for rare operands, beside what is live across the call. */
  readonly callee?: number;
  /** What a warp runs besides where operands of such a kind (`SlowCase`) are left to that function: from the call to what the result takes. */
  readonly slow?: Readonly<Partial<Record<SlowCase, string>>>;
  /** Then the rest of the usual path, between the branch and where both meet, is not run. */
  readonly instead?: boolean;
  /** PTX instructions that it is: what NVVM made of a function of the maths library. */
  readonly ptx?: number;
  /** They hold a loop. */
  readonly loops?: boolean;
}

/** One version of nvcc. */
export interface CompilerFile {
  /** Such as "nvcc-13.0". */
  readonly id: string;
  readonly name: string;
  /** The LLVM that NVVM is built on. */
  readonly llvm: string;
  readonly figures: Readonly<Record<string, CompilerFigure>>;
  /** By type and name: "f32.exp", "f32.fast.exp" (with `-use_fast_math`), "i32.udiv". */
  readonly sequences: Readonly<Record<string, Sequence & Citation<CompilerFigureBasis>>>;
}

export interface CompilerData {
  readonly sources: Readonly<Record<string, Source>>;
  readonly compilers: readonly CompilerFile[];
}

/** The same as plain values, for computing. */
export type PlainCompiler = Omit<CompilerFile, "figures" | "sequences"> & {
  readonly values: Readonly<Record<string, number | readonly number[]>>;
  readonly sequences: Readonly<Record<string, Sequence>>;
};
