/** Where a model's figures come from. Apart from the models: it is as large as the rest of the engine, and only shown. */

import { userFigure, userSource } from "./custom.ts";
import { data } from "./data.ts";
import type { FigureName } from "./figures.ts";
import type { Figure, ProductFile, Source } from "./files.ts";
import { behaviourNames, type GpuModel } from "./model.ts";

export type CitedFigures = Readonly<Partial<Record<FigureName, Figure>>>;

/** The sources figures cite, by key. */
export const citedSources = (): Readonly<Record<string, Source>> => ({
  ...data.sources,
  [userSource]: { title: "warplens.json", author: "the project" },
});

/** The figures a product lacks because nobody states them, as its reference has them. */
function assumedOf(reference: ProductFile): CitedFigures {
  return Object.fromEntries(
    behaviourNames.flatMap((name) => {
      const figure = reference.figures[name];
      return figure ? [[name, { ...figure, basis: "assumed" as const, at: `as on the ${reference.name}: ${figure.at}` }]] : [];
    }),
  );
}

/** A model's figures with unit, basis and source; of a user's own GPU those it extends, and the user's. */
export function citedFigures({ id, computeCapability, values, own }: GpuModel): CitedFigures {
  const product = data.products.find((p) => p.id === (own?.extends ?? id));
  const capability = data.capabilities.find((c) => c.computeCapability === computeCapability);
  const reference = data.products.find((p) => p.id === data.reference);
  if (!product || !capability || !reference) return {};
  const users = (own?.figures ?? []).map((name) => [name, userFigure(name, values[name] ?? 0)]);
  return { ...assumedOf(reference), ...capability.figures, ...product.figures, ...Object.fromEntries(users) };
}
