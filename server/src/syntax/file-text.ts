/** What came of reading a file. */

/** A file that is there and is not read. */
export class NotRead {
  /** Why, in words that follow "it is not read: ". */
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Its text; why it is not read; undefined where there is no such file. */
export type FileText = string | NotRead | undefined;

export const sameText = (before: FileText, after: FileText): boolean =>
  before instanceof NotRead && after instanceof NotRead ? before.reason === after.reason : before === after;
