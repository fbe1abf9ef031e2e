/** What options, or `warplens.json`, say that the source cannot, and whether the kernels and parameters that they name are there. */
import type { Content } from "@warplens/sim-engine";
import { type Directive, launchKeys, mostRegisters, readAssumeOption, readLaunchOption, type Unreadable } from "../analysis/directives.ts";
import { isNumber, misfit, type Takes } from "../analysis/fitting.ts";
import { suggest } from "../rules/suggest.ts";
import { UsageError } from "./io.ts";
import type { KernelNames } from "./jobs/job.ts";
import type { Given } from "./options.ts";
import type { FileResult } from "./report.ts";

/** Names that are listed of those there are. */
const mostListed = 12;
/** Characters of an option's text that are repeated. */
const longestShown = 100;
const keys: readonly string[] = launchKeys;

/** A name in an option, and where it stands. */
interface Named {
  readonly option: OptionText;
  readonly name: string;
  readonly at: number;
}

interface OptionText {
  readonly option: string;
  readonly text: string;
}

type Said = Pick<Given, "registers" | "launch" | "assume" | "kernel">;

/** Parameters of a kernel, or of any where it is of none. */
interface NamedParameter extends Named {
  readonly kernel: string | undefined;
  /** Absent for one that a value is made of, or whose value is. */
  readonly given?: number | Content;
  /** It may be a key of a launch as well. */
  readonly isKey: boolean;
}

export class SaidOptions {
  /** Registers a thread, by kernel. */
  readonly registers: readonly (readonly [kernel: string, count: number])[];
  readonly #kernels: Named[] = [];
  readonly #parameters: NamedParameter[] = [];

  /**
   * Throws a UsageError with the place of what cannot be read.
   * @param placeOf how messages call an option
   */
  constructor({ registers = [], launch = [], assume = [], kernel }: Said, placeOf: (option: keyof Said) => string) {
    this.registers = registers.map((text) => this.#registers({ option: placeOf("registers"), text }));
    for (const text of launch) this.#launch({ option: placeOf("launch"), text });
    for (const text of assume) this.#assume({ option: placeOf("assume"), text });
    if (kernel !== undefined) this.#kernels.push({ option: { option: placeOf("kernel"), text: kernel }, name: kernel, at: 0 });
  }

  /**
   * Throws a UsageError where the options name a kernel, or a parameter of it, that is in none of the files.
   * @param files all that the options are for; those that could not be read may have anything
   */
  hold(files: readonly FileResult[]): void {
    const all = files.filter(({ failures, names }) => names || failures.length > 0);
    if (all.some(({ names }) => !names)) return;
    const kernels = all.flatMap(({ names }) => names?.kernels ?? []);
    const known = unique(kernels.map(({ name }) => name));
    for (const { option, name, at } of this.#kernels)
      if (!known.includes(name))
        throw new UsageError(`${placeIn(option, at)}: there is no kernel \`${name}\`; ${listed(name, known, "there are")}`);
    const mentioned = new Set(all.flatMap(({ names }) => names?.mentioned ?? []));
    for (const each of this.#parameters) holdParameter(each, kernels, mentioned);
  }

  #registers(option: OptionText): readonly [string, number] {
    const [, kernel, count] = /^([\w:]+)=(\d+)$/.exec(option.text) ?? [];
    if (kernel === undefined || count === undefined) throw new UsageError(`${placeIn(option, 0)}: registers are written KERNEL=N`);
    this.#kernels.push({ option, name: kernel, at: 0 });
    const registers = Number(count);
    if (registers < 1 || registers > mostRegisters)
      throw new UsageError(`${placeIn(option, kernel.length + 1)}: a thread has 1 to ${mostRegisters} registers, not ${count}`);
    return [kernel, registers];
  }

  #launch(option: OptionText): void {
    const { kernel, directive } = read(option, readLaunchOption);
    const behind = option.text.indexOf(":", option.text.indexOf(kernel) + kernel.length) + 1;
    this.#kernels.push({ option, name: kernel, at: option.text.indexOf(kernel) });
    this.#values(option, directive, kernel, behind, true);
  }

  #assume(option: OptionText): void {
    const { kernel, directive } = read(option, readAssumeOption);
    if (kernel !== undefined) this.#kernels.push({ option, name: kernel, at: option.text.indexOf(kernel) });
    this.#values(option, directive, kernel, kernel === undefined ? 0 : option.text.indexOf(".") + 1, false);
  }

