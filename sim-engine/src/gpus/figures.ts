/**
 * The figures a GPU model holds, by name: what each one is, its unit, and where it belongs.
 *
 * `capability` figures are the same for every chip of a compute capability, `product` figures belong to one card,
 * `behaviour` figures are properties of the microarchitecture few documents state: measured on one GPU and assumed of the others
 * (`sim-engine/gpus/behaviour.json`) until somebody measures them there, in which case the card's own file says so.
 */

export type Level = "capability" | "product" | "behaviour";

export interface FigureDefinition {
  readonly level: Level;
  readonly unit: string;
  /** A model without it cannot be used. */
  readonly required: boolean;
  readonly list: boolean;
  readonly says: string;
}

const number = <R extends boolean>(level: Level, required: R, unit: string, says: string) => ({
  level,
  unit,
  required,
  list: false as const,
  says,
});
const list = (level: Level, unit: string, says: string) => ({ level, unit, required: false as const, list: true as const, says });

export const figureDefinitions = {
  // Limits of a compute capability.
  maxThreadsPerBlock: number("capability", true, "threads", "Threads a block"),
  maxThreadsPerSm: number("capability", true, "threads", "Threads resident on an SM"),
  maxBlocksPerSm: number("capability", true, "blocks", "Blocks resident on an SM"),
  registersPerSm: number("capability", true, "registers", "32-bit registers of an SM"),
  registersPerBlock: number("capability", true, "registers", "32-bit registers a block may use"),
  maxRegistersPerThread: number("capability", true, "registers", "Registers a thread may use"),
  registerLimitOfCalculator: number(
    "capability",
    true,
    "registers",
    "Registers a thread that NVIDIA's occupancy calculation still accepts",
  ),
  registerUnitPerWarp: number("capability", true, "registers", "Registers are given to a warp in multiples of this"),
  registerPartitions: number("capability", true, "partitions", "Partitions of the register file"),
  sharedPerSm: number("capability", true, "bytes", "Shared memory of an SM, at most"),
  sharedPerBlock: number("capability", true, "bytes", "Shared memory of a block without opting in"),
  sharedPerBlockOptIn: number("capability", true, "bytes", "Shared memory of a block that opts in"),
  sharedReservedPerBlock: number("capability", true, "bytes", "Shared memory the driver keeps in each block"),
  sharedUnit: number("capability", true, "bytes", "Shared memory is given to a block in multiples of this"),
  sharedConfigurations: list("capability", "bytes", "Sizes shared memory can be given out of the storage it shares with the L1"),
  l1AndSharedPerSm: number("capability", false, "bytes", "Storage that the L1 and shared memory divide"),
  l1PerSm: number("capability", false, "bytes", "L1 where it has its own storage"),
  partitionedCaching: number("capability", true, "yes/no", "L1 caching of global loads confines a block to half an SM"),
  cachesGlobalLoads: number("capability", true, "yes/no", "Global loads are cached in the L1 by default"),
  barriersPerBlockSlot: number("capability", false, "barriers", "Block barriers an SM has for each block slot"),
  maxBlocksPerCluster: number("capability", false, "blocks", "Blocks a cluster may have without opting in"),
  maxBlocksPerClusterOptIn: number("capability", false, "blocks", "Blocks a cluster may have when it opts in"),
  constantBytes: number("capability", true, "bytes", "Constant memory of a module"),
  maxGridX: number("capability", true, "blocks", "Grid size in x"),
  maxGridYZ: number("capability", true, "blocks", "Grid size in y and z"),
  maxBlockXY: number("capability", true, "threads", "Block size in x and y"),
  maxBlockZ: number("capability", true, "threads", "Block size in z"),

  // Rates of a compute capability, in results (lanes) a clock an SM.
  schedulers: number("capability", true, "schedulers", "Warp schedulers of an SM"),
  issuesPerScheduler: number("capability", true, "instructions/clock", "Instructions a scheduler starts in a clock"),
  fp32PerClock: number("capability", true, "results/clock/SM", "Single-precision add, multiply, multiply-add"),
  fp64PerClock: number("capability", true, "results/clock/SM", "Double-precision add, multiply, multiply-add"),
  fp16PerClock: number("capability", true, "results/clock/SM", "Half-precision results of the two-wide instructions"),
  integerPerClock: number("capability", true, "results/clock/SM", "32-bit integer add, compare, minimum, logic"),
  multiplyPerClock: number("capability", true, "results/clock/SM", "32-bit integer multiply and multiply-add"),
  shiftPerClock: number("capability", true, "results/clock/SM", "32-bit shifts"),
  specialPerClock: number("capability", true, "results/clock/SM", "Reciprocal, root, logarithm, exponential, sine, cosine"),
  convertPerClock: number("capability", true, "results/clock/SM", "Conversions between 32-bit types; population count, leading zeros"),
  convertWidePerClock: number("capability", true, "results/clock/SM", "Conversions from and to 64-bit types"),
  shufflePerClock: number("capability", true, "results/clock/SM", "Warp shuffles"),
  texturePerClock: number("capability", true, "texels/clock/SM", "Texels sampled, one a lane of a texture instruction"),
  mmaPerClock: number("capability", false, "multiply-adds/clock/SM", "Half-precision multiply-adds reached by mma.sync, dense"),
  mmaLeastWork: number("capability", false, "ratio", "Least time of a matrix product over that of 16 by 8 by 16 halves, however small"),
  mmaDoubleWork: number("capability", false, "ratio", "Time of an 8 by 8 by 4 product of doubles over that of 16 by 8 by 16 halves"),
  tensorFp16PerClock: number("capability", false, "multiply-adds/clock/SM", "Half-precision multiply-adds of the tensor cores, dense"),

  // Latencies of a compute capability, in SM clocks from one instruction to another that needs its result.
  arithmeticLatency: number("capability", true, "cycles", "Single-precision and integer add, logic"),
  multiplyLatency: number("capability", true, "cycles", "Integer multiply-add"),
  fp64Latency: number("capability", true, "cycles", "Double-precision add, multiply, multiply-add"),
  fp16Latency: number("capability", true, "cycles", "Half-precision two-wide instructions"),
  specialLatency: number("capability", true, "cycles", "Special functions, conversions, population count"),
  sharedLatency: number("capability", true, "cycles", "Shared-memory load without conflicts"),
  sharedAtomicLatency: number("capability", false, "cycles", "Shared-memory atomic of one lane, beyond a load"),
  l1BytesPerClock: number("capability", true, "bytes/clock/SM", "L1 and shared-memory data path"),
  sectorBytes: number("capability", true, "bytes", "Sector: the unit of transfer between the caches"),
  l1LineBytes: number("capability", true, "bytes", "L1 line"),
  sharedBanks: number("capability", true, "banks", "Shared-memory banks"),
  sharedBankBytes: number("capability", true, "bytes", "Width of a shared-memory bank"),

  // One card.
  smCount: number("product", true, "SMs", "Streaming multiprocessors"),
  gpcs: number("product", false, "GPCs", "Graphics processing clusters: a thread block cluster lives in one"),
  smsByGpc: list("product", "SMs", "SMs of each graphics processing cluster: which are disabled differs from card to card"),
  clock: number("product", true, "MHz", "SM clock kernels run at: the boost clock, or the clock measured"),
  tensorClock: number(
    "product",
    false,
    "MHz",
    "SM clock while tensor cores multiply numbers of 32 bits and fewer, where that is lower: as soon as they do, however little",
  ),
  memoryClock: number("product", true, "MHz", "Memory clock"),
  memoryBus: number("product", true, "bits", "Memory interface width"),
  memoryRate: number("product", true, "transfers/clock", "Transfers a pin makes in a memory clock"),
  dramBandwidth: number("product", true, "GB/s", "Peak memory bandwidth (10^9 bytes a second)"),
  dramBytes: number("product", true, "bytes", "Device memory"),
  l2Bytes: number("product", true, "bytes", "L2 cache"),
  l2Partitions: number("product", true, "partitions", "Halves of the L2 that each keep their own copy of what their SMs read"),
  l1Latency: number("product", true, "cycles", "Load that hits the L1"),
  l2Latency: number("product", true, "cycles", "Load that misses the L1 and hits the L2"),
  dramLatency: number("product", true, "cycles", "Load that misses both caches"),
  l2Bandwidth: number("product", true, "GB/s", "Reads that hit the L2, all SMs together"),
  dramReadBandwidth: number("product", true, "GB/s", "Memory bandwidth reached by reads alone"),
  dramMixedBandwidth: number("product", true, "GB/s", "Memory bandwidth reached by reads and writes together"),
  hostLinkBandwidth: number("product", true, "GB/s", "Link to the host's memory, each way"),
  l1LatencyMeasured: number("product", false, "cycles", "Another measurement of the L1 latency"),
  sharedTheoretical: number("product", false, "GiB/s", "Shared-memory bandwidth of the chip, theoretical"),
  sharedMeasured: number("product", false, "GiB/s", "Shared-memory bandwidth of the chip, measured"),
  l1MeasuredPerSm: number("product", false, "bytes/clock/SM", "L1 load throughput, measured"),
  dramCopyMeasured: number("product", false, "GB/s", "Memory bandwidth reached by a copy, measured"),
  globalAtomicLatency: number("product", false, "cycles", "Global atomic of one lane, beyond a load"),
  sharedAtomicContended: list("product", "cycles", "Shared atomic with 1, 2, 4, 8, 16, 32 lanes on one address"),
  globalAtomicContended: list("product", "cycles", "Global atomic with 1, 2, 4, 8, 16, 32 lanes on one address"),
  constantL1Bytes: number("product", false, "bytes", "First constant cache"),
  constantL1Latency: number("product", false, "cycles", "Constant load that hits the first constant cache"),

  // Behaviour.
  kernelOverhead: number("behaviour", true, "ns", "Time of a kernel of one empty block, as the profiler measures it"),
  blockLaunchRate: number("behaviour", true, "blocks/clock", "Blocks the work distributor starts in a clock, all SMs together"),
  blockStartLatency: number("behaviour", true, "cycles", "From a block's launch to its first instruction"),
  codeLatency: number(
    "behaviour",
    true,
    "cycles",
    "Code met for the first time: line n of 128 bytes comes this times the root of n after the first, at the least",
  ),
  codeInterval: number(
    "behaviour",
    true,
    "cycles",
    "From one line of code to the next that an SM fetches while the other one of two is idle",
  ),
  codeIntervalShared: number("behaviour", true, "cycles", "The same while both are at work"),
  codeFarInterval: number("behaviour", true, "cycles", "The same of lines that neither of the two has"),
  codeCacheBytes: number("behaviour", true, "bytes", "Code that an SM keeps"),
  codeNextCacheBytes: number("behaviour", true, "bytes", "Code that two SMs keep"),
  codeStartBytes: number("behaviour", true, "bytes", "Code of a kernel that is near when it begins"),
  argumentLatency: number("behaviour", true, "cycles", "First use of an SM's kernel arguments"),
  translationPerSm: number("behaviour", true, "cycles", "What the first access to memory takes longer for each further SM that begins with one"),
  hostLinkShare: number("behaviour", true, "ratio", "Share of the link to the host that kernels reach"),
  hostLinkBothWays: number("behaviour", true, "ratio", "Share of that which is reached each way when both are used alike"),
  hostLatency: number("behaviour", true, "ns", "Load from the host's memory that misses the caches"),
  hostWriteInterval: number("behaviour", true, "ns", "Between two writes to the host's memory that fill no sector"),
  blockTurnaround: number("behaviour", true, "cycles", "From a block's end to the launch of the one that takes its place"),
  clusterBlocksPerSm: number("behaviour", true, "blocks", "Blocks of thread block clusters resident on an SM, at most"),
  barrierLatency: number("behaviour", true, "cycles", "A barrier, before what each warp adds"),
  barrierPerWarp: number("behaviour", true, "cycles", "What each warp of the block adds to a barrier"),
  gridBarrierLatency: number(
    "behaviour",
    true,
    "cycles",
    "What a barrier of the grid takes, besides what a block's barriers and fences do",
  ),
  gridBarrierInterval: number("behaviour", true, "cycles", "Between two blocks that come to a barrier of the grid"),
  bulkLatency: number(
    "behaviour",
    true,
    "cycles",
    "From a bulk copy out of the L2 to who waits for it at an mbarrier, before what its bytes take",
  ),
  bulkBytesPerClock: number("behaviour", true, "bytes/clock/SM", "What the copy engine of an SM moves"),
  bulkInterval: number("behaviour", true, "cycles", "Between bulk copies that lanes of a warp begin each for itself"),
  phaseLatency: number("behaviour", true, "cycles", "Question whether a phase of an mbarrier is over, to the instruction that needs it"),
  shuffleLatency: number("behaviour", true, "cycles", "Shuffle to the instruction that needs its result"),
  matchInterval: number(
    "behaviour",
    true,
    "cycles/SM",
    "Each different value that lanes of a warp match (`__match_any_sync`), to the next",
  ),
  matchLatency: number("behaviour", true, "cycles", "Match to the instruction that needs its result, besides its rounds"),
  matchRoundLatency: number("behaviour", true, "cycles", "Each round of it, one for each different value"),
  crossPipeLatency: number("behaviour", true, "cycles", "What a result takes longer to an instruction of another arithmetic pipe"),
  groupProductLatency: number(
    "capability",
    false,
    "cycles",
    "From the end of a warp group's product on the tensor core to where it can be waited for",
  ),
  groupProductColumnLatency: number("capability", false, "cycles", "What each column of the product adds to that"),
  groupProductLeast: number("capability", false, "cycles", "Between two products with A in registers, however narrow"),
  groupProductGap: number("capability", false, "cycles", "Between a warp's products with A in registers, where no other warp has one"),
  branchLatency: number("behaviour", true, "cycles", "From a branch to the warp's next instruction"),
  branchConditionLatency: number(
    "behaviour",
    true,
    "cycles",
    "What a predicate takes longer to a branch, and to what runs under it, than to what reads it",
  ),
  conflictLatency: number("behaviour", true, "cycles", "What each further wavefront of a shared-memory access adds to its latency"),
  constantInterval: number("behaviour", true, "cycles", "What each distinct address of a constant load takes"),
  sharedAtomicInterval: number("behaviour", true, "cycles", "What each further lane on one shared address takes"),
  l1PassInterval: number("behaviour", true, "cycles", "What each pass of a load through the L1's data or tags takes"),
  l1MissPassInterval: number("behaviour", true, "cycles", "What such a pass takes of a load that the L2 or memory serves"),
  wideProductInterval: number(
    "behaviour",
    true,
    "cycles",
    "What an integer product with 64 bits takes of what brings results of loads to the registers, one a cycle",
  ),
  l1StorePassInterval: number("behaviour", true, "cycles", "What each pass of a store through the L1 takes"),
  memoryQueue: number(
    "behaviour",
    true,
    "cycles",
    "Work of global memory that the L1 may have waiting before memory instructions stall at issue",
  ),
  sharedQueue: number(
    "behaviour",
    true,
    "instructions",
    "Memory instructions that an SM's L1 may have waiting before others stall at issue",
  ),
  l2PortBytesPerClock: number("behaviour", true, "bytes/clock/SM", "What one SM can read from the L2"),
  l2WritePortBytesPerClock: number("behaviour", true, "bytes/clock/SM", "What one SM can write to the L2"),
  l2WritePortLineBytes: number("behaviour", true, "bytes", "What a line takes of that at least, however little of it is written"),
  l2AccessBytes: number("behaviour", true, "bytes", "What the L2 serves at once: a lone sector costs as much"),
  l2SharedWriteCost: number(
    "behaviour",
    true,
    "ratio",
    "What a store costs the L2 beyond its own access where another has stored other parts of its sector just before, in accesses",
  ),
  l2WriteShare: number("behaviour", true, "ratio", "L2 write bandwidth over L2 read bandwidth"),
  l2LineShare: number("behaviour", true, "ratio", "What a line that is read keeps the L2 from writing, over the read of a lone sector"),
  l2DirtyShare: number("behaviour", true, "ratio", "Share of the L2 that may hold what is not yet written to memory"),
  dramGranularity: number("behaviour", true, "bytes", "What one access brings from memory into the L2"),
  dramRandomShare: number("behaviour", true, "ratio", "Bandwidth of random accesses of that size over peak bandwidth"),
  dramRowShare: number(
    "behaviour",
    true,
    "ratio",
    "Bandwidth of loads whose lanes each go along a row of their own, over that of loads in order",
  ),
  dramRowLatency: number(
    "behaviour",
    true,
    "cycles",
    "What a load whose lanes each go along a row of their own waits for memory beyond a lone load, on average",
  ),
  loadSoftness: number(
    "behaviour",
    true,
    "power",
    "Power p with which latency and bandwidth combine for loads: T = (latency^p + bandwidth^p)^(1/p)",
  ),
  mixedSoftness: number("behaviour", true, "power", "The same for loads that meet as many stores at the memory"),
  storeSoftness: number("behaviour", true, "power", "The same for stores"),
  latencyVariation: number("behaviour", true, "ratio", "Standard deviation of memory latency over its mean"),
  atomicInterval: number("behaviour", true, "cycles", "Between two passes of atomics at one slice of the L2, one for each lane on a word"),
  atomicFloatWork: number(
    "behaviour",
    false,
    "ratio",
    "A floating-point sum there, over one of integers, where the sum before is of the same sector",
  ),
  atomicRate: number("behaviour", true, "requests/clock", "Atomic requests (sectors of a warp's instruction), all slices together"),
  atomicFullSectorWork: number("behaviour", true, "ratio", "A pass over all words of a sector, over one of some of them"),
  atomicSlices: number("behaviour", true, "slices", "Slices of the L2 that do atomics"),
  atomicSliceBytes: number("behaviour", true, "bytes", "Whose atomics one slice does, of twice as many that are aligned: every other half"),
  atomicRoom: number(
    "behaviour",
    true,
    "requests",
    "Atomics that nobody waits for which an SM hands on before the slice that does them has come to them",
  ),
  atomicTurnsApart: number(
    "behaviour",
    true,
    "ratio",
    "Of warps that begin to come to the same slices in the same order: atomics that the first are ahead by, over those that each has made",
  ),
  l2RetainedShare: number(
    "behaviour",
    true,
    "ratio",
    "Share of the L2 that data read over and over may fill, to be found there every time",
  ),
  l2RetentionFade: number("behaviour", true, "ratio", "Share of the L2 by which they must exceed that, not to be found again at all"),
  l2WrittenRoom: number("behaviour", true, "ratio", "Room there that a sector takes which is only written, over that of one that is read"),
  l2FinalShare: number(
    "behaviour",
    true,
    "ratio",
    "Share of the L2 that may hold what a kernel has written when it ends, as far as nothing else wants room",
  ),
  l2ScatteredDirtyShare: number(
    "behaviour",
    true,
    "ratio",
    "Share of what may be dirty in which scattered stores meet sectors written before",
  ),
  driftReach: number(
    "behaviour",
    true,
    "ratio",
    "L2s of data that resident blocks go through until half of the sectors that two warps write in part come too late for each other",
  ),
  loneFillBytes: number(
    "behaviour",
    true,
    "bytes",
    "Bytes that memory would move in the time that a sector takes which is filled and written back, others of its request far away",
  ),
  lateSectorBytes: number("behaviour", true, "bytes", "Bytes that memory would move in the time that a sector takes which comes too late"),
  mergedStoreLines: number(
    "behaviour",
    true,
    "lines",
    "Lines to which a warp's stores, one right behind the other, reach the L2 as one for each sector; 0 where none do",
  ),
  waitingStoreLines: number("behaviour", true, "lines", "Lines stored to that wait together in the L1 to go on to the L2"),
  leavingStoreLines: number(
    "behaviour",
    true,
    "lines",
    "Lines stored to by all warps in turn, until a line that was pushed out by them is written and stays: up to so many",
  ),
  l2SectorWriteCost: number(
    "behaviour",
    true,
    "ratio",
    "What each further sector of a line that is written costs, over the first; and each sector that memory brings to an L2 of halves",
  ),
  l1Ways: number("behaviour", true, "ways", "Lines of the L1 that one address may be kept in"),
  carveoutRoom: number("behaviour", true, "ratio", "Room that shared memory is given by default, over what resident blocks take"),
  carveoutRoomUnused: number("behaviour", true, "ratio", "The same where blocks take no more than the driver's reserve"),
  carveoutRoomShare: number("behaviour", true, "ratio", "Share of the storage up to which such room is given"),
  unitInterval: number(
    "behaviour",
    true,
    "cycles",
    "Between two instructions of a scheduler for loads and stores, branches, constants, or the warp-wide datapath",
  ),
  loadWindow: number("behaviour", true, "cycles", "Over which the load of caches and memory is judged that slows requests"),
  storeRoom: number("behaviour", true, "memory latencies", "How far behind stores may be before the L1 stands still"),
  clockReadInterval: number("behaviour", true, "cycles", "Between two looks at a clock of a loop that waits for it"),
  codeLineInstructions: number("behaviour", true, "instructions", "Instructions of a line of code that is fetched at once"),
} as const satisfies Record<string, FigureDefinition>;

type Definitions = typeof figureDefinitions;
export type FigureName = keyof Definitions;

type Required = { [K in FigureName]: Definitions[K]["required"] extends true ? K : never }[FigureName];
type Lists = { [K in FigureName]: Definitions[K]["list"] extends true ? K : never }[FigureName];
type ValueOf<K extends FigureName> = K extends Lists ? readonly number[] : number;

/** Plain values by figure name. What a model does not know is `undefined`. */
export type GpuValues = { readonly [K in Required]: ValueOf<K> } & { readonly [K in Exclude<FigureName, Required>]?: ValueOf<K> };

export const figureNames = Object.keys(figureDefinitions) as FigureName[];
