/**
 * A document that the analysis could not do: it failed on it, or had to be ended because of it. A failure would come again, so the
 * document is set aside until its text, its settings or other files change. Where the analysis was ended it is asked once more,
 * since a machine may have been busy; but a document on which it was ended before has used that up, until it is answered again.
 */
import { type Diagnostic, DiagnosticSeverity } from "vscode-languageserver";
import type { AnalysisError } from "../worker/messages.ts";
import type { Does } from "./queue.ts";
import { tooLarge } from "./told-texts.ts";

/** How often in a row the analysis may be ended by one document. */
const mostEnds = 2;

export interface SetAside {
  readonly does: Does;
  /** A sentence. */
  readonly why: string;
}

/** One document's. */
export class Attempts {
  /** In a row. */
  readonly #ends: Record<Does, number> = { find: 0, settle: 0, simulate: 0 };
  #setAside: SetAside | undefined;
  #isTold = false;

  /** @param text of the document */
  constructor(text: string) {
    this.changed(text);
  }

  get setAside(): SetAside | undefined {
    return this.#setAside;
  }

  /** Whether it is of use to ask. What cannot be read cannot be simulated. */
  allows(does: Does): boolean {
    return this.#setAside === undefined || (this.#setAside.does !== "find" && does === "find");
  }

  /** Whether the user has not been told since the document was answered last; asked by whoever tells. */
  isNews(): boolean {
    const isNews = !this.#isTold;
    this.#isTold = true;
    return isNews;
  }

  answered(does: Does): void {
    this.#ends[does] = 0;
    this.#isTold = false;
    if (this.#setAside?.does === does) this.#setAside = undefined;
  }

  /**
   * @param isPresent it is about the present text
   * @returns whether it is asked once more
   */
  failed(does: Does, error: AnalysisError, isPresent: boolean): boolean {
    if (error.isEnd) this.#ends[does]++;
    if (!isPresent || (error.isEnd && this.#ends[does] < mostEnds)) return true;
    const what = does === "simulate" ? "simulated" : "analysed";
    const why = error.isEnd ? `the analysis was ended ${this.#ends[does]} times in a row, ${error.message}` : error.message;
    this.#setAside = { does, why: `This file could not be ${what}: ${why}. WarpLens tries again when it changes.` };
    return false;
  }

  /** The text, the settings or other files have changed. @param text as it is now */
  changed(text: string): void {
    const why = tooLarge(text);
    this.#setAside = why === undefined ? undefined : { does: "find", why: `This file is not analysed: ${why}.` };
  }
}

/** At the beginning of the file, since it is about all of it. */
export const setAsideDiagnostic = ({ why }: SetAside): Diagnostic => ({
  source: "warplens",
  severity: DiagnosticSeverity.Warning,
  message: why,
  range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
});
