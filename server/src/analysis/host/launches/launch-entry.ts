/** One launch that an evaluation met, as the host code makes it. */
import type { Buffer, Content, Argument as EngineArgument, Kernel, Launch, Work } from "@warplens/sim-engine";
import type { Expression, FunctionDeclaration, Node } from "../../../syntax/ast.ts";
import type { GivenNumber } from "../../facts.ts";
import type { Substitution } from "../../sema/types.ts";
import type { HostType, TemplateValue, Value } from "../values/model.ts";

export interface CapturedArgument {
  readonly name: string;
  readonly type: HostType | undefined;
  readonly argument: EngineArgument;
  /** Of an unknown argument: the inputs it comes from. */
  readonly inputs: readonly string[];
  /** What a random one lies between, both included. */
  readonly range?: readonly [lo: number, hi: number];
}

export interface CapturedArguments {
  readonly arguments: readonly CapturedArgument[];
  readonly buffers: readonly CapturedBuffer[];
}

export interface CapturedBuffer {
  readonly buffer: Buffer;
  /** What allocated or declared it, where that stands in the file that is run. */
  readonly allocated?: Node;
  /** Where its size is not known: the inputs it comes from, and the reason. */
  readonly sizeInputs: readonly string[];
  readonly sizeReason?: string;
}

export type Triple<T> = readonly [x: T, y: T, z: T];

export interface LaunchEntry {
  /** The launch, or the call that launches. */
  readonly site: Expression;
  /** Which kernel, and of a template which instance: equal for the same one at the same site. */
  readonly instance: string;
  /** Which of those that are told apart there: 0 the first. */
  readonly turn: number;
  /** The numbers that it is given and others of its configuration are not, where these are told apart. */
  readonly given?: readonly GivenNumber[];
  readonly kernelName: string;
  /** Absent when it is not known which kernel is launched, or its definition was not found. */
  readonly kernel?: FunctionDeclaration;
  readonly substitution?: Substitution;
  readonly templateArguments: readonly TemplateValue[];
  readonly grid: Triple<Value>;
  readonly block: Triple<Value>;
  readonly cluster?: Triple<Value>;
  readonly shared: Value;
  readonly captured: CapturedArguments;
  /** What `__constant__` and `__device__` variables hold, by name. */
  readonly globals: ReadonlyMap<string, Content>;
  /** How many conditions that are known to be false stand before it: 0 where the program reaches it. */
  readonly remoteness: number;
  /** Whether it does depends on a condition that is not known. */
  readonly uncertain: boolean;
  /** Arguments of later executions in the same configuration, where they are others: the first such, and the last. */
  readonly later?: readonly CapturedArguments[];
}

/** Makes of a launch what the engine needs; undefined where that is not known. */
export type ResolveLaunch = (
  entry: LaunchEntry,
  work: Work | undefined,
) => { readonly kernel: Kernel; readonly launch: Launch } | undefined;
