/**
 * From a file to its launches: `main` is run; launch sites it does not lead to are reached from the functions around them,
 * with unknown parameters; and where a launch depends on inputs nobody knows, the run is repeated with assumed ones.
 */
import type { Expression, FunctionDeclaration } from "../../syntax/ast.ts";
import type { DeviceProgram } from "../device-events.ts";
import type { HostFault } from "../facts.ts";
import { Substitutions } from "../sema/substitutions.ts";
import { type Assumed, assumeInputs, type Repetition, type Run } from "./assume-inputs.ts";
import type { LaunchEntry } from "./launches/launch-entry.ts";
import { functionName } from "./launches/launch-sites.ts";
import type { HostUnit } from "./program/unit.ts";
import { type AssumedInput, type RunOptions, type RunProgram, type RunResult, runFunction } from "./run.ts";
import { integerOf } from "./values/values.ts";

export interface EvaluatedLaunch {
  readonly entry: LaunchEntry;
  /** Undefined when not known; 0 for a site the program does not reach. */
  readonly executions: number | undefined;
  /** Other configurations that this kernel is launched with here, which are not told apart: there are too many. */
  readonly besides: number;
  readonly assumed: readonly AssumedInput[];
  /** Functions of libraries that host code is taken to have called with success. */
  readonly succeeding: ReadonlySet<string>;
  /** Why the values may not be those of a real run: the program ends before, a branch is not taken. */
  readonly doubt?: string;
  /** Reached from `main`: all that host code does before the launch was seen. */
  readonly wholeProgram: boolean;
  /** Block and dynamic shared memory rest on nothing assumed, whatever the grid does. */
  readonly blockKnown: boolean;
}

/** `main` of another file. */
export interface Elsewhere {
  readonly unit: HostUnit;
  readonly main: FunctionDeclaration;
  /** Where that file includes the opened one: a launch it makes, as one of the opened file's sites. */
  readonly translate?: (launch: LaunchEntry) => LaunchEntry;
}

function translated(result: RunResult, translate: (launch: LaunchEntry) => LaunchEntry): RunResult {
  const originals = new Map(result.launches.map((launch) => [translate(launch), launch] as const));
  return {
    ...result,
    launches: [...originals.keys()],
    executions: (launch) => result.executions(originals.get(launch) ?? launch),
    besides: (launch) => result.besides(originals.get(launch) ?? launch),
  };
}

interface Found {
  readonly entry: LaunchEntry;
  readonly run: Run;
  readonly doubt?: string;
}

/** How far from what the program reaches: 0 where it is reached. */
const remoteness = (launches: readonly LaunchEntry[]) => Math.min(...launches.map((launch) => launch.remoteness));

/** Steps all runs of a file may take together: 1,000,000, and as many as the replayed loops of one run may take (`replay/index.ts`). */
const fileSteps = 2_000_000;

export class FileEvaluation implements Repetition {
  readonly #program: RunProgram;
  readonly #elsewhere: Elsewhere | undefined;
  readonly #given: ReadonlyMap<string, number>;
  readonly #isOwn: (site: Expression) => boolean;
  readonly #found = new Map<Expression, readonly Found[]>();
  readonly #results = new Map<FunctionDeclaration, Map<string, RunResult>>();
  /** What the program does wrong with memory on its way from `main`. */
  faults: readonly HostFault[] = [];
  /** What it has the device do on that way, where the file has a `main`. */
  device: DeviceProgram | undefined;
  /** Steps taken so far. */
  steps = 0;

  /**
   * `given`: values of inputs by name that the user says. `isOwn`: the site stands in the opened file; those of headers are
   * of interest only where the file's own code reaches them. `elsewhere`: `main` of another file, run where the file has none.
   */
  constructor(
    program: Omit<RunProgram, "substitutions">,
    given: ReadonlyMap<string, number>,
    isOwn: (site: Expression) => boolean,
    elsewhere?: Elsewhere,
  ) {
    this.#program = { ...program, substitutions: new Substitutions() };
    this.#given = given;
    this.#isOwn = isOwn;
    this.#elsewhere = elsewhere;
  }

