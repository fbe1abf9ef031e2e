/** A share of what may be nothing at all. */
export const ratio = (part: number, whole: number, otherwise: number): number => (whole > 0 ? part / whole : otherwise);
