/**
 * What a launch would do with other values, on another GPU: simulated without a word of the source changed. How much there is to do is
 * changed where the host's code says it, so that what it works out of that (grids, sizes of buffers) is as the program would have it;
 * where nobody says it, or it cannot be told where, it is said of the launch alone, and its grid follows.
 */
import { Cancelled, type Dim3, type GpuModel, type Kernel, type Launch, type Span, type Work, watchWarp } from "@warplens/sim-engine";
import { launchKeys } from "../analysis/directives.ts";
import { type LaunchFact, NotSimulated, type Program } from "../analysis/facts.ts";
import { ProgramDatabase } from "../analysis/program-database.ts";
import { kernelUse } from "../analysis/sema/kernel-use.ts";
import type { AnalysisSettings, FileHost } from "../analysis/settings.ts";
import { type OffsetEdit, withEdits } from "../lint/fix-edits.ts";
import { placed } from "../simulate/placed-report.ts";
import { type SimulationOptions, simulateLaunch } from "../simulate.ts";
import { currentParser } from "../syntax/current-parser.ts";
import { withoutTrees } from "../syntax/parser/without-trees.ts";
import { refusedBlock, refusedValue } from "./limits.ts";
import { argumentPlace, type NumberPlace } from "./places.ts";
import type { Imagined, Knobs, LaunchName, Overrides, ParameterKnob, WarpPlace, WarpQuestion, WarpSeen, Written } from "./question.ts";
import { ways } from "./written.ts";

/** The program as it is, and the GPU and settings that it is to be imagined under. */
export interface Reality {
  readonly program: Program;
  readonly settings: AnalysisSettings;
  readonly gpu: GpuModel;
  /** Settings and GPU are others than those of the program. */
  readonly isElsewhere: boolean;
}

export interface Question {
  readonly launch: LaunchName;
  readonly overrides: Overrides;
}

/** A launch in the program that it was found in. */
interface Found {
  readonly program: Program;
  readonly fact: LaunchFact;
}

export class Imagination {
  readonly #programs: ProgramDatabase;

  /** @param files what is on disk, or open */
  constructor(files: FileHost) {
    this.#programs = new ProgramDatabase(
      files,
      withoutTrees(() => currentParser()),
    );
  }

  /** Never throws but `Cancelled`: what fails is the reason. */
  imagine(reality: Reality, { launch, overrides }: Question, work: Work, { registersOf }: SimulationOptions = {}): Imagined {
    const known = launchNamed(reality.program, launch);
    if (!known) return { reason: "the launch is not in the text any more" };
    const { gpu, isElsewhere } = reality;
    const refused = refusedValue(overrides, gpu);
    if (refused) return { ...knobsOf(known, work), ...refused };
    const found = this.#programs.within(work, () => this.#withSizes(reality, launch, known, overrides.parameters ?? {}));
    if (!found) return { ...knobsOf(known, work), reason: `host code does not make this launch on the ${gpu.name}` };
    const fact = asked(known, found, overrides);
    const beyond = fact.launch && refusedValue({ grid: fact.launch.grid, block: fact.launch.block }, gpu);
    if (beyond) return { ...knobsOf(fact, work), ...beyond };
    const options = isElsewhere || !registersOf ? {} : { registersOf };
    const outcome = simulateLaunch(fact, found.program, gpu, work, options);
    if (!outcome) throw new Cancelled();
    if ("notSimulated" in outcome) return { ...knobsOf(fact, work), reason: outcome.notSimulated.reason };
    const { report } = outcome.simulated;
    return { ...knobsOf(fact, work), ...(refusedBlock(report, gpu) ?? { report }) };
  }

  /** What one warp of the launch, with those values, does at a place of its report. Never throws but `Cancelled`: what fails is the reason. */
  watch(reality: Reality, { launch, overrides }: Question, { place, ...warp }: WarpQuestion, work: Work): WarpSeen {
    const known = launchNamed(reality.program, launch);
    if (!known) return { why: "the launch is not in the text any more" };
    const refused = refusedValue(overrides, reality.gpu);
    if (refused) return { why: refused.reason };
    return this.#programs.within(work, () => {
      const found = this.#withSizes(reality, launch, known, overrides.parameters ?? {});
      const fact = found && asked(known, found, overrides);
      if (!fact?.launch) return { why: fact?.reason ?? "host code does not make this launch then" };
      return seenBy(fact, fact.launch, found?.program ?? reality.program, reality.gpu, place, warp, work);
    });
  }

  /** Edits after which the launch is what was imagined, on the GPU that is chosen: each way is tried before it is told. Throws `Cancelled`. */
  write(reality: Reality, { launch, overrides }: Question, work: Work): Written {
    const known = launchNamed(reality.program, launch);
    if (!known) return { why: "the launch is not in the text any more" };
    const refused = refusedValue(overrides, reality.gpu);
    if (refused) return { why: refused.reason };
    const { program } = reality;
    return this.#programs.within(work, () => {
      const found = this.#withSizes(reality, launch, known, overrides.parameters ?? {});
      const wanted = found && asked(known, found, overrides);
      if (!wanted?.launch) return { why: wanted?.reason ?? "host code does not make this launch then" };
      for (const { edits, words, linesAbove } of ways(known, program, wanted, overrides)) {
        const moved = { ...launch, line: launch.line + linesAbove };
        const then = launchNamed(this.#program(reality, edits, []), moved);
        if (then && isAsWanted(then, wanted, overrides)) return { edits, words };
      }
      const where = known.at.file === 0 ? "the launch is not where a comment could say it" : "the launch stands in another file";
      return { why: `the source's numbers do not come out at these, and ${where}` };
    });
  }

  /** The launch on that GPU, with what says its sizes changed in the host's code and among the values that nobody says. */
  #withSizes(reality: Reality, launch: LaunchName, known: LaunchFact, wanted: NonNullable<Overrides["parameters"]>): Found | undefined {
    const { program, isElsewhere } = reality;
    const inputs = new Set(inputsOf(known).map(({ name }) => name));
    const places = Object.entries(wanted).flatMap(([name, value]) => {
      const place = Number.isSafeInteger(value) ? argumentPlace(known, program, name) : undefined;
      return place ? [{ name, value, place }] : [];
    });
    const assume = Object.entries(wanted).flatMap(([name, value]) => (inputs.has(name) ? [`${name}=${value}`] : []));
    if (places.length > 0) {
      const edited = this.#program(reality, places.map(edit), assume);
      const fact = launchNamed(edited, launch);
      if (fact && places.every(({ name, value }) => numberGiven(fact, name) === value)) return { program: edited, fact };
    }
    if (assume.length === 0 && !isElsewhere) return { program, fact: known };
    const other = this.#program(reality, [], assume);
    const fact = launchNamed(other, launch);
    return fact && { program: other, fact };
  }

  #program({ program, settings }: Reality, edits: readonly OffsetEdit[], assume: readonly string[]): Program {
    const programs = this.#programs;
    programs.setText(program.path, withEdits(program.reading.sources[0] ?? "", edits));
    programs.configure(program.path, { ...settings, assume: [...settings.assume, ...assume] });
    return programs.program(program.path);
  }
}

