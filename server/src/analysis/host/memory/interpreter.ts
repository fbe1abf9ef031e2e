/** What the parts of the evaluator share. The parts are functions of an `Interpreter`; `run.ts` makes one. */
import type { KernelResources, Work } from "@warplens/sim-engine";
import type { Declaration, Expression, FunctionDeclaration, Statement, TypeNode, VariableDeclaration } from "../../../syntax/ast.ts";
import type { Semantics } from "../../sema/index.ts";
import type { Substitutions } from "../../sema/substitutions.ts";
import type { RecordInstance, Substitution } from "../../sema/types.ts";
import type { AnalysisSettings } from "../../settings.ts";
import type { EventLog } from "../launches/event-log.ts";
import type { FaultLog } from "../launches/host-fault.ts";
import type { ResolveLaunch, Triple } from "../launches/launch-entry.ts";
import type { LaunchLog } from "../launches/launch-log.ts";
import type { Globals } from "../program/globals.ts";
import type { HostUnit, Linker, TypeCache } from "../program/unit.ts";
import type { Inputs } from "../values/inputs.ts";
import { type Allocation, Cell, type HostType, type Place, type TemplateValue, type Value } from "../values/model.ts";
import type { Journal } from "./journal.ts";
import type { Leaves, LoopTrace } from "./loop-trace.ts";

/** How a statement ended; undefined: by reaching its end. `exit`: the program ends, or an exception is thrown. */
export type Completion =
  | { readonly kind: "break" | "continue" | "exit" }
  | { readonly kind: "return"; readonly value: Value; readonly place?: Place | undefined }
  | { readonly kind: "goto"; readonly label: string }
  | undefined;

/** An exception. */
export interface Thrown {
  readonly value: Value;
  /** What it is declared as, where that is known. */
  readonly type?: HostType | undefined;
  /** Its class, where an object was made to be thrown. */
  readonly name?: string | undefined;
}

/** One call of a function. */
export interface Frame {
  readonly function: FunctionDeclaration | undefined;
  /** Its declared result; of a lambda, where it is written. */
  readonly result: TypeNode | undefined;
  readonly substitution: Substitution | undefined;
  /** Innermost last. */
  readonly scopes: Map<string, Place>[];
  readonly self: Cell | undefined;
  /** Namespaces and classes around the function, outermost first. */
  readonly path: readonly string[];
  readonly depth: number;
  /** What it may have returned on ways not followed. */
  readonly otherResults: Value[];
  /** Those ways, and what `uncertainty` was when it was called. */
  readonly returns: Leaves;
  readonly uncertainty: number;
  /** Of the `switch` under way. */
  cases: Leaves | undefined;
  /** Objects and smart pointers that the expression under way has made, and that nothing has taken over: they end with it. */
  readonly temporaries: Set<Value>;
}

/** An evaluated argument, with its place when it is an lvalue. */
export interface Argument {
  readonly value: Value;
  readonly place?: Place;
  readonly expression?: Expression;
  /** It is given away: `std::move(variable)`. */
  readonly isMoved?: boolean;
  /** It is given away or not, as who called has it: `std::forward<T>(parameter)`. */
  readonly isForwarded?: boolean;
}

export interface Call {
  readonly function: FunctionDeclaration;
  readonly arguments: readonly Argument[];
  readonly self?: Cell | undefined;
  /** Template arguments as written. */
  readonly templateArguments?: readonly TemplateValue[];
  /** Of the class around. */
  readonly substitution?: Substitution | undefined;
}

/** A launch as it is written, evaluated. */
export interface LaunchCall {
  readonly site: Expression;
  readonly callee: Value;
  readonly name: string;
  readonly grid: Triple<Value>;
  readonly block: Triple<Value>;
  readonly cluster?: Triple<Value>;
  readonly shared: Value;
  readonly args: readonly Argument[];
  readonly stream?: Value | undefined;
}

/** What an instance of a kernel takes of an SM; undefined where that cannot be told. */
export type KernelResourcesOf = (kernel: FunctionDeclaration, substitution: Substitution | undefined) => KernelResources | undefined;

