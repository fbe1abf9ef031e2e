/**
 * A loop that takes long as one function of WebAssembly: what its closures do, on locals and on arrays as they lie in memory, where all
 * that it comes to is known. The instructions are made of the operations and numbers that the closures were made of, of nothing the source
 * spells.
 */

import { isFloat, isUnsigned } from "../../values/values.ts";
import type { Known } from "../arithmetic.ts";
import { known, written as stored } from "../element-states.ts";
import { type Execute, type Machine, operationsALook, operationsAStep, TooLong } from "../machine.ts";
import { sortInPlace } from "../sorted.ts";
import { reduced } from "../wide.ts";
import { type Elements, elementsIn } from "./arrays.ts";
import { moduleOf, unsigned } from "./binary.ts";
import { mostLookedUp } from "./elements.ts";
import { NotCompiled } from "./not-compiled.ts";
import { valueType } from "./numbers.ts";
import { type HostSide, type Local, Writer } from "./writer.ts";

/** Of an array. */
export const mostCompiledElements = 1 << 24;
/** Instructions of what is an operation of closures, about, and how many times as fast those are done. */
export const instructionsAnOperation = 10;
export const compiledSpeed = 6.4;
/** Of a sort: n times the logarithm of n. */
const instructionsAComparison = 5;
/** Instructions between two questions whether the answer is still wanted. */
const atOnce = 1 << 20;
const pageBytes = 1 << 16;
/** Of a variable: what it holds, and whether it has been given that. */
const slotBytes = 16;

/**
 * Runs what is left of a loop, from the state that the machine is in, and leaves it as the closures would.
 * @throws NotCompiled where the closures are to do it, from the beginning and on another machine
 * @throws GivenUp, Cancelled
 */
export function runCompiled(machine: Machine, execute: Execute): void {
  let elements: readonly Elements[] = [];
  let states: readonly Uint8Array[] = [];
  let asked = 0;
  let lookedUp = 0;
  const spent = (left: number): void => {
    machine.left -= asked - left;
    asked = left;
    if (machine.left < 0) throw new TooLong();
  };
  const host: HostSide = {
    spent,
    more: (left) => {
      machine.host.work?.goOn(atOnce / instructionsAnOperation / compiledSpeed / operationsAStep);
      spent(left);
      asked = atOnce;
      return atOnce;
    },
    lookUp: (array, index) => {
      lookedUp += 1;
      machine.left -= operationsALook * instructionsAnOperation * compiledSpeed;
      if (lookedUp > mostLookedUp || machine.left < 0) throw new NotCompiled();
      const value = w.arrays.placed[array]?.column.before(index);
      const [values, state] = [elements[array], states[array]];
      if (value === undefined || !values || !state) throw new NotCompiled();
      if (values instanceof BigInt64Array) values[index] = BigInt(value);
      else values[index] = value;
      state[index] = known;
    },
    sort: (arrays, from, to) => {
      machine.left -= Math.ceil((to - from) * Math.log2(to - from + 2) * instructionsAComparison);
      if (machine.left < 0) throw new TooLong();
      const ranges = arrays.flatMap(({ number, type }) => {
        const state = states[number];
        for (let k = from; k < to; k++) if (((state?.[k] ?? 0) & known) === 0) host.lookUp(number, k);
        state?.fill(known | stored, from, to);
        const values = elements[number]?.subarray(from, to);
        return values ? [{ type, values }] : [];
      });
      if (!sortInPlace(ranges)) throw new NotCompiled();
    },
  };
  const w: Writer = new Writer(machine, host);
  w.write(execute);
  const variables = [...w.slots.values()];
  if (variables.some(({ slot }) => w.outside.has(slot))) throw new NotCompiled();
  const { placed } = w.arrays;
  const at = w.arrays.take((variables.length + placed.length) * slotBytes);
  const lengths = at + variables.length * slotBytes;
  const body = [...written(w, () => enter(w, variables, at, lengths)), ...w.body, ...written(w, () => leave(w, variables, at, lengths))];
  const pages = Math.ceil(w.arrays.end / pageBytes);
  const { imports, locals } = w;
  try {
    const module = new WebAssembly.Module(moduleOf({ imports, locals, body, pages }));
    const memory = memoryOf(machine, pages);
    const { buffer } = memory;
    const environment = Object.fromEntries([["memory", memory], ...imports.map(({ call }, k) => [String(k), call])]);
    const { run } = new WebAssembly.Instance(module, { host: environment }).exports as { readonly run: () => void };
    const view = new DataView(buffer, at);
    for (const [k, variable] of variables.entries()) hold(view, k * slotBytes, variable, machine);
    for (const [k, { column }] of placed.entries()) view.setBigInt64((variables.length + k) * slotBytes, BigInt(column.length), true);
    elements = placed.map((array) => elementsIn(buffer, array));
    states = placed.map((array) => new Uint8Array(buffer, array.states, array.capacity));
    placed.forEach(({ column, isKnown, isStored }, k) => {
      const [values, state] = [elements[k], states[k]];
      if (values && state) column.lay(values, isKnown && !isStored ? undefined : state);
    });
    run();
    variables.forEach((variable, k) => {
      if (variable.isStored) machine.slots[variable.slot] = heldIn(view, k * slotBytes, variable);
    });
  } catch (error) {
    // A content-security policy says no, there is no memory, or something is not known.
    const { CompileError, LinkError, RuntimeError } = WebAssembly;
    const isOurs = error instanceof CompileError || error instanceof LinkError || error instanceof RuntimeError;
    throw isOurs || error instanceof RangeError ? new NotCompiled() : error;
  }
  const lengthOf = (k: number): number =>
    Number(new DataView(elements[k]?.buffer ?? new ArrayBuffer(0)).getBigInt64(lengths + k * slotBytes, true));
  placed.forEach(({ column, isStored }, k) => {
    const [values, state] = [elements[k], states[k]];
    if (isStored && values && state) column.adopt(values, state, lengthOf(k));
  });
}

