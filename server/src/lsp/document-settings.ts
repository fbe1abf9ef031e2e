/** What holds for one document: the GPU and the settings of analysis and rules, from the editor's settings and `warplens.json`. */
import { findGpu, type GpuModel, gpus } from "@warplens/sim-engine";
import { splitWords } from "../analysis/command-words.ts";
import { compileOptions } from "../analysis/compile-commands.ts";
import { readAssumeOption, readLaunchOption, type Unreadable } from "../analysis/directives.ts";
import { macrosIn, readMacroOption } from "../analysis/macro-option.ts";
import { readNvccOptions } from "../analysis/nvcc-options.ts";
import { readBuildFile } from "../analysis/reach.ts";
import type { AnalysisSettings, FileHost } from "../analysis/settings.ts";
import { type ProjectFile, readProjectFile } from "../lint/project-file.ts";
import type { LintSettings } from "../lint.ts";
import { settingsOver } from "../rules/options.ts";
import { capabilityNumber, devicePropertiesOf } from "../simulate/device-properties.ts";
import { NotRead } from "../syntax/file-text.ts";
import type { StatusParams } from "./protocol.ts";
import type { Settings } from "./settings.ts";

export interface DocumentSettings {
  readonly gpu: GpuModel;
  /** The project's own GPUs. */
  readonly gpus: readonly GpuModel[];
  readonly chosenBy: StatusParams["chosenBy"];
  readonly analysis: AnalysisSettings;
  readonly lint: LintSettings;
  /** One sentence each, for the status. */
  readonly problems: readonly string[];
}

const defaultGpu = "h200";

/**
 * @param path of the document
 * @param roots the workspace folders' paths; `warplens.json` is searched from the document's folder up to its root
 */
export function documentSettings(path: string, roots: readonly string[], settings: Settings, host: FileHost): DocumentSettings {
  const root = roots.filter((folder) => path.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length)[0];
  const found = projectFile(path, root, host);
  const compiled = compileOptions(path, host);
  const told = [
    { where: "warplens.json", ...readNvccOptions((found.file.nvccOptions ?? []).flatMap(splitWords), found.folder) },
    { where: "The setting warplens.nvccOptions", ...readNvccOptions(settings.nvccOptions.flatMap(splitWords), root ?? found.folder) },
  ];
  const problems = [
    ...found.problems,
    ...compiled.problems,
    ...told.flatMap(({ where, problems: unread }) => unread.map((each) => `${where} ${each}.`)),
    ...unreadable(settings),
  ];
  const own = found.file.gpus ?? [];
  const { gpu, chosenBy } = chosenGpu(settings.gpu, found.file.gpu, own, compiled.computeCapability, problems);
  const inRoot = (folder: string): string =>
    folder.startsWith("/") || /^[A-Za-z]:/.test(folder) || root === undefined ? folder : `${root}/${folder}`;
  const inProject = (folder: string): string =>
    folder.startsWith("/") || /^[A-Za-z]:/.test(folder) ? folder : `${found.folder}/${folder}`;
  const { file } = found;
  return {
    gpu,
    gpus: own,
    chosenBy,
    problems,
    analysis: {
      computeCapability: capabilityNumber(gpu.computeCapability),
      defines: [...told.flatMap(({ defines }) => defines), ...macrosIn([...(file.defines ?? []), ...settings.defines])],
      code: Object.assign({}, ...told.map(({ code }) => code)),
      includeDirs: [
        ...told.flatMap(({ includeDirs }) => includeDirs),
        ...settings.includeDirs.map(inRoot),
        ...(file.includeDirs ?? []).map(inProject),
      ],
      roots,
      launches: [...(file.launches ?? []), ...settings.launches],
      assume: [...(file.assume ?? []), ...settings.assume],
      argv: settings.argv.length > 0 ? settings.argv : (file.argv ?? []),
      device: devicePropertiesOf(gpu),
    },
    lint: {
      select: file.select ?? [],
      ignore: file.ignore ?? [],
      rules: settingsOver(file.rules ?? {}, settings.rules),
      leastGain: file.leastGain ?? settings.leastGain,
    },
  };
}

/** What is wrong with the settings' launches, assumptions and macros, one sentence each. */
function unreadable({ launches, assume, defines }: Settings): string[] {
  const of = (name: "launches" | "assume" | "defines", texts: readonly string[], read: (text: string) => object | Unreadable): string[] =>
    texts.flatMap((text, index) => {
      const option = read(text);
      return "problem" in option ? [`The setting warplens.${name}[${index}], column ${option.at + 1}: ${option.problem}.`] : [];
    });
  return [
    ...of("launches", launches, readLaunchOption),
    ...of("assume", assume, readAssumeOption),
    ...of("defines", defines, readMacroOption),
  ];
}

function projectFile(
  path: string,
  root: string | undefined,
  host: FileHost,
): { folder: string; file: ProjectFile; problems: readonly string[] } {
  const own = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  for (let folder = own; folder !== ""; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const text = readBuildFile(`${folder}/warplens.json`, host);
    if (text instanceof NotRead) return { folder, file: {}, problems: [`${folder}/warplens.json is not read: ${text.reason}`] };
    if (text !== undefined) {
      const { file, problems } = readProjectFile(text);
      return { folder, file, problems: problems.map(({ line, message }) => `warplens.json, line ${line}: ${message}`) };
    }
    if (folder === root) break;
  }
  return { folder: own, file: {}, problems: [] };
}

function chosenGpu(
  setting: string,
  project: string | undefined,
  own: readonly GpuModel[],
  compiledFor: number | undefined,
  problems: string[],
): Pick<DocumentSettings, "gpu" | "chosenBy"> {
  const candidates = [
    { name: setting, chosenBy: "setting", where: "The setting warplens.gpu" },
    { name: project ?? "auto", chosenBy: "warplens.json", where: "warplens.json" },
  ] as const;
  for (const { name, chosenBy, where } of candidates) {
    if (name === "auto" || name === "") continue;
    const gpu = findGpu(name, own);
    if (gpu) return { gpu, chosenBy };
    problems.push(`${where} names a GPU that is not known: ${name}.`);
  }
  const gpu = findGpu(defaultGpu);
  if (!gpu) throw new Error(`there is no model of the ${defaultGpu}`);
  const fits = (candidate: GpuModel): boolean => capabilityNumber(candidate.computeCapability) === compiledFor;
  const compiled = own.find(fits) ?? (fits(gpu) ? gpu : gpus.find(fits));
  if (compiled) return { gpu: compiled, chosenBy: "compile_commands.json" };
  if (compiledFor !== undefined) {
    problems.push(`compile_commands.json: -arch is sm_${compiledFor}, of which no GPU is known; the ${gpu.name} is simulated.`);
  }
  return { gpu, chosenBy: "default" };
}
