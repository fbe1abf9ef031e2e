/**
 * GPU models: cited figures by name. A model is a card's own file (`sim-engine/gpus/*.json`), the limits of its compute
 * capability (`capabilities/*.json`), and, for figures no document states, the behaviour measured on a reference GPU.
 */
import { data } from "./data.ts";
import { type FigureName, figureDefinitions, figureNames, type GpuValues } from "./figures.ts";
import type { Figure, GpuData, ProductFile, Source } from "./files.ts";

export interface GpuModel {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly chip: string;
  readonly architecture: string;
  readonly computeCapability: string;
  /** Plain values, for computing. */
  readonly values: GpuValues;
  /** The same with unit, basis and source, for showing. */
  readonly figures: Readonly<Partial<Record<FigureName, Figure>>>;
}

/** Figures as plain values. */
export const valuesOf = (figures: Partial<Record<FigureName, Figure>>): GpuValues =>
  Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, figure.value])) as unknown as GpuValues;

/** The figures a product lacks because nobody states them, as its reference has them. */
function assumedOf(reference: ProductFile): Record<string, Figure> {
  const behaviour = figureNames.filter((name) => figureDefinitions[name].level === "behaviour");
  return Object.fromEntries(
    behaviour.flatMap((name) => {
      const figure = reference.figures[name];
      return figure ? [[name, { ...figure, basis: "assumed" as const, at: `as on the ${reference.name}: ${figure.at}` }]] : [];
    }),
  );
}

function assemble(product: ProductFile, all: GpuData): GpuModel {
  const capability = all.capabilities.find((c) => c.computeCapability === product.computeCapability);
  const reference = all.products.find((p) => p.id === all.reference);
  if (!capability || !reference) throw new Error(`${product.id}: no limits for compute capability ${product.computeCapability}`);
  const figures = { ...assumedOf(reference), ...capability.figures, ...product.figures } as Partial<Record<FigureName, Figure>>;
  const { id, name, aliases, chip, computeCapability } = product;
  return { id, name, aliases, chip, architecture: capability.architecture, computeCapability, values: valuesOf(figures), figures };
}

/** Every GPU model there is, oldest compute capability first. */
export const gpus: readonly GpuModel[] = data.products.map((product) => assemble(product, data));

/** The sources figures cite, by key. */
export const sources: Readonly<Record<string, Source>> = data.sources;

const squeeze = (name: string): string => name.toLowerCase().replaceAll(/nvidia|geforce|tesla|[^a-z0-9]/g, "");

/** The model with this id, alias or product name ("h200", "H100-SXM5", "GeForce RTX 4090"); undefined when there is none. */
export function findGpu(name: string): GpuModel | undefined {
  const wanted = squeeze(name);
  return wanted === "" ? undefined : gpus.find((gpu) => [gpu.id, gpu.name, ...gpu.aliases].some((known) => squeeze(known) === wanted));
}

/** Limits of a compute capability: all that occupancy needs, with no particular card. */
export interface CapabilityModel {
  readonly computeCapability: string;
  readonly architecture: string;
  readonly values: GpuValues;
  readonly figures: Readonly<Partial<Record<FigureName, Figure>>>;
}

/** Every compute capability whose limits are known. */
export const capabilities: readonly CapabilityModel[] = data.capabilities.map(({ computeCapability, architecture, figures }) => ({
  computeCapability,
  architecture,
  values: valuesOf(figures),
  figures,
}));

/** The limits of a compute capability such as "8.6"; undefined when they are not known. */
export const findCapability = (computeCapability: string): CapabilityModel | undefined =>
  capabilities.find((c) => c.computeCapability === computeCapability);

export type { FigureName, GpuValues } from "./figures.ts";
export { figureDefinitions } from "./figures.ts";
export type { Figure, FigureBasis, GpuData, Source } from "./files.ts";
