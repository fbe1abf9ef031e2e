/** The options, once: for reading them, for help, and for suggestions. */
import { parseArgs } from "node:util";
import { suggest } from "../rules/suggest.ts";
import { UsageError } from "./io.ts";

interface Option {
  /** What stands for the value in help; absent for a flag. */
  readonly value?: string;
  readonly short?: string;
  /** May be given several times. */
  readonly multiple?: boolean;
  readonly help: string;
}

const options = {
  gpu: { value: "ID", help: "the GPU model; see `warplens gpus` (default: h200)" },
  format: { value: "FORMAT", help: "how to print the result" },
  fix: { help: "apply safe fixes, as far as simulating the kernels they touch proves them" },
  diff: { help: "print what --fix would change, and change nothing" },
  prove: { help: "try each fix by itself, as the editor does; --format json says what came of it" },
  "unsafe-fixes": { help: "with --fix or --diff, fixes too that may change results" },
  select: { value: "RULES", multiple: true, help: "only these rules: ids, prefixes, groups or ALL, separated by commas" },
  ignore: { value: "RULES", multiple: true, help: "not these rules" },
  baseline: { value: "FILE", help: "leave out the findings recorded in FILE; records them when there is no FILE yet, except in CI" },
  "write-baseline": { help: "with --baseline, record the findings anew" },
  base: {
    value: "REV",
    help: "the revision to compare with: findings that it has are left out, and gates may bound figures by what they were",
  },
  "fail-on": { value: "SEVERITY", help: "exit with 1 from this severity on: error, warning, information, hint (default), or never" },
  "fail-level": { value: "SEVERITY", help: "the older name of --fail-on" },
  threshold: { value: "PCT", help: "changes of less than PCT percent are noise (default: 1)" },
  "no-simulate": { help: "do not simulate: only the rules that need no simulation run" },
  jobs: { value: "N", help: "files at once (default: one a core)" },
  steps: {
    value: "N",
    help: "steps that simulating one file may take (default: 6000000, simulate: 40000000): launches left when they are over are named, not simulated",
  },
  timeout: { value: "SECONDS", help: "the time of one file (default: 60); one that takes longer fails, the others do not" },
  shard: { value: "I/N", help: "only one of N parts of the files, the I-th, for N machines" },
  cache: {
    value: "DIR",
    help: "where results are kept for the next run (default: your own cache folder); they are believed, so name no folder that others write to",
  },
  "no-cache": { help: "neither use nor keep results" },
  kernel: { value: "NAME", help: "only launches of this kernel" },
  measured: {
    value: "REPORT",
    multiple: true,
    help: "what Nsight Compute measured, to be shown beside the estimates: ncu --csv --page raw, --page source --print-source cuda,sass",
  },
  ncu: {
    value: "PATH",
    help: "your Nsight Compute, to print report files (.ncu-rep) that --measured names (default: off); auto: the one on PATH",
  },
  launch: { value: "LAUNCH", multiple: true, help: "replace or add a launch: 'KERNEL: grid=(X,Y,Z) block=(X,Y,Z) shared=BYTES'" },
  assume: {
    value: "VALUE",
    multiple: true,
    help: "a parameter's value: 'KERNEL.PARAM=VALUE' or 'PARAM=VALUE'; arrays: constant(c), linear(stride), uniform(lo, hi), permutation(n)",
  },
  argv: { value: "ARGS", help: "main's arguments" },
  "nvcc-options": {
    value: "WORDS",
    multiple: true,
    help: "what nvcc is told of code: '-use_fast_math -maxrregcount=64'; goes before what the project says",
  },
  define: { value: "NAME[=VALUE]", short: "D", multiple: true, help: "a macro" },
  include: { value: "DIR", short: "I", multiple: true, help: "a folder of headers" },
  registers: { value: "KERNEL=N", multiple: true, help: "registers a thread of a kernel" },
  nvcc: { value: "PATH", help: "this nvcc: for register counts (default: off) or to calibrate; auto: the one on PATH" },
  out: { value: "FILE", help: "the file to write, which must not be there yet (default: the standard output)" },
  "static-shared": { value: "BYTES", help: "static shared memory of a block (default: 0)" },
  "dynamic-shared": { value: "BYTES", help: "dynamic shared memory of a block (default: 0)" },
  block: { value: "N", help: "threads a block" },
  carveout: { value: "PCT", help: "preferred share of shared memory in percent" },
  cluster: { value: "N", help: "blocks a cluster: how many clusters the GPU holds at once" },
  stdin: { help: "read one JSON object a line, write one a line" },
  stdio: { help: "speak over the standard streams" },
  color: { help: "colours, even where the output is not a terminal" },
  "no-color": { help: "no colours" },
  help: { short: "h", help: "this help" },
  version: { short: "V", help: "the version" },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof options;
type Definitions = typeof options;
type ValueOf<Name extends OptionName> = Definitions[Name] extends { readonly value: string }
  ? Definitions[Name] extends { readonly multiple: true }
    ? readonly string[]
    : string
  : boolean;
/** The options that were given. */
export type Given = { readonly [Name in OptionName]?: ValueOf<Name> };

export interface Arguments {
  readonly given: Given;
  readonly operands: readonly string[];
  /** Those operands that stand behind `--`. */
  readonly behind: readonly string[];
}

const everywhere: readonly OptionName[] = ["color", "no-color", "help", "version"];

/**
 * Reads a command's arguments. Throws a UsageError that names what is wrong.
 * @param withOption the commands that have an option
 */
export function readArguments(
  command: string,
  argv: readonly string[],
  allowed: readonly OptionName[],
  withOption: (name: string) => readonly string[],
): Arguments {
  const known = [...allowed, ...everywhere];
  const config = Object.fromEntries(
    known.map((name): [string, { type: "string" | "boolean"; multiple: boolean; short?: string }] => {
      const option: Option = options[name];
      return [
        name,
        {
          type: option.value === undefined ? "boolean" : "string",
          multiple: option.multiple ?? false,
          ...(option.short === undefined ? {} : { short: option.short }),
        },
      ];
    }),
  );
  const { values, positionals, tokens } = parseArgs({
    args: [...argv],
    options: config,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const name = known.find((each) => each === token.name);
    if (!name) {
      const near = suggest(token.name, known);
      const others = withOption(token.name).join(", ");
      const hint = others !== "" ? `; it is an option of ${others}` : near === undefined ? "" : `; did you mean --${near}?`;
      throw new UsageError(`${command} has no option ${token.rawName}${hint}`);
    }
    const option: Option = options[name];
    if (option.value === undefined && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`);
    const missing =
      token.value === undefined ||
      (!token.inlineValue && /^--[a-z]/.test(token.value) && known.some((each) => token.value === `--${each}`));
    if (option.value !== undefined && missing) throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${option.value}`);
    if (
      option.value !== undefined &&
      !option.multiple &&
      tokens.some((other) => other !== token && other.kind === "option" && other.name === name)
    ) {
      throw new UsageError(`${token.rawName} is given twice`);
    }
  }
  const end = tokens.find(({ kind }) => kind === "option-terminator");
  const behind = tokens.filter((token) => token.kind === "positional" && end !== undefined && token.index > end.index);
  return { given: values as Given, operands: positionals, behind: positionals.slice(positionals.length - behind.length) };
}

/** The options' part of a command's help. */
export function optionHelp(allowed: readonly OptionName[]): string {
  const rows = [...allowed, ...everywhere].map((name): [string, string] => {
    const option: Option = options[name];
    const short = option.short === undefined ? "    " : `-${option.short}, `;
    return [`  ${short}--${name}${option.value === undefined ? "" : ` ${option.value}`}`, option.help];
  });
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `${left.padEnd(width)}${right}`).join("\n");
}

/** A whole number of at least `least`. */
export function wholeNumber(name: string, text: string, least = 0): number {
  const value = Number(text);
  if (!/^\s*\d+\s*$/.test(text) || value < least)
    throw new UsageError(`${name} must be a whole number${least > 0 ? `, at least ${least}` : ""}: ${text}`);
  return value;
}
