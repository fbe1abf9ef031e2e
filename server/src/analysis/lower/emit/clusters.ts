/** Thread block clusters: blocks are simulated one by one, so none meets another. */
import type { Lowering } from "./lowering.ts";

/** Waits for the blocks of the cluster: as for those of the grid, no other block is there to be waited for. */
export function syncCluster(lowering: Lowering): void {
  const { builder } = lowering;
  lowering.assume(
    "synchronising the cluster",
    "a barrier of each block",
    "blocks are simulated one by one: waiting for the others takes no time",
  );
  builder.barrier();
  builder.emit({ kind: "fence", scope: "device" }, "void");
}

/** Blocks of a cluster mostly do alike, each with shared memory of the same layout. */
export const assumeOwnShared = (lowering: Lowering): void =>
  lowering.assume(
    "shared memory of other blocks",
    "the block's own",
    "blocks are simulated one by one: what another block of the cluster holds is taken to be what this one does, and as near",
  );
