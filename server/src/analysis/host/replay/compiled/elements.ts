/** Elements of arrays in compiled code: where they stand, that they are there, and that they are known. */
import type { NumberName } from "../arithmetic.ts";
import type { Column } from "../columns.ts";
import { known, written } from "../element-states.ts";
import { accessOf, type Placed } from "./arrays.ts";
import { unsigned } from "./binary.ts";
import { NotCompiled } from "./not-compiled.ts";
import { writeConversion } from "./numbers.ts";
import type { Writer } from "./writer.ts";

/**
 * Takes an index from the stack, or an offset in bytes, each of 64 bits; an element that is not there the closures are to tell of.
 * @returns the local that holds the index
 */
function writeIndex(w: Writer, { bytes, length }: Placed, inBytes: boolean): number {
  if (inBytes && bytes > 1) {
    // An offset within an element becomes an index that is too large.
    w.i64(BigInt(Math.log2(bytes)));
    w.op("i64.rotr");
  }
  const index = w.local("i64");
  w.tee(index);
  w.get(length);
  w.op("i64.ge_u");
  w.refuseIf();
  const at = w.local("i32");
  w.get(index);
  w.op("i32.wrap_i64");
  w.set(at);
  return at;
}

function writeAddress(w: Writer, at: number, bytes: number): void {
  w.get(at);
  if (bytes === 1) return;
  w.i32(Math.log2(bytes));
  w.op("i32.shl");
}

const natural = (bytes: number): number => Math.log2(bytes);

/** Elements that are looked up one by one: a formula is gone through for each of those that are computed. */
export const mostLookedUp = 1 << 20;

/** Loads the element whose index or offset is on the stack. */
export function writeLoad(w: Writer, column: Column, inBytes: boolean): void {
  const array = w.array(column);
  const { heldBytes, values, states, isKnown, type, number } = array;
  if (!isKnown && column.isComputed && column.length > mostLookedUp) throw new NotCompiled();
  const at = writeIndex(w, array, inBytes);
  if (!isKnown) {
    w.get(at);
    w.op("i32.load8_u", 0, ...unsigned(states));
    w.i32(known);
    w.op("i32.and");
    w.op("i32.eqz");
    w.open("if");
    w.lookUp(number, at);
    w.close();
  }
  writeAddress(w, at, heldBytes);
  w.op(accessOf(type).load, natural(heldBytes), ...unsigned(values));
}

/** Puts a number of some type that is on the stack behind the others of a list. @throws NotCompiled */
export function writeAppend(w: Writer, column: Column, from: NumberName): void {
  const { isGrown, length, capacity, type } = w.array(column);
  if (!isGrown) throw new NotCompiled();
  const value = w.valueLocal(type);
  writeConversion(w, from, type);
  w.set(value);
  w.get(length);
  w.i64(BigInt(capacity));
  w.op("i64.ge_u");
  w.refuseIf();
  w.get(length);
  w.i64(1n);
  w.op("i64.add");
  w.set(length);
  w.get(value);
  const last = (): void => {
    w.get(length);
    w.i64(1n);
    w.op("i64.sub");
  };
  writeStore(w, column, type, last, false);
  w.op("drop");
}

/** Leaves a list as many elements as the number on the stack says, of 64 bits and no more than there are. @throws NotCompiled */
export function writeShortened(w: Writer, column: Column): void {
  const array = w.array(column);
  if (!array.isGrown) throw new NotCompiled();
  array.isStored = true;
  const length = w.local("i64");
  w.tee(length);
  w.get(array.length);
  w.op("i64.gt_u");
  w.refuseIf();
  w.get(length);
  w.set(array.length);
}

/** Stores a number of some type that is on the stack, and leaves it there as the element has it. @param index writes the index or offset */
export function writeStore(w: Writer, column: Column, from: NumberName, index: () => void, inBytes: boolean): void {
  const array = w.array(column);
  const { heldBytes, values, states, type } = array;
  array.isStored = true;
  writeConversion(w, from, type);
  const value = w.valueLocal(type);
  w.set(value);
  index();
  const at = writeIndex(w, array, inBytes);
  w.get(at);
  w.i32(known | written);
  w.op("i32.store8", 0, ...unsigned(states));
  writeAddress(w, at, heldBytes);
  w.get(value);
  w.op(accessOf(type).store, natural(heldBytes), ...unsigned(values));
  w.get(value);
}
