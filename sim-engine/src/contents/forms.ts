/**
 * Values as functions of the place in the grid: a constant, a multiple of each block index, steps of loops, and a part that
 * the thread's place in its block decides. Of a store's address it tells which threads store where; of the value stored, what.
 */
import type { ConstantOf } from "../execute/constants.ts";
import type { Environment } from "../execute/environment.ts";
import { findLoops } from "../ir/graph.ts";
import type { Block, Kernel, Op } from "../ir/kernel.ts";
import { answerOf } from "../ir/origins.ts";

export interface Form {
  readonly constant: number;
  /** What a step to the next block in x, y, z adds. */
  readonly block: readonly [x: number, y: number, z: number];
  /** What an iteration of each of the loops around adds. */
  readonly loops: readonly { readonly header: Block; readonly step: number }[];
  /** Values that the thread's place in its block decides, or the block's in the grid, and how often each counts. */
  readonly local: readonly Part[];
  readonly placed: readonly Part[];
}

interface Part {
  readonly op: Op;
  readonly times: number;
}

const constant = (value: number): Form => ({ constant: value, block: [0, 0, 0], loops: [], local: [], placed: [] });

function sum(a: Form, b: Form, times = 1): Form {
  const loops = new Map(a.loops.map(({ header, step }) => [header, step]));
  for (const { header, step } of b.loops) loops.set(header, (loops.get(header) ?? 0) + times * step);
  return {
    constant: a.constant + times * b.constant,
    block: [a.block[0] + times * b.block[0], a.block[1] + times * b.block[1], a.block[2] + times * b.block[2]],
    loops: [...loops].flatMap(([header, step]) => (step === 0 ? [] : [{ header, step }])),
    local: sumOfParts(a.local, b.local, times),
    placed: sumOfParts(a.placed, b.placed, times),
  };
}

function sumOfParts(a: readonly Part[], b: readonly Part[], times: number): Part[] {
  const parts = new Map(a.map((each) => [each.op, each.times]));
  for (const each of b) parts.set(each.op, (parts.get(each.op) ?? 0) + times * each.times);
  return [...parts].flatMap(([op, count]) => (count === 0 ? [] : [{ op, times: count }]));
}

/** A form of loops alone, or of nothing. */
const isSteps = ({ block, local, placed }: Form): boolean => local.length === 0 && placed.length === 0 && block.every((each) => each === 0);

const scaled = (form: Form, times: number): Form => sum(constant(0), form, times);

/** Of two forms that differ by iterations of loops alone, the one that begins earlier, with all the loops. */
function merged(a: Form, b: Form): Form | undefined {
  const difference = sum(a, b, -1);
  const { constant: apart, loops } = difference;
  if (!isSteps(difference)) return undefined;
  if (loops.length === 0) return apart === 0 ? a : undefined;
  if (!loops.some(({ step }) => apart % step === 0)) return undefined;
  const all = new Map([...a.loops, ...b.loops].map(({ header, step }) => [header, step]));
  const forward = loops.every(({ step }) => step > 0);
  const least = forward ? Math.min(a.constant, b.constant) : Math.max(a.constant, b.constant);
  return { ...a, constant: least, loops: [...all].map(([header, step]) => ({ header, step })) };
}

/** `value` = slope * `index` + start for all threads; undefined when it is not. */
export function linearIn(value: Form, index: Form): { readonly slope: number; readonly start: number } | undefined {
  const pairs: [number, number][] = value.block.map((each, k) => [each, index.block[k] ?? 0]);
  for (const header of new Set([...value.loops, ...index.loops].map((each) => each.header)))
    pairs.push([stepOf(value, header), stepOf(index, header)]);
  for (const parts of ["local", "placed"] as const) {
    for (const op of new Set([...value[parts], ...index[parts]].map((each) => each.op)))
      pairs.push([timesOf(value[parts], op), timesOf(index[parts], op)]);
  }
  const [a, b] = pairs.find(([, each]) => each !== 0) ?? [0, 1];
  const slope = a / b;
  if (!pairs.every(([each, of]) => each === slope * of)) return undefined;
  return { slope, start: value.constant - slope * index.constant };
}

const stepOf = ({ loops }: Form, header: Block): number => loops.find((each) => each.header === header)?.step ?? 0;
const timesOf = (parts: readonly Part[], op: Op): number => parts.find((each) => each.op === op)?.times ?? 0;

const registers = { local: /^(tid\.|laneid$|warpid$)/, placed: /^ctaid\./ } as const;
/** Operations of which a thread's own value can be computed from those of its operands (see `values-at.ts`). */
const pure: ReadonlySet<string> = new Set(["int", "icmp", "select", "convert"]);

/** Operations looked at in all: counters of loops within loops are looked at again and again. */
const mostWork = 20_000;

export class Forms {
  readonly #environment: Environment;
  readonly #constantOf: ConstantOf;
  #known = new Map<Op, Form | undefined>();
  #work = 0;
  /** Counters whose steps are being found. */
  readonly #started = new Map<Op, Form>();
  readonly #decided = { local: new Map<Op, boolean>(), placed: new Map<Op, boolean>() } as const;
  readonly #headers: ReadonlyMap<Op, { readonly header: Block; readonly inside: ReadonlySet<Block> }>;

