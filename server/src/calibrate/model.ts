/** From samples to a GPU model for `warplens.json`. */
import { customGpu, type FigureName, figureDefinitions, findCapability, findGpu, type GpuModel, gpus } from "@warplens/sim-engine";
import { benchmarks, device } from "./benchmarks.ts";
import { type Samples, summarise } from "./samples.ts";

/** The GPU at hand, as the driver names it. */
export interface Device {
  /** Such as "NVIDIA H200". */
  readonly name: string;
  /** Such as "9.0". */
  readonly computeCapability: string;
  /** Of `device.figures`. */
  readonly figures: Samples;
}

/** A figure that was measured. */
export interface MeasuredFigure {
  readonly figure: FigureName;
  /** In the figure's unit. */
  readonly value: number;
  /** How far the farthest sample lies from it, as a share of it; undefined of what the driver says. */
  readonly error: number | undefined;
  /** What the model has that is extended; undefined where it has none. */
  readonly before: number | undefined;
}

export interface Calibration {
  readonly gpu: GpuModel;
  /** The model that is extended. */
  readonly base: GpuModel;
  readonly figures: readonly MeasuredFigure[];
  /** Figures that were left out, and why: a sentence each. */
  readonly leftOut: readonly string[];
}

/**
 * The model that describes the GPU best by itself: the card's own, else that of its compute capability with the most similar number
 * of SMs. Undefined where nothing is known of its compute capability.
 */
export function baseFor({ name, computeCapability, figures }: Device): GpuModel | undefined {
  const own = findGpu(name);
  if (own?.computeCapability === computeCapability) return own;
  const sms = figures.get("smCount")?.[0] ?? 0;
  const apart = (gpu: GpuModel): number => Math.abs(gpu.values.smCount - sms);
  const alike = gpus.filter((gpu) => gpu.computeCapability === computeCapability).sort((a, b) => apart(a) - apart(b));
  if (alike[0]) return alike[0];
  const family = computeCapability.split(".")[0];
  const related = gpus.filter((gpu) => gpu.computeCapability.split(".")[0] === family).sort((a, b) => apart(a) - apart(b));
  return findCapability(computeCapability) && (related[0] ?? gpus.at(-1));
}

/** The model of what was measured. Throws where what the driver says is of no GPU. */
export function calibrated(about: Device, base: GpuModel, samples: Samples): Calibration {
  const measured = benchmarks.flatMap(({ figures }) => figures).flatMap((figure) => figureOf(figure, base, samples.get(figure)));
  const leftOut: string[] = [];
  let figures = [...statedFigures(about, base), ...measured];
  for (;;) {
    const made = customGpu(description(about, base, figures));
    if ("gpu" in made) return { gpu: made.gpu, base, figures, leftOut };
    const wrong = made.problems.map(({ path: [part, name] }) => (part === "figures" ? name : undefined));
    if (!figures.some(({ figure }) => wrong.includes(figure))) throw new Error(made.problems.map(({ message }) => message).join("; "));
    leftOut.push(...made.problems.map(({ message }) => message));
    figures = figures.filter(({ figure }) => !wrong.includes(figure));
  }
}

function figureOf(figure: FigureName, base: GpuModel, samples: readonly number[] = []): MeasuredFigure[] {
  if (samples.length === 0) return [];
  const { value, error } = summarise(samples);
  return [{ figure, value: Number(value.toPrecision(4)), error, before: numberOf(base, figure) }];
}

const numberOf = ({ values }: GpuModel, figure: FigureName): number | undefined => {
  const value = values[figure];
  return typeof value === "number" ? value : undefined;
};

/**
 * What the driver says. Of a card that there is a model of only the number of SMs counts, where it is another: the rest has better
 * sources, and some drivers say otherwise than the data sheet.
 */
function statedFigures({ name, figures }: Device, base: GpuModel): MeasuredFigure[] {
  const stated = (figure: FigureName, value: number | undefined): MeasuredFigure[] =>
    value === undefined ? [] : [{ figure, value, error: undefined, before: numberOf(base, figure) }];
  const said = device.figures.map((figure) => [figure, figures.get(figure)?.[0]] as const);
  if (findGpu(name) === base)
    return said.flatMap(([figure, value]) => (figure === "smCount" && value !== base.values.smCount ? stated(figure, value) : []));
  const [clock, bus] = [figures.get("memoryClock")?.[0], figures.get("memoryBus")?.[0]];
  // The driver counts half of what a pin transfers (Best Practices Guide, 8.2.1).
  const memory = clock && bus ? [...stated("memoryRate", 2), ...stated("dramBandwidth", Math.round((clock * bus * 2) / 8000))] : [];
  return [...said.flatMap(([figure, value]) => stated(figure, value)), ...memory];
}

/** As it stands in `gpus` of `warplens.json`. */
function description({ name, computeCapability }: Device, base: GpuModel, figures: readonly MeasuredFigure[]) {
  return {
    id: `my-${base.id}`,
    name: `${name}, calibrated`,
    extends: base.id,
    ...(computeCapability === base.computeCapability ? {} : { computeCapability }),
    figures: Object.fromEntries(figures.map(({ figure, value }) => [figure, value])),
  };
}

/** A share as `2.5 %`. */
export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** A `warplens.json` of the model, in which each figure's error stands beside it. `remarks` come first. */
export function projectText(about: Device, { gpu, base, figures }: Calibration, remarks: readonly string[]): string {
  const { figures: _, ...rest } = description(about, base, figures);
  const rows = figures.map(({ figure, value, error, before }, index) => {
    const comma = index < figures.length - 1 ? "," : "";
    const how = error === undefined ? "as the driver says" : `± ${percent(error)}`;
    const there = before === undefined ? "" : `; ${base.id} has ${before}`;
    return `        ${JSON.stringify(figure)}: ${value}${comma} // ${figureDefinitions[figure].unit}, ${how}${there}`;
  });
  const head = Object.entries(rest).map(([key, value]) => `      ${JSON.stringify(key)}: ${JSON.stringify(value)},`);
  return [
    "{",
    ...remarks.map((remark) => `  // ${remark}`),
    `  "gpu": ${JSON.stringify(gpu.id)},`,
    '  "gpus": [',
    "    {",
    ...head,
    '      "figures": {',
    ...rows,
    "      }",
    "    }",
    "  ]",
    "}",
    "",
  ].join("\n");
}
