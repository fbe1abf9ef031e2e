/** `warplens.json` at the workspace's root: what the project says for everyone who works on it. */
import { customGpu, findGpu, type GpuModel, gpus } from "@warplens/sim-engine";
import { findNodeAtLocation, getNodeValue, type Node } from "jsonc-parser";
import { readAssumeOption, readLaunchOption, type Unreadable } from "../analysis/directives.ts";
import { readMacroOption } from "../analysis/macro-option.ts";
import { visible, visibleName } from "../foreign-text.ts";
import { rules } from "../rules/index.ts";
import { type RuleSetting, type RuleSettings, readRuleSetting, ruleLevels } from "../rules/options.ts";
import type { Rule } from "../rules/rule.ts";
import { selectorProblem } from "../rules/selection.ts";
import { suggest } from "../rules/suggest.ts";
import { leastAssumedGainPercent, leastGainPercent } from "../rules/worth.ts";
import { type Gate, readGate } from "./gate.ts";
import { parseJson, placesIn, repeatedKeys } from "./json-text.ts";

export interface ProjectFile {
  readonly gpu?: string;
  readonly gpus?: readonly GpuModel[];
  readonly simulate?: boolean;
  /** Levels and options by rule id. */
  readonly rules?: RuleSettings;
  /** Percent of a launch's time. */
  readonly leastGain?: number;
  readonly select?: readonly string[];
  readonly ignore?: readonly string[];
  /** `KERNEL: grid=(X,Y,Z) block=(X,Y,Z) shared=BYTES` */
  readonly launches?: readonly string[];
  /** `KERNEL.PARAM=VALUE` */
  readonly assume?: readonly string[];
  readonly argv?: readonly string[];
  /** `-use_fast_math` */
  readonly nvccOptions?: readonly string[];
  /** `NAME` or `NAME=VALUE` */
  readonly defines?: readonly string[];
  /** Relative to the file's folder. */
  readonly includeDirs?: readonly string[];
  readonly gates?: readonly ProjectGate[];
  /** Relative to the file's folder. */
  readonly baseline?: string;
}

/** A gate, and where it stands: line and column from 1. */
export interface ProjectGate extends Gate {
  readonly line: number;
  readonly column: number;
}

/** What is wrong in the file, and where: UTF-16 offsets, and line and column from 1 for those who have no editor. */
export interface ProjectProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly start: number;
  readonly end: number;
}

/** Characters of the file, and of a text in it; entries of a list; and problems that are told. */
const longestFile = 2 ** 20;
const longestText = 10_000;
const mostEntries = 1_000;
const mostProblems = 100;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === "string");

/** A relative path that does not lead out: what a project names is read, and may be written, on the word of whoever made the project. */
const isBelow = (file: string): boolean => !/^(?:[\\/]|[A-Za-z]:)/.test(file) && !file.split(/[\\/]/).includes("..");

/**
 * Hidden folders are those of programs, which believe what stands in them: git runs what its own says. A file `.git` leads to one.
 */
export const isInHidden = (file: string): boolean => /(?:^|[\\/])\.(?:[^\\/.][^\\/]*[\\/]|git$)/i.test(file);

interface Key {
  readonly accepts: (value: unknown) => boolean;
  readonly wanted: string;
  /** What it is for, in the editor's completion and in docs/settings.md. Markdown. */
  readonly description: string;
}

const texts = (wanted: string, description: string): Key => ({ accepts: isTexts, wanted: `a list of ${wanted}`, description });

