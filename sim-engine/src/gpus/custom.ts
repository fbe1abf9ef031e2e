/** A user's own GPU: one of the models with figures of their own. */
import { type FigureName, figureDefinitions, figureNames, type GpuValues } from "./figures.ts";
import type { Figure } from "./files.ts";
import { contradictions } from "./limits.ts";
import { capabilities, findCapability, findGpu, type GpuModel, gpus } from "./model.ts";

/** The source of figures a user gave. */
export const userSource = "user";

/** What is wrong with a description, and with which part of it: `["figures", "smCount"]`; empty for the whole. */
export interface GpuProblem {
  readonly path: readonly string[];
  readonly message: string;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Names that look like `name`: the same letters apart from case, or one beginning with the other. */
const similar = (name: string): string => {
  const low = name.toLowerCase();
  const near = figureNames.filter((known) => known.toLowerCase().includes(low) || low.includes(known.toLowerCase()));
  return near.length > 0 ? `; did you mean ${near.slice(0, 3).join(", ")}?` : "";
};

/** Units of things that come whole. */
const counted: ReadonlySet<string> = new Set([
  "SMs",
  "GPCs",
  "threads",
  "blocks",
  "registers",
  "bytes",
  "partitions",
  "banks",
  "barriers",
  "schedulers",
  "bits",
]);
/** Figures that are 0 of some GPU: every other is a divisor somewhere. */
const mayBeZero = (name: FigureName): boolean => gpus.some(({ values }) => [values[name]].flat().includes(0));

/** A figure a user gave, as the others are shown. */
export const userFigure = (name: FigureName, value: number | readonly number[]): Figure => ({
  value,
  unit: figureDefinitions[name].unit,
  basis: "specified",
  source: userSource,
  at: "gpus",
});

/** Numbers of a list. */
const longestList = 64;
/** How many times what the models have a figure may be more, or less: beyond that it is a slip of units, and searches that go by it would not end. */
const spread = 16;

/** What no GPU is like. */
function beyond(name: FigureName, values: readonly number[]): string | undefined {
  const { unit } = figureDefinitions[name];
  const known = [...gpus, ...capabilities].flatMap((model) => [(model.values as Partial<GpuValues>)[name] ?? []].flat());
  const [least, most] = [Math.min(...known) / spread, Math.max(...known) * spread];
  const [low, high] = counted.has(unit) ? [Math.ceil(least), Math.floor(most)] : [least, most];
  const odd = values.find((value) => known.length > 0 && (value < low || value > high));
  const words = (value: number): string => value.toLocaleString("en-US", { maximumSignificantDigits: 6 });
  return odd === undefined
    ? undefined
    : `${name} of ${words(odd)} ${unit} is that of no GPU: from ${words(low)} to ${words(high)} are taken`;
}

/** What is wrong with a value for a figure; undefined when nothing is. */
function problemOf(name: string, value: unknown): string | undefined {
  if (!Object.hasOwn(figureDefinitions, name)) return `no figure is called ${name}${similar(name)}`;
  const { unit, list } = figureDefinitions[name as FigureName];
  const least = mayBeZero(name as FigureName) ? 0 : Number.MIN_VALUE;
  const sound = (n: unknown): boolean =>
    typeof n === "number" && Number.isFinite(n) && n >= least && (!counted.has(unit) || Number.isInteger(n));
  const values = [value].flat();
  if (Array.isArray(value) === list && values.every(sound))
    return values.length > longestList ? `${name} has more than ${longestList} numbers` : beyond(name as FigureName, values as number[]);
  const whole = counted.has(unit) ? "whole " : "";
  return `${name} must be a ${list ? `list of ${whole}numbers` : `${whole}number`} of ${unit}, ${least === 0 ? "0 or more" : "more than 0"}`;
}

/**
 * A GPU model from what a user wrote: `{ "id", "name"?, "extends": "h200", "computeCapability"?, "figures"?: { "smCount": 100, ... } }`.
 * Figures are plain values in the units of `figureDefinitions`; what is not given is the extended model's, and with another
 * compute capability that capability's. Answers the model, or what is wrong, one sentence each.
 */
export function customGpu(json: unknown): { readonly gpu: GpuModel } | { readonly problems: readonly GpuProblem[] } {
  const problems: GpuProblem[] = [];
  const wrong = (path: readonly string[], message: string): void => void problems.push({ path, message });
  if (!isRecord(json))
    return { problems: [{ path: [], message: 'a GPU must be an object: { "id": "my-gpu", "extends": "h200", "figures": {} }' }] };
  const { id, name = id, extends: parent, computeCapability, figures = {}, ...rest } = json;
  for (const key of Object.keys(rest)) wrong([key], `${key} is not understood: id, name, extends, computeCapability and figures are`);
  const known = typeof id === "string" ? findGpu(id) : undefined;
  if (typeof id !== "string" || !/^[a-z0-9][a-z0-9.-]*$/.test(id))
    wrong(id === undefined ? [] : ["id"], "id must be lower-case letters, digits, dots and dashes");
  else if (known) wrong(["id"], `id ${id} is the ${known.name}'s already: choose another`);
  if (id !== undefined && typeof name !== "string") wrong(["name"], "name must be a text");
  const base = typeof parent === "string" ? findGpu(parent) : undefined;
  if (!base)
    wrong(
      parent === undefined ? [] : ["extends"],
      `extends must name a GPU model, such as "h200"${typeof parent === "string" ? `; ${parent} is none` : ""}`,
    );
  const capability = typeof computeCapability === "string" ? findCapability(computeCapability) : undefined;
  if (computeCapability !== undefined && !capability)
    wrong(["computeCapability"], `computeCapability must be one whose limits are known, such as "9.0"`);
  if (!isRecord(figures)) wrong(["figures"], 'figures must be an object: { "smCount": 100 }');
  else {
    for (const [key, value] of Object.entries(figures)) {
      const problem = problemOf(key, value);
      if (problem !== undefined) wrong(["figures", key], problem);
    }
  }
  if (!base || problems.length > 0) return { problems };
  const own = figures as Partial<GpuValues>;
  const inherited = capability
    ? Object.fromEntries(Object.entries(base.values).filter(([key]) => figureDefinitions[key as FigureName].level !== "capability"))
    : base.values;
  // Another number of SMs is another layout.
  const { smsByGpc: _, ...others } = { ...inherited } as Partial<GpuValues>;
  const values = { ...(own.smCount === undefined ? inherited : others), ...capability?.values, ...own } as GpuValues;
  for (const contradiction of contradictions(values)) wrong(["figures"], contradiction);
  if (problems.length > 0) return { problems };
  return {
    gpu: {
      id: id as string,
      name: name as string,
      aliases: [],
      chip: base.chip,
      architecture: capability?.architecture ?? base.architecture,
      computeCapability: capability?.computeCapability ?? base.computeCapability,
      values,
      own: { extends: base.id, figures: Object.keys(own) as FigureName[] },
    },
  };
}
