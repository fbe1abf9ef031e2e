/** A report beside the launches of a source: what was measured of each, and what of the report is of none. */
import type { GpuModel } from "@warplens/sim-engine";
import { deviceText, isOn, modelOf } from "./device.ts";
import { type Identity, type Match, matchLaunches, type Unmatched } from "./match.ts";
import type { MeasuredReport } from "./report.ts";

export interface Beside<Launch> {
  readonly of: ReadonlyMap<Launch, Match>;
  readonly unmatched: readonly Unmatched[];
  /** GPUs of the report that are not the one that is simulated: what was measured there is held against nothing. */
  readonly elsewhere: readonly Elsewhere[];
}

export interface Elsewhere {
  /** As the report describes it. */
  readonly gpu: string;
  /** Id of the model, where there is one. */
  readonly model?: string;
  readonly launches: number;
}

/** @param launches of the source, in its order @param gpu that they are simulated on */
export function besideOf<Launch extends Identity>(
  { devices, launches: measured }: MeasuredReport,
  launches: readonly Launch[],
  gpu: GpuModel,
): Beside<Launch> {
  const fits = devices.map((device) => isOn(device, gpu));
  const elsewhere = devices.flatMap((device, index): Elsewhere[] => {
    const model = modelOf(device);
    const count = measured.filter((each) => each.device === index).length;
    return fits[index] ? [] : [{ gpu: deviceText(device), ...(model ? { model: model.id } : {}), launches: count }];
  });
  return {
    ...matchLaunches(
      launches,
      measured.filter(({ device }) => fits[device]),
    ),
    elsewhere,
  };
}
