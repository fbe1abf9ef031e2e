/** Threads that cannot go on: why, and at which operation. */
import type { Span } from "../ir/kernel.ts";

export class Stopped extends Error {
  /** Of the operation. */
  readonly span: Span;

  constructor(reason: string, span: Span) {
    super(reason);
    this.span = span;
  }
}
