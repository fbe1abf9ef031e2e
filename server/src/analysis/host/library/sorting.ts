/** `std::sort` as libstdc++ does it, step by step: which of elements that compare equal comes first is its own business. */

type Before<T> = (a: T, b: T) => boolean;

/** Elements up to which a part is left to the insertion sort. */
const fewElements = 16;

/** Sorts in place. @returns false where it is not followed: it would go on with a heap */
export function sortAsLibrary<T>(all: T[], before: Before<T>): boolean {
  if (all.length < 2) return true;
  if (!sortRoughly(all, 0, all.length, 2 * Math.floor(Math.log2(all.length)), before)) return false;
  const few = Math.min(fewElements, all.length);
  for (let k = 1; k < few; k++) insert(all, k, 0, before);
  for (let k = few; k < all.length; k++) insert(all, k, -1, before);
  return true;
}

function sortRoughly<T>(all: T[], first: number, end: number, depth: number, before: Before<T>): boolean {
  let last = end;
  for (let left = depth; last - first > fewElements; left--) {
    if (left === 0) return false;
    medianToFirst(all, first, [first + 1, first + ((last - first) >> 1), last - 1], before);
    const cut = partition(all, first + 1, last, first, before);
    if (!sortRoughly(all, cut, last, left - 1, before)) return false;
    last = cut;
  }
  return true;
}

function swap<T>(all: T[], a: number, b: number): void {
  const value = all[a] as T;
  all[a] = all[b] as T;
  all[b] = value;
}

function medianToFirst<T>(all: T[], first: number, [a, b, c]: readonly [number, number, number], before: Before<T>): void {
  const is = (x: number, y: number): boolean => before(all[x] as T, all[y] as T);
  if (is(a, b)) swap(all, first, is(b, c) ? b : is(a, c) ? c : a);
  else swap(all, first, is(a, c) ? a : is(b, c) ? c : b);
}

/** A rule that is no order would lead out of the array: bounded, it only sorts wrongly. */
function partition<T>(all: T[], from: number, to: number, pivot: number, before: Before<T>): number {
  for (let [first, last] = [from, to]; ; first++) {
    while (first < to && before(all[first] as T, all[pivot] as T)) first++;
    last--;
    while (last > from && before(all[pivot] as T, all[last] as T)) last--;
    if (first >= last) return first;
    swap(all, first, last);
  }
}

/** Puts an element to its place among those before it. @param first where it is held against the first before all others; -1: not */
function insert<T>(all: T[], at: number, first: number, before: Before<T>): void {
  const value = all[at] as T;
  let place = at;
  if (first >= 0 && before(value, all[first] as T)) place = first;
  else while (place > 0 && before(value, all[place - 1] as T)) place--;
  all.copyWithin(place + 1, place, at);
  all[place] = value;
}
