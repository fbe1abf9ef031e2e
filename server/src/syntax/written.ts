import type { PlacedItem } from "./placed-reading.ts";
import { inCommon } from "./preprocess/preprocess.ts";
import type { Preprocessed } from "./reading.ts";

/** Tells of items of a reading, where they stand in the next one, whether they are written as they were: see `Preprocessed.written`. */
export function writtenAsBefore(before: Preprocessed, after: Preprocessed): (placed: PlacedItem) => boolean {
  const common = inCommon(before, after);
  const tail = after.text.length - (common?.tail ?? 0);
  // What was not even read again needs no comparing: that is nearly all of a long file.
  return ({ item, from, to }) => (common !== undefined && (to <= common.head || from >= tail)) || item.written === after.written(from, to);
}
