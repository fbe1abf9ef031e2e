/** Evaluates the host code of a file and reports the launches in it. */
import type { Work } from "@warplens/sim-engine";
import type { FunctionDeclaration } from "../../syntax/ast.ts";
import type { DeviceProgram } from "../device-events.ts";
import type { HostFault } from "../facts.ts";
import { type AssumedTemplate, assumedTemplateArguments } from "../sema/assumed-templates.ts";
import type { Semantics } from "../sema/index.ts";
import type { Substitutions } from "../sema/substitutions.ts";
import type { AnalysisSettings } from "../settings.ts";
import { argumentOf } from "./evaluate/arguments.ts";
import { apply, callMethod } from "./evaluate/call-expression.ts";
import { evaluateExpression } from "./evaluate/expressions.ts";
import { callFunction } from "./evaluate/function-call.ts";
import { launchKernel } from "./evaluate/launch.ts";
import { executeStatement } from "./evaluate/statements.ts";
import { EventLog } from "./launches/event-log.ts";
import { FaultLog } from "./launches/host-fault.ts";
import type { LaunchEntry, ResolveLaunch } from "./launches/launch-entry.ts";
import { LaunchLog } from "./launches/launch-log.ts";
import { functionName } from "./launches/launch-sites.ts";
import { blank, hostType } from "./memory/host-types.ts";
import { type Argument, type Interpreter, type KernelResourcesOf, OutOfSteps } from "./memory/interpreter.ts";
import { Journal, unknownContent } from "./memory/journal.ts";
import type { HostUnit, Linker } from "./program/unit.ts";
import { globalFrame } from "./resolve/names.ts";
import { scalarOf } from "./resolve/overloaded.ts";
import { startVariables } from "./resolve/startup.ts";
import { Inputs } from "./values/inputs.ts";
import { Allocation, Cell } from "./values/model.ts";
import { int, pointer, unknown } from "./values/values.ts";

export interface RunProgram {
  /** Of the function to run. */
  readonly unit: HostUnit;
  readonly settings: AnalysisSettings;
  readonly linker: Linker | undefined;
  /** What a kernel takes of an SM; undefined where that cannot be told. */
  readonly resources?: KernelResourcesOf;
  readonly resolveLaunch?: ResolveLaunch;
  /** Of the evaluation alone: what is worked out of its launches later has work of its own. */
  readonly work?: Work;
  /** Shared by all runs of one analysis. */
  readonly substitutions: Substitutions;
}

/** An input that was given a value. */
export interface AssumedInput {
  readonly name: string;
  readonly value: number | string;
  readonly why: string;
}

export interface RunOptions {
  /** Values for inputs by name, see `inputs.ts`. */
  readonly assumed?: ReadonlyMap<string, number>;
  /** Do not let the program end early. */
  readonly survivesExits?: boolean;
  /** Look for what host code does wrong with memory, until the end of the program. */
  readonly faults?: boolean;
  /** What loops fill arrays with is of no interest: only launches look at it. */
  readonly withoutContents?: boolean;
}

export interface RunResult {
  readonly launches: readonly LaunchEntry[];
  /** How often a launch was executed; undefined when not known. */
  executions(launch: LaunchEntry): number | undefined;
  /** Configurations of the same kernel at the same site that are not among the launches. */
  besides(launch: LaunchEntry): number;
  /** Why inputs are not known, by name. */
  readonly reasons: ReadonlyMap<string, string>;
  /** What they probably are, where that can be told. */
  readonly likely: ReadonlyMap<string, number>;
  /** What stands for numbers that the program draws, by name. */
  readonly drawn: ReadonlyMap<string, number>;
  /** Functions of libraries that were taken to succeed. */
  readonly succeeding: ReadonlySet<string>;
  readonly outOfSteps: boolean;
  /** Template arguments of the function, where nothing says which it is instantiated with. */
  readonly assumedTemplate: readonly AssumedInput[];
  readonly steps: number;
  /** What host code does wrong, where that was asked. */
  readonly faults: readonly HostFault[];
  /** What it has the device do, where faults were asked for. */
  readonly device: DeviceProgram | undefined;
}

