/** Which directives and options are for which kernel and launch of a file, and what cannot be read of them. */
import { breaksIn } from "../syntax/comments.ts";
import type { Place, Reading } from "../syntax/reading.ts";
import { lastUpTo } from "../syntax/sorted.ts";
import {
  type AssumeOption,
  type Directive,
  directiveText,
  mergeDirectives,
  readAssumeOption,
  readDirective,
  readLaunchOption,
} from "./directives.ts";
import type { KernelFact, Program } from "./facts.ts";
import type { AnalysisSettings } from "./settings.ts";

export type Problem = Program["problems"][number];

interface PlacedDirective {
  readonly directive: Directive;
  readonly place: Place;
  /** 0-based. */
  readonly line: number;
  used: boolean;
  /** The names in its values were looked up among a kernel's parameters. */
  checked: boolean;
}

/** Comments that are heeded. */
const mostComments = 5000;

export class UserDirectives {
  readonly #reading: Reading;
  /** Where statements end, by file. */
  readonly #breaks = new Map<number, readonly number[]>();
  readonly #comments: PlacedDirective[] = [];
  /** `--launch`, by kernel. */
  readonly #launches = new Map<string, Directive[]>();
  readonly #assume: AssumeOption[] = [];
  readonly #problems: Problem[] = [];

  constructor(reading: Reading, settings: AnalysisSettings) {
    this.#reading = reading;
    for (const { text, place } of reading.comments) {
      const written = directiveText(text);
      if (written === undefined) continue;
      const tooMany = this.#comments.length === mostComments;
      const result = tooMany ? { problem: `only the first ${mostComments} directives of a file are heeded` } : readDirective(written);
      if ("problem" in result) this.#problems.push({ message: result.problem, at: place });
      else {
        const { line } = reading.position(place.file, place.start);
        this.#comments.push({ directive: result.directive, place, line, used: false, checked: false });
      }
      if (tooMany) break;
    }
    // What cannot be read of options is told where they are given: on the command line, in `warplens.json`, in the settings.
    for (const text of settings.launches) {
      const option = readLaunchOption(text);
      if (!("problem" in option)) this.#launches.set(option.kernel, [...(this.#launches.get(option.kernel) ?? []), option.directive]);
    }
    for (const text of settings.assume) {
      const option = readAssumeOption(text);
      if (!("problem" in option)) this.#assume.push(option);
    }
  }

  /** Numbers that hold for every kernel: host variables of that name that nobody knows take them too. */
  get inputs(): ReadonlyMap<string, number> {
    const inputs = new Map<string, number>();
    for (const { directive } of this.#comments)
      for (const [name, value] of directive.parameters) if (typeof value === "number") inputs.set(name, value);
    for (const { kernel, directive } of this.#assume)
      if (kernel === undefined) for (const [name, value] of directive.parameters) if (typeof value === "number") inputs.set(name, value);
    return inputs;
  }

  /** `--launch` options for a kernel, in order. */
  options(kernel: string): readonly Directive[] {
    return this.#launches.get(kernel) ?? [];
  }

  /** Whether comments or options say anything of how the kernel is launched. */
  directiveOfKernel(fact: KernelFact): Directive | undefined {
    const found = this.#above(fact.nameAt);
    return found.length === 0 ? undefined : mergeDirectives(found.map(({ directive }) => directive));
  }

  /** What is said for a launch: by its kernel's comment, its own comment, `--assume`, `--launch`; the later the stronger. */
  directiveOfLaunch(kernelName: string, fact: KernelFact | undefined, at: Place | undefined, option: Directive | undefined): Directive {
    const ofKernel = fact === undefined ? [] : this.#above(fact.nameAt);
    const ofLaunch = at === undefined ? [] : this.#above(at);
    const parameters = new Set(fact?.declaration.parameters.map((parameter) => parameter.name));
    const assumed = this.#assume.filter(
      ({ kernel, parameter }) => (kernel === undefined || kernel === kernelName) && parameters.has(parameter),
    );
    const ofOptions = assumed.map(({ directive }) => directive);
    if (fact !== undefined) for (const placed of [...ofKernel, ...ofLaunch]) this.#checkNames(placed, parameters, kernelName);
    const written = [...ofKernel, ...ofLaunch].map(({ directive }) => directive);
    return mergeDirectives([...written, ...ofOptions, ...(option === undefined ? [] : [option])]);
  }

  /** Names in values must be the kernel's parameters. Said once a directive. */
  #checkNames(placed: PlacedDirective, parameters: ReadonlySet<string | undefined>, kernelName: string): void {
    if (placed.checked) return;
    placed.checked = true;
    for (const { key, written, names } of placed.directive.open ?? []) {
      const strange = names.filter((name) => !parameters.has(name));
      if (strange.length === 0) continue;
      const are = strange.length > 1 ? "are no parameters" : "is no parameter";
      this.#problems.push({ message: `\`${key}=${written}\`: ${strange.join(", ")} ${are} of ${kernelName}`, at: placed.place });
    }
  }

  /** Directives between which and a place there is nothing but attributes and the start of the same statement. */
  #above({ file, start }: Place): PlacedDirective[] {
    if (this.#comments.length === 0) return [];
    const breaks = this.#breaks.get(file) ?? breaksIn(this.#reading.sources[file] ?? "");
    this.#breaks.set(file, breaks);
    const statement = lastUpTo(breaks, start - 1, (each) => each) ?? -1;
    const { line } = this.#reading.position(file, start);
    const found = this.#comments.filter(
      ({ place, line: own }) => place.file === file && (place.end <= start ? statement < place.end : start <= place.start && own === line),
    );
    for (const each of found) each.used = true;
    return found;
  }

  /** To be asked when everything else was. */
  get problems(): readonly Problem[] {
    const idle = this.#comments.filter((comment) => !comment.used);
    return [
      ...this.#problems,
      ...idle.map(({ place }) => ({ message: "this directive stands above neither a kernel nor a launch", at: place })),
    ];
  }
}
