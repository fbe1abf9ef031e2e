/**
 * Compiler models: what a version of nvcc was seen to do, as figures by name (`sim-engine/compilers/*.json`). Where each comes from is
 * told apart from here (`data.ts`, `docs/compilers.md`): computing needs no sources.
 */
import type { CompilerValues } from "./figures.ts";
import type { Sequence } from "./files.ts";
import { plain } from "./values.ts";

export interface Compiler {
  readonly id: string;
  readonly name: string;
  readonly llvm: string;
  readonly values: CompilerValues;
  readonly sequences: Readonly<Record<string, Sequence>>;
}

const compilers: readonly Compiler[] = plain.map((each) => ({ ...each, values: each.values as unknown as CompilerValues }));

/** The compiler kernels are taken to be compiled with: the newest there is. */
export const defaultCompiler: Compiler = compilers[compilers.length - 1] as Compiler;

/** Its figures. */
export const nvcc: CompilerValues = defaultCompiler.values;
