/** A number and where it is from: what the data files of GPUs and compilers have in common. */

/** What something is known by. */
export interface Citation<Basis extends string> {
  readonly basis: Basis;
  /** Key of the sources. */
  readonly source: string;
  /** Where in the source: a section, a table, a row. */
  readonly at: string;
}

export interface Figure<Basis extends string> extends Citation<Basis> {
  readonly value: number | readonly number[];
  readonly unit: string;
}

export interface Source {
  readonly title: string;
  readonly author: string;
  readonly url?: string;
  readonly date?: string;
}

/** What a figure of a name must be. */
export interface FigureShape {
  readonly unit: string;
  readonly list: boolean;
}
