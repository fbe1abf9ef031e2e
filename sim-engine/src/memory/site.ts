/** A memory instruction of the machine code: where its access goes. */
export interface MemorySite {
  readonly space: "global" | "local" | "shared" | "constant" | "texture";
  /**
   * `atomic` returns the old value, `reduction` does not; `copy` is asynchronous, from global to shared memory; `bulk load` and `bulk
   * store` are made by the copy engine; `arrival` and `wait` are at an mbarrier.
   */
  readonly operation: "load" | "store" | "atomic" | "reduction" | "copy" | "bulk load" | "bulk store" | "arrival" | "wait";
  /** Index into `TrafficInput.buffers`: the allocation it reaches, when it reaches one only. */
  readonly buffer?: number;
  /** Its addresses depend on data (a gather), so that neighbouring blocks' footprints say nothing of each other. */
  readonly irregular?: boolean;
  /** Of a `copy`: what it moves goes past the L1 (see `copied`). */
  readonly pastL1?: boolean;
  /** Of a `store` that others stand right behind or before: the number of their run; and whether it waits for a load that the one before does not need. */
  readonly run?: number;
  readonly awaits?: boolean;
  /** Of a `store`: the numbers of the loads that its warp has under way when it is issued. */
  readonly underWay?: readonly number[];
}

/** Only writes; an atomic reads too. */
export const writes = ({ operation }: MemorySite): boolean => operation === "store" || operation === "bulk store";
