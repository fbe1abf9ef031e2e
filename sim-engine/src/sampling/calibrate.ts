/** Weights of a few items that are to stand for many. */

export interface Weighed {
  readonly weight: number;
  /** What is known of the many on average, of this item: as many numbers as there are targets. */
  readonly amounts: readonly number[];
}

/** Bounds how far the weights of two items are driven apart by one amount: e^6. */
const steepest = 6;
/** How far off a target may be, as a share of what the items' amounts span, for each factor e that weights change by. */
const tolerance = 1e-4;
/** Rounds over all amounts, and halvings of the interval a factor is sought in. */
const rounds = 60;
const halvings = 40;

/**
 * The weights nearest to those given (in relative entropy) with which the items' amounts have the means `targets`: each times e^(Σ kᵢ amountᵢ),
 * the kᵢ for all alike. Where targets lie outside what the items have, the means come as near to them as a few hundredfold change of
 * weights brings them; where they contradict each other, those that come first are met.
 */
export function calibrated(items: readonly Weighed[], targets: readonly number[]): number[] {
  const spans = targets.flatMap((target, k) => {
    const amounts = items.map((item) => item.amounts[k]!);
    const [least, most] = [Math.min(...amounts), Math.max(...amounts)];
    return most > least
      ? [{ shares: amounts.map((amount) => (amount - least) / (most - least)), target: (target - least) / (most - least) }]
      : [];
  });
  const weights = items.map(({ weight }) => weight);
  const factors = spans.map(() => 0);
  for (let round = 0; round < rounds; round++) {
    let moved = 0;
    for (const [k, { shares, target }] of spans.entries()) {
      // The mean grows with the factor, so that there is one at which it is met.
      const off = (by: number): number => {
        let [sum, mean] = [0, 0];
        for (const [i, share] of shares.entries()) {
          const weight = weights[i]! * Math.exp(by * share);
          sum += weight;
          mean += weight * share;
        }
        return mean / sum - target + tolerance * (factors[k]! + by);
      };
      let [low, high] = [-steepest - factors[k]!, steepest - factors[k]!];
      for (let halving = 0; halving < halvings; halving++) {
        const middle = (low + high) / 2;
        if (off(middle) < 0) low = middle;
        else high = middle;
      }
      const by = (low + high) / 2;
      for (const [i, share] of shares.entries()) weights[i]! *= Math.exp(by * (share - 0.5));
      factors[k]! += by;
      moved = Math.max(moved, Math.abs(by));
    }
    if (spans.length < 2 || moved < tolerance) break;
  }
  return weights;
}
