/** Reading, parsing and binding a file; other files of a project are kept from one analysis to the next. */
import { currentParser } from "../syntax/current-parser.ts";
import { parse } from "../syntax/index.ts";
import { read } from "../syntax/preprocess/preprocess.ts";
import { type CompileOptions, compileOptions } from "./compile-commands.ts";
import type { AnalysisSettings, FileHost } from "./facts.ts";
import { hostUnit } from "./host/unit.ts";
import type { ProjectUnit } from "./project.ts";
import { bindUnit } from "./sema/index.ts";

export function loadUnit(
  path: string,
  text: string,
  settings: AnalysisSettings,
  host: FileHost,
  compiled: CompileOptions,
  launching?: ReadonlySet<string>,
): ProjectUnit {
  const reading = read(path, text, host, {
    computeCapability: settings.computeCapability,
    defines: [...compiled.defines, ...settings.defines],
    includeDirs: [...settings.includeDirs, ...compiled.includeDirs],
  });
  const unit = parse(currentParser(), reading)?.unit ?? { declarations: [], errors: [] };
  const semantics = bindUnit(unit);
  return { ...hostUnit(unit, semantics, reading.text, launching), path, reading, unit };
}

interface Kept {
  readonly key: string;
  readonly unit: ProjectUnit;
}

/** The units used last, by path. */
const kept = new Map<string, Kept>();
const mostKept = 8;

/** As `loadUnit`, or as it was loaded before where neither it nor what it includes has changed. */
export function cachedUnit(
  path: string,
  text: string,
  settings: AnalysisSettings,
  host: FileHost,
  launching: ReadonlySet<string>,
): ProjectUnit {
  const { computeCapability, defines, includeDirs } = settings;
  const key = JSON.stringify([computeCapability, defines, includeDirs, [...launching].sort()]);
  const known = kept.get(path);
  kept.delete(path);
  const same = known?.key === key && known.unit.reading.sources[0] === text && isCurrent(known.unit, host);
  const unit = known !== undefined && same ? known.unit : loadUnit(path, text, settings, host, compileOptions(path, host), launching);
  kept.set(path, { key, unit });
  for (const oldest of kept.keys()) {
    if (kept.size <= mostKept) break;
    kept.delete(oldest);
    currentParser().forget(oldest);
  }
  return unit;
}

function isCurrent({ reading }: ProjectUnit, host: FileHost): boolean {
  return reading.files.every((file, k) => k === 0 || host.read(file) === reading.sources[k]);
}
