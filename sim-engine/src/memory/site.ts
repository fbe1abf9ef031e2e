/** A memory instruction of the machine code: where its access goes. */
export interface MemorySite {
  readonly space: "global" | "local" | "shared" | "constant" | "texture";
  /** `atomic` returns the old value, `reduction` does not; `copy` is asynchronous, from global to shared memory. */
  readonly operation: "load" | "store" | "atomic" | "reduction" | "copy";
  /** Index into `TrafficInput.buffers`: the allocation it reaches, when it reaches one only. */
  readonly buffer?: number;
  /** Its addresses depend on data (a gather), so that neighbouring blocks' footprints say nothing of each other. */
  readonly irregular?: boolean;
}
