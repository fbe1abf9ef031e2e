/** The shape of the data files in `sim-engine/gpus`. */
import type { Citation, Figure as CitedFigure, Source } from "../figures/figure.ts";

/**
 * `specified`: the maker says so. `measured`: somebody measured it on this very GPU. `derived`: computed from other figures,
 * by the rule `at` states. `assumed`: taken from another GPU or estimated; `at` says from where.
 */
export type FigureBasis = "specified" | "measured" | "derived" | "assumed";

export type Figure = CitedFigure<FigureBasis>;

/** Limits, rates and latencies every chip of a compute capability shares. */
export interface CapabilityFile {
  /** Such as "9.0". */
  readonly computeCapability: string;
  readonly architecture: string;
  readonly figures: Readonly<Record<string, Figure>>;
}

/** One card. */
export interface ProductFile {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly chip: string;
  readonly computeCapability: string;
  readonly figures: Readonly<Record<string, Figure>>;
}

/** Execution pipes of a sub-partition (see `machine/machine.ts`). */
export const pipes = ["fma", "fmaheavy", "alu", "fp64", "fp16", "xu", "lsu", "tex", "tensor", "cbu", "adu", "uniform"] as const;

/** Instructions whose opcode begins with `prefix`: where they execute, and cycles until a dependent one may issue. */
export interface InstructionRow {
  readonly prefix: string;
  readonly pipe: (typeof pipes)[number];
  readonly latency: number;
  /** How often the pipe's time for one instruction it takes, and that of the integer pipe besides; absent: once, and not at all. */
  readonly work?: number;
  readonly integerWork?: number;
}

export interface GpuData {
  /** In order: the first row that an opcode begins with is its own. */
  readonly instructions: readonly (InstructionRow & Citation<FigureBasis>)[];
  /** The product whose behaviour other products are assumed to share. */
  readonly reference: string;
  readonly sources: Readonly<Record<string, Source>>;
  readonly capabilities: readonly CapabilityFile[];
  readonly products: readonly ProductFile[];
}

type Plain<File extends { readonly figures: object }> = Omit<File, "figures"> & {
  readonly values: Readonly<Record<string, number | readonly number[]>>;
};

/** The same as plain values, for computing. */
export interface PlainData {
  readonly instructions: readonly InstructionRow[];
  readonly reference: string;
  readonly capabilities: readonly Plain<CapabilityFile>[];
  readonly products: readonly Plain<ProductFile>[];
}
