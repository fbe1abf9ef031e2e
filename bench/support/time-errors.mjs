/** The error bar of times, from how far the launches measured are off. */

/** Share of launches that are to lie within their bar. */
const share = 0.8;
/** A class of which fewer were measured has the error of all, if that is larger. */
const enough = 20;

/** The error that a share of so many does not exceed, with one more that is not known. */
function bound(errors) {
  const sorted = errors.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.ceil((sorted.length + 1) * share), sorted.length) - 1] ?? 0;
}

/** By class: of its own launches; `wider` times that. */
function barsOf(launches, wider, classes) {
  const all = bound(launches.map(({ error }) => error));
  const entries = classes.map((name) => {
    const own = launches.filter((launch) => launch.name === name).map(({ error }) => error);
    const error = own.length < enough ? Math.max(all, bound(own)) : bound(own);
    return [name, { launches: own.length, error: wider * error }];
  });
  return Object.fromEntries(entries);
}

/** Share of launches within the bar that others give them. */
export function heldBy(others, launches, wider, classes) {
  const errors = barsOf(others, wider, classes);
  return launches.filter(({ name, error }) => error <= errors[name].error).length / launches.length;
}

/**
 * @param groups lists of `{name, error}`: the class and |ln(simulated / measured)| of each launch with the right configuration; the launches
 * of one program, on whatever GPU, are in one group
 * @returns `{wider, classes}`: the least factor with which the bars that the other groups give hold for four of five launches; errors as
 * ratios less 1
 */
export function learn(groups, classes) {
  const full = groups.filter((group) => group.length > 0);
  const all = full.flat();
  const held = (wider) =>
    full.reduce((sum, group) => {
      const others = full.filter((other) => other !== group).flat();
      return sum + heldBy(others, group, wider, classes) * group.length;
    }, 0) / all.length;
  let wider = 1;
  while (full.length > 1 && held(wider) < share && wider < 4) wider = Math.round(20 * wider + 1) / 20;
  const rounded = Object.entries(barsOf(all, wider, classes)).map(([name, { launches, error }]) => [
    name,
    { launches, error: Math.ceil(100 * Math.expm1(error)) / 100 },
  ]);
  return { wider, classes: Object.fromEntries(rounded) };
}
