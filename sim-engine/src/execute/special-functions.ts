/** Functions of C's <math.h> and CUDA's that JavaScript lacks, to about single precision or better. */

/** Error function: Abramowitz and Stegun 7.1.5 (series) near zero, 7.1.14 (continued fraction) beyond. */
export const erf = (x: number): number => (Math.abs(x) < 2 ? erfSeries(x) : Math.sign(x) * (1 - erfc(Math.abs(x))));

function erfSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let k = 1; k < 60 && Math.abs(term) > 1e-17 * Math.abs(sum); k++) {
    term *= (-x * x) / k;
    sum += term / (2 * k + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

export const erfc = (x: number): number => (x < 2 ? 1 - erf(x) : Math.exp(-x * x) * erfcx(x));

/** exp(x²) erfc(x). */
export function erfcx(x: number): number {
  if (x < 2) return Math.exp(x * x) * (1 - erf(x));
  let fraction = x;
  for (let k = 60; k > 0; k--) fraction = x + k / 2 / fraction;
  return 1 / (Math.sqrt(Math.PI) * fraction);
}

/** Inverse of erf: Giles' approximation, then two steps of Newton's method. */
export function erfinv(y: number): number {
  if (Math.abs(y) >= 1) return Math.abs(y) > 1 ? Number.NaN : y * Number.POSITIVE_INFINITY;
  const a = 0.147;
  const log = Math.log(1 - y * y);
  const part = 2 / (Math.PI * a) + log / 2;
  let x = Math.sign(y) * Math.sqrt(Math.sqrt(part * part - log / a) - part);
  for (let k = 0; k < 3 && x !== 0; k++) x -= (erf(x) - y) / ((2 / Math.sqrt(Math.PI)) * Math.exp(-x * x));
  return x;
}

const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** Lanczos' approximation. */
export function tgamma(x: number): number {
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * tgamma(1 - x));
  const t = x + 6.5;
  const sum = lanczos.reduce((total, each, k) => total + (k === 0 ? each : each / (x - 1 + k)), 0);
  return Math.sqrt(2 * Math.PI) * t ** (x - 0.5) * Math.exp(-t) * sum;
}

export function lgamma(x: number): number {
  if (x < 0.5) return Math.log(Math.abs(Math.PI / Math.sin(Math.PI * x))) - lgamma(1 - x);
  const t = x + 6.5;
  const sum = lanczos.reduce((total, each, k) => total + (k === 0 ? each : each / (x - 1 + k)), 0);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Bessel functions of the first kind by their integral, which the trapezoidal rule sums exactly but for rounding. */
export function besselJ(order: 0 | 1, x: number): number {
  const steps = 64 + Math.ceil(Math.abs(x));
  let sum = 0;
  for (let k = 0; k < steps; k++) {
    const angle = (Math.PI * (k + 0.5)) / steps;
    sum += Math.cos(order * angle - x * Math.sin(angle));
  }
  return sum / steps;
}

/** Bessel functions of the second kind by Hankel's asymptotic expansion above 8, and Neumann's series below. */
export function besselY(order: 0 | 1, x: number): number {
  if (x <= 0) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x > 8) {
    const mu = 4 * order;
    let p = 1;
    let q = 0;
    let term = 1;
    for (let k = 1; k < 12; k++) {
      term *= (mu - (2 * k - 1) ** 2) / (k * 8 * x);
      if (k % 2) q += k % 4 === 1 ? term : -term;
      else p += k % 4 === 2 ? -term : term;
    }
    const angle = x - (order / 2 + 0.25) * Math.PI;
    return Math.sqrt(2 / (Math.PI * x)) * (p * Math.sin(angle) + q * Math.cos(angle));
  }
  const euler = 0.5772156649015329;
  let sum = 0;
  let power = 1;
  let harmonic = 0;
  if (order === 0) {
    for (let k = 1; k < 40; k++) {
      power *= -(x * x) / 4 / (k * k);
      harmonic += 1 / k;
      sum -= harmonic * power;
    }
    return (2 / Math.PI) * ((Math.log(x / 2) + euler) * besselJ(0, x) + sum);
  }
  power = x / 2;
  for (let k = 0; k < 40; k++) {
    if (k > 0) {
      power *= -(x * x) / 4 / (k * (k + 1));
      harmonic += 1 / k;
    }
    sum += power * (2 * harmonic + 1 / (k + 1) - 2 * euler);
  }
  return (2 / Math.PI) * Math.log(x / 2) * besselJ(1, x) - 2 / (Math.PI * x) - sum / Math.PI;
}
