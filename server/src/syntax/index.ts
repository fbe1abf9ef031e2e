import { stage } from "../trace.ts";
import type { TranslationUnit } from "./ast.ts";
import { convert } from "./convert/convert.ts";
import { mend } from "./mend.ts";
import type { Parser } from "./parser/parser.ts";
import type { Reading } from "./reading.ts";
import { repairs } from "./repair.ts";
import { comparisonsReadAsTemplates } from "./reread.ts";

export type { Parser } from "./parser/parser.ts";
export { loadWasmParser, type WasmAssets } from "./parser/wasm.ts";
export { read } from "./preprocess/preprocess.ts";
export type { FileHost, ReadOptions } from "./preprocess/types.ts";

/** A file as read and parsed. */
export interface ParsedDocument {
  readonly reading: Reading;
  readonly unit: TranslationUnit;
}

/** Parses a reading; incrementally, where the same file was parsed before. Undefined only when cancelled. */
export function parse(parser: Parser, reading: Reading, cancelled?: () => boolean): ParsedDocument | undefined {
  const { text, annotations } = stage("mend", () => mend(reading.text));
  const key = reading.files[0];
  const root = stage("parse", () =>
    parser.parse(text, {
      ...(key !== undefined && { key }),
      ...(cancelled && { cancelled }),
      repairs,
      reread: comparisonsReadAsTemplates,
    }),
  );
  if (!root) return undefined;
  const parseSnippet = (snippet: string) => parser.parse(snippet);
  return { reading, unit: stage("convert", () => convert({ root, text: reading.text, annotations, parseSnippet })) };
}