/** In as many lines as before: those of the kernels stay. */
const edit = ({ place, value }: { readonly place: NumberPlace; readonly value: number }): OffsetEdit => ({
  start: place.start,
  end: place.end,
  newText: `${value}${"\n".repeat(place.text.split("\n").length - 1)}`,
});

function launchNamed({ launches }: Program, { kernel, line, nth }: LaunchName): LaunchFact | undefined {
  return launches.filter((fact) => fact.kernelName === kernel && fact.line === line)[nth];
}

/** A launch that is known. */
interface Made {
  readonly fact: LaunchFact;
  readonly launch: Launch;
}

/** The launch with the values that are asked for. @param known the launch as it is */
function asked(known: LaunchFact, { fact }: Found, { block, grid, shared, registers, parameters = {} }: Overrides): LaunchFact {
  const { launch } = fact;
  if (!launch) return fact;
  const said = Object.entries(parameters).filter(
    ([name, value]) => numberGiven(fact, name) !== value && parameterNames(fact).includes(name),
  );
  const followed = grid ?? follow(known, { fact, launch }, block ?? launch.block, new Map(said));
  return fact.having({
    ...(block || grid || followed ? { block: block ?? launch.block, grid: followed ?? launch.grid } : {}),
    ...(shared === undefined ? {} : { shared }),
    ...(registers === undefined ? {} : { registers }),
    parameters: new Map(said),
  });
}

/**
 * The grid that covers as much as before with another block or other extents: where it covered a parameter that bounds the threads along
 * an axis, and host code has not worked it out anew, what that is now; else as many threads. Undefined where it stays.
 */
function follow(
  known: LaunchFact,
  { fact, launch: { grid, block } }: Made,
  other: Dim3,
  said: ReadonlyMap<string, number>,
): Dim3 | undefined {
  const roles = known.kernel ? [...kernelUse(known.kernel.declaration).roles] : [];
  const covers = (size: number | undefined, threads: number, blocks: number | undefined): boolean =>
    size !== undefined && Math.ceil(size / threads) === blocks;
  const side = (axis: 0 | 1 | 2): number => {
    const now = (name: string): number | undefined => said.get(name) ?? numberGiven(fact, name);
    const extents = roles.flatMap(([name, role]) => {
      const wasCovered = covers(numberGiven(known, name), known.launch?.block[axis] ?? 1, known.launch?.grid[axis]);
      const isCovered = covers(now(name), block[axis], grid[axis]);
      const isWorkedOut = known.launch?.grid[axis] !== grid[axis];
      return role.kind === "extent" && role.axis === axis && wasCovered && (isCovered || !isWorkedOut) ? [name] : [];
    });
    const extent = extents.find((name) => now(name) !== numberGiven(known, name)) ?? extents[0];
    const size = (extent === undefined ? undefined : now(extent)) ?? grid[axis] * block[axis];
    return Math.max(1, Math.ceil(size / other[axis]));
  };
  const followed: Dim3 = [side(0), side(1), side(2)];
  const stays = followed.every((count, axis) => count === grid[axis]) && other.every((count, axis) => count === block[axis]);
  return stays ? undefined : followed;
}

