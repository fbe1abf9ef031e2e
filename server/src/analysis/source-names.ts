/** Whether a file of this name is compiled by itself: such files make up a program, with what they include. */
export const isSource = (name: string): boolean => /\.(?:cu|cpp|cc|cxx|c)$/i.test(name);
