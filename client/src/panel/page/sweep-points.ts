/** At which values a launch is asked about, for each sweep. */
import type { GpuSummary, Knobs, Overrides } from "@warplens/server/protocol";

/** One question of a sweep. */
export interface SweepPoint {
  /** The value along the axis. */
  readonly x: number;
  readonly overrides: Overrides;
}

const blockSizes = [32, 64, 96, 128, 192, 256, 384, 512, 640, 768, 896, 1024] as const;

/**
 * Blocks of 32 to 1,024 threads and of as many as now, for as many threads together: along x, of a block of several rows in its rows.
 * @param tried what of the launch is tried: where that has a grid of its own, no other follows
 */
export function blockPoints({ block, grid }: Pick<Knobs, "block" | "grid">, tried: Overrides = {}): SweepPoint[] {
  const [x, y, z] = block;
  const inRows = y * z > 1;
  const row = x * z;
  const sizes = [...new Set([...blockSizes, x * y * z])].filter((size) => !inRows || size % row === 0).sort((a, b) => a - b);
  return sizes.map((size) => {
    // As it is now, whatever a grid that follows would come to.
    if (size === x * y * z) return { x: size, overrides: { block, grid } };
    const sides = inRows ? ([x, size / row, z] as const) : ([size, 1, 1] as const);
    const covering = ([0, 1, 2] as const).map((axis) => Math.ceil((grid[axis] * block[axis]) / sides[axis])) as unknown as typeof grid;
    return { x: size, overrides: { block: sides, ...(tried.grid ? { grid: covering } : {}) } };
  });
}

/** Sizes on either side of now, in powers of two. */
const steps = 4;

/** Powers of two around a parameter's value, and the value itself. */
export function sizePoints({ name, value }: { readonly name: string; readonly value: number }): SweepPoint[] {
  const middle = Math.max(0, Math.round(Math.log2(Math.max(1, value))));
  const powers = Array.from({ length: 2 * steps + 1 }, (_, index) => 2 ** (middle - steps + index)).filter((size) => size >= 1);
  const sizes = [...new Set([...powers, value])].filter((size) => size > 0).sort((a, b) => a - b);
  return sizes.map((size) => ({ x: size, overrides: size === value ? {} : { parameters: { [name]: size } } }));
}

/** Every GPU, the one that is chosen first. */
export const gpuPoints = (gpus: readonly GpuSummary[], chosen: string): SweepPoint[] =>
  [...gpus.filter(({ id }) => id === chosen), ...gpus.filter(({ id }) => id !== chosen)].map(({ id }, index) => ({
    x: index,
    overrides: id === chosen ? {} : { gpu: id },
  }));