/** Every key the file may have, `$schema` apart. */
export const projectKeys: { readonly [Name in keyof Required<ProjectFile>]: Key } = {
  gpu: {
    accepts: (value) => typeof value === "string",
    wanted: 'a GPU\'s id, such as "h200"',
    description:
      "The GPU model to simulate: an id of `warplens gpus`, or of `gpus` here. The setting `warplens.gpu` and `--gpu` go before it.",
  },
  gpus: {
    accepts: Array.isArray,
    wanted: 'a list of GPUs such as { "id": "my-h200", "extends": "h200", "figures": { "smCount": 120 } }',
    description: "GPUs of your own: each one of the models with figures that differ. Names and units of the figures stand in docs/gpus.md.",
  },
  simulate: {
    accepts: (value) => typeof value === "boolean",
    wanted: "true or false",
    description: "Whether `warplens check` simulates launches. When false, only the rules that need no simulation run.",
  },
  rules: {
    accepts: isRecord,
    wanted: `rule ids with ${ruleLevels.join(", ")}, or with an object`,
    description:
      'The level of a rule, by its id, where it should differ from the rule\'s own; `off` silences it. Or an object with `level` and the options of the rule\'s page: `{ "small-block": { "minGain": 10 } }`.',
  },
  leastGain: {
    accepts: (value) => typeof value === "number" && value >= 0 && value <= 100,
    wanted: "a number of percent, 0 to 100",
    description: `Percent of a launch's time below which findings of performance are not told, ${leastGainPercent} where nothing says it; where the launch rests on values that nobody says, below ${leastAssumedGainPercent}, or 75 where these are seven or more, unless less than ${leastGainPercent} is asked for. What comes to less than 0.5 µs is never told, to less than 1.5 µs only where it is 5 % of all that the file launches, each launch counted once.`,
  },
  select: texts("rules", "Only these rules: ids, prefixes, groups or `ALL`."),
  ignore: texts("rules", "Not these rules."),
  launches: texts('texts such as "kernel: grid=(64) block=(256)"', "Launches that the source does not show. They replace or add."),
  assume: texts(
    'texts such as "kernel.n=1024"',
    "Values that the source does not show: `KERNEL.PARAM=VALUE` or `PARAM=VALUE`; for arrays `constant(c)`, `linear(stride)`, `uniform(lo, hi)`, `permutation(n)`.",
  ),
  argv: texts("texts", "The arguments of `main`, to follow host values through `argv`."),
  nvccOptions: texts(
    'texts such as "-maxrregcount=64"',
    "What nvcc is told of code, such as `-use_fast_math` or `-maxrregcount=64`: goes before what `compile_commands.json` or the makefile says.",
  ),
  defines: texts('texts such as "NAME=VALUE"', "Macros, as `NAME` or `NAME=VALUE`, besides those of `compile_commands.json`."),
  includeDirs: texts("folders", "Folders to search for quoted includes, relative to this file."),
  gates: texts(
    'gates such as "transpose on h200: time < 200 us"',
    "What must hold for a change to pass, judged by `warplens gate`: `KERNEL [in FILE] [on GPU]: FIGURE < VALUE` or `…: no [new] finding [of SEVERITY]`; see docs/ci.md.",
  ),
  baseline: {
    accepts: (value) => typeof value === "string" && isBelow(value) && !isInHidden(value),
    wanted: "a file in this file's folder or below, in no hidden one",
    description:
      "The file of known findings, relative to this one: `warplens check` leaves them out, and for gates all others are new. `--baseline` goes before it.",
  },
};

/** What a `warplens.json` says (comments are welcome), less what cannot be used, and what is wrong with it. */
export function readProjectFile(source: string): { readonly file: ProjectFile; readonly problems: readonly ProjectProblem[] } {
  // The mark takes one character, as a blank does.
  const text = source.replace(/^\uFEFF/, " ");
  const problems: ProjectProblem[] = [];
  const placeOf = placesIn(text);
  const say = (message: string, { offset, length }: { readonly offset: number; readonly length: number }): void => {
    if (problems.length > mostProblems) return;
    const told = problems.length < mostProblems ? message : `there is more wrong than these ${mostProblems}`;
    problems.push({ message: visible(told), ...placeOf(offset), start: offset, end: offset + length });
  };
  if (text.length > longestFile) {
    const kilobytes = Math.ceil(text.length / 1024).toLocaleString("en-US");
    say(`this is too long to be settings: ${kilobytes} KB; up to ${longestFile / 1024} KB are read`, { offset: 0, length: 0 });
    return { file: {}, problems };
  }
  const tree = parseJson(text, true);
  if ("problem" in tree) {
    say(tree.problem, tree);
    return { file: {}, problems };
  }
  if (tree.type !== "object") {
    say('this must be an object: { "gpu": "h200" }', tree);
    return { file: {}, problems };
  }
  for (const { key, before } of repeatedKeys(tree))
    say(`\`${key.value}\` stands here twice: first in line ${placeOf(before.offset).line}`, key);
  const file: { -readonly [Name in keyof ProjectFile]?: unknown } = {};
  let gates: Node | undefined;
  for (const property of tree.children ?? []) {
    const [key, node] = property.children ?? [];
    if (key === undefined || node === undefined || key.value === "$schema") continue;
    const name = keyNamed(String(key.value));
    if (name === undefined) {
      const near = suggest(String(key.value), Object.keys(projectKeys));
      say(`a key \`${key.value}\` means nothing${near === undefined ? "" : `; did you mean \`${near}\`?`}`, key);
      continue;
    }
    const odd = tooMuch(name, node);
    if (odd) {
      say(odd.message, odd.at);
      continue;
    }
    const value: unknown = getNodeValue(node);
    if (!projectKeys[name].accepts(value)) say(`\`${name}\` should be ${projectKeys[name].wanted}`, node);
    else if (name === "gates") gates = node;
    else if (name === "rules") file[name] = ruleSettings(node, say);
    else if (name === "gpus") file[name] = ownGpus(node, say);
    else if (name === "launches" || name === "assume" || name === "defines") file[name] = readable(node, optionReaders[name], say);
    else file[name] = value;
    for (const selector of selectorsIn(name, node)) {
      const problem = selectorProblem(String(selector.value));
      if (problem !== undefined) say(problem, selector);
    }
  }
  const result = file as ProjectFile;
  return { file: gates ? { ...result, gates: gatesIn(gates, result.gpus ?? [], placeOf, say) } : result, problems };
}

