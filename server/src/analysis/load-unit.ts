/** Reading, parsing and binding a file; other files of a project are kept from one analysis to the next. */
import type { Node } from "../syntax/ast.ts";
import { currentParser } from "../syntax/current-parser.ts";
import { FileParser } from "../syntax/index.ts";
import { directoryOf, join } from "../syntax/preprocess/paths.ts";
import { read } from "../syntax/preprocess/preprocess.ts";
import type { Preprocessed } from "../syntax/reading.ts";
import { stage } from "../trace.ts";
import { type CompileOptions, compileOptions } from "./compile-commands.ts";
import type { AnalysisSettings, FileHost } from "./facts.ts";
import { headerFolder, withHeaders } from "./headers/index.ts";
import { hostUnit } from "./host/program/unit.ts";
import type { ProgramUnit } from "./program-linker.ts";
import { bindUnit } from "./sema/index.ts";

export function loadUnit(path: string, text: string, settings: AnalysisSettings, host: FileHost, compiled: CompileOptions): ProgramUnit {
  return bound(path, readFile(path, text, settings, host, compiled));
}

function readFile(path: string, text: string, settings: AnalysisSettings, host: FileHost, compiled: CompileOptions): Preprocessed {
  const options = {
    computeCapability: settings.computeCapability,
    defines: [...compiled.defines, ...settings.defines],
    includeDirs: [...settings.includeDirs, ...compiled.includeDirs, ...headerFolders(path), headerFolder],
  };
  return stage("preprocess", () => read(path, text, withHeaders(host), options));
}

/** Where projects keep the headers of a source, looked into when nothing says which folders it is compiled with. */
function headerFolders(path: string): string[] {
  const folder = directoryOf(path);
  const above = directoryOf(folder);
  return [join(folder, "inc"), join(folder, "include"), above, join(above, "inc"), join(above, "include"), join(above, "common")];
}

function bound(path: string, preprocessed: Preprocessed, launching?: ReadonlySet<string>): ProgramUnit {
  const parsed = new FileParser(currentParser()).parse(preprocessed);
  if (!parsed) throw new Error("cancelled, though nobody asked");
  const { reading, unit } = parsed;
  const semantics = stage("bind", () => bindUnit(unit));
  const whereIs = ({ start, end }: Node): string => {
    const at = reading.locate(start, end);
    const line = `line ${reading.position(at.file, at.start).line + 1}`;
    return at.file === 0 ? line : `${line} of ${(reading.files[at.file] ?? "").split("/").at(-1)}`;
  };
  const textOf = (start: number, end: number) => reading.textOf(start, end);
  return { ...stage("host unit", () => hostUnit(unit, semantics, textOf, launching)), whereIs, path, reading, unit };
}

interface Kept {
  readonly key: string;
  readonly unit: ProgramUnit;
}

/** The units used last, by path. */
const kept = new Map<string, Kept>();
const mostKept = 8;
/** Characters, headers included, of a file that is read only for what it tells of another. */
const longestReading = 600_000;

/**
 * As `loadUnit`, or as it was loaded before where neither it nor what it includes has changed; undefined when it is too long.
 * `launching`: names of functions elsewhere that launch kernels.
 */
export function cachedUnit(
  path: string,
  text: string,
  settings: AnalysisSettings,
  host: FileHost,
  launching: ReadonlySet<string>,
): ProgramUnit | undefined {
  const { computeCapability, defines, includeDirs } = settings;
  const key = JSON.stringify([computeCapability, defines, includeDirs, [...launching].sort()]);
  const known = kept.get(path);
  kept.delete(path);
  const same = known?.key === key && known.unit.reading.sources[0] === text && isCurrent(known.unit, host);
  const unit = known !== undefined && same ? known.unit : loaded(path, text, settings, host, launching);
  if (unit === undefined) return undefined;
  kept.set(path, { key, unit });
  for (const oldest of kept.keys()) {
    if (kept.size <= mostKept) break;
    kept.delete(oldest);
    currentParser().forget(oldest);
  }
  return unit;
}

function loaded(
  path: string,
  text: string,
  settings: AnalysisSettings,
  host: FileHost,
  launching: ReadonlySet<string>,
): ProgramUnit | undefined {
  const reading = readFile(path, text, settings, host, compileOptions(path, host));
  return reading.text.length > longestReading ? undefined : bound(path, reading, launching);
}

function isCurrent({ reading }: ProgramUnit, host: FileHost): boolean {
  const { read: readAgain } = withHeaders(host);
  return reading.files.every((file, k) => k === 0 || readAgain(file) === reading.sources[k]);
}
