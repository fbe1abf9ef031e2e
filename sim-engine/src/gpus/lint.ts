/** What makes GPU data wrong: a figure without a source, a unit that is not the figure's, figures that contradict each other. */
import { lintCitation, lintFigure } from "../figures/lint.ts";
import { type FigureName, figureDefinitions, figureNames, type GpuValues } from "./figures.ts";
import { type CapabilityFile, type Figure, type GpuData, type ProductFile, pipes } from "./files.ts";
import { contradictions } from "./limits.ts";

const bases: readonly string[] = ["specified", "measured", "derived", "assumed"];

function* lintFigures(
  where: string,
  figures: Readonly<Record<string, Figure>>,
  level: "capability" | "product",
  all: GpuData,
): Generator<string> {
  for (const [name, figure] of Object.entries(figures)) {
    yield* lintFigure(where, name, figure, figureDefinitions[name as FigureName], { bases, sources: all.sources });
    const home = figureDefinitions[name as FigureName]?.level;
    if (level === "capability" && home && home !== "capability") yield `${where}.${name}: belongs to a product`;
  }
  for (const name of figureNames) {
    const { level: home, required } = figureDefinitions[name];
    if (home === level && required && !figures[name]) yield `${where}: ${name} is missing`;
  }
}

const off = (a: number, b: number): number => Math.abs(a - b) / b;

/** Figures of one product that must agree with each other. Tolerances are the rounding of the documents. */
function* lintAgreement(product: ProductFile, capability: CapabilityFile): Generator<string> {
  const of = (name: FigureName): number | undefined => {
    const value = (product.figures[name] ?? capability.figures[name])?.value;
    return typeof value === "number" ? value : undefined;
  };
  const clock = of("memoryClock");
  const bus = of("memoryBus");
  const rate = of("memoryRate");
  const bandwidth = of("dramBandwidth");
  if (clock && bus && rate && bandwidth) {
    // GB/s = MHz x bits x transfers / 8 bits / 1000 (Best Practices Guide 8.2.1).
    const computed = (clock * bus * rate) / 8000;
    if (off(computed, bandwidth) > 0.015)
      yield `${product.id}: bandwidth ${bandwidth} GB/s, but clock x width x rate / 8 is ${computed.toFixed(1)} GB/s`;
  }
  const layout = product.figures.smsByGpc?.value;
  if (Array.isArray(layout) && layout.reduce((sum, count) => sum + count, 0) !== of("smCount"))
    yield `${product.id}: smsByGpc does not add up to the SMs`;
  const theoretical = of("sharedTheoretical");
  const [sms, banks, width, mhz] = [of("smCount"), of("sharedBanks"), of("sharedBankBytes"), of("clock")];
  if (theoretical && sms && banks && width && mhz) {
    // Jia et al., figure 3.10: processors x banks x bank width x clock. Their table divides by 1000 or by 1024: within 2.5 %.
    const computed = (sms * banks * width * mhz) / 1000;
    if (off(theoretical, computed) > 0.025)
      yield `${product.id}: shared bandwidth ${theoretical}, but SMs x banks x width x clock is ${computed.toFixed(0)}`;
  }
  for (const [reached, peak] of [
    ["dramReadBandwidth", "dramBandwidth"],
    ["dramMixedBandwidth", "dramBandwidth"],
    ["sharedMeasured", "sharedTheoretical"],
  ] as const) {
    const [low, high] = [of(reached), of(peak)];
    if (low && high && low > high) yield `${product.id}: ${reached} is above ${peak}`;
  }
  for (const [near, far] of [
    ["sharedLatency", "l2Latency"],
    ["l1Latency", "l2Latency"],
    ["l2Latency", "dramLatency"],
  ] as const) {
    const [low, high] = [of(near), of(far)];
    if (low && high && low >= high) yield `${product.id}: ${near} is not below ${far}`;
  }
}

function* lintLimits({ computeCapability, figures }: CapabilityFile): Generator<string> {
  const values = Object.fromEntries(Object.entries(figures).map(([name, { value }]) => [name, value])) as unknown as GpuValues;
  for (const contradiction of contradictions(values)) yield `capability ${computeCapability}: ${contradiction}`;
}

function* lintInstructions({ instructions, sources }: GpuData): Generator<string> {
  for (const [index, { prefix, pipe, latency, work = 1, integerWork = 1, ...citation }] of instructions.entries()) {
    const what = `instructions ${prefix || "of no row"}`;
    yield* lintCitation(what, citation, { bases, sources });
    if (!pipes.includes(pipe)) yield `${what}: no pipe is called ${pipe}`;
    if (!(Number.isFinite(latency) && latency > 0)) yield `${what}: latency is not a number of cycles`;
    if (![work, integerWork].every((times) => Number.isFinite(times) && times > 0)) yield `${what}: work is not a number of times`;
    const before = instructions.slice(0, index).find((row) => prefix.startsWith(row.prefix));
    if (before) yield `${what}: the row ${before.prefix} comes before it`;
  }
  if (instructions.at(-1)?.prefix !== "") yield "instructions: the last row is not for all others";
}

/** Everything wrong with the data, one sentence each; empty when it is sound. */
export function lintGpuData(all: GpuData): string[] {
  const found: string[] = [...lintInstructions(all)];
  for (const capability of all.capabilities) {
    found.push(
      ...lintFigures(`capability ${capability.computeCapability}`, capability.figures, "capability", all),
      ...lintLimits(capability),
    );
  }
  const names = new Map<string, string>();
  for (const product of all.products) {
    found.push(...lintFigures(product.id, product.figures, "product", all));
    const capability = all.capabilities.find((c) => c.computeCapability === product.computeCapability);
    if (!capability) {
      found.push(`${product.id}: no limits for compute capability ${product.computeCapability}`);
      continue;
    }
    for (const name of Object.keys(product.figures)) {
      if (capability.figures[name]) found.push(`${product.id}.${name}: repeats a figure of capability ${product.computeCapability}`);
    }
    found.push(...lintAgreement(product, capability));
    for (const name of [product.id, ...product.aliases]) {
      const other = names.get(name.toLowerCase());
      if (other) found.push(`${product.id}: the name ${name} is also ${other}'s`);
      names.set(name.toLowerCase(), product.id);
    }
  }
  const reference = all.products.find((p) => p.id === all.reference);
  for (const name of figureNames) {
    if (figureDefinitions[name].level === "behaviour" && !reference?.figures[name]) found.push(`${all.reference}: ${name} is missing`);
  }
  return found;
}
