/**
 * The analysis for the server in a browser. A script of its own, which the server loads once it has been told from where: together
 * they would be too large. The bundle is the global `warplensAnalysis`.
 */
import type { FileHost } from "./analysis/settings.ts";
import { useParser } from "./syntax/current-parser.ts";
import type { Parser } from "./syntax/index.ts";
import { inlineWorker } from "./worker/inline.ts";
import type { AnalysisWorker } from "./worker/messages.ts";

export function start(files: FileHost, parser: Parser): AnalysisWorker {
  useParser(parser);
  return inlineWorker(files);
}
