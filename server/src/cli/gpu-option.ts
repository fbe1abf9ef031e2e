import { findGpu, type GpuModel, gpus } from "@warplens/sim-engine";
import { suggest } from "../rules/suggest.ts";
import { UsageError } from "./io.ts";

export const defaultGpu = "h200";

/**
 * The model a user names. Throws a UsageError that lists what there is.
 * @param own the project's own GPUs
 */
export function gpuNamed(name: string, own: readonly GpuModel[] = [], where = "--gpu"): GpuModel {
  const gpu = findGpu(name, own);
  if (gpu) return gpu;
  const all = [...own, ...gpus];
  const near = suggest(
    name,
    all.flatMap(({ id, aliases }) => [id, ...aliases]),
  );
  const hint = near === undefined ? `known: ${all.map(({ id }) => id).join(", ")}` : `did you mean ${near}? All: warplens gpus`;
  throw new UsageError(`${where}: there is no GPU model \`${name}\`; ${hint}`);
}
