/** The open texts and what holds for them, as they were told. */
import type { CompiledKernel } from "../nvcc/resources.ts";
import type { Configuration, TextEdit } from "./messages.ts";

export interface OpenText {
  readonly version: number;
  readonly text: string;
  readonly configuration?: Configuration;
  /** What a compiler made of this version. */
  readonly compiled: readonly CompiledKernel[];
}

/** @param edits each in the text that those before it made */
export const applyEdits = (text: string, edits: readonly TextEdit[]): string =>
  edits.reduce((before, { start, end, text: inserted }) => before.slice(0, start) + inserted + before.slice(end), text);