/** Whether a launch has what was asked for. */
function isAsWanted(fact: LaunchFact, wanted: LaunchFact, { parameters = {}, registers }: Overrides): boolean {
  const shapeOf = ({ launch }: LaunchFact) => launch && JSON.stringify([launch.grid, launch.block, launch.dynamicSharedBytes]);
  return (
    shapeOf(fact) === shapeOf(wanted) &&
    (registers === undefined || fact.registers === registers) &&
    Object.keys(parameters).every((name) => numberGiven(fact, name) === numberGiven(wanted, name))
  );
}

const parameterNames = ({ kernel }: LaunchFact): string[] => kernel?.declaration.parameters.flatMap(({ name }) => name ?? []) ?? [];

/** The number that a launch gives a parameter; undefined where it gives none that is known. */
function numberGiven({ kernel, launch }: LaunchFact, parameter: string): number | undefined {
  const index = kernel?.declaration.parameters.findIndex(({ name }) => name === parameter) ?? -1;
  const argument = launch?.arguments[index];
  return argument?.kind === "scalar" ? Number(argument.value) : undefined;
}

/** Inputs of the host's code that are assumed, and what the launch rests on. */
function inputsOf({ configuration, kernel }: LaunchFact): ParameterKnob[] {
  const own = new Set(kernel?.declaration.parameters.map(({ name }) => name));
  return configuration.flatMap(({ what, value }) =>
    typeof value === "number" && /^[A-Za-z_]\w*$/.test(what) && !isConfiguration(what) && !own.has(what)
      ? [{ name: what, value, isAssumed: true, isReal: false, isSize: true }]
      : [],
  );
}

const isConfiguration = (name: string): boolean => name === "dynamicSharedBytes" || launchKeys.some((key) => key === name);

/** What of a launch can be turned, as it stands; nothing of one that is not known. */
function knobsOf(fact: LaunchFact, work: Work): { readonly knobs?: Knobs } {
  const { launch, kernel } = fact;
  const lowered = kernel && launch && loweredOf(fact, work);
  if (!launch || !lowered) return {};
  const use = kernelUse(kernel.declaration);
  const assumed = new Set(fact.assumptions.map(({ what }) => what));
  const parameters = lowered.parameters.flatMap(({ name, type }): ParameterKnob[] => {
    const value = numberGiven(fact, name);
    if (value === undefined || type === undefined) return [];
    const isReal = type.startsWith("f") || type.startsWith("bf");
    const isAssumed = assumed.has(name);
    return isReal && !isAssumed ? [] : [{ name, value, isAssumed, isReal, isSize: use.roles.has(name) }];
  });
  const sides = [launch.grid, launch.block];
  const used = sides.some((side) => side[2] > 1) ? 3 : sides.some((side) => side[1] > 1) ? 2 : 1;
  const all = [...inputsOf(fact), ...parameters];
  return {
    knobs: {
      block: launch.block,
      grid: launch.grid,
      dimensions: Math.max(used, use.dimensions) as Knobs["dimensions"],
      shared: launch.dynamicSharedBytes,
      parameters: [...all.filter(({ isSize }) => isSize), ...all.filter(({ isSize }) => !isSize)],
    },
  };
}

function seenBy(
  fact: LaunchFact,
  launch: Launch,
  { reading }: Program,
  gpu: GpuModel,
  place: WarpPlace,
  warp: Omit<WarpQuestion, "place">,
  work: Work,
): WarpSeen {
  const where = fact.kernelReading ?? reading;
  const isAt = (span: Span): boolean => {
    const { file, start, end } = placed(span, where);
    return span.line > 0 && file === place.file && start === place.start && end === place.end;
  };
  try {
    const watched = { isAt, ...(place.kind === "access" ? { access: place } : {}) };
    const { ways, ...seen } = watchWarp(fact.lower(work), launch, gpu, watched, warp, work);
    const [one = null, other = null] = ways.map((way) => {
      const at = way && placed(way, where);
      return at?.file === 0 ? at.line : undefined;
    });
    // Where both go on alike, the lines tell nothing.
    return { ...seen, ...(place.kind === "branch" && one !== other ? { lines: [one, other] as const } : {}) };
  } catch (error) {
    if (error instanceof Cancelled || !(error instanceof Error)) throw error;
    return { why: error.message };
  }
}

function loweredOf(fact: LaunchFact, work: Work): Kernel | undefined {
  try {
    return fact.lower(work);
  } catch (error) {
    if (error instanceof NotSimulated) return undefined;
    throw error;
  }
}
