/**
 * Parser and analysis for the server in a browser. A script of its own, which the server loads once it has been told from where:
 * together they would be too large. The bundle is the global `warplensAnalysis`.
 */
import type { FileHost } from "./analysis/facts.ts";
import { useParser } from "./syntax/current-parser.ts";
import { loadWasmParser } from "./syntax/index.ts";
import { inlineWorker } from "./worker/inline.ts";
import type { FileWorker } from "./worker/job.ts";

export async function start(files: FileHost, grammar: { readonly runtime: Uint8Array; readonly grammar: Uint8Array }): Promise<FileWorker> {
  useParser(await loadWasmParser(grammar));
  return inlineWorker(files);
}
