/** What values are worth at each place of a block, or of the grid, where the place alone decides them. */

import { launchConstants } from "../execute/constants.ts";
import type { Environment } from "../execute/environment.ts";
import { warpSize } from "../execute/program.ts";
import { compareInt, evaluateConversion, evaluateInt } from "../ir/evaluate.ts";
import type { Op } from "../ir/kernel.ts";
import type { Work } from "../work.ts";
import type { Form } from "./forms.ts";

type Value = number | bigint | undefined;

/** What the threads of a block add to a form, by thread; undefined where it cannot be computed. */
export function localParts(form: Form, environment: Environment, work: Work): Float64Array | undefined {
  const [width, height, depth] = environment.launch.block;
  return partsAt(form.local, width * height * depth, environment, work, (register, thread) => {
    switch (register) {
      case "tid.x":
        return thread % width;
      case "tid.y":
        return Math.floor(thread / width) % height;
      case "tid.z":
        return Math.floor(thread / (width * height));
      case "laneid":
        return thread % warpSize;
      default:
        return Math.floor(thread / warpSize);
    }
  });
}

/** What the blocks of the grid add by parts that are no multiples of their indices, x fastest. */
export function placedParts(form: Form, environment: Environment, work: Work): Float64Array | undefined {
  const [columns, rows, layers] = environment.launch.grid;
  return partsAt(form.placed, columns * rows * layers, environment, work, (register, index) => {
    if (register === "ctaid.x") return index % columns;
    return register === "ctaid.y" ? Math.floor(index / columns) % rows : Math.floor(index / (columns * rows));
  });
}

function partsAt(
  parts: Form["local"],
  count: number,
  environment: Environment,
  work: Work,
  register: (name: string, place: number) => number,
): Float64Array | undefined {
  const constantOf = launchConstants(environment);
  const sums = new Float64Array(count);
  for (let place = 0; place < count; place++) {
    const known = new Map<Op, Value>();
    for (const { op, times } of parts) {
      const value = evaluate(op, known, (name) => register(name, place), constantOf);
      if (value === undefined) return undefined;
      sums[place]! += times * Number(value);
    }
    work.ask(known.size);
  }
  return sums;
}

function evaluate(op: Op, known: Map<Op, Value>, register: (name: string) => number, constantOf: (op: Op) => number | undefined): Value {
  if (known.has(op)) return known.get(op);
  const { action, args, type } = op;
  if (type === "void" || type === "ptr") return undefined;
  const result = (): Value => {
    const constant = constantOf(op);
    if (constant !== undefined) return type === "i64" ? BigInt(constant) : constant;
    if (action.kind === "special") return register(action.register);
    const [a, b, c] = args.map((arg) => evaluate(arg, known, register, constantOf));
    const from = args[0]?.type;
    if (a === undefined || from === undefined || from === "void") return undefined;
    if (action.kind === "convert") return evaluateConversion(action.op, from, type, a);
    if (b === undefined) return undefined;
    if (action.kind === "int") return evaluateInt(action.op, type, a, b);
    if (action.kind === "icmp") return Number(compareInt(action.predicate, from, a, b));
    return action.kind === "select" ? (a ? b : c) : undefined;
  };
  const value = result();
  known.set(op, value);
  return value;
}