export type CallExpression = Expression & { readonly kind: "call" };

export interface Interpreter {
  /** Never throws but `OutOfSteps` and `Cancelled`. */
  readonly evaluate: (expression: Expression) => Value;
  /** The same, with the variable that holds it where there is one. */
  readonly argument: (expression: Expression) => Argument;
  readonly execute: (statement: Statement) => Completion;
  /** Runs a function of the program. */
  readonly call: (call: Call) => Value;
  /** A method of an object of the program, or of a base of its class; undefined where there is none of that name. */
  readonly callMethod: (self: Cell, name: string, args: readonly Argument[], isConst?: () => boolean) => Value | undefined;
  /** Calls what an expression evaluated to: a lambda, a function, an object. */
  readonly apply: (callee: Value, args: readonly Argument[]) => Value;
  /** The number or pointer an object stands for, where its class has just one conversion to any; another value as it is. */
  readonly scalar: (value: Value) => Value;
  /** Notes a launch, and what its kernel leaves in memory. */
  readonly launch: (call: LaunchCall) => void;
  /** Where the code under way stands; the next four are its. */
  unit: HostUnit;
  readonly semantics: Semantics;
  readonly settings: AnalysisSettings;
  readonly journal: Journal;
  readonly globals: Globals;
  readonly types: TypeCache;
  /** Statements and expressions that contain a launch, found before running. */
  readonly holdsLaunch: WeakSet<Statement | Expression | Declaration>;
  readonly linker: Linker | undefined;
  readonly resources: KernelResourcesOf;
  /** Of templates that are called: of this analysis alone, as declarations live on when a file is edited, and types do not. */
  readonly substitutions: Substitutions;
  readonly inputs: Inputs;
  readonly launches: LaunchLog;
  /** What is wrong with what host code does; absent: nobody asks, and what follows the last launch need not be run. */
  readonly faults: FaultLog | undefined;
  /** What it has the device do; absent: nobody asks. */
  readonly events: EventLog | undefined;
  /** Of the function that is run. */
  readonly entryUnit: HostUnit;
  /** It is `main`: nothing was run before it. */
  readonly fromStart: boolean;
  /** How often the host has waited for the device; unknown where it may have or not. */
  readonly waits: Cell;
  /** The same of single streams, and of any of them. Once one may wait for another (`linked`), who waits for one waits for all. */
  readonly streams: { readonly waits: Map<Allocation, Cell>; readonly any: Cell; readonly linked: Cell };
  /** Makes launches ready for the engine, so that what they store can be computed; absent: what they store is not known. */
  readonly resolveLaunch: ResolveLaunch | undefined;
  /** Variables with static storage, made at first use. */
  readonly statics: Map<VariableDeclaration, Cell>;
  /** The same of those in instances of templates. */
  readonly localStatics: Map<Substitution, Map<VariableDeclaration, Cell>>;
  /** Objects that end with the scope of the variable that they are. */
  readonly owned: WeakSet<Cell>;
  /** Whether somebody sees that an object of a class ends, that its destructor runs, or that it is a copy (`resolve/felt.ts`). */
  readonly felt: Readonly<Record<"ends" | "destructors" | "copies", Map<RecordInstance, boolean>>>;
  /** Static members of instances of class templates. */
  readonly instanceStatics: Map<RecordInstance, Map<VariableDeclaration, Cell>>;
  /** Variables of libraries: `optarg`. */
  readonly libraryVariables: Map<string, Cell>;
  /** Loops that are being watched, innermost last. */
  readonly loops: LoopTrace[];
  frame: Frame;
  /** What the function called last returned a reference to. */
  returned: Place | undefined;
  steps: number;
  /** Asked at every few steps whether the answer is still wanted. How many steps are taken is `steps`' business alone. */
  readonly work: Work | undefined;
  /** `exit` was called or an exception thrown: the statement that notices ends with `exit`. */
  exited: boolean;
  /** It was an exception, which a handler of a `try` around may take. */
  thrown: Thrown | undefined;
  /** What the handler under way has taken. */
  handled: Thrown | undefined;
  /**
   * Nothing that is still to run after the statement, or the call, under way can launch: what follows the last launch need not be run. Who
   * runs code that something follows does it by `followed`.
   */
  final: boolean;
  /** All launches are made: the steps, without those of replayed loops, at which what follows is not run any more. */
  afterLast: number | undefined;
  /** The address of a number within a record was taken: what is stored beside it by that address is not followed. */
  holdsMembers: boolean;
  /** How often each function is being called. */
  readonly active: Map<FunctionDeclaration, number>;
  /** Calls of functions that were being called already. */
  recursions: number;
  /** Something may have been thrown to the handlers around. */
  mayThrow: boolean;
  /** Above 0 while code runs that the program may not reach. */
  speculation: number;
  /** Above 0 on one of two ways of which it is not known which is taken. */
  uncertainty: number;
  /** Statements visited by speculation, and how remote they were then. */
  readonly visited: WeakMap<Statement, number>;
  /**
   * Loops gone through on bare numbers: how many operations that took, which of the steps it was counted as, and the loops that are not;
   * those of which no turn can be run alone.
   */
  readonly replays: {
    operations: number;
    steps: number;
    readonly given: WeakSet<Statement>;
    readonly inOrder: WeakSet<Statement>;
    /** Loops that are not to be gone through from their first turn on: nothing grows in them, and nothing is drawn at random. */
    readonly ordinary: WeakSet<Statement>;
    /** Elements of arrays that compiled loops have stored to, of those that are too large for others. */
    readonly large: Map<Allocation, number>;
    /** Elements of arrays that were computed when a loop asked for them. */
    computed: number;
    /** Elements that are kept of arrays that formulas told, and that were made all at once (`replay/deferred.ts`). */
    atOnce: number;
    /** What compiled loops work in, each from its own beginning. */
    memory: WebAssembly.Memory | undefined;
    /** Generators of our own that stood for ones of which the state is not known. */
    madeUp: number;
  };
  /** Blocks that end the program are passed over even if their condition holds. */
  readonly survivesExits: boolean;
}

