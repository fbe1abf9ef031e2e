/** The shape of the data files in `sim-engine/compilers`. */
import type { Figure, Source } from "../figures/figure.ts";

/**
 * `documented`: NVIDIA says so. `upstream`: LLVM's source has it, on which NVVM is built. `measured`: recorded probes show it.
 * `fitted`: the value with which estimates of compiled kernels come out nearest; probes may differ, as `at` says. `assumed`: no
 * measurement shows it.
 */
export type CompilerFigureBasis = "documented" | "upstream" | "measured" | "fitted" | "assumed";

export type CompilerFigure = Figure<CompilerFigureBasis>;

/** One version of nvcc. */
export interface CompilerFile {
  /** Such as "nvcc-13.0". */
  readonly id: string;
  readonly name: string;
  /** The LLVM that NVVM is built on. */
  readonly llvm: string;
  readonly figures: Readonly<Record<string, CompilerFigure>>;
}

export interface CompilerData {
  readonly sources: Readonly<Record<string, Source>>;
  readonly compilers: readonly CompilerFile[];
}

/** The same as plain values, for computing. */
export type PlainCompiler = Omit<CompilerFile, "figures"> & { readonly values: Readonly<Record<string, number | readonly number[]>> };
