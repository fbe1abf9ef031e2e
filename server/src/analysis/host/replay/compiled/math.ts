/** Functions of the library as instructions, or as calls of what the closures call. */
import type { NumberName } from "../arithmetic.ts";
import type { Run } from "../machine.ts";
import { valueType, writeConversion, writeOperation } from "./numbers.ts";
import type { Writer } from "./writer.ts";

interface Operand {
  readonly type: NumberName;
  readonly run: Run;
}

type Real = (...x: number[]) => number;

/** Those that are an instruction, with the same result. */
const instructions = new Map<Real, string>([
  [Math.sqrt, "f64.sqrt"],
  [Math.floor, "f64.floor"],
  [Math.ceil, "f64.ceil"],
  [Math.trunc, "f64.trunc"],
  [Math.abs, "f64.abs"],
  [Math.max, "f64.max"],
  [Math.min, "f64.min"],
]);

/** Operations that a call of the host is counted as. */
const callCost = 60;

/** A function of real numbers, worked out in double. */
export function writeReal(w: Writer, of: Real, args: readonly Operand[], type: NumberName): void {
  for (const { run, type: from } of args) {
    w.write(run);
    writeConversion(w, from, "double");
  }
  const instruction = instructions.get(of);
  if (instruction !== undefined) w.op(instruction);
  else {
    w.costs(callCost);
    w.call(
      of,
      args.map(() => "f64"),
      "f64",
    );
  }
  writeConversion(w, "double", type);
}

/** The one of two that is less, or greater. */
export function writeChosen(w: Writer, op: "<" | ">", operands: readonly Operand[], type: NumberName): void {
  const [a, b] = operands.map(({ run, type: from }) => {
    const local = w.valueLocal(type);
    w.write(run);
    writeConversion(w, from, type);
    w.set(local);
    return local;
  });
  if (a === undefined || b === undefined) return;
  w.get(b);
  w.get(a);
  w.get(b);
  w.get(a);
  writeOperation(w, op, type);
  w.op("select");
}

export function writeAbsolute(w: Writer, { run, type }: Operand): void {
  const held = valueType(type);
  w.write(run);
  if (held === "f32" || held === "f64") {
    w.op(`${held}.abs`);
    return;
  }
  const value = w.local(held);
  w.set(value);
  if (held === "i32") w.i32(0);
  else w.i64(0n);
  w.get(value);
  writeOperation(w, "-", type);
  w.get(value);
  w.get(value);
  if (held === "i32") w.i32(0);
  else w.i64(0n);
  writeOperation(w, "<", type);
  w.op("select");
}
