/** What the panel asks of a launch, in the worker's words. */
import type { GpuModel } from "@warplens/sim-engine";
import { capabilityNumber, devicePropertiesOf } from "../simulate/device-properties.ts";
import type { Overrides } from "../what-if/question.ts";
import type { WhatIf } from "../worker/messages.ts";
import type { Held } from "./configurations.ts";
import type { ViewLaunch } from "./view.ts";

/** @param launches those of the document, in source order @param gpu that of the overrides, or the document's own */
export function whatIf(launch: ViewLaunch, launches: readonly ViewLaunch[], overrides: Overrides, gpu: GpuModel, held: Held): WhatIf {
  const { kernelName, line } = launch;
  const alike = launches.filter((each) => each.kernelName === kernelName && each.line === line);
  const { analysis } = held.configuration;
  const other = { ...analysis, computeCapability: capabilityNumber(gpu.computeCapability), device: devicePropertiesOf(gpu) };
  return {
    launch: { kernel: kernelName, line, nth: alike.indexOf(launch) },
    overrides,
    ...(gpu === held.gpu ? {} : { elsewhere: { gpu, analysis: other } }),
  };
}
