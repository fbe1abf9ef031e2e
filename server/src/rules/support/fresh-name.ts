/** A name for a new variable: the first of some that a text does not mention, else the first of them with a number. */
export function freshName(text: string, [first = "value", ...others]: readonly string[]): string {
  const isFree = (name: string): boolean => !new RegExp(`\\b${name}\\b`).test(text);
  for (const name of [first, ...others]) if (isFree(name)) return name;
  let number = 2;
  while (!isFree(`${first}${number}`)) number++;
  return `${first}${number}`;
}
