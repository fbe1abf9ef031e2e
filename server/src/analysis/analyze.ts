/** From a file's text to its facts, once. */
import type { Program } from "./facts.ts";
import { ProgramDatabase } from "./program-database.ts";
import type { AnalysisSettings, FileHost } from "./settings.ts";

/**
 * Everything the rules, the editor and the engine need to know of a file. `path` is absolute, `/` separated. Never throws on
 * any text; launches are worked out when they are first asked for. Who asks again after an edit holds a `ProgramDatabase`.
 */
export function analyze(path: string, text: string, settings: AnalysisSettings, host: FileHost): Program {
  const programs = new ProgramDatabase(host);
  programs.setText(path, text);
  programs.configure(path, settings);
  return programs.program(path);
}
