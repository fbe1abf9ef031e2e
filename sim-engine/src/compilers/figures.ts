/**
 * The figures of a compiler version, by name: when NVVM and ptxas decide one way or the other. They are counted as the passes of this
 * engine see a kernel, where nothing else is said.
 */
import type { FigureShape } from "../figures/figure.ts";

export interface CompilerFigureDefinition extends FigureShape {
  /** Which of nvcc's two compilers decides by it. */
  readonly part: "NVVM" | "ptxas" | "driver";
  readonly says: string;
}

const number = (part: CompilerFigureDefinition["part"], unit: string, says: string) => ({ part, unit, list: false as const, says });
const list = (part: CompilerFigureDefinition["part"], unit: string, says: string) => ({ part, unit, list: true as const, says });

export const compilerFigureDefinitions = {
  // Loops, in NVVM.
  localArrayUnrollSize: number(
    "NVVM",
    "LLVM instructions",
    "All turns of a loop whose counter chooses elements of a thread's own array, to unroll it completely",
  ),
  turnSize: number(
    "NVVM",
    "LLVM instructions",
    "What counting and testing takes of a turn of such a loop: the counter widened, and one more than the two that go when it is unrolled",
  ),
  fullUnrollSize: number("NVVM", "LLVM instructions", "All turns of a loop with a constant trip count, to unroll it completely"),
  unrolledControlSize: number(
    "NVVM",
    "LLVM instructions",
    "What chooses between the copies of a loop that is unrolled in part, and its rest",
  ),
  analysedTurns: number("NVVM", "turns", "Turns of which it is found out what their numbers make constants, at most"),
  partialUnrollSize: number("NVVM", "LLVM instructions", "A turn unrolled by a factor that divides a constant trip count"),
  unrollByFourSize: number("NVVM", "LLVM instructions", "Four turns of a loop with a trip count known at run time, to unroll it by four"),
  unrollByTwoSize: number("NVVM", "LLVM instructions", "Two turns of it, to unroll it by two"),
  pragmaUnrollSize: number("NVVM", "LLVM instructions", "All turns of a loop under `#pragma unroll`, to unroll it completely"),
  tripSearch: number("NVVM", "turns", "Turns tried one by one where no formula gives the trip count"),
  rotatedHeaderSize: number("NVVM", "operations", "A loop's test at its top, to be copied before the loop and to its end"),
  librarySize: number(
    "NVVM",
    "LLVM instructions",
    "Each PTX instruction that a function of the maths library becomes, counted in a loop's size",
  ),
  foldedShare: number("NVVM", "ratio", "Share of integer operations that is left once a loop is unrolled, indices being constants"),

  // Branches, in NVVM.
  joinedConditionSize: number(
    "NVVM",
    "operations",
    "What a condition may need besides its comparison, to be joined with the one before it",
  ),
  speculatedSize: number("NVVM", "operations", "Both arms of a branch in sum, to be computed always and selected from"),

  // Addresses and accesses, in NVVM.
  pointerReach: number("NVVM", "steps", "How many steps of a loop addresses may be apart, to share a pointer"),
  valuesBesidePointers: number(
    "NVVM",
    "values",
    "The most that a loop of a block of so many threads as below may keep for pointers to be advanced beside them",
  ),
  threadsAssumed: number(
    "NVVM",
    "threads",
    "Of a block, where the source does not say: of more of them each has fewer registers, and a loop may keep fewer values",
  ),
  uncountedReducedSize: number(
    "NVVM",
    "operations",
    "The longest turn in which pointers are advanced where it is not known how often a loop runs",
  ),
  widestAccess: number("NVVM", "bytes", "Neighbouring accesses of a thread that become one"),
  widestConstantAccess: number("ptxas", "bytes", "The same in constant memory"),

  // Loops, in ptxas.
  unrollAgainSize: number("ptxas", "instructions", "A loop without loads that NVVM left, to unroll it by `unrollAgainFactor`"),
  unrollAgainSizeWithLoads: number("ptxas", "instructions", "The same of a loop with loads, loads and stores counted twice"),
  mostRowPointers: number(
    "NVVM",
    "rows",
    "Rows with a pointer each in a loop that was unrolled; of more, indices are summed with the counter",
  ),
  unrollAgainArmSize: number("ptxas", "instructions", "What a condition in such a loop with loads may guard, to be predicated for it"),
  unrollAgainFactor: number("ptxas", "turns", "Turns of such a loop that become one"),
  assemblerBodySize: number("ptxas", "instructions", "A turn of a loop with a constant trip count, to unroll it at all"),
  assemblerFullUnroll: number(
    "ptxas",
    "instructions",
    "A turn of a loop with a constant trip count, by the root of the turns less two, to unroll it completely",
  ),
  assemblerFullUnrollWithin: number("ptxas", "instructions", "The same of a loop within another"),
  assemblerFullUnrollSize: number("ptxas", "instructions", "All turns of a loop of longer turns, to unroll it completely"),
  assemblerPartialUnrollSize: number("ptxas", "instructions", "The copies of a turn of it unrolled in part"),

  // Branches, in ptxas.
  predicatedDivergentSize: number(
    "ptxas",
    "instructions",
    "An arm of a branch that lanes take differently, to run under a predicate; of two arms each one less",
  ),
  predicatedLoadingSize: number("ptxas", "instructions", "The same of an arm that reads global memory, on either branch"),
  predicatedUniformSize: number("ptxas", "instructions", "The same of a branch that a warp takes as a whole"),
  likelyPredicatedSize: number("ptxas", "operations", "An arm that is likely to run under a predicate, before its instructions are known"),

  // Order and registers, in ptxas.
  farLoadLatency: number("ptxas", "cycles", "What instructions are ordered by for a load that may come from anywhere"),
  registerHeadroom: number("ptxas", "registers", "Kept free for finishing what is under way, when instructions are ordered"),
  wideLoadsAhead: number("ptxas", "loads", "Loads of 16 bytes a thread that are issued ahead even where that costs resident warps"),
  loadsAheadWanted: number(
    "ptxas",
    "loads",
    "Loads that could be under way at once in a block, for it not to leave them waiting for each other",
  ),
  loadsAheadLeft: number("ptxas", "loads", "As many under way or fewer count as waiting for each other"),
  wideLoadsUpTo: number("ptxas", "registers", "Up to which resident warps are given up for wide loads under way at once"),
  nearLoadsAhead: number(
    "ptxas",
    "instructions",
    "That have what they need from shared memory, from which on no more is loaded ahead where the source says how many blocks an SM is to hold",
  ),
  wideSharedLoads: number("ptxas", "loads", "Loads of 16 bytes a thread from shared memory in a block, from which on they go ahead"),
  wideSharedLoadsAhead: number(
    "ptxas",
    "loads",
    "Loads of 16 bytes a thread from shared memory that are issued ahead, however many registers that takes",
  ),
  recomputedInstructions: number(
    "ptxas",
    "instructions",
    "So many one after the other are done again rather than a register kept through a loop",
  ),
  reservedRegisters: number("ptxas", "registers", "The stack pointer and what every kernel is given besides"),
  registersBeyondNeed: number(
    "ptxas",
    "ratio",
    "Registers taken where no more fit before the most a thread may have, over those that the code cannot do without",
  ),
  registersLost: number(
    "ptxas",
    "registers",
    "Of a step of registers, those that code cannot fill: pairs and fours of registers are aligned",
  ),
  registersLostFrom: number("ptxas", "registers", "The step from which on they are lost"),
  registersLostUpTo: number("ptxas", "registers", "The last step of which that is known"),
  groupRegisters: number(
    "ptxas",
    "registers",
    "What a thread has besides the operands in registers of a warp group's products, at the least",
  ),
  registerSlack: number(
    "ptxas",
    "ratio",
    "Registers taken over words live at once, where no warp is lost by it: pairs are aligned, and operands under way keep theirs",
  ),
  registerSlackAtCalls: number("ptxas", "ratio", "The same where the most are live at a call"),
  selectedElements: list(
    "ptxas",
    "elements",
    "The most of a thread's own array that is indexed by what is not constant, and yet no local memory: where one access reads it so (or none does), two, and so on",
  ),
  registerIntervals: list("ptxas", "registers", "Estimates up to which each factor of the next two rows holds"),
  registerIntervalLow: list("ptxas", "ratio", "Registers taken over those estimated: the 5th percentile"),
  registerIntervalHigh: list("ptxas", "ratio", "Registers taken over those estimated: the 95th percentile"),
  fewestRegisters: number("driver", "registers", "A kernel is never reported to use fewer (from 7.0)"),
  fewestRegistersOfCallers: number("driver", "registers", "Nor one that calls the device's runtime, whose functions use that many"),
} as const satisfies Record<string, CompilerFigureDefinition>;

type Definitions = typeof compilerFigureDefinitions;
export type CompilerFigureName = keyof Definitions;

/** Plain values by figure name. */
export type CompilerValues = { readonly [K in CompilerFigureName]: Definitions[K]["list"] extends true ? readonly number[] : number };

export const compilerFigureNames = Object.keys(compilerFigureDefinitions) as CompilerFigureName[];
