/**
 * How loops are gone through: by closures, as most end soon; those that take long once more from their beginning, compiled; and by closures
 * to their end where that cannot be.
 */
import type { Interpreter } from "../memory/interpreter.ts";
import { begin } from "./begin.ts";
import { NotCompiled } from "./compiled/not-compiled.ts";
import { compiledSpeed, instructionsAnOperation, mostCompiledElements, runCompiled } from "./compiled/run.ts";
import { mostElements } from "./lists.ts";
import { type Execute, type Machine, mostOfLoop, operationsAStep, TooLarge, TooLong } from "./machine.ts";

/** Operations of a run of host code. */
export const mostOfRun = 64_000_000;

/** Operations that closures take before a loop is compiled. */
const hotAfter = 1 << 15;
/** Elements of arrays that only compiled loops go through, of a run: what they hold is kept. */
const mostLarge = 1 << 25;
/** Elements of arrays that are laid out for compiled code, and gone through behind it, in the time of an operation of closures. */
const elementsLaidOut = 8;

/**
 * @param more what the machine has besides, made anew for each attempt
 * @param code makes code of the loop; undefined where it is not to be gone through
 * @param apart of an array only the elements are looked at that the loop touches, as what it stores is put there one by one
 * @returns the machine as the loop leaves it
 * @throws Unsupported, GivenUp
 */
export function goThrough(
  host: Interpreter,
  more: () => Partial<Machine>,
  code: (machine: Machine) => Execute | undefined,
  apart = false,
): Machine | undefined {
  const { replays } = host;
  const { madeUp } = replays;
  const budget = Math.min(mostOfLoop, mostOfRun - replays.operations);
  let elements = 0;
  let isLarge = false;
  const attempt = ({ left, fineness, speed, how, run }: How): Machine | undefined => {
    replays.madeUp = madeUp;
    const most = left * fineness * speed;
    const machine = begin(host, most, { ...more(), ...how });
    try {
      const execute = code(machine);
      if (!execute) return undefined;
      run(machine, execute);
      return machine;
    } finally {
      const lengths = [...machine.columns.values()].map(({ length }) => length);
      elements = lengths.reduce((sum, length) => sum + length, 0);
      isLarge = lengths.some((length) => length > mostElements);
      settleSteps(host, Math.ceil((most - Math.max(0, machine.left)) / fineness), speed);
    }
  };
  const closures = (left: number, how: Partial<Machine> = {}): Machine | undefined =>
    attempt({ left, fineness: 1, speed: 1, how, run: (_, execute) => execute() });
  const compiled = (): Machine | undefined => {
    const kept = [...replays.large.values()].reduce((sum, elements) => sum + elements, 0);
    const how = { mostElements: kept < mostLarge ? mostCompiledElements : mostElements };
    const made = attempt({ left: budget, fineness: instructionsAnOperation, speed: compiledSpeed, how, run: runCompiled });
    for (const { allocation, length, stores } of made?.columns.values() ?? [])
      if (stores > 0 && length > mostElements) replays.large.set(allocation, length);
    return made;
  };
  const onlyCompiled = (error: Error): Machine | undefined => otherwise(NotCompiled, compiled, () => rethrow(error));
  try {
    return closures(Math.min(budget, hotAfter), apart ? { mostElements: mostCompiledElements } : {});
  } catch (error) {
    if (error instanceof TooLarge) return onlyCompiled(error);
    if (!(error instanceof TooLong)) throw error;
  }
  if (isLarge) return onlyCompiled(new TooLarge());
  const whole = (): Machine | undefined => otherwise(NotCompiled, compiled, () => closures(budget));
  const untilWorth = Math.min(budget, Math.floor(elements / elementsLaidOut));
  return untilWorth > hotAfter ? otherwise(TooLong, () => closures(untilWorth), whole) : whole();
}

/** A machine whose loop is to be gone through compiled, later. */
export const compiledMachine = (host: Interpreter, elements: number): Machine => begin(host, 0, { mostElements: elements });

/** Instructions that a compiled loop may take. */
export const budgetOf = ({ replays }: Interpreter): number =>
  Math.min(mostOfLoop, mostOfRun - replays.operations) * instructionsAnOperation * compiledSpeed;

/** Instructions that a compiled loop has taken. */
export const settle = (host: Interpreter, instructions: number): void =>
  settleSteps(host, Math.ceil(instructions / instructionsAnOperation), compiledSpeed);

/** What something makes, or something else where it throws an error of a kind. */
function otherwise<T>(kind: new () => Error, one: () => T, other: () => T): T {
  try {
    return one();
  } catch (error) {
    if (!(error instanceof kind)) throw error;
  }
  return other();
}

function rethrow(error: Error): never {
  throw error;
}

interface How {
  /** Operations that it may take, of closures. */
  readonly left: number;
  /** What one of them is counted as. */
  readonly fineness: number;
  /** Operations that are done in the time of one. */
  readonly speed: number;
  readonly how: Partial<Machine>;
  readonly run: (machine: Machine, execute: Execute) => unknown;
}

/** Operations count as steps that are no steps of the evaluation, by the time that they take. */
function settleSteps(host: Interpreter, operations: number, speed: number): void {
  host.replays.operations += Math.ceil(operations / speed);
  const steps = Math.ceil(operations / speed / operationsAStep);
  host.replays.steps += steps;
  host.steps += steps;
  host.work?.spend(steps);
}
