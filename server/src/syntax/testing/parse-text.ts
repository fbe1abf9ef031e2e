import type { TranslationUnit } from "../ast.ts";
import { FileParser, loadWasmParser, type ParsedFile, type Parser, type ReadOptions, read } from "../index.ts";
import { installedAssets } from "../parser/installed.ts";
import { print } from "../print.ts";

/** One parser for all the tests of a file. */
export const testParser: Promise<Parser> = loadWasmParser(installedAssets());

/** Reads and parses a text, with other files by path. */
export async function parseText(
  text: string,
  files: Readonly<Record<string, string>> = {},
  options: Partial<ReadOptions> = {},
): Promise<ParsedFile> {
  const preprocessed = read("/src/a.cu", text, { read: (path) => files[path] }, { computeCapability: 90, ...options });
  const parsed = new FileParser(await testParser).parse(preprocessed);
  if (!parsed) throw new Error("cancelled, though nobody asked");
  return parsed;
}

/** The unit's declarations, printed; errors and all. */
export async function printed(text: string): Promise<string> {
  const { unit } = await parseText(text);
  return printUnit(unit);
}

export const printUnit = (unit: TranslationUnit): string =>
  [...unit.declarations.map(print), ...unit.errors.map(({ start, end }) => `ERROR ${start}-${end}`)].join("\n");

/** A function's only statement, printed. */
export async function printedStatement(text: string): Promise<string> {
  const { unit } = await parseText(`void f() { ${text} }`);
  const [only] = unit.declarations;
  if (only?.kind !== "function" || !only.body || unit.errors.length) return printUnit(unit);
  return only.body.body.map(print).join(" ");
}