/** Thrown when the step budget is used up; caught by `run.ts` alone. */
export class OutOfSteps extends Error {}

/** Steps (expressions and statements) one evaluation may take besides those of loops that are replayed, which have a limit of their own. */
const stepLimit = 500_000;
/** Calls within calls. */
export const depthLimit = 60;
/** Recursive calls in all: some recursions branch at every level. */
export const recursionLimit = 1000;

/** Steps between two questions to `work`. */
const stepsAtOnce = 64;

/** Steps without those of replayed loops. */
export const ownSteps = ({ steps, replays }: Interpreter): number => steps - replays.steps;

/** Throws `OutOfSteps`, and `Cancelled`. */
export function step(host: Interpreter, count = 1): void {
  const untold = host.steps % stepsAtOnce;
  host.steps += count;
  if (ownSteps(host) > (host.afterLast ?? stepLimit)) throw new OutOfSteps();
  const whole = Math.floor((untold + count) / stepsAtOnce);
  if (whole > 0) host.work?.spend(whole * stepsAtOnce);
}

/** Runs code behind which something may still launch. */
export function followed<T>(host: Interpreter, run: () => T): T {
  const { final } = host;
  host.final = false;
  const value = run();
  host.final = final;
  return value;
}

export function lookUpLocal(host: Interpreter, name: string): Place | undefined {
  const { scopes } = host.frame;
  for (let k = scopes.length - 1; k >= 0; k--) {
    const place = scopes[k]?.get(name);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** A variable of a library, made at first use. */
export function libraryVariable(host: Interpreter, name: string, initial: Value): Cell {
  const known = host.libraryVariables.get(name);
  if (known !== undefined) return known;
  const made = new Cell(initial, undefined, name);
  host.libraryVariables.set(name, made);
  return made;
}

export function declareLocal(host: Interpreter, name: string, place: Place): void {
  host.frame.scopes.at(-1)?.set(name, place);
}
