/**
 * What the analysis knows of one file, for rules, the editor and the command line. No tree-sitter, no LSP.
 */

import type { Assumption, Kernel, Launch, Work } from "@warplens/sim-engine";
import type { Expression, FunctionDeclaration, Node, TranslationUnit } from "../syntax/ast.ts";
import type { Item } from "../syntax/item.ts";
import type { Place, Reading } from "../syntax/reading.ts";
import type { Database } from "./database/database.ts";
import type { FileQueries } from "./database/queries.ts";
import type { DeviceProgram, Residence } from "./device-events.ts";
import type { Directive } from "./directives.ts";
import type { Semantics } from "./sema/index.ts";
import type { Substitution } from "./sema/types.ts";

export interface KernelFact {
  readonly name: string;
  readonly declaration: FunctionDeclaration;
  /** The kernel's name in its definition, and the whole definition. */
  readonly nameAt: Place;
  readonly at: Place;
  readonly isTemplate: boolean;
}

/** A number that a kernel is given, by the parameter's name. */
export interface GivenNumber {
  readonly name: string;
  readonly value: number | bigint;
}

/** One launch site (or one added by --launch or a directive), in source order. */
export interface LaunchFact {
  readonly kernel: KernelFact | undefined;
  readonly kernelName: string;
  readonly templateArguments: readonly string[];
  /** What the kernel's template parameters stand for. */
  readonly substitution?: Substitution;
  /** The launch expression; absent for a launch that only a directive or option gives. */
  readonly expression?: Expression;
  readonly at: Place;
  /** 1-based line in the opened file. */
  readonly line: number;
  /** What the engine needs. Absent when the configuration or the kernel could not be understood: `reason` says why. */
  readonly launch?: Launch;
  /** Where its buffers are allocated, by their names, as far as that is in the files read here. */
  readonly allocations?: ReadonlyMap<string, Place>;
  /** The lowered instance; made on first use, then kept. Throws `NotSimulated` with the reason, and `Cancelled`. */
  lower(work?: Work): Kernel;
  readonly reason?: string;
  /** The reason is that no GPU starts it. */
  readonly refused?: true;
  /** The reason is that the grid has no blocks: an error, unless its size is what a file that is not there left. */
  readonly empty?: true;
  readonly assumptions: readonly Assumption[];
  /** Those of the assumptions that grid, block and dynamic shared memory rest on; none where the source or the user says them. */
  readonly configuration: readonly Assumption[];
  /** The source says block and dynamic shared memory, whether or not it says the grid. */
  readonly blockKnown?: boolean;
  /** The numbers that tell it from others of its site and configuration. */
  readonly given?: readonly GivenNumber[];
  /** How often the host code runs it, when known (a launch in a loop); 0 where a condition known to be false stands before it. */
  readonly executions?: number;
  /** The program, followed with nothing assumed, does not make it, and launches the same kernel elsewhere. */
  readonly passedBy?: true;
  /** The reading that the kernel stands in, which may be another file's. */
  readonly kernelReading?: Reading;
  /** All that its report depends on besides GPU and registers; undefined where it cannot be simulated. Equal members, equal report. */
  readonly stamp: readonly unknown[] | undefined;
  /** Registers a thread, from a directive. */
  readonly registers?: number;
  /** The launch with more said of it, which goes before what the source, the user's directives and options say. */
  having(said: Directive): LaunchFact;
}

/** Memory that takes part: what it is called, how large it is, and where it was allocated. */
export interface FaultObject {
  readonly name: string;
  readonly bytes: number | undefined;
  readonly residence: Residence;
  readonly allocated?: Node | undefined;
}

/** What is done with memory. */
export type HostUse = "copied to" | "copied from" | "set" | "given to a kernel" | "read" | "written" | "freed";