/** A list that is longer, or a text, than anyone writes: all of it is left out. */
function tooMuch(name: string, node: Node): { readonly message: string; readonly at: Node } | undefined {
  const { children = [] } = node;
  const count = (value: number): string => value.toLocaleString("en-US");
  if (children.length > mostEntries)
    return { message: `\`${name}\` has ${count(children.length)} entries; up to ${count(mostEntries)} are read`, at: node };
  const long = [node, ...children].find(({ type, length }) => type === "string" && length > longestText);
  return long && { message: `a text of ${count(long.length)} characters in \`${name}\`; up to ${count(longestText)} are read`, at: long };
}

/** Of the settings of rules those that can be used. */
function ruleSettings(object: Node, say: (message: string, at: Node) => void): RuleSettings {
  const read: [string, RuleSetting][] = [];
  for (const property of object.children ?? []) {
    const [key, node] = property.children ?? [];
    const id = String(key?.value);
    if (!node) continue;
    const { setting, problems } = readRuleSetting(id, findRule(id), getNodeValue(node));
    if (setting !== undefined) read.push([id, setting]);
    for (const { path, isName, message } of problems) {
      const at = findNodeAtLocation(node, [...path]) ?? node;
      say(message, (isName && at.parent?.children?.[0]) || at);
    }
  }
  return Object.fromEntries(read);
}

const findRule = (id: string): Rule | undefined => rules.find((rule) => rule.id === id);

const optionReaders = { launches: readLaunchOption, assume: readAssumeOption, defines: readMacroOption } as const;

/** Of a list of texts those that can be read. */
function readable(list: Node, read: (text: string) => object | Unreadable, say: (message: string, at: Node) => void): string[] {
  return (list.children ?? []).flatMap((node) => {
    const text = String(node.value);
    const option = read(text);
    if (!("problem" in option)) return [text];
    // Where nothing is escaped the place in the text is a place in the file.
    const skipped = node.length === text.length + 2 ? 1 + option.at : 0;
    say(option.problem, { ...node, offset: node.offset + skipped, length: node.length - skipped - (skipped > 0 ? 1 : 0) });
    return [];
  });
}

function gatesIn(
  list: Node,
  own: readonly GpuModel[],
  placeOf: (offset: number) => { readonly line: number; readonly column: number },
  say: (message: string, at: Node) => void,
): ProjectGate[] {
  return (list.children ?? []).flatMap((node) => {
    const gate = readGate(String(node.value));
    const problem = "problem" in gate ? gate.problem : gpuProblem(gate.gpu, own);
    if (problem !== undefined) say(problem, node);
    return "problem" in gate || problem !== undefined ? [] : [{ ...gate, ...placeOf(node.offset) }];
  });
}

function gpuProblem(name: string | undefined, own: readonly GpuModel[]): string | undefined {
  if (name === undefined || findGpu(name, own)) return undefined;
  const near = suggest(
    name,
    [...own, ...gpus].flatMap(({ id, aliases }) => [id, ...aliases]),
  );
  return `there is no GPU model \`${name}\`${near === undefined ? "; `warplens gpus` lists them" : `; did you mean \`${near}\`?`}`;
}

const keyNamed = (name: string): keyof ProjectFile | undefined =>
  (Object.keys(projectKeys) as (keyof ProjectFile)[]).find((known) => known === name);

/** The nodes that name rules. */
function selectorsIn(name: keyof ProjectFile, { type, children = [] }: Node): Node[] {
  if (name === "select" || name === "ignore") return children.filter((child) => child.type === "string");
  return name === "rules" && type === "object" ? children.flatMap((property) => property.children?.[0] ?? []) : [];
}

function ownGpus(list: Node, say: (message: string, at: Node) => void): GpuModel[] {
  const found: GpuModel[] = [];
  for (const [index, node] of (list.children ?? []).entries()) {
    const made = customGpu(getNodeValue(node));
    if ("problems" in made) {
      for (const { path, message } of made.problems) {
        const at = findNodeAtLocation(node, [...path]);
        // A name that is wrong is marked itself, not its value.
        const marked = at !== undefined && /not understood|no figure is called/.test(message) ? at.parent?.children?.[0] : at;
        say(`${["gpus", index, ...path].map(step).join("")}: ${message}`, marked ?? node);
      }
    } else if (found.some(({ id }) => id === made.gpu.id))
      say(`gpus[${index}].id: there are two GPUs ${made.gpu.id}`, findNodeAtLocation(node, ["id"]) ?? node);
    else found.push({ ...made.gpu, name: visibleName(made.gpu.name) });
  }
  return found;
}

const step = (part: string | number, index: number): string => (typeof part === "number" ? `[${part}]` : `${index > 0 ? "." : ""}${part}`);