/** Runs one function of the file from fresh memory: `main` with its arguments, any other with unknown ones. Throws `Cancelled`. */
export function runFunction(program: RunProgram, entry: FunctionDeclaration, options: RunOptions = {}): RunResult {
  const host = interpreterFor(program, options, functionName(entry) === "main");
  const template = instanceOf(entry, program.unit);
  let outOfSteps = false;
  try {
    const self = selfOf(host, entry);
    const { substitution } = template;
    host.frame = { ...host.frame, substitution };
    if (host.fromStart) startVariables(host);
    callFunction(host, {
      function: entry,
      arguments: argumentsOf(host, entry),
      templateArguments: template.values,
      ...(self === undefined ? {} : { self }),
    });
  } catch (error) {
    // A RangeError is the JavaScript stack's end: some expressions are deeper than it.
    if (!(error instanceof OutOfSteps || error instanceof RangeError)) throw error;
    outOfSteps = true;
  }
  const assumedTemplate = template.assumptions.map(({ what, value, why }): AssumedInput => ({ name: what, value, why }));
  const { launches } = host;
  return {
    launches: launches.entries,
    executions: (launch) => launches.executions(launch),
    besides: (launch) => launches.besides(launch),
    reasons: host.inputs.reasons,
    likely: host.inputs.likely,
    drawn: host.inputs.drawn,
    succeeding: host.inputs.succeeding,
    outOfSteps,
    steps: host.steps,
    faults: host.faults?.faults ?? [],
    device: host.events?.program(!outOfSteps),
    assumedTemplate,
  };
}

const nothingElse: Pick<Linker, "definition" | "variable"> = { definition: () => undefined, variable: () => undefined };

function interpreterFor(program: RunProgram, options: RunOptions, fromStart: boolean): Interpreter {
  const { unit, settings, linker, resources, resolveLaunch, work, substitutions } = program;
  const host: Interpreter = {
    evaluate: (expression) => evaluateExpression(host, expression),
    argument: (expression) => argumentOf(host, expression),
    execute: (statement) => executeStatement(host, statement),
    call: (call) => callFunction(host, call),
    callMethod: (self, name, args, isConst) => callMethod(host, self, name, args, [], isConst),
    apply: (callee, args) => apply(host, callee, args),
    scalar: (value) => scalarOf(host, value),
    launch: (call) => launchKernel(host, call),
    unit,
    get semantics() {
      return host.unit.semantics;
    },
    get globals() {
      return host.unit.globals;
    },
    get types() {
      return host.unit.types;
    },
    get holdsLaunch() {
      return host.unit.sites.holders;
    },
    get linker() {
      // No file is read for what follows the last launch.
      return host.afterLast === undefined || linker === undefined
        ? linker
        : { ...nothingElse, unitOf: (fn: FunctionDeclaration) => linker.unitOf(fn) };
    },
    faults: options.faults ? new FaultLog() : undefined,
    events: options.faults ? new EventLog() : undefined,
    afterLast: undefined,
    holdsMembers: false,
    entryUnit: unit,
    fromStart,
    waits: new Cell(int(0, "long")),
    streams: { waits: new Map(), any: new Cell(int(0, "long")), linked: new Cell(int(0, "bool")) },
    resources: resources ?? (() => undefined),
    substitutions,
    settings,
    journal: new Journal(),
    inputs: new Inputs(options.assumed ?? new Map()),
    launches: new LaunchLog(),
    resolveLaunch,
    statics: new Map(),
    localStatics: new Map(),
    instanceStatics: new Map(),
    libraryVariables: new Map(),
    loops: [],
    frame: { ...globalFrame([]), depth: -1 },
    returned: undefined,
    steps: 0,
    work: work?.share(0),
    exited: false,
    thrown: undefined,
    handled: undefined,
    owned: new WeakSet(),
    felt: { ends: new Map(), destructors: new Map(), copies: new Map() },
    final: !unit.sites.unnamed,
    active: new Map(),
    recursions: 0,
    speculation: 0,
    uncertainty: 0,
    mayThrow: false,
    visited: new WeakMap(),
    replays: {
      operations: options.withoutContents ? Number.POSITIVE_INFINITY : 0,
      ...{ steps: 0, madeUp: 0, large: new Map<Allocation, number>(), memory: undefined, computed: 0, atOnce: 0 },
      ...{ given: new WeakSet(), inOrder: new WeakSet(), ordinary: new WeakSet() },
    },
    survivesExits: options.survivesExits === true,
  };
  return host;
}