/** What host code does wrong with memory, on its way from `main`. */
export type HostFault = { readonly at: Expression } & (
  | {
      readonly kind: "direction";
      /** The operand that says the direction, and the numbers of `cudaMemcpyKind`: what it says, and what would fit. */
      readonly direction: Expression | undefined;
      readonly said: number;
      readonly fits: number;
      readonly to: FaultObject;
      readonly from: FaultObject;
    }
  | {
      readonly kind: "too-large";
      readonly side: "copied to" | "copied from" | "set";
      readonly object: FaultObject & { readonly bytes: number };
      /** Where in the object it begins, and how many bytes it takes. */
      readonly offset: number;
      readonly bytes: number;
    }
  | {
      readonly kind: "elements-for-bytes";
      /** The size is that of a row. */
      readonly ofRow?: true;
      readonly size: Expression;
      readonly bytes: number;
      readonly object: FaultObject & { readonly bytes: number };
      readonly elementBytes: number;
      /** The `sizeof` that the allocation multiplies the same number by. */
      readonly unit: Expression | undefined;
    }
  | {
      /** The distance between rows, `at`, is less than what a row takes; both in bytes. */
      readonly kind: "short-pitch";
      readonly pitch: number;
      readonly bytes: number;
    }
  | {
      readonly kind: "sizeof-pointer";
      /** The pointer whose size is taken. */
      readonly pointer: Expression;
      readonly bytes: number;
      readonly object: FaultObject & { readonly bytes: number };
    }
  | {
      /** In a product: the size of one element is taken of a pointer to it. */
      readonly kind: "sizeof-pointer-type";
      readonly sizeof: Expression;
      readonly bytes: number;
      readonly object: FaultObject & { readonly bytes: number };
      readonly elementBytes: number;
      /** The `sizeof` that the allocation multiplies the same number by. */
      readonly unit: Expression | undefined;
    }
  | { readonly kind: "freed"; readonly use: HostUse; readonly object: FaultObject; readonly freed: Node; readonly kernel?: string }
  | { readonly kind: "not-waited"; readonly object: FaultObject; readonly by: Expression; readonly kernel: string | undefined }
  | {
      readonly kind: "pageable-copy";
      /** The side of an asynchronous copy that is neither page-locked nor the device's. */
      readonly object: FaultObject;
      readonly toDevice: boolean;
      readonly bytes: number | undefined;
    }
  | { readonly kind: "device-memory-on-host"; readonly object: FaultObject; readonly use: HostUse }
  | { readonly kind: "host-memory-in-kernel"; readonly object: FaultObject; readonly kernel: string; readonly parameter: string }
);

/** Why a kernel cannot be simulated, in words for the user. */
export class NotSimulated extends Error {
  readonly at: Place | undefined;
  constructor(reason: string, at?: Place) {
    super(reason);
    this.at = at;
  }
}

export interface Program {
  readonly path: string;
  readonly reading: Reading;
  readonly unit: TranslationUnit;
  /** The declarations at namespace level, those of headers too, in the order of the reading. */
  readonly items: readonly Item[];
  readonly semantics: Semantics;
  readonly kernels: readonly KernelFact[];
  readonly launches: readonly LaunchFact[];
  /** What is known of the program is asked through these, and remembered. */
  readonly db: Database;
  readonly files: FileQueries;
  /** Words for a place that a sentence marks, see `places-in-words.ts`. */
  wordsFor(path: string, start: number): string;
  /** Whether a file of the reading is the project's: what is found in others is not shown. */
  isOfProject(path: string): boolean;
  /** What of the project's build files is not used, and why: one sentence each. */
  readonly buildProblems: readonly string[];
  /** What nvcc is told of the code that it makes of the file, as far as rules ask. */
  readonly code: { readonly fastMath?: boolean };
  /** What host code does wrong with memory. */
  readonly hostFaults: readonly HostFault[];
  /** What the program has the device do, from `main` to its end; undefined where the file has no `main` that leads to the device. */
  readonly device: DeviceProgram | undefined;
  /** Directive comments that could not be read, and the like. */
  readonly problems: readonly { readonly message: string; readonly at: Place }[];
}