/** One memory after the other would be as many pages that the system has to find. */
function memoryOf({ host: { replays } }: Machine, pages: number): WebAssembly.Memory {
  replays.memory ??= new WebAssembly.Memory({ initial: pages });
  const more = pages - replays.memory.buffer.byteLength / pageBytes;
  if (more > 0) replays.memory.grow(more);
  return replays.memory;
}

/** Instructions that are written apart from the others. */
function written(w: Writer, write: () => void): readonly number[] {
  const from = w.body.length;
  write();
  return w.body.splice(from);
}

/** Variables get what they hold before the loop, and arrays their lengths. */
function enter(w: Writer, variables: readonly Local[], at: number, lengths: number): void {
  for (const [k, { length }] of w.arrays.placed.entries()) {
    w.i32(0);
    w.op("i64.load", 0, ...unsigned(lengths + k * slotBytes));
    w.set(length);
  }
  for (const [k, { number, type, isGiven, isSet }] of variables.entries()) {
    if (!isGiven || isSet !== undefined) continue;
    w.i32(0);
    w.op(`${valueType(type)}.load`, 0, ...unsigned(at + k * slotBytes));
    w.set(number);
  }
}

function leave(w: Writer, variables: readonly Local[], at: number, lengths: number): void {
  w.spent();
  for (const [k, { length }] of w.arrays.placed.entries()) {
    w.i32(0);
    w.get(length);
    w.op("i64.store", 0, ...unsigned(lengths + k * slotBytes));
  }
  for (const [k, { number, type, isStored, isSet }] of variables.entries()) {
    if (!isStored) continue;
    w.i32(0);
    w.get(number);
    w.op(`${valueType(type)}.store`, 0, ...unsigned(at + k * slotBytes));
    w.i32(0);
    if (isSet === undefined) w.i32(1);
    else w.get(isSet);
    w.op("i32.store8", 0, ...unsigned(at + k * slotBytes + 8));
  }
}

function hold(view: DataView, at: number, { slot, type }: Local, { slots }: Machine): void {
  const value: number | bigint | undefined = slots[slot];
  if (value === undefined) return;
  switch (valueType(type)) {
    case "i32":
      view.setInt32(at, Number(value), true);
      break;
    case "i64":
      view.setBigInt64(at, BigInt(value), true);
      break;
    case "f32":
      view.setFloat32(at, Number(value), true);
      break;
    case "f64":
      view.setFloat64(at, Number(value), true);
  }
}

function heldIn(view: DataView, at: number, { type }: Local): Known {
  if (view.getUint8(at + 8) === 0) return undefined;
  if (isFloat(type)) return type === "double" ? view.getFloat64(at, true) : view.getFloat32(at, true);
  if (valueType(type) === "i32") return isUnsigned(type) ? view.getUint32(at, true) : view.getInt32(at, true);
  // Of unsigned ones those just below 2^64 are told by how far they are below it.
  const value = reduced(view.getBigInt64(at, true));
  return typeof value === "bigint" && isUnsigned(type) ? reduced(view.getBigUint64(at, true)) : value;
}
