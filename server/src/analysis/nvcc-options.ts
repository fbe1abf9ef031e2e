/** What the words of an nvcc command say: macros, folders of headers, architectures, and what code is to be like. */
import { join } from "../syntax/preprocess/paths.ts";

/** What nvcc is told of the code it makes of kernels; what is absent is as it has it by itself. */
export interface CodeOptions {
  /** `-use_fast_math`: `sinf` and its kind are the hardware's approximations. It says the next four, too. */
  readonly fastMath?: boolean;
  /** `-ftz`: what is too small for a normal number is zero. */
  readonly ftz?: boolean;
  readonly precDiv?: boolean;
  readonly precSqrt?: boolean;
  readonly fmad?: boolean;
  /** `-maxrregcount`, of kernels that say nothing themselves; 0 is no bound. */
  readonly maxRegisters?: number;
  /** `-Xptxas -dlcm`: where loads that do not say it are cached; `cg` is not in L1. */
  readonly loadCache?: "ca" | "cg";
  /** `-G`, or a level below 3 for ptxas: code is not optimised, or not as it might be. */
  readonly unoptimised?: string;
}

export interface NvccOptions {
  readonly defines: readonly { readonly name: string; readonly value?: string }[];
  /** Absolute. */
  readonly includeDirs: readonly string[];
  /** The newest compute capability of `-arch`, `-gencode` and clang's option, such as 90. */
  readonly computeCapability?: number;
  readonly code: CodeOptions;
  /** Words that cannot be read, and what is left out: in words that follow the name of where they stand. */
  readonly problems: readonly string[];
}

type Written = { -readonly [Name in keyof CodeOptions]: CodeOptions[Name] };

/** Folders that a command names: an `#include` is looked for in each. */
const mostFolders = 1_000;
const mostRegisters = 255;

/** What `-use_fast_math` says besides. */
const implied = { ftz: true, precDiv: false, precSqrt: false, fmad: true };

/** Options with a value that are nvcc's long names, in both spellings; each reads its value, and says whether it could. */
const valued: Readonly<Record<string, (value: string, code: Written) => boolean>> = {
  ftz: (value, code) => truth(value, (is) => (code.ftz = is)),
  "prec-div": (value, code) => truth(value, (is) => (code.precDiv = is)),
  "prec-sqrt": (value, code) => truth(value, (is) => (code.precSqrt = is)),
  fmad: (value, code) => truth(value, (is) => (code.fmad = is)),
  maxrregcount: registerCount,
  dopt: (value, code) => {
    if (value === "on") delete code.unoptimised;
    return value === "on" || value === "off";
  },
};

/** What is said to ptxas. */
const ofAssembler: Readonly<Record<string, (value: string, code: Written) => boolean>> = {
  dlcm: loadCache,
  "def-load-cache": loadCache,
  maxrregcount: registerCount,
};

function registerCount(value: string, code: Written): boolean {
  const count = Number(value);
  if (!/^\d+$/.test(value) || count > mostRegisters) return false;
  code.maxRegisters = count;
  return true;
}

function loadCache(value: string, code: Written): boolean {
  if (value !== "ca" && value !== "cg") return value === "cs" || value === "cv" || value === "lu";
  code.loadCache = value;
  return true;
}

function truth(value: string, set: (is: boolean) => void): boolean {
  if (value === "true" || value === "false") set(value === "true");
  return value === "true" || value === "false";
}

/** The next word belongs to another program. */
const handedOn = new Set(["-Xcompiler", "--compiler-options", "-Xlinker", "--linker-options", "-Xarchive", "-Xnvlink", "-ccbin"]);

/**
 * @param words of a command, with or without the compiler's name; of several that say the same the last holds
 * @param directory that relative folders begin at
 */
