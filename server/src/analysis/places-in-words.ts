/**
 * Places within sentences. What is known of host code stands while lines move above it, so a sentence that names a line holds a mark
 * in its place, which becomes words when the sentence is shown.
 */

const open = "\u{e000}";
const between = "\u{e001}";
const close = "\u{e002}";
const marks = /\u{e000}([^\u{e000}\u{e001}]*)\u{e001}(\d+)\u{e002}/gu;

/** Stands for where a node of a file stands. */
export const placeMark = (path: string, start: number): string => `${open}${path}${between}${start}${close}`;

/** The sentence with words for its marks. */
export const withPlaces = (sentence: string, wordsFor: (path: string, start: number) => string): string =>
  sentence.includes(open) ? sentence.replace(marks, (_, path: string, start: string) => wordsFor(path, Number(start))) : sentence;
