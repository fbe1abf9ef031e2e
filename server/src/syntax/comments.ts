/** A comment; one that nothing closes goes to the end of the text. */
const comment = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const commentOrBreak = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[;{}]/g;

/** The text with a blank for every comment; strings are not looked for. */
export const withoutComments = (text: string): string => text.replace(comment, " ");

/** Where statements end and braces stand, outside of comments: rising offsets. */
export const breaksIn = (text: string): readonly number[] =>
  [...text.matchAll(commentOrBreak)].flatMap(({ 0: found, index }) => (found.length === 1 ? [index] : []));
