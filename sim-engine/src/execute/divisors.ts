/** Common divisors and multiples of distances; of what is NaN, NaN. */

export function gcd(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  let x = Math.abs(a);
  let y = Math.abs(b);
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

export const lcm = (a: number, b: number): number => (a / gcd(a, b)) * b;
