/** Numbers made of a launch's special registers. */
import type { Builder, Op } from "@warplens/sim-engine";

const extents = { tid: "ntid", ctaid: "nctaid" } as const;

/** Threads of a block, or blocks of the grid. */
export function product(builder: Builder, register: "ntid" | "nctaid"): Op {
  const rows = builder.int("mul", builder.special(`${register}.x`), builder.special(`${register}.y`));
  return builder.int("mul", rows, builder.special(`${register}.z`));
}

/** The linear index of a thread in its block, or of the block in the grid: x first. */
export function linear(builder: Builder, index: "tid" | "ctaid"): Op {
  const extent = extents[index];
  const planes = builder.int("mul", builder.special(`${index}.z`), builder.special(`${extent}.y`));
  const rows = builder.int("add", planes, builder.special(`${index}.y`));
  return builder.int("add", builder.int("mul", rows, builder.special(`${extent}.x`)), builder.special(`${index}.x`));
}
