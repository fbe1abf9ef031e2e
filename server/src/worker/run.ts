/**
 * Answers what the analysis is asked, from the inputs it was told. How a program is had from the inputs is `#program`'s part alone;
 * the rest gathers what the editor shows.
 */
import { analyze } from "../analysis/analyze.ts";
import type { FileHost, Program } from "../analysis/facts.ts";
import { lint } from "../lint.ts";
import type { CompiledKernel } from "../nvcc/resources.ts";
import { findCompiled, knownResources } from "../nvcc/resources.ts";
import type { SimulatedLaunch } from "../rules/rule.ts";
import { simulateLaunches } from "../simulate.ts";
import type { About, Configuration, FileFindings, Input, SimulationMessage, SimulationOrder, TextEdit } from "./messages.ts";
import { rankBy } from "./order.ts";
import { kernelPlaces, launchPlaces, resultOf, syntaxErrors, withPlaces } from "./summaries.ts";
import { applyEdits, type OpenText } from "./texts.ts";

interface Asked extends OpenText {
  readonly configuration: Configuration;
}

export class JobRunner {
  readonly #files: FileHost;
  readonly #texts = new Map<string, OpenText>();
  /** Counts the inputs that may change what any file means. */
  #inputs = 0;
  /** The last program is kept: its simulation is asked for after its findings. */
  #last: { readonly key: string; readonly program: Program } | undefined;

  /** @param disk files that are not open in the editor */
  constructor(disk: FileHost) {
    this.#files = { ...disk, read: (path) => this.#texts.get(path)?.text ?? disk.read(path) };
  }

  tell(input: Input): void {
    switch (input.does) {
      case "open":
        this.open(input.path, input.version, input.text);
        break;
      case "edit":
        this.edit(input.path, input.version, input.edits);
        break;
      case "close":
        this.close(input.path);
        break;
      case "configure":
        this.configure(input.path, input.configuration);
        break;
      case "files":
        this.filesChanged();
        break;
      case "compiled":
        this.compiled(input.path, input.version, input.kernels);
    }
  }

  open(path: string, version: number, text: string): void {
    const configuration = this.#texts.get(path)?.configuration;
    this.#texts.set(path, { version, text, compiled: [], ...(configuration ? { configuration } : {}) });
    this.#inputs++;
  }

  edit(path: string, version: number, edits: readonly TextEdit[]): void {
    const open = this.#texts.get(path);
    if (!open) throw new Error(`${path} is not open`);
    this.#texts.set(path, { ...open, version, text: applyEdits(open.text, edits), compiled: [] });
    this.#inputs++;
  }

  close(path: string): void {
    this.#texts.delete(path);
    this.#inputs++;
  }

  configure(path: string, configuration: Configuration): void {
    const open = this.#texts.get(path);
    if (open) this.#texts.set(path, { ...open, configuration });
  }

  filesChanged(): void {
    this.#inputs++;
  }

  compiled(path: string, version: number, kernels: readonly CompiledKernel[]): void {
    const open = this.#texts.get(path);
    if (open?.version === version) this.#texts.set(path, { ...open, compiled: kernels });
  }

  find(path: string): FileFindings {
    const asked = this.#asked(path);
    const program = this.#program(path, asked);
    const failures: string[] = [];
    const diagnostics = lint(program, undefined, asked.configuration.lint, (message) => failures.push(message));
    return {
      about: aboutOf(asked),
      diagnostics: withPlaces(diagnostics, path, asked.text),
      kernels: kernelPlaces(program),
      syntaxErrors: syntaxErrors(program),
      failures,
    };
  }

  headers(path: string): readonly string[] {
    return this.#program(path, this.#asked(path)).reading.sources.slice(1);
  }

  /** Stops without an end once `isCancelled` says so; between two messages whoever asks may do something else, but tell nothing. */
  *simulate(path: string, order: SimulationOrder, isCancelled: () => boolean): Generator<SimulationMessage, void, void> {
    const asked = this.#asked(path);
    const about = aboutOf(asked);
    const { gpu, lint: rules } = asked.configuration;
    if (isCancelled()) return;
    const program = this.#program(path, asked);
    const { kernels, launches, indexOf } = launchPlaces(program);
    if (isCancelled()) return;
    yield { type: "launches", about, kernels, launches, syntaxErrors: syntaxErrors(program) };
    const simulated: SimulatedLaunch[] = [];
    const outcomes = simulateLaunches(program, gpu, {
      isCancelled,
      rank: rankBy(order),
      registersOf: (name, templateArguments) => knownResources(findCompiled(asked.compiled, name, templateArguments)),
    });
    for (const outcome of outcomes) {
      if ("simulated" in outcome) simulated.push(outcome.simulated);
      yield { type: "result", about, launch: indexOf(outcome), result: resultOf(outcome) };
    }
    if (isCancelled()) return;
    // Rules see the launches in source order, whichever came first.
    const inOrder = program.launches.flatMap((fact) => simulated.find((launch) => launch.fact === fact) ?? []);
    yield { type: "findings", about, diagnostics: withPlaces(lint(program, inOrder, rules), path, asked.text) };
    yield { type: "end", about };
  }

  #asked(path: string): Asked {
    const open = this.#texts.get(path);
    if (!open?.configuration) throw new Error(`${path} is not ${open ? "configured" : "open"}`);
    return { ...open, configuration: open.configuration };
  }

  #program(path: string, { text, configuration: { analysis } }: Asked): Program {
    const key = JSON.stringify([path, this.#inputs, analysis]);
    if (this.#last?.key === key) return this.#last.program;
    // Freed before another is made: there is never more than one.
    this.#last = undefined;
    const program = analyze(path, text, analysis, this.#files);
    this.#last = { key, program };
    return program;
  }
}

const aboutOf = ({ version, configuration: { revision, gpu } }: Asked): About => ({ version, revision, gpu: gpu.id });
