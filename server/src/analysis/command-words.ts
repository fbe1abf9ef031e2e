/** A command's words, as a shell would part them: quotes and backslashes. */
export function splitWords(command: string): string[] {
  const words = command.match(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? [];
  return words.map((word) =>
    word.replace(
      /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/g,
      (_, escaped?: string, double?: string, single?: string) => escaped ?? double?.replace(/\\(.)/g, "$1") ?? single ?? "",
    ),
  );
}