export function readNvccOptions(words: readonly string[], directory: string): NvccOptions {
  const defines = new Map<string, { readonly name: string; readonly value?: string }>();
  const includeDirs = new Set<string>();
  const code: Written = {};
  const problems: string[] = [];
  let computeCapability: number | undefined;
  for (let k = 0; k < words.length; k++) {
    const word = words[k] ?? "";
    if (handedOn.has(word)) {
      k++;
      continue;
    }
    for (const [, arch] of word.matchAll(/\b(?:sm|compute)_(\d+)/g)) computeCapability = Math.max(computeCapability ?? 0, Number(arch));
    const take = (option: string): string | undefined =>
      word === option ? words[++k] : word.startsWith(option) ? word.slice(option.length).replace(/^=/, "") : undefined;
    const define = take("-D");
    if (define !== undefined) {
      const [, name, value] = /^(\w+)(?:=([\s\S]*))?$/.exec(define) ?? [];
      if (name !== undefined) defines.set(name, value === undefined ? { name } : { name, value });
      continue;
    }
    const option = ["-isystem", "-iquote", "-I"].find((each) => word.startsWith(each));
    if (option !== undefined) {
      const folder = take(option);
      if (folder !== undefined) includeDirs.add(join(directory, folder));
      continue;
    }
    const [, name = "", value] = /^--?([A-Za-z][\w-]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (name === "use_fast_math") code.fastMath = true;
    else if (name === "G" || name === "device-debug") code.unoptimised = "-G";
    else if (name === "Xptxas" || name === "ptxas-options")
      problems.push(...assemblerOptions((value ?? words[++k] ?? "").split(/[\s,]+/), code));
    else {
      const read = valued[name];
      if (read === undefined) continue;
      const given = value ?? words[++k] ?? "";
      if (!read(given, code)) problems.push(unreadable(`-${name}=${given}`));
    }
  }
  if (includeDirs.size > mostFolders)
    problems.push(`names ${includeDirs.size} folders of headers; WarpLens looks into the first ${mostFolders}`);
  return {
    defines: [...defines.values()],
    includeDirs: [...includeDirs].slice(0, mostFolders),
    // What is said of one of them by itself holds, before or behind.
    code: code.fastMath ? { ...implied, ...code } : code,
    problems: [...new Set(problems)],
    ...(computeCapability === undefined ? {} : { computeCapability }),
  };
}

function assemblerOptions(words: readonly string[], code: Written): string[] {
  const problems: string[] = [];
  for (let k = 0; k < words.length; k++) {
    const word = words[k] ?? "";
    const [, level] = /^-O([0-3])$/.exec(word) ?? [];
    if (level !== undefined && level !== "3") code.unoptimised ??= `-Xptxas -O${level}`;
    const [, name = "", value] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/.exec(word) ?? [];
    const read = ofAssembler[name];
    if (read === undefined) continue;
    const given = value ?? words[++k] ?? "";
    if (!read(given, code)) problems.push(unreadable(`-Xptxas -${name}=${given}`));
  }
  return problems;
}

const unreadable = (option: string): string => `says ${option.length > 60 ? `${option.slice(0, 60)}…` : option}, which cannot be read`;

/** The options as nvcc takes them, in one spelling; those that leave code unoptimised are not among them. */
export function wordsOf({ fastMath, ftz, precDiv, precSqrt, fmad, maxRegisters, loadCache: cache }: CodeOptions): string[] {
  const all = fastMath === true;
  return [
    ...(all ? ["-use_fast_math"] : []),
    ...(ftz === undefined || (all && ftz) ? [] : [`-ftz=${ftz}`]),
    ...(precDiv === undefined || (all && !precDiv) ? [] : [`-prec-div=${precDiv}`]),
    ...(precSqrt === undefined || (all && !precSqrt) ? [] : [`-prec-sqrt=${precSqrt}`]),
    ...(fmad === undefined || (all && fmad) ? [] : [`-fmad=${fmad}`]),
    ...(maxRegisters === undefined ? [] : [`-maxrregcount=${maxRegisters}`]),
    ...(cache === undefined ? [] : [`-Xptxas=-dlcm=${cache}`]),
  ];
}

/** What several commands that may compile a file agree on. */
export function agreed(all: readonly CodeOptions[]): CodeOptions {
  const [first, ...others] = all;
  if (first === undefined) return {};
  const kept = Object.entries(first).filter(([name, value]) => others.every((other) => other[name as keyof CodeOptions] === value));
  return Object.fromEntries(kept);
}
