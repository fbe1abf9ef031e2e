/** Which launch of a later revision is which of an earlier one. */
import { groupBy } from "../../rules/support/group-by.ts";
import { launchTitle, type SitedLaunch } from "../launches.ts";

/** The same launch before and after; one of them is there. */
export interface Pair {
  readonly before?: SitedLaunch;
  readonly after?: SitedLaunch;
}

/**
 * Launches of one kernel in one file belong together: those of the same configuration first, then in order. Then those of which the
 * template arguments are others; then, where a kernel is only one, those that stand in another file.
 * @param renamed a path as it is afterwards
 */
export function paired(before: readonly SitedLaunch[], after: readonly SitedLaunch[], renamed: (path: string) => string): Pair[] {
  const partner = new Map<SitedLaunch, SitedLaunch>();
  const taken = new Set<SitedLaunch>();
  const join = (keyBefore: Key, keyAfter: Key, mayJoin: (these: number, those: number) => boolean = () => true): void => {
    const those = groupBy(
      before.filter((each) => !taken.has(each)),
      keyBefore,
    );
    const these = groupBy(
      after.filter((each) => !partner.has(each)),
      keyAfter,
    );
    for (const [key, group] of these) {
      const others = those.get(key) ?? [];
      if (!mayJoin(group.length, others.length)) continue;
      for (const [index, launch] of group.entries()) {
        const other = others[index];
        if (!other) break;
        partner.set(launch, other);
        taken.add(other);
      }
    }
  };
  const both = (key: (launch: SitedLaunch, path: string) => unknown): [Key, Key] => [
    (launch) => JSON.stringify(key(launch, renamed(launch.path))),
    (launch) => JSON.stringify(key(launch, launch.path)),
  ];
  join(...both(({ report }, path) => [path, launchTitle(report), report.grid, report.block, report.dynamicSharedBytes]));
  join(...both(({ report }, path) => [path, launchTitle(report)]));
  join(...both(({ report }, path) => [path, report.kernel]));
  join(...both(({ report }) => launchTitle(report)), (these, those) => these === 1 && those === 1);
  return [
    ...after.map((launch): Pair => {
      const other = partner.get(launch);
      return other ? { before: other, after: launch } : { after: launch };
    }),
    ...before.filter((launch) => !taken.has(launch)).map((launch) => ({ before: launch })),
  ];
}

type Key = (launch: SitedLaunch) => string;