/** An instance of a function template: one that is instantiated explicitly, else an assumed one. */
function instanceOf(entry: FunctionDeclaration, { semantics, globals }: HostUnit): AssumedTemplate {
  const written = (entry.templateParameters?.length ?? 0) > 0 ? globals.instantiation(functionName(entry)) : undefined;
  const values = (written?.parts.at(-1)?.templateArguments ?? []).map((argument) =>
    argument.kind === "type" ? semantics.typeFrom(argument.type) : semantics.constant(argument.expression),
  );
  const known = values.filter((value) => value !== undefined);
  const substitution = known.length === 0 || known.length < values.length ? undefined : semantics.substitutionFor(entry, known);
  return substitution === undefined ? assumedTemplateArguments(entry, semantics) : { substitution, values: known, assumptions: [] };
}

function argumentsOf(host: Interpreter, entry: FunctionDeclaration): Argument[] {
  if (functionName(entry) === "main") return mainArguments(host.settings.argv);
  return entry.parameters
    .filter((parameter) => !parameter.pack)
    .map((parameter): Argument => {
      const name = parameter.name ?? "";
      const type = hostType(host, parameter.type.kind === "reference" ? parameter.type.to : parameter.type);
      const reason = `a parameter of \`${functionName(entry)}\`, which nothing in this file calls with known values`;
      if (parameter.default !== undefined) {
        const value = host.evaluate(parameter.default);
        if (value.kind !== "unknown") return { value };
      }
      if (type?.kind === "pointer")
        return {
          value: pointer(
            new Allocation(name, "device", type.to.kind === "void" ? undefined : type.to, {
              bytes: undefined,
              why: unknown(reason),
              content: unknownContent,
              reason,
              ...elementShape(host, type.to),
            }),
            type.to,
          ),
        };
      return { value: blank(host, type, false, reason, name) };
    });
}

function elementShape(host: Interpreter, type: Parameters<Semantics["sizeOf"]>[0]): { readonly elementBytes?: number } {
  const elementBytes = host.semantics.sizeOf(type);
  return elementBytes === undefined ? {} : { elementBytes };
}

function mainArguments(given: readonly string[]): Argument[] {
  const words = ["program", ...given];
  const argv = new Allocation("argv", "host", undefined, {
    bytes: undefined,
    content: unknownContent,
    reason: "the program's arguments",
    elementBytes: 8,
  });
  for (const [k, text] of words.entries()) argv.cells.set(k * 8, new Cell({ kind: "string", text }, undefined, undefined, true));
  return [{ value: int(words.length) }, { value: pointer(argv, { kind: "pointer", to: { kind: "integer", name: "char" } }) }];
}

/** A method runs on an object of which nothing is known. */
function selfOf(host: Interpreter, entry: FunctionDeclaration): Cell | undefined {
  const owner = host.globals.pathOf(entry).at(-1);
  if (owner === undefined) return undefined;
  const name = { start: entry.start, end: entry.start, global: false, parts: [{ text: owner }] };
  if (host.globals.record(name, host.globals.pathOf(entry)) === undefined) return undefined;
  const type = hostType(host, { kind: "named", start: entry.start, end: entry.start, name });
  return new Cell(blank(host, type, false, `a member of \`${owner}\``), type, "this");
}
