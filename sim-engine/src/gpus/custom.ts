/** A user's own GPU: one of the models with figures of their own. */
import { type FigureName, figureDefinitions, figureNames } from "./figures.ts";
import type { Figure } from "./files.ts";
import { type CapabilityModel, findCapability, findGpu, type GpuModel, valuesOf } from "./model.ts";

/** The source of figures a user gave. */
const userSource = "user";

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Names that look like `name`: the same letters apart from case, or one beginning with the other. */
const similar = (name: string): string => {
  const low = name.toLowerCase();
  const near = figureNames.filter((known) => known.toLowerCase().includes(low) || low.includes(known.toLowerCase()));
  return near.length > 0 ? `; did you mean ${near.slice(0, 3).join(", ")}?` : "";
};

function userFigure(name: string, value: unknown, problems: string[]): Figure | undefined {
  const definition = figureDefinitions[name as FigureName];
  if (!definition) {
    problems.push(`no figure is called ${name}${similar(name)}`);
    return undefined;
  }
  const numbers = Array.isArray(value) ? value : [value];
  const sound = Array.isArray(value) === definition.list && numbers.every((n) => typeof n === "number" && Number.isFinite(n) && n >= 0);
  if (!sound) {
    problems.push(`${name} must be ${definition.list ? "a list of numbers" : "a number"} of ${definition.unit}, 0 or more`);
    return undefined;
  }
  return { value: value as number | number[], unit: definition.unit, basis: "specified", source: userSource, at: "warplens.json" };
}

/**
 * A GPU model from what a user wrote: `{ "id", "name"?, "extends": "h200", "computeCapability"?, "figures": { "smCount": 100, ... } }`.
 * Figures are plain values in the units of `figureDefinitions`; what is not given is the extended model's, and with another
 * compute capability that capability's. Answers the model, or what is wrong, one sentence each.
 */
export function customGpu(json: unknown): { readonly gpu: GpuModel } | { readonly problems: readonly string[] } {
  if (!isRecord(json)) return { problems: ["a GPU must be an object with id, extends and figures"] };
  const problems: string[] = [];
  const { id, name = id, extends: parent, computeCapability, figures = {}, ...rest } = json;
  for (const key of Object.keys(rest)) problems.push(`${key} is not understood: id, name, extends, computeCapability and figures are`);
  if (typeof id !== "string" || !/^[a-z0-9][a-z0-9.-]*$/.test(id)) problems.push("id must be lower-case letters, digits, dots and dashes");
  if (typeof name !== "string") problems.push("name must be a text");
  const base = typeof parent === "string" ? findGpu(parent) : undefined;
  if (!base) problems.push(`extends must name a GPU model, such as "h200"${typeof parent === "string" ? `; ${parent} is none` : ""}`);
  let capability: CapabilityModel | undefined;
  if (computeCapability !== undefined) {
    capability = typeof computeCapability === "string" ? findCapability(computeCapability) : undefined;
    if (!capability) problems.push(`computeCapability must be one whose limits are known, such as "9.0"`);
  }
  const own: Partial<Record<FigureName, Figure>> = {};
  if (!isRecord(figures)) problems.push("figures must be an object");
  else {
    for (const [key, value] of Object.entries(figures)) {
      const figure = userFigure(key, value, problems);
      if (figure) own[key as FigureName] = figure;
    }
  }
  if (!base || problems.length > 0) return { problems };
  const inherited = capability
    ? Object.fromEntries(Object.entries(base.figures).filter(([key]) => figureDefinitions[key as FigureName].level !== "capability"))
    : base.figures;
  const all = { ...inherited, ...capability?.figures, ...own };
  return {
    gpu: {
      id: id as string,
      name: name as string,
      aliases: [],
      chip: base.chip,
      architecture: capability?.architecture ?? base.architecture,
      computeCapability: capability?.computeCapability ?? base.computeCapability,
      values: valuesOf(all),
      figures: all,
    },
  };
}
