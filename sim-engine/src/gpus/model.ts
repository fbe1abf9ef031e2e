/**
 * GPU models: figures by name. A model is a card's own file (`sim-engine/gpus/*.json`), the limits of its compute capability
 * (`capabilities/*.json`), and, for figures no document states, the behaviour measured on a reference GPU. Where each figure comes
 * from is told by `citedFigures`, apart from here: computing needs no sources.
 */
import { type FigureName, figureDefinitions, figureNames, type GpuValues } from "./figures.ts";
import type { PlainData } from "./files.ts";
import { plain } from "./values.ts";

export interface GpuModel {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly chip: string;
  readonly architecture: string;
  readonly computeCapability: string;
  readonly values: GpuValues;
  /** Of a GPU that a user described: the model it extends, and the figures that are the user's. */
  readonly own?: { readonly extends: string; readonly figures: readonly FigureName[] };
}

/** Figures that belong to the microarchitecture, which a product without its own shares with the reference. */
export const behaviourNames: readonly FigureName[] = figureNames.filter((name) => figureDefinitions[name].level === "behaviour");

function assemble({ values, ...product }: PlainData["products"][number], all: PlainData): GpuModel {
  const capability = all.capabilities.find((c) => c.computeCapability === product.computeCapability);
  const reference = all.products.find((p) => p.id === all.reference);
  if (!capability || !reference) throw new Error(`${product.id}: no limits for compute capability ${product.computeCapability}`);
  const behaviour = Object.fromEntries(behaviourNames.map((name) => [name, reference.values[name]]));
  return {
    ...product,
    architecture: capability.architecture,
    values: { ...behaviour, ...capability.values, ...values } as unknown as GpuValues,
  };
}

/** Every GPU model there is, oldest compute capability first. */
export const gpus: readonly GpuModel[] = plain.products.map((product) => assemble(product, plain));

/** The GPU whose behaviour others are assumed to share where nobody measured theirs. */
export const reference: GpuModel = gpus.find(({ id }) => id === plain.reference) as GpuModel;

/** What instructions of every GPU are taken to cost: in order, the first row that an opcode begins with is its own. */
export const instructionRows = plain.instructions;

/** Whatever its case, with hyphens, underscores or blanks between its words, and with or without the maker's names before it. */
const squeeze = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[-_ ]/g, "")
    .replace(/^(?:nvidia|geforce|tesla)+/, "");

/**
 * The model with this id, alias or product name ("h200", "H100-SXM5", "GeForce RTX 4090"); undefined when there is none.
 * @param own a user's own, which go first
 */
export function findGpu(name: string, own: readonly GpuModel[] = []): GpuModel | undefined {
  const exact = own.find(({ id }) => id === name);
  if (exact) return exact;
  const wanted = squeeze(name);
  if (wanted === "") return undefined;
  return [...own, ...gpus].find((gpu) => [gpu.id, gpu.name, ...gpu.aliases].some((known) => squeeze(known) === wanted));
}

/** Limits of a compute capability: all that occupancy needs, with no particular card. */
export interface CapabilityModel {
  readonly computeCapability: string;
  readonly architecture: string;
  readonly values: GpuValues;
}

/** Every compute capability whose limits are known. */
export const capabilities: readonly CapabilityModel[] = plain.capabilities.map((capability) => ({
  ...capability,
  values: capability.values as unknown as GpuValues,
}));

/** The limits of a compute capability such as "8.6"; undefined when they are not known. */
export const findCapability = (computeCapability: string): CapabilityModel | undefined =>
  capabilities.find((c) => c.computeCapability === computeCapability);

export type { FigureName, GpuValues } from "./figures.ts";
export { figureDefinitions } from "./figures.ts";
