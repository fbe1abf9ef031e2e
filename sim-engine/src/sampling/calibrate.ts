/** Weights of a few items that are to stand for many. */

export interface Weighed {
  readonly weight: number;
  /** What is known of the many on average, of this item. */
  readonly issued: number;
}

const rounds = 50;

/**
 * The weights nearest to those given (in relative entropy) with which `issued` has the mean `target`: each times e^(k issued), one k
 * for all. Where `target` lies outside what the items have, the mean comes as near to it as a few hundredfold change of weights brings it.
 */
export function calibrated(items: readonly Weighed[], target: number): number[] {
  const most = Math.max(...items.map(({ issued }) => issued));
  const least = Math.min(...items.map(({ issued }) => issued));
  if (!(most > least)) return items.map(({ weight }) => weight);
  const tilted = (k: number): number[] =>
    items.map(({ weight, issued }) => weight * Math.exp(k * ((issued - least) / (most - least) - 0.5)));
  const mean = (weights: readonly number[]): number =>
    items.reduce((sum, { issued }, i) => sum + issued * weights[i]!, 0) / weights.reduce((sum, weight) => sum + weight, 0);
  let [low, high] = [-steepest, steepest];
  for (let round = 0; round < rounds; round++) {
    const middle = (low + high) / 2;
    if (mean(tilted(middle)) < target) low = middle;
    else high = middle;
  }
  return tilted((low + high) / 2);
}

/** Bounds how far the weights of two items are driven apart: e^6. */
const steepest = 6;
