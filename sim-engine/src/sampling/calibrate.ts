/** Weights of a few items that are to stand for many. */

export interface Weighed {
  readonly weight: number;
  /** What is known of the many on average, of this item: as many numbers as there are targets. */
  readonly amounts: readonly number[];
}

/** Bounds how far the weights of two items are driven apart by one amount: e^6. */
const steepest = 6;
/** Of what the items' amounts span: how far off a mean may be for each factor e that weights change by. */
const tolerance = 1e-4;
/** Relatively: what items differ by that are taken to be alike, and how far off the means may be for weights to be left as they are. Assumed (DEVIATIONS.md). */
const alike = 0.01;
const met = 1e-3;
/** Rounds over all amounts, and halvings of the interval a factor is sought in. */
const rounds = 60;
const halvings = 40;

/** One amount of the items, and its target, in shares of what it spans. */
interface Span {
  readonly shares: readonly number[];
  readonly target: number;
}

/**
 * The weights nearest to those given (in relative entropy) with which the items' amounts have the means `targets`: each times e^(Σ kᵢ amountᵢ),
 * the kᵢ for all alike. Where targets lie outside what the items have, the means come as near to them as a few hundredfold change of
 * weights for each amount brings them; where they contradict each other, the first is met.
 */
export function calibrated(items: readonly Weighed[], targets: readonly number[]): number[] {
  const weights = items.map(({ weight }) => weight);
  const meanOf = (amounts: readonly number[]): number =>
    amounts.reduce((sum, amount, i) => sum + amount * weights[i]!, 0) / weights.reduce((sum, weight) => sum + weight, 0);
  const amounts = targets.map((_, k) => items.map((item) => item.amounts[k]!));
  if (targets.every((target, k) => Math.abs(meanOf(amounts[k]!) - target) <= met * target)) return weights;
  const spans = targets.map((target, k): Span | undefined => {
    const [least, most] = [Math.min(...amounts[k]!), Math.max(...amounts[k]!)];
    const shareOf = (amount: number): number => (amount - least) / (most - least);
    return most - least > alike * target ? { shares: amounts[k]!.map(shareOf), target: shareOf(target) } : undefined;
  });
  const factors = targets.map(() => 0);
  // The first is sought last each time, and has the last word.
  const turns = [...spans.entries()].flatMap(([k, span]) => (span ? [{ k, span }] : [])).reverse();
  for (let round = 0; round < rounds; round++) {
    let moved = 0;
    for (const { k, span } of turns) {
      const by = factorFor(weights, span, factors[k]!);
      factors[k]! += by;
      moved = Math.max(moved, Math.abs(by));
    }
    if (turns.length < 2 || moved < tolerance) break;
  }
  const [first] = spans;
  if (turns.length > 1 && first && first.target > 0 && first.target < 1) factorFor(weights, first, 0);
  return weights;
}

/** Changes weights so that an amount has its mean, by a factor that was changed by `before` already; what it is changed by. */
function factorFor(weights: number[], { shares, target }: Span, before: number): number {
  // The mean grows with the factor, so that there is one at which it is met.
  const off = (by: number): number => {
    let [sum, mean] = [0, 0];
    for (const [i, share] of shares.entries()) {
      const weight = weights[i]! * Math.exp(by * share);
      sum += weight;
      mean += weight * share;
    }
    return mean / sum - target + tolerance * (before + by);
  };
  let [low, high] = [-steepest - before, steepest - before];
  for (let halving = 0; halving < halvings; halving++) {
    const middle = (low + high) / 2;
    if (off(middle) < 0) low = middle;
    else high = middle;
  }
  const by = (low + high) / 2;
  for (const [i, share] of shares.entries()) weights[i]! *= Math.exp(by * (share - 0.5));
  return by;
}
