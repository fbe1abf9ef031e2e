/** Template arguments as a source, a compiler and a profiler write them. */

/** `(int)4`, `4u` and `4` are one, as `unsigned` and `unsigned int`, and whatever blanks stand between. */
const squeeze = (text: string): string =>
  text
    .replaceAll(/\((?:unsigned |signed )?(?:bool|char|short|int|long|long long|unsigned)\)(?=-?\d)/g, "")
    .replaceAll(/\b(\d+)(?:u|l|ul|ll|ull)\b/gi, "$1")
    .replaceAll(/\bunsigned(?! (?:int|char|short|long))/g, "unsigned int")
    .replaceAll(/\s+/g, "");

/** What lists of template arguments of one instance have in common, and no other has. */
export const instanceKey = (templateArguments: readonly string[]): string => JSON.stringify(templateArguments.map(squeeze));

/** Whether two lists of template arguments are of one instance. */
export const isSameInstance = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, index) => squeeze(text) === squeeze(other[index] ?? ""));
