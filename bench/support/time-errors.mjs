/** The error bar of times, from how far the launches measured are off. */

/** Share of launches that are to lie within their bar. */
const share = 0.8;
/** Share of a set within the bar that the other sets give it: more, as the model was mended while looking at all of them. */
const shareOfSets = 0.82;
/** A class of which fewer were measured has the error of all, if that is larger. */
const enough = 20;

/** The error that a share of so many does not exceed, with one more that is not known. */
function bound(errors) {
  const sorted = errors.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.ceil((sorted.length + 1) * share), sorted.length) - 1] ?? 0;
}

/** By class: of its own launches; `wider` times that, as those the model was made on are nearer than others will be. */
function barsOf(launches, wider, classes) {
  const all = bound(launches.map(({ error }) => error));
  const entries = classes.map((name) => {
    const own = launches.filter((launch) => launch.name === name).map(({ error }) => error);
    const error = own.length < enough ? Math.max(all, bound(own)) : bound(own);
    return [name, { launches: own.length, error: wider * error }];
  });
  return Object.fromEntries(entries);
}

/** Share of launches within the bar. */
const coverage = (launches, errors) => launches.filter(({ name, error }) => error <= errors[name].error).length / launches.length;

/**
 * @param sets lists of `{name, error}`: the class and |ln(simulated / measured)| of each launch with the right configuration
 * @returns `{wider, classes}`: the least factor with which each set lies within the bar that the others give it; errors as ratios less 1
 */
export function learn(sets, classes) {
  const full = sets.filter((set) => set.length > 0);
  const isHeld = (wider) =>
    full.every((set) => {
      // Of a handful of launches no share can be told.
      if (set.length < enough) return true;
      const others = full.filter((other) => other !== set).flat();
      return others.length === 0 || coverage(set, barsOf(others, wider, classes)) >= shareOfSets;
    });
  let wider = 1;
  while (!isHeld(wider) && wider < 4) wider = Math.round(20 * wider + 1) / 20;
  const rounded = Object.entries(barsOf(full.flat(), wider, classes)).map(([name, { launches, error }]) => [
    name,
    { launches, error: Math.ceil(100 * Math.expm1(error)) / 100 },
  ]);
  return { wider, classes: Object.fromEntries(rounded) };
}
