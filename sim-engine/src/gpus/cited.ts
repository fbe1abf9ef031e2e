/** Where models' figures come from. Loaded when it is asked for: it is as large as the rest of the engine, and only shown. */

import type { Source } from "../figures/figure.ts";
import { userFigure, userSource } from "./custom.ts";
import type { FigureName } from "./figures.ts";
import type { Figure, GpuData } from "./files.ts";
import { behaviourNames, type GpuModel } from "./model.ts";

export type CitedFigures = Readonly<Partial<Record<FigureName, Figure>>>;

export interface Citations {
  /** By key. */
  readonly sources: Readonly<Record<string, Source>>;
  /** A model's figures with unit, basis and source; of a user's own GPU those it extends, and the user's. */
  figuresOf(gpu: GpuModel): CitedFigures;
}

export async function loadCitations(): Promise<Citations> {
  const { data } = await import("./data.ts");
  const assumed = assumedFigures(data);
  return {
    sources: { ...data.sources, [userSource]: { title: "warplens.json", author: "the project" } },
    figuresOf({ id, computeCapability, values, own }) {
      const product = data.products.find((p) => p.id === (own?.extends ?? id));
      const capability = data.capabilities.find((c) => c.computeCapability === computeCapability);
      const users = (own?.figures ?? []).map((name) => [name, userFigure(name, values[name] ?? 0)]);
      return { ...assumed, ...capability?.figures, ...product?.figures, ...Object.fromEntries(users) };
    },
  };
}

/** The figures a product lacks because nobody states them, as its reference has them. */
function assumedFigures({ products, reference }: GpuData): CitedFigures {
  const from = products.find((p) => p.id === reference);
  return Object.fromEntries(
    behaviourNames.flatMap((name) => {
      const figure = from?.figures[name];
      return figure ? [[name, { ...figure, basis: "assumed" as const, at: `as on the ${from?.name}: ${figure.at}` }]] : [];
    }),
  );
}