  constructor(kernel: Kernel, environment: Environment, constantOf: ConstantOf) {
    this.#environment = environment;
    this.#constantOf = constantOf;
    this.#headers = new Map(
      findLoops(kernel).flatMap(({ header, blocks }) => header.phis.map((phi) => [phi, { header, inside: blocks }] as const)),
    );
  }

  /** Undefined for a value that is no such function. Integers are taken not to wrap around. */
  of(op: Op): Form | undefined {
    if (this.#known.has(op)) return this.#known.get(op);
    if (++this.#work > mostWork) return undefined;
    this.#known.set(op, undefined);
    const form = this.#form(op) ?? this.#part(op, "local") ?? this.#part(op, "placed");
    this.#known.set(op, form);
    return form;
  }

  #form(op: Op): Form | undefined {
    const value = this.#constantOf(op);
    if (value !== undefined) return constant(value);
    const { action, args } = op;
    const [a, b] = args;
    switch (action.kind) {
      case "const":
        return typeof action.value === "number" ? constant(action.value) : undefined;
      case "param":
        return op.type === "ptr" ? constant(Number(this.#environment.parameterValue(action.index))) : undefined;
      case "global.address":
        return constant(this.#environment.globalAddresses[action.index] ?? 0);
      case "special": {
        const { grid, block } = this.#environment.launch;
        const axis = ["ctaid.x", "ctaid.y", "ctaid.z"].indexOf(action.register);
        const inBlock = ["tid.x", "tid.y", "tid.z"].indexOf(action.register);
        if ((axis >= 0 && grid[axis] === 1) || (inBlock >= 0 && block[inBlock] === 1)) return constant(0);
        return axis < 0 ? undefined : { ...constant(0), block: [Number(axis === 0), Number(axis === 1), Number(axis === 2)] };
      }
      case "gep":
        return this.#combined(a, b, action.scale, action.offset);
      case "int":
        if (action.op === "add") return this.#combined(a, b, 1, 0);
        if (action.op === "sub") return this.#combined(a, b, -1, 0);
        if (action.op === "mul") return this.#product(a, b) ?? this.#product(b, a);
        return action.op === "shl" ? this.#product(a, b, true) : undefined;
      case "convert":
        return a && /^([sz]ext|trunc|[su]itofp)$/.test(action.op) ? this.of(a) : undefined;
      case "phi":
        return this.#counter(op);
      default:
        return undefined;
    }
  }

  #combined(a: Op | undefined, b: Op | undefined, times: number, offset: number): Form | undefined {
    const left = a && this.of(a);
    const right = b && this.of(b);
    return left && right && sum(sum(left, right, times), constant(offset));
  }

  #product(a: Op | undefined, b: Op | undefined, shift = false): Form | undefined {
    const by = b && this.#constantOf(b);
    const form = by === undefined ? undefined : a && this.of(a);
    if (by === undefined || !form) return undefined;
    return shift ? (by >= 0 && by < 32 ? scaled(form, 2 ** by) : undefined) : scaled(form, by);
  }

  /** A loop's counter: the value it starts with, and what an iteration adds. */
  #counter(phi: Op): Form | undefined {
    const loop = this.#headers.get(phi);
    if (!loop) return this.#same(phi.args);
    const { header, inside } = loop;
    const from = (within: boolean) => phi.args.filter((_, k) => inside.has(header.predecessors[k] ?? header) === within);
    const start = this.#same(from(false));
    if (!start) return undefined;
    // While its step is found, the counter stands for its start.
    const known = this.#known;
    this.#started.set(phi, start);
    this.#known = new Map(this.#started);
    const next = this.#same(from(true));
    this.#known = known;
    this.#started.delete(phi);
    if (!next) return undefined;
    const step = sum(next, start, -1);
    if (!isSteps(step) || step.loops.length > 0) return undefined;
    return step.constant === 0 ? start : sum(start, { ...constant(0), loops: [{ header, step: step.constant }] });
  }

  /** What all of the values are, where they are alike but for loops that were or were not gone through. */
  #same(ops: readonly Op[]): Form | undefined {
    const [first, ...rest] = ops.map((op) => this.of(op));
    return rest.reduce((all, each) => all && each && merged(all, each), first);
  }

  #part(op: Op, kind: "local" | "placed"): Form | undefined {
    return this.#decides(op, kind) ? { ...constant(0), [kind]: [{ op, times: 1 }] } : undefined;
  }

  /** The value follows from the place in the block, or in the grid, alone. */
  #decides(op: Op, kind: "local" | "placed"): boolean {
    const known = this.#decided[kind];
    const isLookedThrough = (each: Op): boolean => pure.has(each.action.kind) && this.#constantOf(each) === undefined;
    return answerOf(
      op,
      known,
      false,
      (each) => (isLookedThrough(each) ? each.args : []),
      (each) =>
        this.#constantOf(each) !== undefined ||
        (each.action.kind === "special"
          ? registers[kind].test(each.action.register)
          : isLookedThrough(each) && each.args.every((arg) => known.get(arg) === true)),
    );
  }
}
