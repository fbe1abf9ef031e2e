/** What stands for turns that were not run, told by requests in a log. */
import type { LoggedRepeat } from "../cache/index.ts";
import type { RecordedRepeat } from "../execute/record.ts";

/**
 * A warp's repeats, told by its requests in the log: those of no request are left out.
 * @param requests of the warp, in order, by their number in the log
 * @param entries by request of the log, the entry of its warp's record that made it
 */
export function loggedRepeats(repeats: readonly RecordedRepeat[], requests: readonly number[], entries: readonly number[]): LoggedRepeat[] {
  return repeats.flatMap(({ from, to, times, round }) => {
    const first = requests.findIndex((r) => entries[r]! >= from);
    const last = requests.findLastIndex((r) => entries[r]! < to);
    if (first < 0 || last < first || times <= 1) return [];
    const ofRound = round === undefined ? -1 : requests.findIndex((r) => entries[r]! >= round);
    const middle = ofRound >= first && ofRound <= last ? ofRound : Math.ceil((first + last) / 2);
    return [{ middle: requests[middle]!, to: requests[last]!, times, share: (last - middle + 1) / (last - first + 1) }];
  });
}