  /** The parameters that a directive gives, and those that its values are made of. */
  #values(option: OptionText, directive: Directive, kernel: string | undefined, from: number, isKey: boolean): void {
    const place = (word: string, start: number): number =>
      start + Math.max(0, option.text.slice(start).search(new RegExp(`\\b${word}\\b`)));
    for (const [name, given] of directive.parameters) this.#parameters.push({ option, name, at: place(name, from), kernel, given, isKey });
    for (const { key, names } of directive.open ?? []) {
      const at = place(key, from);
      if (!keys.includes(key)) this.#parameters.push({ option, name: key, at, kernel, isKey });
      for (const name of names) this.#parameters.push({ option, name, at: place(name, at + key.length), kernel, isKey: false });
    }
  }
}

function read<T extends object>(option: OptionText, reader: (text: string) => T | Unreadable): T {
  const said = reader(option.text);
  if (!("problem" in said)) return said;
  throw new UsageError(`${placeIn(option, said.at)}: ${said.problem}`);
}

function holdParameter(
  { option, name, at, kernel, given, isKey }: NamedParameter,
  kernels: readonly KernelNames[],
  mentioned: ReadonlySet<string>,
): void {
  const of = kernels.filter((each) => kernel === undefined || each.name === kernel);
  const parameters = of.flatMap((each) => each.parameters ?? []);
  const known = unique(parameters.map((parameter) => parameter.name));
  // A number for every kernel may be meant for a variable of the host, where it is none for them.
  const isMeant = (takes: Takes | undefined): boolean =>
    kernel !== undefined || typeof given !== "number" || (takes !== undefined && isNumber(takes));
  const misfits =
    given === undefined
      ? []
      : parameters.flatMap(({ name: own, takes }) => (own === name ? [isMeant(takes) ? misfit(name, takes, given) : undefined] : []));
  const [problem] = misfits;
  if (problem !== undefined && misfits.every((each) => each !== undefined)) throw new UsageError(`${placeIn(option, at)}: ${problem}`);
  // A kernel that is defined elsewhere may have any.
  if (
    known.includes(name) ||
    (kernel === undefined && mentioned.has(name)) ||
    (kernel !== undefined && of.some((each) => !each.parameters))
  )
    return;
  const what = kernel === undefined ? "no kernel has" : `${kernel} has`;
  const a = kernel === undefined ? "a" : "no";
  const others = isKey ? `; keys are ${quoted(keys)}` : "";
  const near = isKey ? suggest(name, keys) : undefined;
  throw new UsageError(
    `${placeIn(option, at)}: ${what} ${a} parameter \`${name}\`; ${near === undefined ? `${listed(name, known, "there are")}${others}` : `did you mean the key \`${near}\`?`}`,
  );
}

/** `--launch 'k: grid', column 4` */
const placeIn = ({ option, text }: OptionText, at: number): string =>
  `${option} '${text.length > longestShown ? `${text.slice(0, longestShown - 3)}...` : text}', column ${at + 1}`;

const unique = (names: readonly string[]): string[] => [...new Set(names)];
const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

function listed(name: string, known: readonly string[], there: string): string {
  if (known.length === 0) return "there are none";
  const near = known.length > mostListed ? suggest(name, known) : undefined;
  const more = known.length > mostListed ? ` and ${known.length - mostListed} more` : "";
  return `${near === undefined ? "" : `did you mean \`${near}\`? `}${there} ${quoted(known.slice(0, mostListed))}${more}`;
}
