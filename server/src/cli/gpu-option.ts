import { findGpu, type GpuModel, gpus } from "@warplens/sim-engine";
import { suggest } from "../rules/suggest.ts";
import { UsageError } from "./io.ts";

export const defaultGpu = "h200";

/** The model a user names. Throws a UsageError that lists what there is. */
export function gpuNamed(name: string, where = "--gpu"): GpuModel {
  const gpu = findGpu(name);
  if (gpu) return gpu;
  const near = suggest(
    name,
    gpus.flatMap(({ id, aliases }) => [id, ...aliases]),
  );
  const hint = near === undefined ? `known: ${gpus.map(({ id }) => id).join(", ")}` : `did you mean ${near}? All: warplens gpus`;
  throw new UsageError(`${where}: there is no GPU model \`${name}\`; ${hint}`);
}
