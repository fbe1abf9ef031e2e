/** What makes a figure wrong, whatever it is a figure of: no source, a unit that is not its own, no number. */
import type { Citation, Figure, FigureShape, Source } from "./figure.ts";

/** What figures may be based on and where they may be from. */
export interface Rules {
  readonly bases: readonly string[];
  readonly sources: Readonly<Record<string, Source>>;
}

/** Everything wrong with the figure that `where` calls `name`, one sentence each; `shape` is undefined where no figure has that name. */
export function* lintFigure(
  where: string,
  name: string,
  figure: Partial<Figure<string>>,
  shape: FigureShape | undefined,
  rules: Rules,
): Generator<string> {
  if (!shape) return yield `${where}: no figure is called ${name}`;
  const values = shape.list ? figure.value : [figure.value];
  if (!Array.isArray(values) || !values.every((v) => typeof v === "number" && Number.isFinite(v) && v >= 0))
    yield `${where}.${name}: value is not ${shape.list ? "a list of numbers" : "a number"}`;
  if (figure.unit !== shape.unit) yield `${where}.${name}: unit is ${figure.unit}, not ${shape.unit}`;
  yield* lintCitation(`${where}.${name}`, figure, rules);
}

/** Everything wrong with how `what` is cited. */
export function* lintCitation(
  what: string,
  { basis, source, at }: Partial<Citation<string>>,
  { bases, sources }: Rules,
): Generator<string> {
  if (!bases.includes(basis ?? "")) yield `${what}: basis is ${basis}, not one of ${bases.join(", ")}`;
  if (!source || !sources[source]) yield `${what}: source ${source ?? "missing"} is not among the sources`;
  if (!at) yield `${what}: does not say where in its source it stands`;
}

/** Sources that nothing cites. */
export function* lintSources(sources: Readonly<Record<string, Source>>, citations: readonly Citation<string>[]): Generator<string> {
  const cited = new Set(citations.map(({ source }) => source));
  for (const key of Object.keys(sources)) if (!cited.has(key)) yield `source ${key} is cited by nothing`;
}
