/** Paths that lead into a repository through links, and the places in it that they lead to, by which a revision knows its files. */
import path from "node:path";
import { leadsTo } from "../../files.ts";
import { isIn } from "../names.ts";

/** Absolute, `/` separated. */
interface Link {
  readonly from: string;
  readonly to: string;
}

export class LinkedPaths {
  /** Where the paths lead; those that go through no link are as they were. */
  readonly places: readonly string[];
  /** Those that are looked at first are the longest. */
  readonly #links: readonly Link[];

  /**
   * @param root the repository's
   * @param paths absolute, `/` separated
   */
  constructor(root: string, paths: readonly string[]) {
    const real = leadsTo(root);
    const placeOf = (file: string): string => {
      const leads = leadsTo(file);
      return isIn(real, leads) ? `${root}${leads.slice(real.length)}` : leads;
    };
    this.places = paths.map(placeOf);
    const links = paths.flatMap((from, index) => {
      const to = this.places[index] ?? from;
      return from === to ? [] : [outermost({ from, to }, placeOf)];
    });
    this.#links = links.sort((a, b) => b.from.length - a.from.length);
  }

  /** Where a file that was found by one of the paths is, or one beside it that it includes. */
  placeOf(file: string): string {
    const link = this.#links.find(({ from }) => isIn(from, file));
    return link ? link.to + file.slice(link.from.length) : file;
  }

  /** The names by which what is in a place may have been found. */
  namesOf(place: string): readonly string[] {
    return [place, ...this.#links.flatMap(({ from, to }) => (isIn(to, place) ? from + place.slice(to.length) : []))];
  }
}

/** The folder of a path that is the link: what lies beside the path is reached through it, too. */
function outermost(link: Link, placeOf: (file: string) => string): Link {
  const above = { from: path.posix.dirname(link.from), to: path.posix.dirname(link.to) };
  const isBelow = path.posix.basename(link.from) === path.posix.basename(link.to) && placeOf(above.from) === above.to;
  return isBelow && above.from !== above.to ? outermost(above, placeOf) : link;
}
