/** Carries places of one text over to an edited one, so that what is shown stays put until new results arrive. */

export type Carry = <Place extends { readonly start: number; readonly end: number }>(place: Place) => Place | undefined;

/**
 * @returns a function that moves a place behind the edit, keeps one before it, and gives undefined for one the edit touched.
 * The edit is what lies between the longest common prefix and suffix.
 */
export function carryOver(before: string, after: string): Carry {
  if (before === after) return (place) => place;
  const shorter = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < shorter && before.charCodeAt(prefix) === after.charCodeAt(prefix)) prefix++;
  let suffix = 0;
  while (suffix < shorter - prefix && before.charCodeAt(before.length - 1 - suffix) === after.charCodeAt(after.length - 1 - suffix))
    suffix++;
  const editEnd = before.length - suffix;
  const delta = after.length - before.length;
  return (place) => {
    if (place.end <= prefix) return place;
    if (place.start >= editEnd) return { ...place, start: place.start + delta, end: place.end + delta };
    return undefined;
  };
}
