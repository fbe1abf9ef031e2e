/** Which of the GPU models a report was measured on. */
import { findGpu, type GpuModel, gpus } from "@warplens/sim-engine";
import type { MeasuredDevice } from "./report.ts";

/** The words of a product's name: `NVIDIA A100-SXM4-80GB` and `NVIDIA A100 SXM4 80 GB` have the same. */
const wordsOf = (name: string): string =>
  (
    name
      .toLowerCase()
      .replaceAll(/(\d) gb\b/g, "$1gb")
      .match(/[a-z0-9]+/g) ?? []
  )
    .filter((word) => !["nvidia", "geforce", "tesla", "quadro"].includes(word))
    .sort()
    .join(" ");

/** What else a report says of a GPU agrees with a model. */
const agrees = ({ computeCapability, multiprocessors }: MeasuredDevice, gpu: GpuModel): boolean =>
  (computeCapability === undefined || computeCapability === gpu.computeCapability) &&
  (multiprocessors === undefined || multiprocessors === gpu.values.smCount);

/** The model of a GPU that a report names; undefined where there is none, or it is not named. */
export const modelOf = ({ name }: MeasuredDevice): GpuModel | undefined =>
  name === undefined ? undefined : (findGpu(name) ?? gpus.find((gpu) => wordsOf(gpu.name) === wordsOf(name)));

/** Whether what was measured on a GPU may be held against figures of a model. One that is not named goes by what else is said of it. */
export function isOn(device: MeasuredDevice, gpu: GpuModel): boolean {
  const model = modelOf(device);
  if (model && !gpu.own) return model.id === gpu.id;
  return agrees(device, gpu) && (device.name === undefined || gpu.own !== undefined);
}

/** A GPU as a report describes it, in words. */
export const deviceText = ({ name, computeCapability }: MeasuredDevice): string =>
  name ?? (computeCapability === undefined ? "a GPU that the report does not name" : `a GPU of compute capability ${computeCapability}`);
