/** Launches of sizes that mean nothing: they are refused before anything is made of them. */
import type { GpuModel } from "./gpus/model.ts";
import type { Kernel, Launch } from "./ir/kernel.ts";
import { mostLocalBytes, mostSharedBytes } from "./ir/windows.ts";

/** A launch that a GPU of the model refuses: the message says why, and what it allows. */
export class LaunchRefused extends Error {}

/**
 * Why no GPU of this model runs a launch, and what it allows; undefined where it may. A block with somewhat more shared memory or registers than fit is
 * none of these: its report says what would make it fit.
 * @param registers a thread, where they are known
 */
export function launchProblem(
  kernel: Kernel,
  { grid, block, cluster, dynamicSharedBytes, buffers }: Launch,
  { name, values }: GpuModel,
  registers?: number,
): string | undefined {
  const threads = block[0] * block[1] * block[2];
  const allows = (what: string): string => `the ${name} allows ${what}`;
  if (![...grid, ...block].every((length) => Number.isInteger(length) && length > 0))
    return `a grid of (${grid.join(", ")}) blocks of (${block.join(", ")}) threads cannot be launched`;
  if (threads > values.maxThreadsPerBlock) return `${count(threads)} threads a block: ${allows(count(values.maxThreadsPerBlock))}`;
  if (block[0] > values.maxBlockXY || block[1] > values.maxBlockXY || block[2] > values.maxBlockZ)
    return `a block of (${block.join(", ")}) threads: ${allows(`(${values.maxBlockXY}, ${values.maxBlockXY}, ${values.maxBlockZ})`)}`;
  if (grid[0] > values.maxGridX || grid[1] > values.maxGridYZ || grid[2] > values.maxGridYZ)
    return `a grid of (${grid.join(", ")}) blocks: ${allows(`(${values.maxGridX}, ${values.maxGridYZ}, ${values.maxGridYZ})`)}`;
  const bounds = kernel.launchBounds?.maxThreads;
  if (bounds !== undefined && threads > bounds)
    return `${count(threads)} threads a block, and \`__launch_bounds__\` promises at most ${count(bounds)}`;
  if (cluster?.some((blocks, k) => (grid[k] ?? 1) % blocks !== 0))
    return `a grid of (${grid.join(", ")}) blocks is no multiple of its clusters of (${cluster.join(", ")})`;
  const largestCluster = values.maxBlocksPerClusterOptIn ?? values.maxBlocksPerCluster;
  const clusterBlocks = (cluster ?? []).reduce((product, length) => product * length, 1);
  if (largestCluster !== undefined && clusterBlocks > largestCluster)
    return `clusters of ${clusterBlocks} blocks: ${allows(count(largestCluster))}`;
  if (!(dynamicSharedBytes >= 0)) return `${count(dynamicSharedBytes)} bytes of dynamic shared memory cannot be`;
  const shared = kernel.shared.reduce((sum, { bytes = 0 }) => sum + bytes, dynamicSharedBytes);
  if (shared > mostSharedBytes) return `${count(shared)} bytes of shared memory a block: ${allows(count(values.sharedPerBlockOptIn))}`;
  if (registers !== undefined && registers > values.registerLimitOfCalculator)
    return `${count(registers)} registers a thread: ${allows(count(values.maxRegistersPerThread))}`;
  const constant = bytesOf(kernel, "constant");
  if (constant > values.constantBytes) return `${count(constant)} bytes of constant memory: ${allows(count(values.constantBytes))}`;
  const device = buffers.reduce((sum, { bytes = 0 }) => sum + bytes, bytesOf(kernel, "global"));
  if (device > mostAddressable) return `${count(device)} bytes of device memory: the ${name} has ${count(values.dramBytes)}`;
  const local = kernel.blocks.flatMap(({ ops }) => ops.map(({ action }) => (action.kind === "alloca" ? action.bytes : 0)));
  const largest = local.reduce((most, bytes) => Math.max(most, bytes), 0);
  return largest > mostLocalBytes ? `a local array of ${count(largest)} bytes: a thread has up to ${count(mostLocalBytes)}` : undefined;
}

/** Managed memory may be more than a device has, but no more than addresses reach. */
const mostAddressable = 2 ** 48;

const bytesOf = ({ globals }: Kernel, space: "constant" | "global"): number =>
  globals.reduce((sum, each) => sum + (each.space === space ? each.bytes : 0), 0);

const count = (value: number): string => value.toLocaleString("en-US");
