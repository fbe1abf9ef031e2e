/** Multiples of it, less their whole parts, spread evenly from 0 to 1 however many there are. */
export const goldenRatio = (Math.sqrt(5) - 1) / 2;