  /** All launches in the order they are written. Throws `Cancelled`. */
  launches(): readonly EvaluatedLaunch[] {
    const { sites, semantics } = this.#program.unit;
    if (sites.sites.length === 0 && !(sites.copies && this.#elsewhere === undefined)) return [];
    // A `main` that only calls other files may come back to this one.
    const main = this.#elsewhere?.main ?? semantics.functions.find((fn) => functionName(fn) === "main" && fn.body !== undefined);
    if (main !== undefined) {
      const own = this.#elsewhere === undefined;
      const withoutContents = sites.sites.length === 0;
      this.#run(main, own ? { faults: true, withoutContents } : {}, undefined);
      if (this.#missing().length > 0) this.#run(main, { survivesExits: true }, "the program ends before it, as far as its input is known");
    }
    const unseen = () => this.#missing().filter((site) => !this.#found.has(site));
    const owners = new Set(unseen().map((site) => sites.owners.get(site)));
    const leading = owners.size === 0 ? [] : sites.roots.filter((root) => root !== main && sites.reaches(root, owners));
    for (const root of leading) if (unseen().length > 0) this.#run(root, { survivesExits: true }, undefined);
    for (const site of unseen()) {
      const owner = sites.owners.get(site);
      if (owner !== undefined && !this.#found.has(site)) this.#run(owner, { survivesExits: true }, undefined);
    }
    return sites.sites.flatMap((site) => (this.#found.get(site) ?? []).map((found) => this.#evaluated(found)));
  }

  /** Sites without an entry, or with one only speculation reached. */
  #missing(): Expression[] {
    return this.#program.unit.sites.sites.filter(
      (site) => this.#isOwn(site) && !this.#found.get(site)?.some(({ entry }) => entry.remoteness === 0),
    );
  }

  #run(fn: FunctionDeclaration, options: RunOptions, doubt: string | undefined): void {
    if (this.steps > fileSteps) return;
    const result = this.again(fn, { ...options, assumed: this.#given });
    const { faults, ...repeated } = options;
    if (faults) [this.faults, this.device] = [result.faults, result.device];
    const run: Run = { fn, options: repeated, result };
    for (const site of new Set(result.launches.map((entry) => entry.site))) {
      const entries = result.launches.filter((entry) => entry.site === site);
      const known = this.#found.get(site)?.map(({ entry }) => entry);
      // What the program says of a site it does not reach goes before what a function would do on its own.
      if (known !== undefined && (remoteness(known) <= remoteness(entries) || functionName(fn) !== "main")) continue;
      const found = entries.map((entry) => ({ entry, run, ...(doubt === undefined ? {} : { doubt }) }));
      this.#found.set(site, found);
    }
  }

  /** Runs a function, counting its steps. */
  again(fn: FunctionDeclaration, options: RunOptions): RunResult {
    const key = JSON.stringify([
      options.survivesExits ?? false,
      options.faults ?? false,
      options.withoutContents ?? false,
      [...(options.assumed ?? [])].sort(),
    ]);
    const results = this.#results.get(fn) ?? new Map<string, RunResult>();
    this.#results.set(fn, results);
    const known = results.get(key);
    if (known !== undefined) return known;
    const elsewhere = fn === this.#elsewhere?.main ? this.#elsewhere : undefined;
    const ran = runFunction({ ...this.#program, unit: elsewhere?.unit ?? this.#program.unit }, fn, options);
    const result = elsewhere?.translate === undefined ? ran : translated(ran, elsewhere.translate);
    results.set(key, result);
    this.steps += result.steps;
    return result;
  }

  get mostShared(): number | undefined {
    return this.#program.settings.device?.sharedMemPerBlockOptin;
  }

  get tired(): boolean {
    return this.steps > fileSteps;
  }

  #evaluated({ entry, run, doubt }: Found): EvaluatedLaunch {
    const executions = run.result.executions(entry);
    const better = assumeInputs(this, run, entry, this.#given) ?? this.#fromOwner(entry);
    const inputs = better?.assumed ?? [];
    return {
      entry: better?.entry ?? entry,
      executions,
      besides: run.result.besides(entry),
      assumed: [...run.result.assumedTemplate, ...inputs],
      succeeding: run.result.succeeding,
      wholeProgram: functionName(run.fn) === "main",
      blockKnown:
        run.result.assumedTemplate.length === 0 && [...entry.block, entry.shared].every((value) => integerOf(value) !== undefined),
      ...(doubt === undefined ? {} : { doubt }),
    };
  }

  /** The launch as the function around it makes it, whatever calls that: where the way from `main` leaves too much open. */
  #fromOwner(launch: LaunchEntry): Assumed | undefined {
    const fn = this.#program.unit.sites.owners.get(launch.site);
    if (fn === undefined || functionName(fn) === "main" || this.tired) return undefined;
    const options: RunOptions = { survivesExits: true };
    const result = this.again(fn, { ...options, assumed: this.#given });
    const entry = result.launches.find((other) => other.instance === launch.instance && other.turn === launch.turn);
    return entry === undefined ? undefined : assumeInputs(this, { fn, options, result }, entry, this.#given);
  }
}
