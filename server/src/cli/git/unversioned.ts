/** What stands in a working tree, or is asked for together with it, and is in no revision of its repository whatever has become of it. */
import { isIn } from "../names.ts";
import type { Repository } from "./repository.ts";

export interface Unversioned {
  /** The whole that is none of the repository's, absolute; absent for what lies outside of it. */
  readonly place?: string;
  readonly reason: string;
}

/**
 * Why a file cannot be compared with a revision; undefined for one that can, as it is there or is new.
 * @param has whether the revision has a file
 */
export function unversionedIn(repository: Repository, has: (file: string) => boolean): (file: string) => Unversioned | undefined {
  const { root } = repository;
  /** By place. Asked for once something needs it: a clean tree does not. */
  let reasons: ReadonlyMap<string, string> | undefined;
  const load = (): ReadonlyMap<string, string> => {
    const of = (names: readonly string[], reason: string) => names.map((name) => [`${root}/${name.replace(/\/$/, "")}`, reason] as const);
    return new Map([...of(repository.ignored(), "git ignores it"), ...of(repository.others(), "it is a repository of its own")]);
  };
  return (file) => {
    if (!isIn(root, file)) return { reason: `it is not in the repository ${root}` };
    if (has(file)) return undefined;
    reasons ??= load();
    for (let end = file.length; end > root.length; end = file.lastIndexOf("/", end - 1)) {
      const place = file.slice(0, end);
      const reason = reasons.get(place);
      if (reason !== undefined) return { place, reason };
    }
    return undefined;
  };
}
